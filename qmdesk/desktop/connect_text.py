"""What has to be entered where, for each front end.  Free of Qt."""

from __future__ import annotations

import json
from dataclasses import dataclass

from qmdesk.desktop.words import tr

NO_KEY = "none"
"""What stands where a front end insists on a key and we have none."""
HIDDEN = "••••••••"


@dataclass(frozen=True, slots=True)
class Place:
    """Where front ends are pointed at."""

    base: str
    """``http://HOST:PORT``."""
    key: str
    """Empty where none is asked for."""
    model: str

    @property
    def openai(self) -> str:
        return f"{self.base}/v1"

    @property
    def shown_key(self) -> str:
        return self.key or NO_KEY


@dataclass(frozen=True, slots=True)
class Guide:
    """One front end: what to do there, and the text to copy, if there is one."""

    name: str
    steps: str
    snippet: str = ""


def guides(place: Place) -> list[Guide]:
    """All front ends that we know, with the fields filled for ``place``."""
    address, key, model = place.openai, place.shown_key, place.model or "MODEL"
    return [
        Guide(
            "Open WebUI",
            tr(
                "Admin settings, Connections, OpenAI API, add a connection."
                " In a container, write host.docker.internal instead of 127.0.0.1."
            ),
            f"URL: {address}\nKey: {key}",
        ),
        Guide(
            "SillyTavern",
            tr(
                "API connections: API is Chat Completion, source is Custom"
                " (OpenAI-compatible). Then connect and choose the model."
            ),
            f"Custom endpoint: {address}\nCustom API key: {key}\nModel: {model}",
        ),
        Guide(
            "Continue",
            tr("Put this into ~/.continue/config.yaml."),
            _continue(address, key, model),
        ),
        Guide(
            "Cline",
            tr("Settings: API provider is OpenAI Compatible."),
            f"Base URL: {address}\nAPI key: {key}\nModel ID: {model}",
        ),
        Guide(
            "Zed",
            tr(
                "Put this into settings.json, and enter the key under LLM providers"
                " or as QMDESK_API_KEY in the environment."
            ),
            _zed(address, model),
        ),
        Guide(
            "Claude Code",
            tr("Set these where you start claude. The address has no /v1 at its end."),
            f"export ANTHROPIC_BASE_URL={place.base}\n"
            f"export ANTHROPIC_AUTH_TOKEN={key}\n"
            f"export ANTHROPIC_API_KEY=\n"
            f"export ANTHROPIC_MODEL={_word(model)}\n"
            f"export ANTHROPIC_DEFAULT_HAIKU_MODEL={_word(model)}",
        ),
        Guide(
            tr("Python, openai"),
            "pip install openai",
            "from openai import OpenAI\n\n"
            f"client = OpenAI(base_url={_text(address)}, api_key={_text(key)})\n"
            "answer = client.chat.completions.create(\n"
            f"    model={_text(model)},\n"
            '    messages=[{"role": "user", "content": "Hello"}],\n'
            ")\n"
            "print(answer.choices[0].message.content)",
        ),
        Guide(
            tr("Python, anthropic"),
            "pip install anthropic",
            "from anthropic import Anthropic\n\n"
            f"client = Anthropic(base_url={_text(place.base)}, api_key={_text(key)})\n"
            "answer = client.messages.create(\n"
            f"    model={_text(model)},\n"
            "    max_tokens=256,\n"
            '    messages=[{"role": "user", "content": "Hello"}],\n'
            ")\n"
            "print(answer.content[0].text)",
        ),
        Guide(
            "curl",
            "",
            f"curl {address}/chat/completions \\\n"
            "  -H 'Content-Type: application/json' \\\n"
            f"  -H 'Authorization: Bearer {key}' \\\n"
            f"  -d '{_quoted(json.dumps(_question(model)))}'",
        ),
    ]


def _continue(address: str, key: str, model: str) -> str:
    return (
        "name: qmdesk\n"
        "version: 1.0.0\n"
        "schema: v1\n"
        "models:\n"
        f"  - name: {_text(model)}\n"
        "    provider: openai\n"
        f"    model: {_text(model)}\n"
        f"    apiBase: {address}\n"
        f"    apiKey: {_text(key)}"
    )


def _zed(address: str, model: str) -> str:
    models = [{"name": model, "display_name": model, "max_tokens": 32768}]
    provider = {"qmdesk": {"api_url": address, "available_models": models}}
    return json.dumps({"language_models": {"openai_compatible": provider}}, indent=2)


def _question(model: str) -> dict[str, object]:
    return {"model": model, "messages": [{"role": "user", "content": "Hello"}]}


def _text(value: str) -> str:
    """As a string of Python, JSON and YAML alike."""
    return json.dumps(value, ensure_ascii=False)


def _quoted(value: str) -> str:
    return value.replace("'", "'\\''")


def _word(value: str) -> str:
    plain = all(each.isalnum() or each in "-_./:@" for each in value)
    return value if plain else f"'{_quoted(value)}'"
