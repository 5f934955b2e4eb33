"""What is said of a file with mistakes: all of it, each at its place."""

from __future__ import annotations

import pytest

from qmdesk.config import ConfigError, parse
from qmdesk.config.findings import LIMIT
from qmdesk.config.keys import NOT_YET, NOT_YET_IN_CAPABILITIES, NOT_YET_IN_MODEL
from tests.config.conftest import Fail, Parse


class TestErrors:
    def test_are_all_told_at_once_in_the_order_of_lines(self, errors: Fail) -> None:
        problems = errors(
            """
            startPort: none
            macros: {PORT: 1}
            models:
              a:
                cmd: run ${oops} --port ${PORT}
                ttl: long
                aliases: [n]
              b:
                cmd: run --port 9000
              c:
                cmd: run ${PORT}
                unlisted: perhaps
                metadata: [x]
              c: {proxy: "http://h"}
            apiKeys: [[]]
            """
        )
        assert [(each.line, each.key) for each in problems] == [
            (2, "startPort"),
            (3, "macros.PORT"),
            (6, "models.a.cmd"),
            (7, "models.a.ttl"),
            (10, "models.b.cmd"),
            (13, "models.c.unlisted"),
            (14, "models.c.metadata"),
            (15, "models.c"),
            (16, "apiKeys[0]"),
        ]
        assert all(each.severity == "error" and each.column for each in problems)

    def test_read_like_a_compilers(self) -> None:
        with pytest.raises(ConfigError) as caught:
            parse("models:\n  m:\n    cmd: run\n", environ={})
        assert str(caught.value).startswith('configuration:3:10: error: model "m": cmd does not')

    def test_carry_the_warnings_along(self) -> None:
        with pytest.raises(ConfigError) as caught:
            parse("modles: {}\nstartPort: x\n", environ={})
        assert [each.key for each in caught.value.problems] == ["startPort"]
        assert [each.key for each in caught.value.warnings] == ["modles"]

    def test_are_not_told_without_end(self, errors: Fail) -> None:
        models = "".join(f"  m{i}: {{cmd: x}}\n" for i in range(3 * LIMIT))
        assert len(errors(f"models:\n{models}")) == LIMIT

    def test_every_broken_model_has_its_reason(self, config: Parse) -> None:
        models = "".join(f"  m{i}: {{cmd: x}}\n" for i in range(3 * LIMIT))
        broken = config(f"models:\n{models}", tolerant=True).broken
        assert len(broken) == 3 * LIMIT
        assert all(broken.values())


class TestUnknownKeys:
    @pytest.mark.parametrize(
        ("text", "key", "meant"),
        [
            ("modles: {}", "modles", "`models`"),
            ("loglevel: info", "loglevel", "`logLevel`"),
            ("store_: {}", "store_", "`store`"),
            ("routing: {schedular: {}}", "routing.schedular", "`scheduler`"),
            ("groups: {g: {memebers: []}}", "groups.g.memebers", "`members`"),
            ("hooks: {on_startup: {pre_load: []}}", "hooks.on_startup.pre_load", "`preload`"),
            ("hooks: {onStartup: {}}", "hooks.onStartup", "`on_startup`"),
            ("port: 80", "port", "listen"),
            ("concurrencyLimit: 1", "concurrencyLimit", "belongs to a model"),
            ("qwen: {cmd: x}", "qwen", "belongs under `models:`"),
            ("nothing-like-it: 1", "nothing-like-it", "unknown key"),
        ],
    )
    def test_are_doubted_with_the_nearest(
        self, config: Parse, text: str, key: str, meant: str
    ) -> None:
        (warning,) = config(text).warnings
        assert warning.key == key
        assert meant in warning.message
        assert warning.severity == "warning"
        assert warning.line == 1

    @pytest.mark.parametrize(
        ("key", "meant"),
        [
            ("alias: [x]", "`aliases`"),
            ("TTL: 5", "`ttl`"),
            ("command: x", "unknown key"),
            ("useModel: x", "`useModelName`"),
            ("filters: {strip: a}", "unknown key"),
            ("filters: {setParam: {}}", "`setParams`"),
            ("capabilities: {tool: true}", "`tools`"),
            ("setParams: {}", "under `filters`"),
            ("idleTimeout: 5", "`ttl`"),
            ("two: {proxy: 'http://h'}", "indentation"),
        ],
    )
    def test_in_a_model(self, config: Parse, key: str, meant: str) -> None:
        (warning,) = config(f"models:\n  m:\n    cmd: r ${{PORT}}\n    {key}\n").warnings
        assert warning.line == 4
        assert meant in warning.message

    @pytest.mark.parametrize("key", sorted(NOT_YET))
    def test_known_ones_without_effect_say_so(self, config: Parse, key: str) -> None:
        (warning,) = config(f"{key}: {{a: 1}}").warnings
        assert warning.message == f"{key} is read, but not acted on yet"

    def test_in_models_too(self, config: Parse) -> None:
        keys = ", ".join(f"{key}: 1" for key in sorted(NOT_YET_IN_MODEL))
        inner = ", ".join(f"{key}: 1" for key in sorted(NOT_YET_IN_CAPABILITIES))
        found = config(f"models: {{m: {{cmd: 'r ${{PORT}}', {keys}, capabilities: {{{inner}}}}}}}")
        assert len(found.warnings) == len(NOT_YET_IN_MODEL) + len(NOT_YET_IN_CAPABILITIES)
        assert all("not acted on yet" in each.message for each in found.warnings)

    def test_a_dead_one_says_so(self, config: Parse) -> None:
        assert config("logRequests: true").warnings[0].message == "logRequests has no effect"

    def test_room_for_anchors_is_not_doubted(self, config: Parse) -> None:
        found = config("x-base: &b {ttl: 5}\nmodels: {m: {<<: *b, cmd: 'r ${PORT}'}}")
        assert found.warnings == ()
        assert found.models["m"].ttl == 5

    def test_free_mappings_are_not_doubted(self, config: Parse) -> None:
        text = (
            "models: {m: {cmd: 'r ${PORT}', metadata: {a: {cmd: 1}}, filters: {setParams: {b: 1}}}}"
        )
        assert config(text).warnings == ()
