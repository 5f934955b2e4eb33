"""Groups, matrix, the queue, and the rest of the top level."""

from __future__ import annotations

import pytest

from qmdesk.config import Group, HoldPolicy, Matrix
from tests.config.conftest import Fail, Parse

MODELS = (
    "models: {a: {cmd: 'r ${PORT}', aliases: [x]}, b: {cmd: 'r ${PORT}'}, "
    "c/d: {cmd: 'r ${PORT}'}}\n"
)


class TestGroups:
    @pytest.mark.parametrize(
        "spelling", ["groups: {GROUPS}", "routing: {router: {settings: {groups: {GROUPS}}}}"]
    )
    def test_have_two_spellings(self, config: Parse, spelling: str) -> None:
        written = "{g: {members: [a, b], swap: no, persistent: yes}, h: }"
        found = config(MODELS + spelling.replace("{GROUPS}", written))
        assert found.groups == {
            "g": Group("g", ("a", "b"), swap=False, persistent=True),
            "h": Group("h", ()),
        }
        assert found.matrix is None

    @pytest.mark.parametrize(
        ("groups", "said"),
        [
            ("{g: {members: [aa]}}", "did you mean `a`?"),
            ("{g: {members: [x]}}", "alias, write `a`"),
            ("{g: {members: [a, a]}}", "listed twice"),
            ("{g: {members: [a]}, h: {members: [b, a]}}", 'already in group "g"'),
            ("{g: {swap: perhaps}}", "true or false"),
            ("{g: [a]}", "mapping"),
            ("[a]", "mapping"),
        ],
    )
    def test_mistakes(self, errors: Fail, groups: str, said: str) -> None:
        text = MODELS.replace("{a:", "{aaa: {cmd: 'r ${PORT}'}, a:") if "aa]" in groups else MODELS
        (problem,) = errors(f"{text}groups: {groups}")
        assert said in problem.message or "did you mean `aaa`?" in problem.message
        assert problem.key.startswith("groups")
        assert problem.line == 2


class TestMatrix:
    TEXT = """
        vars: {v: c/d}
        evict_costs: {v: "5", a: 2}
        sets: {z: "a & (b | v)", y: +z | b}
        """

    @pytest.mark.parametrize(
        "head",
        ["matrix:", "routing:\n  router:\n    use: matrix\n    settings:\n      matrix:"],
    )
    def test_has_two_spellings_and_keeps_its_order(self, config: Parse, head: str) -> None:
        found = config(MODELS + head + self.TEXT)
        assert found.matrix == Matrix(
            {"v": "c/d"}, {"v": 5, "a": 2}, {"z": "a & (b | v)", "y": "+z | b"}
        )
        assert found.matrix is not None
        assert list(found.matrix.sets) == ["z", "y"]
        assert found.groups == {}

    @pytest.mark.parametrize(
        ("matrix", "said"),
        [
            ("{}", "at least one set"),
            ("{sets: {s: ''}}", "is empty"),
            ("{sets: {s: a & nope}}", "nope is neither"),
            ("{sets: {s: +gone}}", "refers to no set"),
            ("{sets: {full: a, s: +ful}}", "did you mean `full`?"),
            ("{sets: {s: a & +}}", "must follow `+`"),
            ("{sets: {s: + (a)}}", "must follow `+`"),
            ("{sets: {s: (a | b}}", "never closed"),
            ("{sets: {s: a)}}", "closes nothing"),
            ("{sets: {s: a ^ b}}", "^ means nothing"),
            ("{sets: {s: c/d}}", "neither"),
            ("{sets: {s: a}, vars: {'v v': a}}", "letters"),
            ("{sets: {s: a}, vars: {v: x}}", "alias; write `a`"),
            ("{sets: {s: a}, vars: {v: nope}}", "no model"),
            ("{sets: {s: a}, evict_costs: {nope: 1}}", "neither"),
            ("{sets: {s: a}, evict_costs: {a: 0}}", "at least 1"),
            ("{sets: {s: a}, evict_costs: {a: dear}}", "whole number"),
            ("{sets: [a]}", "mapping"),
        ],
    )
    def test_mistakes(self, errors: Fail, matrix: str, said: str) -> None:
        problems = errors(f"{MODELS}matrix: {matrix}")
        assert said in problems[0].message
        assert problems[0].key.startswith("matrix")

    def test_names_within_an_expression_are_placed(self, errors: Fail) -> None:
        (problem,) = errors(f"{MODELS}matrix:\n  sets:\n    s: a & bb\n")
        assert (problem.line, problem.column) == (4, 12)


class TestSpellings:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("groups: {}\nmatrix: {sets: {s: a}}", "exclude each other"),
            ("groups: {}\nrouting: {router: {use: group}}", "keep one spelling"),
            ("matrix: {sets: {s: a}}\nrouting: {router: {}}", "keep one spelling"),
            ("routing: {router: {use: matrix}}", "settings.matrix is missing"),
            ("routing: {router: {use: groop}}", "did you mean `group`?"),
            ("routing: {scheduler: {use: lifo}}", "fifo"),
        ],
    )
    def test_conflicts(self, errors: Fail, text: str, said: str) -> None:
        assert said in errors(MODELS + text)[0].message

    def test_old_groups_go_with_the_new_queue(self, config: Parse) -> None:
        queue = "routing: {scheduler: {settings: {fifo: {holdMs: 0}}}}"
        found = config(f"{MODELS}groups: {{g: {{members: [a]}}}}\n{queue}")
        assert found.groups["g"].members == ("a",)
        assert found.hold == 0

    def test_the_policy_not_in_use_is_left_out(self, config: Parse) -> None:
        found = config(
            MODELS + "routing: {router: {settings: {groups: {g: }, matrix: {sets: {s: a}}}}}"
        )
        assert found.matrix is None
        assert list(found.groups) == ["g"]


class TestQueue:
    def test_times_and_priorities(self, config: Parse) -> None:
        found = config(
            MODELS
            + "queueTimeout: 30\nholdPolicy: always\n"
            + "routing: {scheduler: {use: fifo, settings: {fifo: "
            + "{priority: {x: 2, b: '-1'}, holdMs: 1500, patienceMs: 0}}}}"
        )
        assert found.priorities == {"a": 2, "b": -1}
        assert (found.hold, found.patience, found.queue_timeout) == (1.5, 0, 30)
        assert found.hold_policy is HoldPolicy.ALWAYS

    def test_an_id_ranks_before_its_alias(self, config: Parse) -> None:
        for written in ("{x: 2, a: 3}", "{a: 3, x: 2}"):
            text = f"routing: {{scheduler: {{settings: {{fifo: {{priority: {written}}}}}}}}}"
            assert config(MODELS + text).priorities == {"a": 3}

    def test_absent_times_are_the_usual_ones(self, config: Parse) -> None:
        found = config("routing: {scheduler: {settings: {fifo: {holdMs: , patienceMs: }}}}")
        assert (found.hold, found.patience) == (10, 300)

    @pytest.mark.parametrize(
        ("fifo", "said"),
        [
            ("{priority: {nope: 1}}", "no model"),
            ("{priority: {a: high}}", "whole number"),
            ("{holdMs: -1}", "at least 0"),
        ],
    )
    def test_mistakes(self, errors: Fail, fifo: str, said: str) -> None:
        text = f"{MODELS}routing: {{scheduler: {{settings: {{fifo: {fifo}}}}}}}"
        assert said in errors(text)[0].message


class TestTopLevel:
    @pytest.mark.parametrize(
        ("written", "meant"),
        [
            ("127.0.0.1:9000", ("127.0.0.1:9000",)),
            ("':9000'", (":9000",)),
            ("'*:9000'", (":9000",)),
            ("9000", ("127.0.0.1:9000",)),
            ("'[::1]:9000'", ("[::1]:9000",)),
            ("[localhost:1, ':2', ':2']", ("localhost:1", ":2")),
            ("127.0.0.1:0", ("127.0.0.1:0",)),
        ],
    )
    def test_listen(self, config: Parse, written: str, meant: tuple[str, ...]) -> None:
        assert config(f"listen: {written}").listen == meant

    @pytest.mark.parametrize(
        "written", ["localhost", "h:99999", "'::1:80'", "http://h:80", "[]", "''", "{a: b}"]
    )
    def test_listen_mistakes(self, errors: Fail, written: str) -> None:
        (problem,) = errors(f"listen: {written}")
        assert problem.message.startswith("listen")

    @pytest.mark.parametrize(
        ("written", "meant"), [("DEBUG", "debug"), ("warning", "warn"), ("Error", "error")]
    )
    def test_log_level(self, config: Parse, written: str, meant: str) -> None:
        assert config(f"logLevel: {written}").log_level == meant

    def test_an_unknown_log_level_is_info(self, config: Parse) -> None:
        found = config("logLevel: loud")
        assert found.log_level == "info"
        assert "loud" in found.warnings[0].message

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("startPort: 0", "at least 1"),
            ("startPort: 70000", "at most 65535"),
            ("startPort: many", "whole number"),
            ("globalTTL: -1", "at least 0"),
            ("holdPolicy: never", "toolCalls or always"),
            ("apiKeys: ['']", "is empty"),
            ("apiKeys: ['a b']", "space"),
            ("models: [a]", "mapping"),
            ("models: text", "mapping"),
            ("defaultModel: nope", "no model"),
            ("fallbackModel: nope", "no model"),
            ("hooks: [a]", "mapping"),
        ],
    )
    def test_mistakes(self, errors: Fail, text: str, said: str) -> None:
        (problem,) = errors(text)
        assert said in problem.message
        assert problem.line == 1

    def test_models_for_requests_without_one(self, config: Parse) -> None:
        found = config(MODELS + "defaultModel: x\nfallbackModel: b")
        assert (found.default_model, found.fallback_model) == ("a", "b")

    def test_lists_of_texts(self, config: Parse) -> None:
        found = config("apiKeys: [k, 12, k]\nallowOrigins: '*'\nallowHosts: [h, i]")
        assert [each.key for each in found.api_keys] == ["k", "12"]
        assert (found.allow_origins, found.allow_hosts) == (("*",), ("h", "i"))

    def test_preload_names_are_resolved_and_unknown_ones_doubted(self, config: Parse) -> None:
        found = config(MODELS + "hooks: {on_startup: {preload: [b, x, a, '', modle]}}")
        assert found.preload == ("b", "a")
        assert [each.key for each in found.warnings] == ["hooks.on_startup.preload[4]"]
