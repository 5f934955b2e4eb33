"""The icons: a state's shape in one colour, at every size that a panel may ask for."""

from __future__ import annotations

from functools import cache, lru_cache

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPalette, QPen, QPixmap
from PySide6.QtSvg import QSvgRenderer

from qmdesk import resources
from qmdesk.desktop.shape import Shape

SIZES = (16, 20, 22, 24, 32, 44, 48, 64, 96, 128)
"""Pixels; with those for screens that scale by up to 300 %."""
STEPS = 20
"""Steps that the progress of a load is drawn in: the tray is not repainted for less."""
TURNS = 8
"""Places of the ring while a load is under way of which nothing is known."""

_LIGHT = {
    Shape.STOPPED: "#7A7F87",
    Shape.LOADING: "#1B63B7",
    Shape.READY: "#2B7A3B",
    Shape.WORKING: "#2B7A3B",
    Shape.UNLOADING: "#7A7F87",
    Shape.OUTDATED: "#9A6A00",
    Shape.PAUSED: "#9A6A00",
    Shape.PROBLEM: "#B3261E",
}
_DARK = {
    Shape.STOPPED: "#8E949C",
    Shape.LOADING: "#6AB0F3",
    Shape.READY: "#6CC17C",
    Shape.WORKING: "#6CC17C",
    Shape.UNLOADING: "#8E949C",
    Shape.OUTDATED: "#E3B341",
    Shape.PAUSED: "#E3B341",
    Shape.PROBLEM: "#F28B82",
}


def is_dark() -> bool:
    """Whether the app's own windows are dark now."""
    palette = QGuiApplication.palette()
    text = palette.color(QPalette.ColorRole.WindowText)
    return text.lightness() > palette.color(QPalette.ColorRole.Window).lightness()


def state_colour(shape: Shape, *, dark: bool) -> QColor:
    """The colour that a state has in our windows."""
    return QColor((_DARK if dark else _LIGHT)[shape])


def panel_colour() -> QColor:
    """The colour of tray icons: what stands out from a panel of the system's scheme."""
    dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
    return QColor("#F2F4F7" if dark else "#30343A")


def step(progress: float | None) -> int | None:
    """The progress of 0 to 1 in ``STEPS``, so that icons are drawn and kept by few values."""
    return None if progress is None else round(min(max(progress, 0.0), 1.0) * STEPS)


def state_icon(shape: Shape, colour: QColor, progress: float | None = None, turn: int = 0) -> QIcon:
    """A state as an icon in ``colour``; ``progress`` fills the ring of a loading one.

    ``turn``, in ``TURNS`` of a circle, moves the ring of one whose progress is not known.
    """
    return _icon(shape, colour.rgba(), step(progress), None, turn % TURNS)


def coloured_icon(shape: Shape, progress: float | None = None) -> QIcon:
    """A state as an icon in its own colour, as our windows and menus show it."""
    palette = QGuiApplication.palette()
    selected = palette.color(QPalette.ColorRole.HighlightedText).rgba()
    return _icon(shape, state_colour(shape, dark=is_dark()).rgba(), step(progress), selected, 0)


def app_icon() -> QIcon:
    """The app's own icon."""
    renderer = _renderer("qmdesk")
    icon = QIcon()
    for size in (*SIZES, 256):
        icon.addPixmap(_drawn(renderer, size))
    return icon


@lru_cache(maxsize=256)
def _icon(shape: Shape, rgba: int, filled: int | None, selected: int | None, turn: int) -> QIcon:
    icon = QIcon()
    for size in SIZES:
        pixmap = _tinted(shape, QColor.fromRgba(rgba), filled, size, turn)
        icon.addPixmap(pixmap)
        if selected is not None:
            # A line that cannot be chosen says its state all the same.
            icon.addPixmap(pixmap, QIcon.Mode.Disabled)
            marked = _tinted(shape, QColor.fromRgba(selected), filled, size, turn)
            icon.addPixmap(marked, QIcon.Mode.Selected)
    return icon


def _tinted(shape: Shape, colour: QColor, filled: int | None, size: int, turn: int) -> QPixmap:
    pixmap = _drawn(_renderer(f"state-{shape}"), size)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if shape is Shape.LOADING:
        _draw_progress(painter, size, filled, turn)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(pixmap.rect(), colour)
    painter.end()
    return pixmap


def _draw_progress(painter: QPainter, size: int, filled: int | None, turn: int) -> None:
    # Nothing known yet: a quarter, so that it does not look like stopped.
    share = 0.25 if filled is None else max(filled, 1) / STEPS
    unit = size / 16
    pen = QPen(Qt.GlobalColor.black, 2 * unit)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    ring = QRectF(2 * unit, 2 * unit, 12 * unit, 12 * unit)
    # Qt counts sixteenths of a degree, anticlockwise from three o'clock.
    start = 90 - turn * 360 // TURNS
    painter.drawArc(ring, start * 16, -round(share * 360 * 16))
    if filled:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(Qt.GlobalColor.black)
        pie = QRectF(QPointF(4.5 * unit, 4.5 * unit), QPointF(11.5 * unit, 11.5 * unit))
        painter.drawPie(pie, 90 * 16, -round(share * 360 * 16))


def _drawn(renderer: QSvgRenderer, size: int) -> QPixmap:
    pixmap = QPixmap(QSize(size, size))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap


@cache
def _renderer(name: str) -> QSvgRenderer:
    path = resources.path(f"icons/{name}.svg")
    renderer = QSvgRenderer(str(path))
    if not renderer.isValid():
        raise FileNotFoundError(f"the icon {path} is missing or damaged")
    return renderer
