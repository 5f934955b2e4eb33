"""``${name}`` and ``${env.NAME}`` in values."""

from __future__ import annotations

import pytest

from qmdesk.config import Config
from tests.config.conftest import Fail, Parse


class TestScope:
    def test_macros_use_those_above_them(self, config: Parse) -> None:
        found = config(
            """
            macros: {a: srv, b: "${a} --port ${PORT}", c: "${b} --x"}
            models: {m: {cmd: "${c} --y"}}
            """
        )
        assert found.models["m"].cmd == "srv --port ${PORT} --x --y"

    def test_a_models_macro_stands_in_place_of_the_global_one(self, config: Parse) -> None:
        found = config(
            """
            macros: {size: 1, opts: "--port ${PORT} -c ${size}"}
            models:
              own: {macros: {size: 2}, cmd: "srv ${opts}"}
              plain: {cmd: "srv ${opts}"}
            """
        )
        assert found.models["own"].cmd == "srv --port ${PORT} -c 2"
        assert found.models["plain"].cmd == "srv --port ${PORT} -c 1"

    def test_a_models_macro_uses_global_ones(self, config: Parse) -> None:
        found = config(
            """
            macros: {dir: /m}
            models: {m: {macros: {file: "${dir}/${MODEL_ID}.gguf"}, cmd: "s ${file} ${PORT}"}}
            """
        )
        assert found.models["m"].cmd == "s /m/m.gguf ${PORT}"

    def test_everything_but_the_models_sees_the_global_ones(self, config: Parse) -> None:
        found = config(
            """
            macros: {first: 9000, key: secret, name: m}
            startPort: ${first}
            apiKeys: ["${key}"]
            models: {m: {cmd: "s ${PORT}"}}
            groups: {g: {members: ["${name}"]}}
            """
        )
        assert found.start_port == found.models["m"].port == 9000
        assert [each.key for each in found.api_keys] == ["secret"]
        assert found.groups["g"].members == ("m",)

    def test_many_readings_agree(self, config: Parse) -> None:
        text = """
            macros: {e: "1", d: "${e}2", c: "${d}3", b: "${c}4", a: "${b}5"}
            models: {m: {cmd: "s ${a} ${PORT}"}}
            """
        assert {str(config(text).models["m"].cmd) for _ in range(20)} == {"s 12345 ${PORT}"}


class TestValues:
    def test_a_lone_macro_keeps_its_type(self, config: Parse) -> None:
        model = config(
            """
            macros: {n: 5, x: 0.5, yes: true, text: "5"}
            models:
              m:
                cmd: s ${PORT}
                ttl: ${n}
                unlisted: ${yes}
                filters:
                  setParams: {n: "${n}", x: "${x}", b: "${yes}", t: "${text}", s: "<${n}>"}
                metadata: {list: ["${n}", {deep: "${yes}"}]}
            """
        ).models["m"]
        assert model.ttl == 5
        assert model.unlisted is True
        assert model.set_params == {"n": 5, "x": 0.5, "b": True, "t": "5", "s": "<5>"}
        assert model.metadata == {"list": [5, {"deep": True}]}

    def test_numbers_are_written_as_in_the_file(self, config: Parse) -> None:
        model = config(
            """
            macros: {v: 1.10, t: 1e-3, n: 007, on: true}
            models: {m: {cmd: "s:${v} -t ${t} -n ${n} ${on} ${PORT}", aliases: ["${v}"]}}
            """
        ).models["m"]
        assert model.cmd == "s:1.10 -t 1e-3 -n 007 true ${PORT}"
        assert model.aliases == ("1.10",)

    def test_keys_stay_except_the_names_in_set_params_by_id(self, config: Parse) -> None:
        model = config(
            """
            macros: {x: y}
            models:
              m:
                cmd: s ${PORT}
                metadata: {"${x}": 1}
                filters: {setParamsByID: {"${MODEL_ID}:${x}": {a: 1}}}
            """
        ).models["m"]
        assert model.metadata == {"${x}": 1}
        assert model.set_params_by_id == {"m:y": {"a": 1}}
        assert model.aliases == ("m:y",)

    def test_what_no_name_could_be_stays(self, config: Parse) -> None:
        text = "models: {m: {cmd: 's ${PORT} ${X:-y} ${} $${ {{a}} ${a.b}'}}"
        assert config(text).models["m"].cmd == "s ${PORT} ${X:-y} ${} $${ {{a}} ${a.b}"

    def test_a_macro_in_a_comment_line_counts_for_nothing(self, config: Parse) -> None:
        found = config(
            """
            models:
              m:
                cmd: |
                  s --port ${PORT}
                  # --x ${gone} ${env.GONE}
            """
        )
        assert found.models["m"].cmd == "s --port ${PORT}\n"

    def test_a_block_macro_ends_before_its_line_end(self, config: Parse) -> None:
        found = config(
            """
            macros:
              a: |
                --a 1
              q: >
                two words
            models: {m: {cmd: 's "${q}" x${a}${a}--b ${PORT}'}}
            """
        )
        assert found.models["m"].cmd == 's "two words" x--a 1 --a 1 --b ${PORT}'


class TestMistakes:
    @pytest.mark.parametrize(
        ("macros", "said"),
        [
            ("{PORT: 1}", "reserved"),
            ("{MODEL_ID: 1}", "reserved"),
            ("{'a b': 1}", "letters"),
            ("{'': 1}", "letters"),
            (f"{{{'a' * 64}: 1}}", "63"),
            ("{a: [1]}", "a list"),
            ("{a: {b: 1}}", "a mapping"),
            ("{a: }", "empty"),
            ("{a: 'x ${a}'}", "uses itself"),
            ("[a]", "mapping"),
        ],
    )
    def test_in_declarations(self, errors: Fail, macros: str, said: str) -> None:
        for text in (
            f"macros: {macros}",
            f"models: {{m: {{cmd: 's ${{PORT}}', macros: {macros}}}}}",
        ):
            (problem,) = errors(text.replace("${PORT}'", "${PORT}'"))
            assert said in problem.message

    def test_a_name_may_have_63_characters(self, config: Parse) -> None:
        name = "a" * 63
        found = config(f"macros: {{{name}: x}}\nmodels: {{m: {{cmd: '${{{name}}} ${{PORT}}'}}}}")
        assert found.models["m"].cmd == "x ${PORT}"

    def test_an_unknown_name_is_placed_and_explained(self, errors: Fail) -> None:
        (problem,) = errors(
            """
            macros: {server: srv}
            models:
              m:
                cmd: |
                  s --port ${PORT}
                  --bin ${sever}
            """
        )
        assert problem.key == "models.m.cmd"
        assert (problem.line, problem.column) == (7, 13)
        assert 'model "m": cmd' in problem.message
        assert "did you mean ${server}?" in problem.message

    @pytest.mark.parametrize("environ", [{"MODELS": "/m"}, {}])
    def test_a_variable_without_env_is_recognised(
        self, errors: Fail, environ: dict[str, str]
    ) -> None:
        (problem,) = errors("models: {m: {cmd: 's ${MODELS} ${PORT}'}}", **environ)
        assert "did you mean ${env.MODELS}?" in problem.message

    def test_a_later_macro_is_named_with_its_user(self, errors: Fail) -> None:
        (problem,) = errors(
            """
            macros: {a: "${b}", b: x}
            models: {m: {cmd: "s ${a} ${PORT}"}}
            """
        )
        assert "before it is declared" in problem.message
        assert "move b above a" in problem.message

    def test_an_unused_macro_may_be_wrong(self, config: Parse) -> None:
        assert config("macros: {a: '${nowhere}'}").models == {}

    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("name", "${PID}"),
            ("cmdStop", "${nope}"),
            ("metadata", "{a: ['${nope}']}"),
            ("filters", "{setParams: {a: '${nope}'}}"),
            ("filters", "{setParamsByID: {'${nope}': {}}}"),
            ("env", "['A=${nope}']"),
        ],
    )
    def test_are_found_in_every_key(self, errors: Fail, key: str, value: str) -> None:
        text = f"models:\n  m:\n    cmd: s ${{PORT}}\n    {key}: {value}\n"
        (problem,) = errors(text)
        assert problem.key.startswith(f"models.m.{key}")
        assert problem.line == 4

    def test_only_cmd_can_ask_for_a_port(self, errors: Fail) -> None:
        (problem,) = errors("models: {m: {cmd: s, proxy: 'http://127.0.0.1:${PORT}'}}")
        assert "cmd does not" in problem.message

    @pytest.mark.parametrize("name", ["PORT", "PID", "MODEL_ID"])
    def test_a_models_names_mean_nothing_elsewhere(self, errors: Fail, name: str) -> None:
        (problem,) = errors(f"apiKeys: ['${{{name}}}']")
        assert "known only in models" in problem.message

    def test_names_that_become_equal(self, errors: Fail) -> None:
        (problem,) = errors(
            """
            macros: {x: a}
            models: {m: {cmd: "s ${PORT}", filters: {setParamsByID: {a: {}, "${x}": {}}}}}
            """
        )
        assert "twice" in problem.message

    def test_doubling_macros_end(self, errors: Fail) -> None:
        chain = "".join(f"  m{i}: '${{m{i - 1}}}${{m{i - 1}}}'\n" for i in range(1, 60))
        (problem,) = errors(f"macros:\n  m0: x\n{chain}models: {{m: {{cmd: 's ${{PORT}}'}}}}\n")
        assert "more text" in problem.message


class TestEnvironment:
    def read(self, config: Parse, value: str, **environ: str) -> Config:
        return config(
            f"models:\n  m:\n    cmd: s ${{PORT}}\n    metadata:\n      a: {value}\n", **environ
        )

    def test_backslashes_and_quotes_stay(self, config: Parse) -> None:
        found = config(
            """
            models:
              m:
                cmd: s ${env.DIR}\\m.gguf ${PORT}
            """,
            windows=True,
            DIR='C:\\new "x"',
        )
        assert found.models["m"].cmd == 's C:\\new "x"\\m.gguf ${PORT}'

    def test_a_value_cannot_change_the_file(self, config: Parse) -> None:
        value = "x\n    unlisted: true # {"
        model = self.read(config, "'${env.A}'", A=value).models["m"]
        assert model.metadata == {"a": value}
        assert not model.unlisted

    @pytest.mark.parametrize(
        ("written", "meant"),
        [
            ("'${env.N}'", "60"),
            ("x${env.N}", "x60"),
            ('"${env.E}"', ""),
            ("['<${env.E}>']", ["<>"]),
        ],
    )
    def test_in_texts(self, config: Parse, written: str, meant: object) -> None:
        assert self.read(config, written, N="60", E="").models["m"].metadata["a"] == meant

    def test_unquoted_it_has_its_own_type(self, config: Parse) -> None:
        found = config(
            """
            startPort: ${env.P}
            includeAliasesInList: ${env.B}
            listen: ${env.E}
            """,
            P="9000",
            B="true",
            E="127.0.0.1:1",
        )
        assert found.start_port == 9000
        assert found.include_aliases_in_list is True

    def test_it_may_stand_in_macros_and_hold_macros(self, config: Parse) -> None:
        found = config(
            """
            macros: {bin: "${env.BIN}"}
            models: {m: {cmd: "${bin} ${PORT}"}}
            """,
            BIN="/x/${MODEL_ID}",
        )
        assert found.models["m"].cmd == "/x/m ${PORT}"

    def test_an_unset_variable_is_placed(self, errors: Fail) -> None:
        (problem,) = errors(
            """
            models:
              m:
                cmd: |
                  s ${PORT}
                  ${env.HOMER}
            """,
            HOME="/h",
        )
        assert "HOMER is not set; did you mean `${env.HOME}`?" in problem.message
        assert (problem.line, problem.column) == (6, 7)

    def test_in_keys(self, config: Parse, errors: Fail) -> None:
        found = config("models: {'${env.ID}': {cmd: 's ${PORT}'}}", ID="m")
        assert list(found.models) == ["m"]
        (problem,) = errors("models: {'${env.ID}': {name: x}}", ID="m")
        assert "has no command" in problem.message
        (problem,) = errors(
            "models: {'${env.ID}': {proxy: 'http://h'}, m: {proxy: 'http://i'}}", ID="m"
        )
        assert "the same once filled" in problem.message

    def test_a_malformed_name_stays(self, config: Parse) -> None:
        text = "models: {m: {cmd: 's ${PORT} ${env.1X}'}}"
        assert config(text).models["m"].cmd == "s ${PORT} ${env.1X}"


def test_a_key_may_be_named_by_the_environment(config: Parse, errors: Fail) -> None:
    assert list(config("${env.X}: {a: {proxy: 'http://h'}}", X="models").models) == ["a"]
    (problem,) = errors("${env.X}: {a: {ttl: 5}}", X="models")
    assert "has no command" in problem.message
