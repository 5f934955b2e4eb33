"""Whether a full-screen program has the screen now, as far as the system tells.

Blocks for a moment: call it in a thread.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import sys
from typing import Any, Final

# https://learn.microsoft.com/windows/win32/api/shellapi/ne-shellapi-query_user_notification_state
_BUSY: Final = (2, 3, 4)
"""A full-screen program, a full-screen game, a presentation."""

_ANY: Final = 0
_WORDS: Final = 1024


def full_screen() -> bool:
    """True where one is known to; False also where nobody can tell, as on bare Wayland."""
    if sys.platform == "win32":
        state = ctypes.c_int(0)
        failed = ctypes.windll.shell32.SHQueryUserNotificationState(ctypes.byref(state))
        return not failed and state.value in _BUSY
    if sys.platform.startswith("linux") and os.environ.get("DISPLAY"):
        try:
            return _on_x11()
        except (OSError, AttributeError, ValueError):
            # No libxcb, or one that we do not know.
            return False
    return False


class _Cookie(ctypes.Structure):
    _fields_ = (("sequence", ctypes.c_uint),)


class _AtomReply(ctypes.Structure):
    _fields_ = (
        ("response_type", ctypes.c_uint8),
        ("pad", ctypes.c_uint8),
        ("sequence", ctypes.c_uint16),
        ("length", ctypes.c_uint32),
        ("atom", ctypes.c_uint32),
    )


class _ScreenIterator(ctypes.Structure):
    _fields_ = (
        # A screen begins with its root window.
        ("data", ctypes.POINTER(ctypes.c_uint32)),
        ("rem", ctypes.c_int),
        ("index", ctypes.c_int),
    )


def _on_x11() -> bool:
    """Ask the window manager's hints over a connection of our own.

    Through xcb, whose errors are values: with Xlib, a window that goes while it is asked
    about would end the program.
    """
    library = ctypes.util.find_library("xcb")
    if library is None:
        return False
    xcb = ctypes.CDLL(library)
    libc = ctypes.CDLL(None)
    libc.free.argtypes = [ctypes.c_void_p]
    pointer = ctypes.c_void_p
    for name, result, arguments in (
        ("xcb_connect", pointer, [ctypes.c_char_p, pointer]),
        ("xcb_connection_has_error", ctypes.c_int, [pointer]),
        ("xcb_disconnect", None, [pointer]),
        ("xcb_get_setup", pointer, [pointer]),
        ("xcb_setup_roots_iterator", _ScreenIterator, [pointer]),
        ("xcb_intern_atom", _Cookie, [pointer, ctypes.c_uint8, ctypes.c_uint16, ctypes.c_char_p]),
        ("xcb_intern_atom_reply", ctypes.POINTER(_AtomReply), [pointer, _Cookie, pointer]),
        ("xcb_get_property", _Cookie, [pointer, ctypes.c_uint8, *[ctypes.c_uint32] * 5]),
        ("xcb_get_property_reply", pointer, [pointer, _Cookie, pointer]),
        ("xcb_get_property_value", ctypes.POINTER(ctypes.c_uint32), [pointer]),
        ("xcb_get_property_value_length", ctypes.c_int, [pointer]),
    ):
        function = getattr(xcb, name)
        function.restype, function.argtypes = result, arguments
    connection = xcb.xcb_connect(None, None)
    try:
        if xcb.xcb_connection_has_error(connection):
            return False
        root = xcb.xcb_setup_roots_iterator(xcb.xcb_get_setup(connection)).data[0]
        active = _property(xcb, libc, connection, root, "_NET_ACTIVE_WINDOW")
        if not active or not active[0]:
            return False
        states = _property(xcb, libc, connection, active[0], "_NET_WM_STATE")
        return _atom(xcb, libc, connection, "_NET_WM_STATE_FULLSCREEN") in states
    finally:
        xcb.xcb_disconnect(connection)


def _atom(xcb: Any, libc: Any, connection: int, name: str) -> int:
    cookie = xcb.xcb_intern_atom(connection, 0, len(name), name.encode())
    reply = xcb.xcb_intern_atom_reply(connection, cookie, None)
    if not reply:
        return 0
    try:
        return int(reply.contents.atom)
    finally:
        libc.free(reply)


def _property(xcb: Any, libc: Any, connection: int, window: int, name: str) -> list[int]:
    """The 32-bit values of a window's property; none where it has gone meanwhile."""
    atom = _atom(xcb, libc, connection, name)
    cookie = xcb.xcb_get_property(connection, 0, window, atom, _ANY, 0, _WORDS)
    reply = xcb.xcb_get_property_reply(connection, cookie, None)
    if not reply:
        return []
    try:
        count = xcb.xcb_get_property_value_length(reply) // 4
        return list(xcb.xcb_get_property_value(reply)[:count])
    finally:
        libc.free(reply)
