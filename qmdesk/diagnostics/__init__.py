"""What somebody else needs to see why qmdesk does what it does, without anybody's secrets."""

from qmdesk.diagnostics.parts import Facts, Part, parts
from qmdesk.diagnostics.writing import default_name, pack

__all__ = ["Facts", "Part", "default_name", "pack", "parts"]
