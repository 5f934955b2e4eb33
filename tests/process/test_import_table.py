"""The DLLs that a Windows program needs are read from the program itself."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmdesk.process.import_table import NotAProgram, imports, missing, system_folders

SECTION_AT = 0x1000
RAW_AT = 0x400


def program(*names: str, bits: int = 64, imports_at: int | None = None) -> bytes:
    """A PE file that imports ``names``, and has nothing else in it."""
    table = b""
    texts = b""
    after = 20 * (len(names) + 1)
    for name in names:
        table += struct.pack("<IIIII", 1, 0, 0, SECTION_AT + after + len(texts), 1)
        texts += name.encode("ascii") + b"\0"
    content = table + bytes(20) + texts
    directories = bytearray(8 * 16)
    where = (SECTION_AT if names else 0) if imports_at is None else imports_at
    struct.pack_into("<II", directories, 8, where, len(table) + 20)
    fields = 112 if bits == 64 else 96
    optional = bytearray(fields)
    struct.pack_into("<H", optional, 0, 0x20B if bits == 64 else 0x10B)
    struct.pack_into("<I", optional, fields - 4, 16)
    optional += directories
    dos = bytearray(64)
    dos[:2] = b"MZ"
    struct.pack_into("<I", dos, 60, 64)
    machine = 0x8664 if bits == 64 else 0x14C
    coff = struct.pack("<HHIIIHH", machine, 1, 0, 0, 0, len(optional), 0x22)
    section = struct.pack(
        "<8sIIIIIIHHI", b".rdata", len(content), SECTION_AT, len(content), RAW_AT, 0, 0, 0, 0, 0
    )
    head = bytes(dos) + b"PE\0\0" + coff + bytes(optional) + section
    return head.ljust(RAW_AT, b"\0") + content


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


class TestImports:
    @pytest.mark.parametrize("bits", [32, 64])
    def test_in_the_order_of_the_table(self, tmp_path: Path, bits: int) -> None:
        names = ("KERNEL32.dll", "llama.dll", "VCRUNTIME140_1.dll")
        assert imports(write(tmp_path / "a.exe", program(*names, bits=bits))) == names

    def test_a_program_without_any(self, tmp_path: Path) -> None:
        assert imports(write(tmp_path / "a.exe", program())) == ()

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"#!/bin/sh\n",
            b"\x7fELF" + bytes(100),
            b"MZ" + bytes(62),
            program("a.dll")[:200],
            program("a.dll", imports_at=0x99999999),
        ],
    )
    def test_what_is_no_program_is_said(self, tmp_path: Path, content: bytes) -> None:
        with pytest.raises(NotAProgram):
            imports(write(tmp_path / "a.exe", content))

    @given(st.binary(max_size=600), st.integers(0, 700), st.integers(0, 20))
    def test_damage_does_no_harm(
        self, tmp_path_factory: pytest.TempPathFactory, damage: bytes, at: int, cut: int
    ) -> None:
        whole = program("a.dll", "b.dll")
        content = (whole[:at] + damage + whole[at + len(damage) :])[: len(whole) - cut]
        file = write(tmp_path_factory.getbasetemp() / "damaged.exe", content)
        try:
            found = imports(file)
        except NotAProgram:
            return
        assert len(found) <= 512

    def test_a_table_without_end_is_given_up(self, tmp_path: Path) -> None:
        content = program(*(f"{number}.dll" for number in range(600)))
        assert len(imports(write(tmp_path / "a.exe", content))) == 512


class TestMissing:
    def test_beside_the_program_and_in_the_systems_folders(self, tmp_path: Path) -> None:
        for name in ("own", "system"):
            (tmp_path / name).mkdir()
        exe = write(
            tmp_path / "own" / "llama-server.exe",
            program("KERNEL32.dll", "llama.dll", "cudart64_12.dll", "api-ms-win-core-file-l1.dll"),
        )
        write(tmp_path / "own" / "LLAMA.DLL", program())
        write(tmp_path / "system" / "kernel32.dll", program("not-looked-at.dll"))
        assert missing(exe, (str(tmp_path / "system"),)) == ("cudart64_12.dll",)

    def test_what_a_dll_beside_it_needs(self, tmp_path: Path) -> None:
        exe = write(tmp_path / "a.exe", program("llama.dll"))
        write(tmp_path / "llama.dll", program("ggml.dll", "a.exe"))
        write(tmp_path / "ggml.dll", program("VCOMP140.DLL", "llama.dll"))
        assert missing(exe, ()) == ("VCOMP140.DLL",)

    def test_what_cannot_be_read_needs_nothing(self, tmp_path: Path) -> None:
        assert missing(tmp_path / "none.exe", ()) == ()
        assert missing(write(tmp_path / "script", b"#!/bin/sh\n"), ()) == ()

    def test_where_windows_looks(self) -> None:
        folders = system_folders({"SYSTEMROOT": "W", "PATH": "a"})
        assert folders == (str(Path("W", "System32")), "W", "a")
