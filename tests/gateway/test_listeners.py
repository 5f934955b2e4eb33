"""Addresses with catalogues of their own, certificates, and open doors."""

from __future__ import annotations

import asyncio
import socket
import ssl
from pathlib import Path

import aiohttp
import pytest
import trustme

from qmdesk.config import Config, ConfigError, parse
from qmdesk.desktop.trial import TrialFailed, ask
from qmdesk.events import Exposed
from qmdesk.instance import InstanceError
from qmdesk.remote import Remote
from tests.conftest import fake, simple


def free() -> str:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return f"127.0.0.1:{probe.getsockname()[1]}"


class TestCatalogues:
    def config(self, listeners: str) -> Config:
        lines = "".join(f"  {name}: {{cmd: {fake(name=name)}}}\n" for name in "abc")
        return parse(
            f"models:\n{lines}groups: {{g: {{members: [a, b]}}}}\nlisteners: {listeners}\n"
        )

    async def names(self, http, address: str) -> list[str]:
        async with http.get(f"http://{address}/v1/models") as response:
            return [row["id"] for row in (await response.json())["data"]]

    async def test_each_offers_its_groups(self, start, http) -> None:
        one, two, three = free(), free(), free()
        text = f"{{'{one}': {{groups: [g]}}, '{two}': {{groups: ['(default)']}}, '{three}': }}"
        await start(self.config(text), None)
        assert await self.names(http, one) == ["a", "b"]
        assert await self.names(http, two) == ["c"]
        assert await self.names(http, three) == ["a", "b", "c"]
        for address, code in ((one, 200), (two, 404), (three, 200)):
            url = f"http://{address}/v1/chat/completions"
            async with http.post(url, json={"model": "a"}) as response:
                assert response.status == code
                if code == 404:
                    error = (await response.json())["error"]
                    assert error["code"] == "model_not_found"
                    assert "b" not in error["message"].split()
        # Who operates it sees all of it, through any door.
        async with http.post(f"http://{two}/api/models/b/load") as response:
            assert response.status == 200

    async def test_what_an_address_offers_changes_without_closing_it(self, start, http) -> None:
        address = free()
        instance = await start(self.config(f"{{'{address}': {{groups: [g]}}}}"), None)
        assert await self.names(http, address) == ["a", "b"]
        await instance._apply(self.config(f"{{'{address}': {{groups: ['(default)']}}}}"))
        assert await self.names(http, address) == ["c"]

    async def test_addresses_are_opened_and_closed(self, start, http) -> None:
        old, new = free(), free()
        instance = await start(self.config(f"{{'{old}': }}"), None)
        await instance._apply(self.config(f"{{'{new}': {{groups: [g]}}}}"))
        assert await self.names(http, new) == ["a", "b"]
        assert instance.addresses == (f"http://{new}",)
        with pytest.raises(aiohttp.ClientConnectorError):
            await self.names(http, old)


class TestCertificates:
    @pytest.fixture
    def authority(self) -> trustme.CA:
        return trustme.CA()

    def issue(self, authority: trustme.CA, folder: Path, name: str = "127.0.0.1") -> None:
        issued = authority.issue_cert(name)
        issued.private_key_pem.write_to_path(str(folder / "key.pem"))
        issued.cert_chain_pems[0].write_to_path(str(folder / "cert.pem"))

    def config(self, folder: Path, more: str = "", port: str = "0") -> Config:
        text = f"listen: 127.0.0.1:{port}\ntlsCertFile: cert.pem\ntlsKeyFile: key.pem\n{more}"
        # Beside the configuration.
        return parse(f"models:\n  a:\n    cmd: {fake(name='a')}\n{text}", folder / "config.yaml")

    def trusting(self, authority: trustme.CA) -> ssl.SSLContext:
        context = ssl.create_default_context()
        authority.configure_trust(context)
        return context

    async def test_every_listener_speaks_tls(self, start, http, authority, tmp_path) -> None:
        self.issue(authority, tmp_path)
        instance = await start(self.config(tmp_path), None)
        (address,) = instance.addresses
        assert address.startswith("https://127.0.0.1:")
        url, body = f"{address}/v1/chat/completions", {"model": "a", "stream": True}
        async with http.post(url, json=body, ssl=self.trusting(authority)) as response:
            assert response.status == 200
            assert (await response.text()).endswith("data: [DONE]\n\n")
        proxy = instance.router.snapshot().model("a").proxy
        async with http.get(f"{proxy}/fake/requests") as response:
            assert dict((await response.json())[0]["headers"])["X-Forwarded-Proto"] == "https"

    async def test_the_command_line_reaches_it(self, start, authority, tmp_path) -> None:
        self.issue(authority, tmp_path, "desk.example")
        config = self.config(tmp_path)
        instance = await start(config, None)
        address = instance.addresses[0]
        status = await asyncio.to_thread(Remote.of(config, address).status)
        assert [row["model"] for row in status["models"]] == ["a"]

    async def test_a_question_from_the_window_reaches_it(self, start, authority, tmp_path) -> None:
        self.issue(authority, tmp_path, "desk.example")
        config = self.config(tmp_path)
        address = (await start(config, None)).addresses[0]
        trial = await asyncio.to_thread(ask, address, "", "a", config.certificate)
        assert trial.answer == "a-0a-1a-2"
        with pytest.raises(TrialFailed, match="CERTIFICATE_VERIFY_FAILED"):
            await asyncio.to_thread(ask, address, "", "a")

    async def test_a_reload_takes_the_files_anew(self, start, http, tmp_path) -> None:
        old, new = trustme.CA(), trustme.CA()
        self.issue(old, tmp_path)
        instance = await start(self.config(tmp_path), None)
        (address,) = instance.addresses
        self.issue(new, tmp_path)
        await instance._apply(self.config(tmp_path))
        assert instance.addresses == (address,)
        async with http.get(f"{address}/health", ssl=self.trusting(new)) as response:
            assert response.status == 200

    async def test_it_can_be_switched_on_and_off_at_one_address(
        self, start, http, authority, tmp_path
    ) -> None:
        self.issue(authority, tmp_path)
        port = free().rpartition(":")[2]
        plain = simple("a", more=f"listen: 127.0.0.1:{port}\n")
        instance = await start(plain, None)
        await instance._apply(self.config(tmp_path, port=port))
        assert instance.addresses == (f"https://127.0.0.1:{port}",)
        url, trust = f"{instance.addresses[0]}/health", self.trusting(authority)
        async with http.get(url, ssl=trust) as response:
            assert response.status == 200
        await instance._apply(plain)
        async with http.get(f"http://127.0.0.1:{port}/health") as response:
            assert response.status == 200

    async def test_files_that_cannot_be_used_are_one_clear_error(
        self, start, http, authority, tmp_path
    ) -> None:
        with pytest.raises(
            InstanceError, match=r"tlsCertFile: .*cert\.pem cannot be read: No such"
        ):
            await start(self.config(tmp_path), None)
        self.issue(authority, tmp_path)
        (tmp_path / "cert.pem").write_text("nonsense")
        with pytest.raises(InstanceError, match="not a certificate and its private key"):
            await start(self.config(tmp_path), None)
        self.issue(authority, tmp_path)
        authority.issue_cert("x").private_key_pem.write_to_path(str(tmp_path / "key.pem"))
        with pytest.raises(InstanceError, match=r"key\.pem does not belong to the certificate"):
            await start(self.config(tmp_path), None)
        self.issue(authority, tmp_path)
        instance = await start(self.config(tmp_path), None)
        (tmp_path / "key.pem").write_text("nonsense")
        with pytest.raises(ConfigError, match="tlsCertFile and tlsKeyFile"):
            await instance._apply(self.config(tmp_path))
        # The old ones are good enough until then.
        url, trust = f"{instance.addresses[0]}/health", self.trusting(authority)
        async with http.get(url, ssl=trust) as response:
            assert response.status == 200


class TestOpenDoors:
    async def test_are_told_of(self, start, caplog) -> None:
        config = simple("a", more="listen: 127.0.0.1:0\n")
        instance = await start(config, None)
        assert instance.exposed == ()
        told: list[str] = []
        instance.bus.subscribe(lambda fact: told.append(fact.address), Exposed)
        opened = simple("a", more="listen: [0.0.0.0:0]\n")
        await instance._apply(opened)
        assert instance.addresses == instance.exposed == tuple(told)
        assert f"{told[0]} without a key" in caplog.text
        # Once for each.
        await instance._apply(opened)
        assert len(told) == 1

    async def test_are_none_where_there_are_keys(self, start) -> None:
        instance = await start(simple("a", more="listen: 0.0.0.0:0\napiKeys: [k]\n"), None)
        assert instance.exposed == ()
