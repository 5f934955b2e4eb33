"""A collection holds what a report needs; planted secrets are nowhere in it."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
import yaml

from qmdesk.config import parse
from qmdesk.diagnostics import Facts, default_name, pack, parts

SECRETS = (
    "planted-api-key",
    "planted-admin-key",
    "planted-env-value",
    "planted-macro-secret",
    "planted-flag-value",
    "planted-list-flag",
    "planted-peer-key",
    "planted-comment",
    "planted-process-env",
    "planted-header",
    "planted-url-password",
    "planted-prompt",
)
TEXT = """\
# the old key was planted-comment
apiKeys:
  - planted-api-key
  - {key: planted-admin-key, name: the boss, admin: true}
apiKeyModels:
  planted-api-key: [a]
macros:
  upstream_token: planted-macro-secret
  port: 007
models:
  a:
    cmd: llama-server --port ${PORT} --api-key planted-flag-value -m ~/a.gguf
    env: [HF_THING=planted-env-value, LEVEL=3]
    ttl: 600
  b:
    cmd: [llama-server, --port, "${PORT}", --hf-token, planted-list-flag]
    aliases: [b2]
peers:
  far:
    proxy: https://me:planted-url-password@example.org
    apiKey: planted-peer-key
    models: [big]
  other: {proxy: "http://10.0.0.2:80", apiKey: "${env.OTHER_KEY}", models: [x]}
"""


@pytest.fixture
def facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Facts:
    monkeypatch.setenv("SOME_SECRET", "planted-process-env")
    monkeypatch.setenv("OTHER_KEY", "planted-other-key")
    file = tmp_path / "config.yaml"
    file.write_text(TEXT, encoding="utf-8")
    crashes = tmp_path / "crashes"
    crashes.mkdir()
    (crashes / "run-1-2.log").write_text("Fatal Python error in planted-env-value\n")
    line = " ".join(SECRETS[:7])
    return Facts(
        config=parse(TEXT, file),
        files=(file,),
        crashes=crashes,
        status={"models": [{"model": "a", "cmd": f"llama-server {line}", "state": "ready"}]},
        activity=[
            {"id": 1, "model": "a", "status": 200, "error": line, "prompt": "planted-prompt"}
        ],
        logs={
            "qmdesk": [f"\x1b[31m{line}\x1b[0m", "x-header: Bearer planted-header"],
            "a": ["main: server is listening", f"planted-process-env planted-other-key {line}"],
        },
        more={"lateness.txt": "held 3 times\n"},
    )


def test_planted_secrets_are_nowhere(facts: Facts) -> None:
    for part in parts(facts):
        for secret in (*SECRETS, "planted-other-key", str(Path.home())):
            assert secret not in part.text, part.name
            assert secret not in part.name


def test_what_is_needed_is_there(facts: Facts) -> None:
    found = {part.name: part.text for part in parts(facts)}
    assert set(found) == {
        "about.txt",
        "configuration/01-config.yaml",
        "configuration/doubts.txt",
        "status.json",
        "activity.json",
        "lateness.txt",
        "logs/qmdesk.log",
        "logs/a.log",
        "crashes/run-1-2.log",
    }
    assert "aiohttp 3." in found["about.txt"]
    assert "PySide6-Essentials 6." in found["about.txt"]
    config = yaml.safe_load(found["configuration/01-config.yaml"])
    assert config["apiKeys"] == ["***", {"key": "***", "name": "the boss", "admin": True}]
    assert config["apiKeyModels"] == {"*** 1": ["a"]}
    assert config["models"]["a"] == {
        "cmd": "llama-server --port ${PORT} --api-key *** -m ~/a.gguf",
        "env": ["HF_THING=***", "LEVEL=***"],
        "ttl": 600,
    }
    assert config["models"]["b"]["cmd"][-2:] == ["--hf-token", "***"]
    assert config["macros"] == {"upstream_token": "***", "port": 7}
    assert config["peers"]["other"]["apiKey"] == "${env.OTHER_KEY}"
    assert json.loads(found["activity.json"])[0]["status"] == 200
    assert json.loads(found["status.json"])["models"][0]["state"] == "ready"
    assert "main: server is listening" in found["logs/a.log"]
    assert "\x1b" not in found["logs/qmdesk.log"]


def test_a_text_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("apiKeys: [planted-api-key\n  x: {", encoding="utf-8")
    (_, part) = parts(Facts(files=(file,)))
    assert "planted-api-key" not in part.text
    assert "left out" in part.text


def test_a_file_that_is_gone_is_said(tmp_path: Path) -> None:
    (_, part) = parts(Facts(files=(tmp_path / "gone.yaml",)))
    assert part.name == "configuration/01-gone.yaml"


def test_logs_and_requests_are_bounded() -> None:
    rows = [{"id": at} for at in range(500)]
    facts = Facts(logs={"qmdesk": [f"line {at}" for at in range(5000)]}, activity=rows)
    found = {part.name: part.text for part in parts(facts)}
    lines = found["logs/qmdesk.log"].splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("line 4000", "line 4999", 1000)
    assert len(json.loads(found["activity.json"])) == 200


def test_it_is_packed_whole_or_not_at_all(facts: Facts, tmp_path: Path) -> None:
    target = tmp_path / default_name()
    collected = parts(facts)
    pack(collected, target)
    with zipfile.ZipFile(target) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [part.name for part in collected]
    with pytest.raises(FileNotFoundError):
        pack(collected, tmp_path / "missing" / "x.zip")
    before = sorted(tmp_path.iterdir())
    (tmp_path / "folder.zip").mkdir()
    with pytest.raises(OSError):
        pack(collected, tmp_path / "folder.zip")
    assert sorted(tmp_path.iterdir()) == sorted([*before, tmp_path / "folder.zip"])
