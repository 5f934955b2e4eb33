"""The window shows what would be saved, and saves what is ticked."""

from __future__ import annotations

import zipfile
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from qmdesk.config import parse
from qmdesk.desktop.desk import Desk
from qmdesk.desktop.diagnostics_dialog import DiagnosticsDialog
from qmdesk.instance import Instance
from qmdesk.sources import Sources
from tests.conftest import fake, until
from tests.desktop.conftest import Run


def test_it_is_shown_first_and_saved_then(qapp: QApplication, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    text = f"apiKeys: [planted-key]\nmodels:\n  a:\n    cmd: {fake(name='a')}\n"
    file.write_text(text, encoding="utf-8")
    target = tmp_path / "out.zip"
    ended: list[int] = []

    async def main() -> None:
        instance = Instance(parse(text, file), listen="127.0.0.1:0", sources=Sources(file))
        await instance.start()
        desk = Desk(instance)
        try:
            await instance.router.load("a", by="test")
            instance.logs.of("a").write("it said planted-key")
            desk.window.present()
            (entry,) = [each for each in desk.window.menu.actions() if "diagnostics" in each.text()]
            entry.trigger()
            dialog = desk.window.findChild(DiagnosticsDialog)
            assert dialog is not None
            dialog.finished.connect(ended.append)
            await until(dialog.save.isEnabled)
            names = [dialog.list.item(at).text() for at in range(dialog.list.count())]
            assert names[:2] == ["about.txt", "configuration/01-config.yaml"]
            assert {"status.json", "lateness.txt", "logs/a.log", "logs/qmdesk.log"} <= set(names)
            for at in range(dialog.list.count()):
                dialog.list.setCurrentRow(at)
                shown = dialog.text.toPlainText()
                assert shown.strip() == dialog.parts[at].text.strip()
                assert "planted-key" not in shown
            dialog.list.item(names.index("logs/a.log")).setCheckState(Qt.CheckState.Unchecked)
            assert f"{len(names) - 1} parts" in dialog.note.text()
            dialog.save_to(str(tmp_path / "missing" / "out.zip"))
            await until(lambda: "cannot be written" in dialog.note.text())
            dialog.save_to(str(target))
            await until(lambda: ended == [DiagnosticsDialog.DialogCode.Accepted])
        finally:
            desk.close()
            await instance.stop(4.0)
        with zipfile.ZipFile(target) as archive:
            assert archive.namelist() == [each for each in names if each != "logs/a.log"]
            everything = b"".join(archive.read(each) for each in archive.namelist())
        assert b"planted-key" not in everything

    run(main())
