"""A model with another context: by its name, or by a header."""

from __future__ import annotations

import json

import pytest

from qmdesk.config import parse
from tests.conftest import fake


def named(instance) -> list[str]:
    return [model.id for model in instance.router.snapshot().models if model.state == "ready"]


@pytest.fixture
async def instance(start):
    # By one of its words it is taken for a llama-server.
    command = fake("--prints", "llama-server", "-c", 4096, name="a")
    return await start(
        parse(
            "apiKeys: [k, l]\napiKeyModels: {l: [b]}\n"
            f"models:\n  a: {{cmd: {command}, aliases: [b]}}\n"
        )
    )


@pytest.mark.parametrize(
    ("model", "header"), [("a?ctx=8192", None), ("a", "8192"), ("b?ctx=8192", "512")]
)
async def test_a_variant_answers(instance, http, model, header) -> None:
    headers = {"Authorization": "Bearer l", **({"X-QM-Ctx": header} if header else {})}
    address = f"{instance.addresses[0]}/v1/chat/completions"
    async with http.post(address, json={"model": model}, headers=headers) as response:
        assert response.status == 200, await response.text()
        assert response.headers["X-QM-Model"] == "a?ctx=8192"
    (variant,) = named(instance)
    assert variant == "a?ctx=8192"
    snapshot = instance.router.snapshot().model(variant)
    assert "-c 8192" in snapshot.command
    async with http.get(f"{snapshot.proxy}/fake/requests") as response:
        (asked,) = await response.json()
    assert json.loads(asked["body"])["model"] == "a"
    assert "X-QM-Ctx" not in dict(asked["headers"])


@pytest.mark.parametrize("context", ["12", "x", "", "99999999999"])
async def test_a_context_that_is_none_is_refused(instance, http, context) -> None:
    address = f"{instance.addresses[0]}/v1/chat/completions"
    body = {"model": f"a?ctx={context}"}
    async with http.post(address, json=body, headers={"x-api-key": "k"}) as response:
        assert response.status == 400
        error = (await response.json())["error"]
    assert error["code"] == "invalid_context"
    assert "whole number of tokens" in error["message"]
