"""Files in the shapes that people really write them."""

from __future__ import annotations

import pytest

from qmdesk.config import Config, Model
from qmdesk.config.command import split
from tests.config.conftest import Fail, Parse

pytestmark = pytest.mark.usefixtures("each_parser")


def argv(model: Model, *, windows: bool = False, stop: bool = False) -> list[str]:
    text = model.cmd_stop if stop else model.cmd
    assert isinstance(text, str)
    return split(text.replace("${PORT}", str(model.port)), windows)


def said(config: Config, key: str = "") -> list[str]:
    return [each.message for each in config.warnings if each.key.startswith(key)]


class TestCommands:
    def test_a_comment_line_may_hold_quotes_and_signs(self, config: Parse) -> None:
        found = config(
            """
            models:
              Large.One-Q4:
                cmd: |
                  podman run --rm --name large
                  -p ${PORT}:8080 -v /data/m:/m
                  # it can't split 90% (~170k -> "91/96) without swapping

                  --tensor-split 1.02,1
                  # --unused 3
                  --chat-template-kwargs "{\\"think\\": true}"
                  --port 8080
                cmdStop: podman stop large
            """
        )
        model = found.models["Large.One-Q4"]
        assert argv(model) == [
            *("podman", "run", "--rm", "--name", "large", "-p", "5800:8080"),
            *("-v", "/data/m:/m", "--tensor-split", "1.02,1"),
            *("--chat-template-kwargs", '{"think": true}', "--port", "8080"),
        ]
        assert argv(model, stop=True) == ["podman", "stop", "large"]
        assert found.warnings == ()

    def test_what_follows_nested_folded_macros_survives(self, config: Parse) -> None:
        text = """
            macros:
              server: >
                run
                --port ${PORT}
              tools: >
                ${server}
                --kwargs '{"tools":true}'
                --temp 0.6
            models:
              b-tools:
                cmd: >
                  ${tools}
                  --model /m/b.gguf
                  --ctx-size 8192
              y:
                cmd: ${server} -hf some/y-GGUF:Q8_0 --ctx-size 0
            """
        for _ in range(50):
            found = config(text)
            assert argv(found.models["b-tools"]) == [
                *("run", "--port", "5800", "--kwargs", '{"tools":true}', "--temp", "0.6"),
                *("--model", "/m/b.gguf", "--ctx-size", "8192"),
            ]
            assert found.models["y"].port == 5801

    def test_a_line_end_from_a_macro_in_a_quoted_argument_is_doubted(self, config: Parse) -> None:
        found = config(
            """
            macros:
              flags: |
                --one 1
                --two 2
            models:
              m: {cmd: 'sh -c "exec run --port ${PORT} ${flags} --three 3"'}
            """
        )
        assert argv(found.models["m"])[-1].endswith("--two 2 --three 3")
        assert "line end into a quoted argument" in said(found, "models.m.cmd")[0]

    def test_a_quoted_script_of_several_lines_is_fine(self, config: Parse) -> None:
        found = config(
            """
            models:
              m:
                cmd: |
                  sh -c 'set -e
                  exec run --port ${PORT}'
            """
        )
        assert argv(found.models["m"])[-1] == "set -e\nexec run --port 5800"
        assert found.warnings == ()

    def test_shell_words_are_doubted_with_advice(self, config: Parse) -> None:
        found = config(
            """
            models:
              a:
                cmd: >
                  SERVER_HOST=0.0.0.0:${PORT}
                  some serve
                cmdStop: "kill $(pidof some)"
              b: {cmd: "run --port ${PORT} > /tmp/b.log 2>&1"}
              c: {cmd: "run --port ${PORT} && echo over"}
              d: {cmd: [sh, -c, "X=1 run --port ${PORT} > log"]}
            """
        )
        assert set(found.models) == {"a", "b", "c", "d"}
        assert "env:" in said(found, "models.a.cmd")[0]
        assert "sh -c" in said(found, "models.a.cmdStop")[0]
        assert said(found, "models.b.cmd")
        assert said(found, "models.c.cmd")
        assert not said(found, "models.d")

    def test_windows_paths_and_quotes(self, config: Parse) -> None:
        found = config(
            """
            startPort: 11000
            models:
              w:
                cmd: >-
                  "D:\\AI Things\\bin\\llama-server.exe" --model
                  "D:\\users\\me\\c d.gguf" --port
                  ${PORT} --msg "Go on. Please."
                proxy: http://127.0.0.1:9090
              v:
                cmd: E:\\new\\bin\\llama-server.exe -m E:\\tmp\\tiny.gguf
                  -ts 10,20 --min-p
                  0.1 --port ${PORT}
                cmdStop: powershell -Command "Stop-Process -Id ${PID} -Force; Sleep 2"
                aliases: [open/v, E:\\tmp\\tiny.gguf, open/E:\\tmp\\tiny.gguf]
            """,
            windows=True,
        )
        w, v = found.models["w"], found.models["v"]
        assert argv(w, windows=True) == [
            *(r"D:\AI Things\bin\llama-server.exe", "--model", r"D:\users\me\c d.gguf"),
            *("--port", "11001", "--msg", "Go on. Please."),
        ]
        assert argv(v, windows=True) == [
            *(r"E:\new\bin\llama-server.exe", "-m", r"E:\tmp\tiny.gguf"),
            *("-ts", "10,20", "--min-p", "0.1", "--port", "11000"),
        ]
        assert argv(v, windows=True, stop=True)[-1] == "Stop-Process -Id ${PID} -Force; Sleep 2"
        assert found.resolve(r"E:\tmp\tiny.gguf") is found.resolve(r"open/E:\tmp\tiny.gguf") is v
        assert "names port 9090" in said(found, "models.w.proxy")[0]
        assert len(found.warnings) == 1

    @pytest.mark.parametrize("key", ["cmd", "cmdStop"])
    def test_backslashes_that_yaml_has_eaten_are_doubted(self, config: Parse, key: str) -> None:
        found = config(
            f"""
            models:
              m:
                cmd: run ${{PORT}}
                {key}: "C:\\tools\\new\\bin\\run.exe ${{PORT}}"
            """.replace("cmd: run ${PORT}\n", "" if key == "cmd" else "cmd: run ${PORT}\n"),
            windows=True,
        )
        assert "single quotes" in said(found, f"models.m.{key}")[0]

    def test_a_command_may_be_a_list(self, config: Parse) -> None:
        model = config(
            """
            macros: {dir: "F:/My Models", n: 1.10}
            models:
              m:
                cmd:
                  - "F:/x/llama server.exe"
                  - -m
                  - ${dir}/a.gguf
                  - --port
                  - ${PORT}
                  - 5
                  - 0.50
                  - true
                  - ${n}
                  - "#1 > a"
            """
        ).models["m"]
        assert model.cmd == (
            *("F:/x/llama server.exe", "-m", "F:/My Models/a.gguf", "--port", "${PORT}"),
            *("5", "0.50", "true", "1.10", "#1 > a"),
        )
        assert model.port == 5800

    def test_template_text_is_left_alone(self, config: Parse) -> None:
        found = config(
            r"""
            models:
              t:
                cmd: >
                  run
                    --seed "-1"
                    --samplers "top_p;min_p;dry"
                    --chat-template "{%- if x %}\n {{- '<|s|>\\n' }}{{- \"\\n## T\" }}{%- endif %}"
                    #some/unused-GGUF:Q2
                    --port ${PORT}
            """
        )
        assert argv(found.models["t"]) == [
            *("run", "--seed", "-1", "--samplers", "top_p;min_p;dry", "--chat-template"),
            r"""{%- if x %}\n {{- '<|s|>\n' }}{{- "\n## T" }}{%- endif %}""",
            *("--port", "5800"),
        ]
        assert found.warnings == ()

    def test_a_folded_comment_is_an_argument_and_doubted(self, config: Parse) -> None:
        found = config(
            """
            models:
              t:
                cmd: >
                  run
                  #some/unused-GGUF
                  --port ${PORT}
            """
        )
        assert argv(found.models["t"])[1] == "#some/unused-GGUF"
        assert "`#` begins a comment only" in said(found, "models.t.cmd")[0]

    def test_block_headers_and_trailing_blanks(self, config: Parse) -> None:
        lines = [
            "groups:",
            "  vectors: {swap: true, exclusive: false, members: [v]}",
            "macros:",
            "  box: | ",
            "    podman run --rm -p \"${PORT}:8000\" -e 'TOKEN=<y>'",
            "    -v '/home/me/.cache/:/root/.cache/'     ",
            "  image: |",
            "    some/srv:v2.0    ",
            "models:",
            "  v:",
            '    env: ["CUDA_VISIBLE_DEVICES=1"]',
            "    cmd: |  ",
            '      ${box} --name "v-${PORT}" ',
            '      ${image} --model "some/v" --over \'{"dims":[128,256]}\'',
            '#     --rope \'{"type":"y"}\'',
            "    cmdStop: |",
            '      podman stop "v-${PORT}"       ',
            "    ttl: 300 # five minutes",
            "    concurrencyLimit: 128",
            "  c:",
            "    cmd: >",
            '      bash -c "source /opt/env.sh > /dev/null && exec run',
            "      -m /m/c.gguf",
            '      --port 9100"',
            "    proxy: http://127.0.0.1:9100",
        ]
        found = config("\n".join(lines))
        v, c = found.models["v"], found.models["c"]
        assert argv(v) == [
            *("podman", "run", "--rm", "-p", "5800:8000", "-e", "TOKEN=<y>"),
            *("-v", "/home/me/.cache/:/root/.cache/", "--name", "v-5800", "some/srv:v2.0"),
            *("--model", "some/v", "--over", '{"dims":[128,256]}'),
        ]
        assert argv(v, stop=True) == ["podman", "stop", "v-5800"]
        assert (v.ttl, v.concurrency_limit, v.env) == (300, 128, ("CUDA_VISIBLE_DEVICES=1",))
        assert argv(c)[2] == ("source /opt/env.sh > /dev/null && exec run -m /m/c.gguf --port 9100")
        assert c.port is None
        assert found.warnings == ()

    def test_a_stop_command_with_quotes_in_quotes(self, config: Parse) -> None:
        model = config(
            r"""
            models:
              q:
                cmd: box run -c one srv --port ${PORT} -m /m/q4.1.gguf
                cmdStop: box run -c one bash -c 'pkill -f -- "-m /m/q4\.1\.gguf"; sleep 1 || exit'
            """
        ).models["q"]
        stop = argv(model, stop=True)
        assert len(stop) == 7
        assert stop[-1] == r'pkill -f -- "-m /m/q4\.1\.gguf"; sleep 1 || exit'

    def test_quotes_that_docker_wants_survive(self, config: Parse) -> None:
        found = config(
            """
            models:
              one:
                cmd: >
                  docker run --gpus '"device=0,2"' -e "HOME=/root/" -p 9900:8080 img
                proxy: http://127.0.0.1:9900/
                checkEndpoint: api/version
                aliases:
                - "x"
                "two":
                  cmd: run --port 9901
            """
        )
        one = found.models["one"]
        assert argv(one)[3] == '"device=0,2"'
        assert one.proxy == "http://127.0.0.1:9900"
        assert one.check_endpoint == "/api/version"
        assert "check the indentation" in said(found, "models.one.two")[0]


class TestEverythingElse:
    def test_variables_in_yaml_comments_are_not_looked_up(self, config: Parse) -> None:
        model = config(
            """
            # the token is ${env.NOWHERE}
            models:
              m:
                cmd: >-
                  wrap -x ${env.HOME}/bin/run
                  --cache "${env.HOME}/A Cache" --port ${PORT}
                # --y ${env.NOWHERE_EITHER}
                proxy: http://127.0.0.1:${PORT}
                ttl: 0
            """,
            HOME="/home/me",
        ).models["m"]
        assert argv(model) == [
            *("wrap", "-x", "/home/me/bin/run", "--cache", "/home/me/A Cache", "--port", "5800")
        ]

    def test_a_server_that_is_only_reached(self, config: Parse) -> None:
        found = config(
            """
            macros: {api: "http://127.0.0.1:11434/v1"}
            models:
              "big:4b":
                cmd: tail -f /dev/null
                proxy: ${api}
                useModelName: big:4b
                checkEndpoint: none
                aliases: [gpt-4, default]
              cloud: {proxy: "https://api.example.test/api/v1/"}
            """
        )
        big, cloud = found.models["big:4b"], found.models["cloud"]
        assert not big.external
        assert (big.proxy, big.check_endpoint) == ("http://127.0.0.1:11434/v1", "none")
        assert found.resolve("default") is big
        assert cloud.external
        assert cloud.proxy == "https://api.example.test/api/v1"
        assert big.port is cloud.port is None

    def test_keys_that_do_nothing_are_named(self, config: Parse) -> None:
        found = config(
            """
            host: 0.0.0.0
            listen: ":9000"
            readyTimeout: 1800
            idleTimeout: 300
            healthcheck: {model: m}
            models:
              m:
                cmd: run --port ${PORT}
                healthCheckTimeout: 900
                group: large
                includeAliasesInList: true
              cloud:
                proxy: https://api.example.test/v1
                headers: {Authorization: "Bearer y"}
            """
        )
        assert found.models["m"].health_check_timeout == 900
        assert found.listen == (":9000",)
        hints = {each.key: each.message for each in found.warnings}
        assert "`listen" in hints["host"]
        assert "`healthCheckTimeout`" in hints["readyTimeout"]
        assert "`globalTTL`" in hints["idleTimeout"]
        assert "`healthCheckTimeout`" in hints["healthcheck"]
        assert "groups.<name>.members" in hints["models.m.group"]
        assert "top level" in hints["models.m.includeAliasesInList"]
        assert "peers" in hints["models.cloud.headers"]
        assert len(hints) == 7

    def test_old_filter_name_and_a_group_as_preload(self, config: Parse) -> None:
        found = config(
            """
            hooks:
              on_startup:
                    # oddly indented
                preload:
                  - coders
                  - " other "
                  - c
            models:
              c:
                cmd: |
                  run --port ${PORT}
                aliases: other
                filters:
                  strip_params: "suffix, temperature ,, model, suffix"
            groups:
              coders: {swap: true, exclusive: false, members: [c]}
            """
        )
        assert found.models["c"].strip_params == ("suffix", "temperature")
        assert found.preload == ("c",)
        assert "that is a group" in said(found, "hooks.on_startup.preload")[0]

    def test_one_fixed_port_for_two_models_is_doubted(self, config: Parse) -> None:
        found = config(
            """
            models:
              a: {cmd: run --port 9000, proxy: "http://127.0.0.1:9000"}
              b: {cmd: run --port 9000, proxy: "http://localhost:9000/"}
              c: {proxy: "http://127.0.0.1:9000"}
            groups:
              g: {swap: false, members: [a, b]}
            """
        )
        (warning,) = found.warnings
        assert warning.key == "models.b.proxy"
        assert 'model "a"' in warning.message

    def test_an_anchor_with_macros_of_ones_own(self, config: Parse) -> None:
        found = config(
            """
            macros: {ctx: 8192, slots: 2}
            models:
              "o/one": &one
                macros: {hf: "o/one-GGUF:Q4"}
                useModelName: "${hf}"
                cmd: |
                  run --host :: --port ${PORT} -c ${ctx} -np ${slots}
                  -hf "${hf}" --kw "{\\"think\\": false}"
                filters:
                  stripParams: "top_p, temperature"
                  setParamsByID:
                    "${MODEL_ID}:warm": {temperature: 1.2}
              "o/two":
                <<: *one
                macros: {hf: "o/two-GGUF:Q4"}
            """
        )
        two = found.models["o/two"]
        assert two.use_model_name == "o/two-GGUF:Q4"
        assert two.aliases == ("o/two:warm",)
        assert two.set_params_by_id == {"o/two:warm": {"temperature": 1.2}}
        assert two.strip_params == ("temperature", "top_p")
        assert argv(two)[-1] == '{"think": false}'
        assert found.resolve("o/one:warm") is found.models["o/one"]

    def test_words_that_older_yaml_turns_into_truth_values(self, config: Parse) -> None:
        found = config(
            """
            models:
              4.5:
                cmd: run --port ${PORT}
                unlisted: yes
                filters:
                  setParams:
                    reasoning: off
                    mode: on
                    scale: 1e-3
                    extra: {enable_thinking: false}
              off: {cmd: "run2 --port ${PORT}"}
              "My Model 30B": {cmd: "run3 --port ${PORT}"}
            """
        )
        assert list(found.models) == ["4.5", "off", "My Model 30B"]
        first = found.models["4.5"]
        assert first.unlisted is True
        assert first.set_params == {
            "reasoning": "off",
            "mode": "on",
            "scale": 0.001,
            "extra": {"enable_thinking": False},
        }
        assert type(first.set_params["scale"]) is float
        assert [each.port for each in found.models.values()] == [5800, 5802, 5801]

    def test_the_same_model_twice(self, errors: Fail) -> None:
        (problem,) = errors(
            """
            models:
              m: {cmd: a, proxy: "http://127.0.0.1:1"}
              m: {cmd: b, proxy: "http://127.0.0.1:2"}
            """
        )
        assert "`m`" in problem.message
        assert "line 3" in problem.message
        assert (problem.line, problem.column) == (4, 3)

    def test_profiles_are_read_and_their_old_form_is_explained(
        self, config: Parse, errors: Fail
    ) -> None:
        models = "models: {a: {cmd: 'r ${PORT}', aliases: [coding]}, b: {cmd: 'r ${PORT}'}}\n"
        new = config(models + "profiles: {two: {pins: {coding: b, a: ~}}}\n")
        assert new.profiles["two"].pins == {"coding": "b", "a": ""}
        (problem,) = errors(models + "profiles: {coding: [a, b]}\n")
        assert problem.message.startswith("profiles.coding lists models, which is the old form")
        assert "pins" in problem.message

    def test_every_way_to_write_a_ttl(self, config: Parse) -> None:
        found = config(
            """
            globalTTL: 600
            models:
              a: {cmd: "r ${PORT}"}
              b: {cmd: "r ${PORT}", ttl: 0}
              c: {cmd: "r ${PORT}", ttl: -1}
              d: {cmd: "r ${PORT}", ttl: 28800}
              e: {cmd: "r ${PORT}", ttl: "60"}
              f: {cmd: "r ${PORT}", ttl: }
            """
        )
        assert [each.ttl for each in found.models.values()] == [600, 0, 600, 28800, 60, 600]
