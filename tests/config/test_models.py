"""The keys of a model, and what is refused."""

from __future__ import annotations

import pytest

from qmdesk.config import Config, Model
from tests.config.conftest import Fail, Parse


def one(config: Parse, keys: str = "", **options: bool) -> Model:
    found: Config = config(f"models:\n  m:\n    cmd: run ${{PORT}}\n{keys}", **options)
    return found.models["m"]


class TestDefaults:
    def test_of_a_model(self, config: Parse) -> None:
        assert one(config) == Model(id="m", cmd="run ${PORT}", port=5800, line=2)

    def test_of_a_file(self, config: Parse) -> None:
        assert config("") == Config()
        assert config("models:\ngroups:\nmacros:\nlisten:\n") == Config()


class TestTimes:
    def test_the_global_ones_apply(self, config: Parse) -> None:
        found = config(
            """
            healthCheckTimeout: 300
            unloadTimeout: 20
            globalTTL: 60
            models:
              a: {cmd: "r ${PORT}"}
              b: {cmd: "r ${PORT}", healthCheckTimeout: 30, unloadTimeout: 5, ttl: 5}
            """
        )
        a, b = found.models.values()
        assert (a.health_check_timeout, a.unload_timeout, a.ttl) == (300, 20, 60)
        assert (b.health_check_timeout, b.unload_timeout, b.ttl) == (30, 5, 5)

    def test_a_start_gets_15_seconds_at_least(self, config: Parse) -> None:
        found = config(
            """
            healthCheckTimeout: 1
            models:
              a: {cmd: "r ${PORT}"}
              b: {cmd: "r ${PORT}", healthCheckTimeout: 2}
            """
        )
        assert {each.health_check_timeout for each in found.models.values()} == {15}
        assert found.warnings == ()

    def test_zero_unload_timeout_is_the_usual_one(self, config: Parse) -> None:
        found = config("unloadTimeout: 0\nmodels: {a: {cmd: 'r ${PORT}', unloadTimeout: 0}}")
        assert found.models["a"].unload_timeout == 10

    @pytest.mark.parametrize(
        ("written", "said"),
        [
            ("10m", "write 600"),
            ("1.5h", "write 5400"),
            ("soon", 'not "soon"'),
            ("true", "not true"),
            ("-2", "at least -1"),
            ("[1]", "not a list"),
            (".nan", "number of seconds"),
            (".inf", "number of seconds"),
            ("1e99", "at most"),
            ("9" * 400, "number of seconds"),
            ("1_0", "number of seconds"),
        ],
    )
    def test_what_is_no_time(self, errors: Fail, written: str, said: str) -> None:
        (problem,) = errors(f"models:\n  m:\n    cmd: r ${{PORT}}\n    ttl: {written}")
        assert problem.message.startswith('model "m": ttl must be')
        assert said in problem.message
        assert (problem.line, problem.column) == (4, 5 if written == "[1]" else 10)
        assert problem.key == "models.m.ttl"


class TestTypes:
    @pytest.mark.parametrize("word", ["true", "yes", "ON", "y", "'yes'"])
    def test_truth_has_many_words(self, config: Parse, word: str) -> None:
        assert one(config, f"    unlisted: {word}\n    pinned: {word}").unlisted is True

    @pytest.mark.parametrize("word", ["false", "no", "Off", "n"])
    def test_and_so_has_the_opposite(self, config: Parse, word: str) -> None:
        assert one(config, f"    unlisted: {word}").unlisted is False

    @pytest.mark.parametrize(
        ("keys", "said"),
        [
            ("unlisted: maybe", "true or false"),
            ("unlisted: 1", "true or false"),
            ("aliases: {a: b}", "text"),
            ("aliases: [[a]]", "text"),
            ("name: [a]", "text"),
            ("filters: x", "mapping"),
            ("filters: {setParams: [a]}", "mapping"),
            ("filters: {setParamsByID: {a: 1}}", "mapping"),
            ("metadata: x", "mapping"),
            ("concurrencyLimit: x", "whole number"),
            ("concurrencyLimit: 1.5", "whole number"),
            ("concurrencyLimit: true", "whole number"),
            ("cmd: {a: b}", "command line"),
            ("cmd: [[a]]", "argument 1"),
            ("env: {A: [b]}", "value of A"),
            ("sendLoadingState: loud", "reasoning"),
            ("capabilities: {in: [smell]}", "one of text"),
            ("capabilities: {out: [imge]}", "did you mean `image`?"),
            ("capabilities: {context: -1}", "at least 0"),
            ("metadata: {a: [.nan]}", "JSON"),
            ("filters: {setParams: {a: {b: .inf}}}", "JSON"),
            ('cmd: "r ${PORT} \\0"', "NUL"),
        ],
    )
    def test_what_does_not_fit(self, errors: Fail, keys: str, said: str) -> None:
        problems = errors(f"models:\n  m:\n    proxy: http://h\n    {keys}")
        assert [said in each.message for each in problems] == [True]
        assert problems[0].line == 4

    def test_texts_may_be_numbers(self, config: Parse) -> None:
        model = one(config, "    name: 3.50\n    aliases: [007, 1e3, true]\n    useModelName: 4")
        assert (model.name, model.aliases) == ("3.50", ("007", "1e3", "true"))
        assert model.use_model_name == "4"

    def test_one_text_may_stand_for_a_list(self, config: Parse) -> None:
        model = one(config, "    aliases: a\n    env: A=b=c\n    capabilities: {out: image}")
        assert (model.aliases, model.env, model.renders) == (("a",), ("A=b=c",), True)

    def test_env_may_be_a_mapping(self, config: Parse) -> None:
        assert one(config, "    env: {A: 1, B: x y, C: }").env == ("A=1", "B=x y", "C=")

    def test_env_without_an_equals_sign_is_left_out(self, config: Parse) -> None:
        found = config("models: {m: {cmd: 'r ${PORT}', env: [HOME, A=1, '=x']}}")
        assert found.models["m"].env == ("A=1",)
        assert [each.key for each in found.warnings] == ["models.m.env[0]", "models.m.env[2]"]

    @pytest.mark.parametrize("limit", ["0", "-1", ""])
    def test_no_limit_is_ten(self, config: Parse, limit: str) -> None:
        assert one(config, f"    concurrencyLimit: {limit}").concurrency_limit == 10

    def test_comfyui_gets_room(self, config: Parse) -> None:
        found = config("models: {comfyui_auto: {cmd: 'r ${PORT}', concurrencyLimit: 2}}")
        assert found.models["comfyui_auto"].concurrency_limit == 50

    @pytest.mark.parametrize(
        ("above", "own", "meant"),
        [
            ("", "", False),
            ("true", "", True),
            ("true", "false", False),
            ("reasoning", "", "reasoning"),
            ("", "Reasoning", "reasoning"),
        ],
    )
    def test_loading_state(self, config: Parse, above: str, own: str, meant: object) -> None:
        model = f"{{cmd: 'r ${{PORT}}', sendLoadingState: {own}}}"
        assert (
            config(f"sendLoadingState: {above}\nmodels: {{m: {model}}}")
            .models["m"]
            .send_loading_state
            == meant
        )

    def test_capabilities(self, config: Parse) -> None:
        model = one(
            config,
            "    capabilities: {in: [text, Image], out: [video], tools: on, context: 4096}",
        )
        assert model.capabilities_in == ("text", "image")
        assert model.renders
        assert (model.capabilities_tools, model.context_length) == (True, 4096)

    def test_the_parameter_model_is_never_set(self, config: Parse) -> None:
        found = config(
            "models: {m: {cmd: 'r ${PORT}', filters: {setParams: {model: x, a: ~, b: [1.10]}}}}"
        )
        assert found.models["m"].set_params == {"a": None, "b": [1.1]}
        assert "useModelName" in found.warnings[0].message

    @pytest.mark.parametrize(
        ("written", "meant"),
        [("/v1/models", "/v1/models"), ("ready", "/ready"), ("none", "none"), ("''", "/")],
    )
    def test_check_endpoint(self, config: Parse, written: str, meant: str) -> None:
        assert one(config, f"    checkEndpoint: {written}").check_endpoint == meant


class TestPorts:
    def test_are_given_in_the_order_of_sorted_ids(self, config: Parse) -> None:
        found = config(
            """
            startPort: "7000"
            models:
              z: {cmd: "r ${PORT}"}
              m: {cmd: r, proxy: "http://h:1"}
              a: {cmd: [r, "--port=${PORT}"]}
            """
        )
        assert {id: each.port for id, each in found.models.items()} == {
            "z": 7001,
            "m": None,
            "a": 7000,
        }
        assert list(found.models) == ["z", "m", "a"]

    def test_end_at_65535(self, errors: Fail) -> None:
        text = "startPort: 65535\nmodels: {a: {cmd: 'r ${PORT}'}, b: {cmd: 'r ${PORT}'}}"
        assert "too few ports" in errors(text)[0].message

    @pytest.mark.parametrize(
        ("cmd", "flag", "port"),
        [
            ("run --port 9999", "--port 9999", "9999"),
            ("run --port=9999 -x", "--port=9999", "9999"),
            ("run -p 9999", "-p 9999", "9999"),
            ("docker run -p 9999:8080 img", "-p 9999:8080", "9999"),
            ("docker run -p 127.0.0.1:9999:8080 img", "-p 127.0.0.1:9999:8080", "9999"),
        ],
    )
    def test_a_fixed_one_needs_a_proxy(self, errors: Fail, cmd: str, flag: str, port: str) -> None:
        (problem,) = errors(f"models: {{m: {{cmd: {cmd!r}}}}}")
        assert f"`{flag}`" in problem.message
        assert f"proxy: http://127.0.0.1:{port}`" in problem.message

    def test_none_at_all_is_an_error(self, errors: Fail) -> None:
        (problem,) = errors("models: {m: {cmd: run -c 5}}")
        assert "--port ${PORT}" in problem.message

    @pytest.mark.parametrize(
        ("keys", "said"),
        [
            ("", "has no command"),
            ("{name: x}", "has no command"),
            ("{cmd: []}", "cmd is empty"),
            ("{cmd: ' '}", "cmd is empty"),
            ('{cmd: "# only\\n  # this"}', "nothing but comments"),
            ("run --port 1", "must be a mapping"),
            ("[run]", "must be a mapping"),
        ],
    )
    def test_nothing_to_run_is_an_error(self, errors: Fail, keys: str, said: str) -> None:
        (problem,) = errors(f"models:\n  m: {keys}\n")
        assert said in problem.message
        assert problem.line == 2

    def test_a_model_needs_a_name(self, errors: Fail) -> None:
        assert "needs a name" in errors("models: {'': {cmd: 'r ${PORT}'}}")[0].message


class TestProxy:
    @pytest.mark.parametrize(
        "url", ["127.0.0.1:9000", "ftp://h/x", "http://", "http:///x", "/x", "http://a b", "x"]
    )
    def test_must_be_an_http_url(self, errors: Fail, url: str) -> None:
        (problem,) = errors(f"models:\n  m:\n    proxy: {url}\n")
        assert "must be a URL" in problem.message
        assert (problem.line, problem.column) == (3, 12)

    @pytest.mark.parametrize("url", ["http://h:99999", "http://h:x", "http://[::1"])
    def test_must_have_a_port_that_exists(self, errors: Fail, url: str) -> None:
        assert "is not a URL" in errors(f"models: {{m: {{proxy: '{url}'}}}}")[0].message

    def test_a_forgotten_scheme_is_seen(self, errors: Fail) -> None:
        (problem,) = errors("models: {m: {proxy: 'localhost:9000/v1'}}")
        assert "write http://localhost:9000/v1" in problem.message

    @pytest.mark.parametrize("cmd", ["r --port ${PORT}", "r --port=${PORT}"])
    def test_another_port_than_the_commands_is_doubted(self, config: Parse, cmd: str) -> None:
        found = config(f"models: {{m: {{cmd: '{cmd}', proxy: 'http://localhost:80'}}}}")
        assert "names port 80" in found.warnings[0].message

    def test_a_mapped_port_is_not(self, config: Parse) -> None:
        text = "models: {m: {cmd: 'r -p ${PORT}:80', proxy: 'http://[::1]:${PORT}/'}}"
        found = config(text)
        assert found.warnings == ()
        assert found.models["m"].proxy == "http://[::1]:${PORT}"


class TestAliases:
    def test_no_two_models_share_one(self, errors: Fail) -> None:
        (problem,) = errors(
            """
            models:
              a: {cmd: "r ${PORT}", aliases: [x, y]}
              b: {cmd: "r ${PORT}", aliases: [z, y]}
            """
        )
        assert 'model "b"' in problem.message
        assert 'model "a"' in problem.message
        assert (problem.line, problem.key) == (4, "models.b.aliases[1]")

    def test_an_id_wins_over_an_alias(self, config: Parse) -> None:
        found = config("models: {a: {cmd: 'r ${PORT}', aliases: [b]}, b: {cmd: 'r ${PORT}'}}")
        assert found.resolve("b") is found.models["b"]
        assert "also the name of a model" in found.warnings[0].message

    def test_twice_in_one_model_is_doubted(self, config: Parse) -> None:
        found = config("models: {a: {cmd: 'r ${PORT}', aliases: [b, b, ' ', a]}}")
        assert found.models["a"].aliases == ("b",)
        assert len(found.warnings) == 2

    def test_set_params_by_id_makes_aliases(self, config: Parse, errors: Fail) -> None:
        model = "{cmd: 'r ${PORT}', filters: {setParamsByID: {a: {x: 1}, a:hot: {x: 2}}}}"
        found = config(f"models: {{a: {model}}}")
        assert found.models["a"].aliases == ("a:hot",)
        other = "{cmd: 'r ${PORT}', aliases: [a:hot]}"
        assert "already" in errors(f"models: {{a: {model}, b: {other}}}")[0].message
        taken = errors(f"models: {{a: {model}, 'a:hot': {{cmd: 'r ${{PORT}}'}}}}")
        assert "another model" in taken[0].message


class TestBrokenModels:
    TEXT = """
        models:
          good: {cmd: "r ${PORT}"}
          bad: {cmd: "r ${nope}", aliases: [worse]}
          clash: {cmd: "r ${PORT}", aliases: [g, worse2]}
          first: {cmd: "r ${PORT}", aliases: [g]}
        groups: {g: {members: [good, bad]}}
        hooks: {on_startup: {preload: [bad, worse, good]}}
        routing: {scheduler: {settings: {fifo: {priority: {worse: 3, good: 1}}}}}
        defaultModel: worse
        """

    def test_do_not_take_the_others_down_at_the_start(self, config: Parse) -> None:
        found = config(self.TEXT, tolerant=True)
        assert list(found.models) == ["good", "clash"]
        assert set(found.broken) == {"bad", "first"}
        (problem,) = found.broken["bad"]
        assert (problem.line, problem.severity) == (4, "error")
        assert found.groups["g"].members == ("good",)
        assert found.preload == ("good",)
        assert found.priorities == {"good": 1}

    def test_refuse_an_edit(self, errors: Fail) -> None:
        assert [each.line for each in errors(self.TEXT)] == [4, 6]

    @pytest.mark.parametrize("other", ["startPort: x", "groups: {g: {members: [nope]}}", "a: ["])
    def test_errors_elsewhere_refuse_the_file(self, errors: Fail, other: str) -> None:
        errors(f"models: {{m: {{cmd: 'r ${{PORT}}'}}}}\n{other}", tolerant=True)

    def test_a_model_written_twice_is_broken(self, config: Parse) -> None:
        found = config("models: {m: {proxy: 'http://h'}, m: {proxy: 'http://i'}}", tolerant=True)
        assert list(found.broken) == ["m"]
