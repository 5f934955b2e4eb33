"""The files that a configuration comes from.

Known before anything is read; what reads them is imported when it is wanted, because a start
has something to show before that.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qmdesk.config import Config, ConfigError


@dataclass(frozen=True, slots=True)
class Sources:
    """Where a configuration comes from: a file, a folder of files, or both."""

    file: Path | None = None
    folder: Path | None = None

    def read(self) -> Config:
        """Read them all, models that cannot be used put aside.  Raises ``ConfigError``."""
        from qmdesk.config.merge import read_all

        return read_all(self.file, self.folder, tolerant=True)

    def in_place(self, error: ConfigError) -> Config:
        """An empty configuration to run in their place, that knows what ``error`` says.

        So the desktop is there to show and mend it.  Raises ``error`` where there is nothing
        to be mended: the files that were named are not there.
        """
        from qmdesk.config import Config

        if not any(each.is_file() for each in self.files()):
            raise error
        path = self.file or self.folder
        return Config(path=path, sources=self.files(), unread=error.problems)

    def files(self) -> tuple[Path, ...]:
        """The files that there are now; none where they cannot be told."""
        from qmdesk.config import ConfigError
        from qmdesk.config.merge import files

        if self.file is None and self.folder is None:
            return ()
        try:
            return files(self.file, self.folder)
        except ConfigError:
            return (self.file,) if self.file is not None else ()
