"""Whether the user has asked the desktop for less motion."""

from __future__ import annotations

import ctypes
import sys

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QStyle

# https://learn.microsoft.com/windows/win32/api/winuser/nf-winuser-systemparametersinfow
_SPI_GETCLIENTAREAANIMATION = 0x1042


def reduced_motion() -> bool:
    """True where animations are switched off; nothing of ours moves then."""
    # Qt itself knows from 6.12 on.
    hints = getattr(QGuiApplication.styleHints(), "accessibility", None)
    wish = getattr(hints() if callable(hints) else None, "motionPreference", None)
    if wish is not None and getattr(wish(), "name", "") == "ReducedMotion":
        return True
    if sys.platform == "win32":
        on = ctypes.c_int(1)
        ctypes.windll.user32.SystemParametersInfoW(
            _SPI_GETCLIENTAREAANIMATION, 0, ctypes.byref(on), 0
        )
        return not on.value
    style = QApplication.style()
    return style is not None and not style.styleHint(QStyle.StyleHint.SH_Widget_Animate)
