"""The icon as the files that Windows and macOS want, drawn from the SVG."""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path

SIZES = (16, 32, 48, 64, 128, 256, 512)
"""Pixels, for Linux's icon folders."""
_ICO = (16, 24, 32, 48, 64, 256)
_ICNS = {b"icp4": 16, b"icp5": 32, b"ic07": 128, b"ic08": 256, b"ic09": 512, b"ic10": 1024}


def png(svg: Path, size: int) -> bytes:
    """The picture ``svg`` as a PNG of ``size`` pixels each way."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QBuffer, QIODevice, QRectF
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    QSvgRenderer(str(svg)).render(painter, QRectF(0, 0, size, size))
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    # Qt's overloads name bytes, its stubs a path.
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload, unused-ignore]
        raise OSError(f"{svg} could not be drawn")
    return bytes(buffer.data().data())


def ico(svg: Path) -> bytes:
    """A Windows icon: a directory, then PNGs."""
    pictures = [(size, png(svg, size)) for size in _ICO]
    offset = 6 + 16 * len(pictures)
    head = struct.pack("<HHH", 0, 1, len(pictures))
    for size, picture in pictures:
        side = size % 256  # 0 stands for 256
        head += struct.pack("<BBBBHHII", side, side, 0, 0, 1, 32, len(picture), offset)
        offset += len(picture)
    return head + b"".join(picture for _, picture in pictures)


def icns(svg: Path) -> bytes:
    """A macOS icon: pictures, each with its kind and length."""
    body = b""
    for kind, size in _ICNS.items():
        picture = png(svg, size)
        body += kind + struct.pack(">I", len(picture) + 8) + picture
    return b"icns" + struct.pack(">I", len(body) + 8) + body


def write(svg: Path, folder: Path, platform: str = sys.platform) -> Path:
    """Write the icon of ``platform`` into ``folder``; where it is."""
    if platform == "darwin":
        (path := folder / "qmdesk.icns").write_bytes(icns(svg))
    else:
        (path := folder / "qmdesk.ico").write_bytes(ico(svg))
    return path


def write_pngs(svg: Path, folder: Path) -> None:
    """Write ``folder/NxN/apps/qmdesk.png`` for every size."""
    for size in SIZES:
        path = folder / f"{size}x{size}" / "apps" / "qmdesk.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png(svg, size))
