"""docs/scheduling.md and docs/memory.md say what the scheduler does."""

from __future__ import annotations

from tests.scheduler import hour
from tests.scheduler.table import BEGIN, DOCUMENT, END, table


def test_the_documents_table_is_what_the_scheduler_does() -> None:
    written = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    assert written == table(), "write it anew: python -m tests.scheduler.table"


def test_the_hour_of_docs_memory_is_what_the_policies_make_of_it() -> None:
    written = hour.DOCUMENT.read_text(encoding="utf-8").partition(hour.BEGIN)[2]
    assert written.partition(hour.END)[0] == hour.table(), (
        "write it anew: python -m tests.scheduler.hour"
    )
