"""Which language the windows speak, and where its words come from.

The words of a language are ``resources/translations/qmdesk_<language>.qm``; those that Qt
itself shows, such as on "Cancel", come with Qt.
"""

from __future__ import annotations

import logging
from typing import Final

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from qmdesk import resources
from qmdesk.desktop import words

log = logging.getLogger(__name__)

ENGLISH: Final = "en"
"""The language of the source, which needs no file."""


def speak(wanted: str = "") -> str:
    """Let everything that is shown from now on be in one language; returns which.

    ``wanted`` is its ISO 639 name; empty: the first of the system's that there is, else
    English.  One without a file is told in the log, and English is spoken.
    """
    app = QCoreApplication.instance()
    assert app is not None
    for old in app.findChildren(_Words):
        app.removeTranslator(old)
        old.deleteLater()
        old.setParent(None)
    language = wanted or _first_of_system()
    if language != ENGLISH:
        # The one that was installed last is asked first.
        folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        _install(app, f"{folder}/qtbase_{language}.qm")
        if not _install(app, str(resources.path(f"translations/qmdesk_{language}.qm"))):
            log.warning("there are no words in the language %s; English is spoken", language)
            return speak(ENGLISH)
    words.use(_translate, point=QLocale(language).decimalPoint())
    return language


class _Words(QTranslator):
    """A translator of ours, told from those that others may have installed."""


def _install(app: QCoreApplication, path: str) -> bool:
    found = _Words(app)
    if found.load(path):
        return app.installTranslator(found)
    found.setParent(None)
    return False


def _first_of_system() -> str:
    for name in QLocale.system().uiLanguages():
        language = name.replace("_", "-").partition("-")[0].lower()
        if language == ENGLISH or resources.path(f"translations/qmdesk_{language}.qm").exists():
            return language
    return ENGLISH


def _translate(context: str, text: str, count: int) -> str:
    return QCoreApplication.translate(context, text, "", count)
