"""The gateway's own settings: access, memory, storage, logs and notifications."""

from __future__ import annotations

import pytest

from qmdesk.config import Config
from qmdesk.config.settings import (
    IGNORED_PATHS,
    ApiKey,
    Listener,
    Memory,
    Notifications,
    Performance,
    SlotCache,
)
from qmdesk.config.target import Timeouts
from tests.config.conftest import Fail, Parse

MODELS = (
    "models: {a: {cmd: 'r ${PORT}', aliases: [x]}, b: {cmd: 'r ${PORT}'}}\n"
    "groups: {g: {members: [a]}, h: {members: [b]}}\n"
)


class TestAccess:
    def test_listeners_have_their_own_groups(self, config: Parse) -> None:
        found = config(MODELS + "listeners: {8080: {groups: [g, h, g]}, '*:9': }")
        assert found.listeners == (
            Listener("127.0.0.1:8080", ("g", "h")),
            Listener(":9"),
        )

    @pytest.mark.parametrize(
        ("written", "said"),
        [
            ("{nowhere: }", "must be HOST:PORT"),
            ("{':80': , '*:80': }", "twice"),
            ("{':80': {groups: [gg]}}", 'no group "gg"'),
            ("{':80': [g]}", "mapping"),
            ("[':80']", "mapping"),
        ],
    )
    def test_listener_mistakes(self, errors: Fail, written: str, said: str) -> None:
        (problem,) = errors(MODELS + f"listeners: {written}")
        assert said in problem.message
        assert problem.line == 3

    def test_listeners_offer_groups_so_the_matrix_has_none(self, errors: Fail) -> None:
        models = "models: {a: {proxy: 'http://h'}}\nmatrix: {sets: {s: a}}\n"
        (problem,) = errors(models + "listeners: {':80': {groups: [g]}}")
        assert "matrix is in use" in problem.message

    @pytest.mark.parametrize(
        ("written", "networks"),
        [
            ("192.168.1.7/24", ("192.168.1.0/24",)),
            ("[10.0.0.7, 'fd00::/8']", ("10.0.0.7/32", "fd00::/8")),
            ("[]", ()),
        ],
    )
    @pytest.mark.parametrize("key", ["adminAllow", "trustedProxies"])
    def test_networks(
        self, config: Parse, key: str, written: str, networks: tuple[str, ...]
    ) -> None:
        found = config(f"{key}: {written}")
        assert (found.admin_allow or found.trusted_proxies) == networks

    @pytest.mark.parametrize("written", ["lan", "10.0.0.0/40", "[{}]", "192.168.*"])
    def test_no_networks(self, errors: Fail, written: str) -> None:
        (problem,) = errors(f"adminAllow: {written}")
        assert problem.message.startswith("adminAllow must be") or "text" in problem.message

    def test_keys_may_be_for_some_models(self, config: Parse) -> None:
        found = config(MODELS + "apiKeys: [k, l]\napiKeyModels: {k: [x, b], l: []}")
        assert found.api_key_models == {"k": ("a", "b")}

    def test_keys_may_have_a_name_and_may_operate(self, config: Parse) -> None:
        text = (
            MODELS + "apiKeys: [k, {key: 12, admin: yes, name: ' me '}]\napiKeyModels: {'12': [a]}"
        )
        found = config(text)
        assert found.api_keys == (ApiKey("k"), ApiKey("12", admin=True, name="me"))
        assert found.api_key_models == {"12": ("a",)}
        assert found.warnings == ()
        assert config("apiKeys: {key: k}").api_keys == (ApiKey("k"),)

    @pytest.mark.parametrize(
        ("written", "said"),
        [
            ("[{admin: on}]", "apiKeys[0].key is missing"),
            ("[{key: k, admin: maybe}]", "apiKeys[0].admin must be true or false"),
            ("[k, {key: ''}]", "apiKeys[1] is empty"),
            ("[k, {key: k, admin: on}]", "apiKeys[1] is the key of another entry already"),
        ],
    )
    def test_keys_that_cannot_be(self, errors: Fail, written: str, said: str) -> None:
        (problem,) = errors(f"apiKeys: {written}")
        assert said in problem.message

    def test_unknown_words_about_a_key_are_named(self, config: Parse) -> None:
        (warning,) = config("apiKeys: [{key: k, amdin: on}]").warnings
        assert warning.message == "unknown key apiKeys[0].amdin; did you mean `admin`?"

    def test_doubts_about_them_show_no_key(self, config: Parse) -> None:
        found = config(MODELS + "apiKeys: [k]\napiKeyModels: {s3cret: [bb]}")
        said = [f"{each.key} {each}" for each in found.warnings]
        assert any("entry 1 is for a key that is not in apiKeys" in each for each in said)
        assert any('no model "bb"' in each for each in said)
        assert "s3cret" not in " ".join(said)
        assert "s3cret" not in repr(found)

    @pytest.mark.parametrize("key", ["tlsCertFile", "tlsKeyFile"])
    def test_tls_needs_both_files(self, errors: Fail, key: str) -> None:
        (problem,) = errors(f"{key}: /x.pem")
        assert "beside it" in problem.message

    def test_tls(self, config: Parse) -> None:
        found = config("tlsCertFile: /c\ntlsKeyFile: /k")
        assert (found.tls_cert_file, found.tls_key_file) == ("/c", "/k")

    def test_ignored_paths(self, config: Parse) -> None:
        assert config("").ignore_paths == IGNORED_PATHS
        assert config("upstream: {ignorePaths: []}").ignore_paths == IGNORED_PATHS
        assert config("upstream: {ignorePaths: ['^/x', y]}").ignore_paths == ("^/x", "y")

    def test_an_invalid_pattern(self, errors: Fail) -> None:
        (problem,) = errors("upstream: {ignorePaths: ['a', '(b']}")
        assert 'invalid regular expression "(b"' in problem.message


class TestMemory:
    def test_all_of_it(self, config: Parse) -> None:
        found = config(
            "vramBudgetGB: 22.5\nmemory: {reserveGB: 2, pressure: off, graceSeconds: 5, "
            "minGpuFraction: 0.25, cards: {0: 20, GPU-1: 4}}\n"
            "slotCache: {enable: yes, path: /c, minSaveTokens: 5, maxDiskGB: 1, maxSessions: 2, "
            "preambleCaches: no, recurrentSeeds: yes}\n"
        )
        assert found.vram_budget_gb == 22.5
        assert found.memory == Memory(2, False, 5, 0.25, {"0": 20, "GPU-1": 4})
        assert found.slot_cache == SlotCache(True, "/c", 5, 1, 2, False, True)

    def test_the_budget_may_be_measured(self, config: Parse) -> None:
        assert config("vramBudgetGB: auto").vram_budget_gb == 0

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("vramBudgetGB: 24GB", "write 24"),
            ("vramBudgetGB: 512 MiB", "write 0.5"),
            ("vramBudgetGB: lots", "number of GB"),
            ("vramBudgetGB: -1", "from 0 to"),
            ("memory: {minGpuFraction: 2}", "at most 1"),
            ("memory: {cards: [20]}", "mapping"),
            ("slotCache: {minSaveTokens: -1}", "at least 0"),
            ("maxBodyMB: 2GB", "write 2048"),
        ],
    )
    def test_mistakes(self, errors: Fail, text: str, said: str) -> None:
        (problem,) = errors(text)
        assert said in problem.message

    def test_of_a_model(self, config: Parse) -> None:
        found = config(
            "models: {m: {cmd: 'r ${PORT}', estVramGB: 5.5, estRamGB: '2', slotCache: on, "
            "slotCachePreamble: off}, n: {cmd: 'r ${PORT}'}}"
        )
        model = found.models["m"]
        assert (model.est_vram_gb, model.est_ram_gb) == (5.5, 2)
        assert (model.slot_cache, model.slot_cache_preamble) == (True, False)
        assert found.models["n"].slot_cache is None


class TestTheRest:
    def test_of_a_model(self, config: Parse) -> None:
        found = config(
            "models: {m: {cmd: 'r ${PORT}', compat: {ignoreWebsockets: on}, timeouts: {connect: 1,"
            " keepalive: 2, responseHeader: 3, tlsHandshake: 4, expectContinue: 5, idleConn: 0}, "
            "capabilities: {embedding: on, segmentation: on, voiceClone: on, "
            "reasoningEffort: [low, high]}}, comfyui_auto: {cmd: 'r ${PORT}'}}"
        )
        model = found.models["m"]
        assert model.timeouts == Timeouts(1, 2, 3, 4, 5, 0)
        assert model.ignore_websockets
        assert model.capabilities_embedding
        assert model.capabilities_segmentation
        assert model.capabilities_voice_clone
        assert model.reasoning_effort == ("low", "high")
        assert found.models["comfyui_auto"].ignore_websockets
        assert found.models["comfyui_auto"].timeouts == Timeouts()

    def test_storage_and_logs(self, config: Parse) -> None:
        found = config(
            "store: {path: ' /a.db '}\nmetricsMaxInMemory: 0\ncaptureBuffer: 2.5\n"
            "performance: {disabled: on, every: 1m30s}\nlogTimeFormat: RFC3339\n"
            "logToStdout: Both\nui: {activity: {session_id: [X-A, x-a, ' ', X-B]}}\n"
            "modelsDirs: [/m, ' ', /n]\nmaxBodyMB: 8\n"
        )
        assert found.store_path == "/a.db"
        assert found.metrics_max_in_memory == 1000
        assert found.capture_buffer_mb == 2.5
        assert found.performance == Performance(disabled=True, every=90)
        assert found.log_time_format == "rfc3339"
        assert found.log_to_stdout == "both"
        assert found.session_headers == ("X-A", "X-B")
        assert found.models_dirs == ("/m", "/n")
        assert found.max_body_mb == 8

    @pytest.mark.parametrize(("said", "meant"), [("", ""), ("de", "de"), (" EN ", "en")])
    def test_the_language_of_the_windows(self, config: Parse, said: str, meant: str) -> None:
        found = config(f"ui: {{language: '{said}'}}")
        assert found.language == meant
        assert found.warnings == ()

    def test_an_unknown_language_means_the_systems(self, config: Parse) -> None:
        found = config("ui: {language: klingon}")
        assert found.language == ""
        assert "must be one of en, de" in found.warnings[-1].message

    def test_an_unknown_time_format_means_none(self, config: Parse) -> None:
        found = config("logTimeFormat: rfc339")
        assert found.log_time_format == "none"
        assert "did you mean `rfc3339`?" in found.warnings[-1].message

    @pytest.mark.parametrize(
        ("written", "every"), [("0s", 5), ("5s", 5), ("1m", 60), ("10", 10), ("5000ms", 5)]
    )
    def test_durations(self, config: Parse, written: str, every: float) -> None:
        assert config(f"performance: {{every: {written}}}").performance.every == every

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("performance: {every: 4s}", "at least 5s"),
            ("performance: {every: often}", "such as 5s"),
            ("store: {path: ' '}", "must not be empty"),
            ("store: {}", "is missing"),
            ("logToStdout: upsteam", "did you mean `upstream`?"),
            ("captureBuffer: much", "number of MB"),
            ("notifications: perhaps", "true or false"),
            ("idleModel: nope", "no model"),
        ],
    )
    def test_mistakes(self, errors: Fail, text: str, said: str) -> None:
        (problem,) = errors(text)
        assert said in problem.message

    def test_notifications_all_or_some(self, config: Parse) -> None:
        silent = Notifications(*[False] * 7)
        assert config("notifications: off").notifications == silent
        assert config("notifications: on").notifications == Notifications()
        some = config("notifications: {eviction: off}").notifications
        assert some == Notifications(eviction=False)

    def test_the_idle_model_may_be_an_alias(self, config: Parse) -> None:
        assert config(MODELS + "idleModel: x").idle_model == "a"


class TestWhicheverIsLoaded:
    """An entry ``current`` without a server gives names to the model that is loaded."""

    def test_its_names(self, config: Parse) -> None:
        found = config(MODELS.replace("models: {", "models: {current: {aliases: [title, t]}, "))
        assert found.current_names == ("current", "title", "t")
        assert list(found.models) == ["a", "b"]

    def test_with_a_server_it_is_a_model_like_others(self, config: Parse) -> None:
        found = config("models: {current: {proxy: 'http://h', aliases: [t]}}")
        assert found.current_names == ()
        assert found.models["current"].aliases == ("t",)

    def test_its_names_may_mean_nothing_else(self, errors: Fail) -> None:
        (problem,) = errors(
            MODELS.replace("models: {", "models: {current: {aliases: [t, x, {}]}, ").replace(
                ", {}", ""
            )
        )
        assert problem.message.endswith('alias "x" means something else already')

    def test_other_keys_have_no_effect(self, config: Parse) -> None:
        found = config("models: {current: {aliases: t, ttl: 5}}")
        assert any("current.ttl has no effect" in each.message for each in found.warnings)

    def test_none_by_default(self) -> None:
        assert Config().current_names == ()
