"""docs/scheduling.md says what the scheduler does."""

from __future__ import annotations

from tests.scheduler.table import BEGIN, DOCUMENT, END, table


def test_the_documents_table_is_what_the_scheduler_does() -> None:
    written = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    assert written == table(), "write it anew: python -m tests.scheduler.table"
