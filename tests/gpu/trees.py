"""Folders as the kernel shows cards and processes."""

from __future__ import annotations

from pathlib import Path

AMDGPU = """pos:	0
flags:	02100002
mnt_id:	24
drm-driver:	amdgpu
drm-client-id:	{client}
drm-pdev:	{address}
pasid:	32771
drm-memory-vram:	{vram} KiB
drm-memory-gtt: 	{gtt} KiB
drm-memory-cpu: 	0 KiB
amd-memory-visible-vram:	{vram} KiB
drm-engine-gfx:	62541201 ns
"""

XE = """pos:	0
flags:	0100002
drm-driver:	xe
drm-client-id:	{client}
drm-pdev:	{address}
drm-total-system:	0
drm-total-vram0:	{vram} MiB
drm-resident-vram0:	{resident} MiB
drm-cycles-rcs:	28257900
"""

I915 = """drm-driver: i915
drm-client-id: {client}
drm-pdev: {address}
drm-total-local0: {vram} MiB
drm-shared-local0: 0
drm-resident-local0: {resident} MiB
"""


def write(file: Path, text: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{text}\n")


def card(drm: Path, number: int, vendor: str, address: str, **files: object) -> Path:
    """A card's PCI folder; ``__`` in a name is a slash."""
    folder = drm / f"card{number}" / "device"
    write(folder / "vendor", vendor)
    write(folder / "uevent", f"DRIVER=some\nPCI_SLOT_NAME={address}")
    for name, value in files.items():
        write(folder / name.replace("__", "/"), value)
    return folder


def process(proc: Path, pid: int, *stats: str, child_of: int | None = None) -> None:
    """A process with a card open for each of ``stats``."""
    folder = proc / str(pid)
    (folder / "fd").mkdir(parents=True)
    (folder / "fdinfo").mkdir()
    for number, text in enumerate(stats, 5):
        (folder / "fd" / str(number)).symlink_to("/dev/dri/renderD128")
        (folder / "fdinfo" / str(number)).write_text(text)
    (folder / "fd" / "1").symlink_to("/dev/null")
    (folder / "fdinfo" / "1").write_text("pos: 0\n")
    if child_of is not None:
        children = proc / str(child_of) / "task" / str(child_of) / "children"
        known = children.read_text() if children.exists() else ""
        write(children, f"{known.strip()} {pid}")
