"""What is said of a file with mistakes: all of it, each at its place."""

from __future__ import annotations

import pytest

from qmdesk.config import ConfigError, parse
from qmdesk.config.findings import LIMIT
from qmdesk.config.keys import (
    NOT_YET,
    NOT_YET_IN_CAPABILITIES,
    NOT_YET_IN_MODEL,
    NOT_YET_IN_TIMEOUTS,
)
from tests.config.conftest import Fail, Parse

WITHOUT_EFFECT = {
    "modelsDirs": "[/m]",
    "performance": "{every: 10s}",
    "slotCache": "{enable: on}",
}
"""Known keys on which nothing acts yet, each with a value."""


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


TEN_MISTAKES = """\
listen: localhost
macros:
  server: run --port ${PORT} ${flag}
models:
  alpha:
    cmd: ${sever} -m /m/a.gguf
    ttl: 10m
    aliases: [quick]
  beta:
    cmd: run --port 9100
  gamma:
    cmd: "run ${PORT}"
    aliases: [fast, quick]
    capabilities: {in: [text, imgae]}
groups:
  g: {members: [alpha, betta]}
hooks:
  on_startup:
    preload: [gama]
apiKeys: ["two words"]
idleModel: fsat
defualtModel: fast
"""


def test_ten_mistakes_are_ten_lines_each_with_its_place_and_a_way_out() -> None:
    with pytest.raises(ConfigError) as caught:
        parse(TEN_MISTAKES, environ={}, windows=False, strict=True)
    errors, warnings = caught.value.problems, caught.value.warnings
    assert [(each.line, each.column, each.key) for each in errors] == [
        (1, 9, "listen[0]"),
        (6, 10, "models.alpha.cmd"),
        (7, 10, "models.alpha.ttl"),
        (10, 10, "models.beta.cmd"),
        (13, 21, "models.gamma.aliases[1]"),
        (14, 31, "models.gamma.capabilities.in[1]"),
        (16, 24, "groups.g.members[1]"),
        (20, 11, "apiKeys[0]"),
        (21, 12, "idleModel"),
        (22, 1, "defualtModel"),
    ]
    ways_out = [
        "such as 127.0.0.1:8080",
        "did you mean ${server}?",
        "write 600",
        "write `proxy: http://127.0.0.1:9100`, or ${PORT} instead of 9100",
        'belongs to model "alpha" already',
        "did you mean `image`?",
        "did you mean `beta`?",
        "has a space",
        "did you mean `fast`?",
        "did you mean `defaultModel`?",
    ]
    for problem, way_out in zip(errors, ways_out, strict=True):
        assert way_out in problem.message
        assert problem.severity == "error"
    doubts = [each for each in warnings if "not acted on yet" not in each.message]
    (doubt,) = doubts
    assert (doubt.line, doubt.column, doubt.key) == (19, 15, "hooks.on_startup.preload[0]")
    assert "did you mean `gamma`?" in doubt.message


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

    @pytest.mark.parametrize(("key", "value"), sorted(WITHOUT_EFFECT.items()))
    def test_known_ones_without_effect_say_so(self, config: Parse, key: str, value: str) -> None:
        warnings = config(f"models: {{m: {{proxy: 'http://h'}}}}\n{key}: {value}").warnings
        assert f"{key} is read, but not acted on yet" in [each.message for each in warnings]

    def test_all_of_them_are_tried(self) -> None:
        assert {*WITHOUT_EFFECT} == NOT_YET

    def test_in_models_too(self, config: Parse) -> None:
        keys = ", ".join(f"{key}: 1" for key in sorted(NOT_YET_IN_MODEL))
        keys = keys.replace("slotCache: 1", "slotCache: on").replace("Preamble: 1", "Preamble: on")
        inner = ", ".join(f"{key}: on" for key in sorted(NOT_YET_IN_CAPABILITIES))
        found = config(f"models: {{m: {{cmd: 'r ${{PORT}}', {keys}, capabilities: {{{inner}}}}}}}")
        assert len(found.warnings) == len(NOT_YET_IN_MODEL) + len(NOT_YET_IN_CAPABILITIES)
        assert all("not acted on yet" in each.message for each in found.warnings)

    def test_in_timeouts_too(self, config: Parse) -> None:
        keys = ", ".join(f"{key}: 1" for key in sorted(NOT_YET_IN_TIMEOUTS))
        block = f"proxy: 'http://h', timeouts: {{connect: 1, responseHeader: 1, {keys}}}"
        found = config(f"models: {{m: {{{block}}}}}\npeers: {{p: {{models: [n], {block}}}}}")
        assert len(found.warnings) == 2 * len(NOT_YET_IN_TIMEOUTS)
        assert all("not acted on yet" in each.message for each in found.warnings)

    def test_in_ui_too(self, config: Parse) -> None:
        (warning,) = config("ui: {language: de, activity: {session_id: []}}").warnings
        assert warning.message == "ui.activity is read, but not acted on yet"

    @pytest.mark.parametrize(
        ("text", "key", "meant"),
        [
            ("memory: {reserve: 1}", "memory.reserve", "`reserveGB`"),
            ("slotCache: {enabled: on}", "slotCache.enabled", "`enable`"),
            ("notifications: {evictions: on}", "notifications.evictions", "`eviction`"),
        ],
    )
    def test_within_blocks_without_effect(
        self, config: Parse, text: str, key: str, meant: str
    ) -> None:
        found = [each for each in config(text).warnings if each.key == key]
        assert meant in found[0].message

    @pytest.mark.parametrize("tolerant", [False, True])
    def test_are_errors_where_asked(self, tolerant: bool) -> None:
        text = "modles: {}\nlogRequests: on\nmodels: {m: {proxy: 'http://h', TTL: 5}}\n"
        with pytest.raises(ConfigError) as caught:
            parse(text, environ={}, strict=True, tolerant=tolerant)
        assert [each.key for each in caught.value.problems] == ["modles", "models.m.TTL"]
        assert "`models`" in caught.value.problems[0].message
        assert [each.key for each in caught.value.warnings] == ["logRequests"]

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
