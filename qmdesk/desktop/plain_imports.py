"""Qt for Python without its hook on every import that comes after it.

PySide6 puts a function in front of ``__import__`` that reads the source of each module that is
imported, and so keeps all of it in ``linecache``, to learn whether the module wants its
``__feature__`` (other spellings of Qt's names).  Nothing here does, and it costs some 19 MB
and a tenth of a second.  To be imported before anything that imports PySide6.
"""

import builtins

_plain = builtins.__import__

import PySide6.QtCore  # noqa: E402, F401

builtins.__import__ = _plain
