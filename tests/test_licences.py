"""Nothing is shipped of which the list does not say whose it is, and how it is licensed."""

from __future__ import annotations

from importlib import metadata

import pytest

from qmdesk import __version__
from qmdesk.licences import report, shipped

NEEDED = ("aiohttp", "multidict", "pydantic", "PyYAML", "PySide6_Essentials", "qasync", "Python")


def lines(text: str) -> dict[str, str]:
    """The table at the begin: names, and what follows them."""
    rows = (line.split(None, 1) for line in text.partition("=====")[0].splitlines())
    return {row[0]: row[1] for row in rows if len(row) == 2}


def test_all_that_is_needed_is_listed_with_version_and_licence() -> None:
    found = lines(report())
    assert found["qmdesk"].split()[0] == __version__
    for name in NEEDED:
        assert len(found[name].split()) > 1, name
    assert "LGPL-3.0" in found["PySide6_Essentials"]


def test_the_texts_follow() -> None:
    text = report()
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in text
    assert "Permission is hereby granted, free of charge" in text


def test_of_a_bundle_only_what_is_in_it() -> None:
    found = lines(shipped({"qmdesk", "yaml", "json"}, ()))
    assert {"qmdesk", "PyYAML", "Python"} <= set(found)
    assert "aiohttp" not in found


def test_a_module_of_unknown_origin_is_refused() -> None:
    with pytest.raises(LookupError, match="stowaway"):
        shipped({"stowaway"}, ())


def test_the_tools_of_development_are_not_among_what_is_needed() -> None:
    assert metadata.version("pytest")
    assert not {"pytest", "ruff", "mypy", "openai"} & set(lines(report()))
