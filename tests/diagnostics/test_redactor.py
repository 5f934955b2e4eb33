"""What must never be seen is not, and what is needed still is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmdesk.diagnostics.redactor import Redactor


def redactor(*secrets: str, environment: dict[str, str] | None = None) -> Redactor:
    return Redactor(
        secrets,
        environment=environment or {},
        home=Path("/home/maria"),
        user="maria",
        host="workbench",
    )


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Authorization: Bearer abc.def-123", "abc.def-123"),
        ("authorization: Token one two", "one two"),
        ("got 'Bearer abcdefgh' from a client", "abcdefgh"),
        ("Proxy-Authorization: Basic dXNlcjpwdw==", "dXNlcjpwdw=="),
        ("Cookie: session=abc; other=def", "def"),
        ("llama-server --api-key hunter2 -c 4096", "hunter2"),
        ("llama-server --api-key=hunter2 -c 4096", "hunter2"),
        ("llama-server --hf-token 'a b'", "a b"),
        ("env HF_TOKEN=hunter2 llama-server", "hunter2"),
        ('{"api_key": "hunter2", "n": 1}', "hunter2"),
        ("password: hunter2", "hunter2"),
        ("client_secret=hunter2;x=1", "hunter2"),
        ("GET https://me:hunter2@example.org/v1", "hunter2"),
        ("POST /v1/chat?api_key=hunter2&stream=1", "hunter2"),
        ("the key sk-abcdefgh12345678 was refused", "abcdefgh12345678"),
        ("token hf_abcdefghijklmnop", "hf_abcdefghijklmnop"),
        ("ghp_abcdefghijklmnop", "abcdefghijklmnop"),
        ("jwt eyJhbGciOiJI.eyJzdWIiOiIx.c2ln", "eyJzdWIiOiIx"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nend", "MIIE"),
        ("/home/maria/models/a.gguf", "maria"),
        ("/home/otto/models/a.gguf", "otto"),
        (r"C:\Users\otto\models\a.gguf", "otto"),
        (r"C:\\Users\\otto\\models", "otto"),
        ("started by maria on workbench", "maria"),
        ("started by maria on workbench", "workbench"),
    ],
)
def test_what_looks_like_a_secret_goes(text: str, secret: str) -> None:
    assert secret not in redactor().text(text)


@pytest.mark.parametrize(
    "text",
    [
        "prompt eval time = 12.34 ms / 56 tokens (0.22 ms per token, 4538.07 tokens per second)",
        "llama_model_loader: - kv 12: tokenizer.ggml.model str = gpt2",
        "print_info: EOS token = 151645",
        "llama-server -m /models/a.gguf --cache-type-k q8_0 -ngl 99 --port 5800",
        "http://127.0.0.1:8080/v1/models",
        "GET /v1/models?limit=5",
        "max_tokens: 128",
        "the home of the model, marianne",
        "2026-11-30 12:00:00 INFO listening on http://127.0.0.1:8080",
    ],
)
def test_what_is_needed_stays(text: str) -> None:
    assert redactor().text(text) == text


def test_known_values_go_wherever_they_stand() -> None:
    known = redactor("qu/o te", environment={"MY_TOKEN": "from-the-environment", "LANG": "de_DE"})
    text = 'x qu/o te y qu%2Fo%20te z from-the-environment de_DE "qu/o te"'
    assert known.text(text) == 'x *** y *** z *** de_DE "***"'


def test_a_value_too_short_to_be_told_from_words_is_not_looked_for() -> None:
    assert redactor("a", "on").text("on a day") == "on a day"


def test_the_longer_of_two_values_goes_whole() -> None:
    assert redactor("secret", "secret-and-more").text("secret-and-more") == "***"


def test_json_is_redacted_in_depth_and_in_its_keys() -> None:
    value = {"hunter2hunter2": [{"x": "hunter2hunter2"}, 3, None, True]}
    assert redactor("hunter2hunter2").value(value) == {"***": [{"x": "***"}, 3, None, True]}


@given(st.text(min_size=8, max_size=40).filter(lambda text: text.strip() == text), st.text())
def test_no_known_value_is_left_by_itself(secret: str, around: str) -> None:
    text = Redactor([secret], environment={}, user="", host="").text(f"{around} {secret} {around}")
    assert secret not in text or secret in around * 2 or secret in "***"
