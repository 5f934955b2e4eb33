"""The requests that are over: one row for each, in SQLite, written off the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from aiohttp import web
from multidict import MultiMapping

from qmdesk.config import Config
from qmdesk.gateway.captures import Captures
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.open_request import OpenRequest
from qmdesk.tasks import spawn

log = logging.getLogger(__name__)

BATCH = 0.5
"""Seconds for which rows gather before they are written."""
WAITING = 10_000
"""Rows that wait to be written; more are dropped."""
KEPT_ROWS = 100_000
KEPT_DAYS = 30
PRUNED_AFTER = 1000
"""Rows that are written between two prunings, at most."""
LIMIT = 999
FILE = "activity.sqlite3"
MEMORY = ":memory:"
"""As `store.path`: no file."""

T = TypeVar("T")
Place = tuple[Path | None, int]
"""The file, None for memory, and how many rows are kept."""
Written = Callable[[int | None], None]


class Row(NamedTuple):
    """One request that is over; None where nothing is known."""

    time: float
    """Unix time of its arrival."""
    model: str
    route: str
    method: str
    client: str
    status: int
    error: str | None
    content_type: str
    queue_ms: float
    """From its arrival to its turn, a load included."""
    load_ms: float
    """0 where it waited for no load."""
    first_token_ms: float | None
    duration_ms: float
    bytes: int
    prompt_tokens: int | None
    cached_tokens: int | None
    generated_tokens: int | None
    drafted_tokens: int | None
    accepted_tokens: int | None
    prompt_per_second: float | None
    tokens_per_second: float | None
    counted: bool
    """``generated_tokens`` are the chunks of the answer: its server said nothing."""

    @classmethod
    def of(cls, request: OpenRequest) -> Row:
        usage = request.tap.usage()
        first = request.first_token_seconds
        # By position, in the order of the fields: by name it takes three times as long.
        return cls(
            request.arrived_at,
            request.model,
            request.route,
            request.method,
            request.client,
            request.status,
            request.error,
            request.tap.content_type,
            round(request.waited * 1000, 1),
            round(request.load_seconds * 1000, 1),
            None if first is None else round(first * 1000, 1),
            round(request.age * 1000, 1),
            request.bytes_out,
            usage.prompt_tokens,
            usage.cached_tokens,
            usage.generated_tokens,
            usage.drafted_tokens,
            usage.accepted_tokens,
            usage.prompt_per_second,
            usage.tokens_per_second,
            usage.counted,
        )


_COLUMNS = Row._fields
_SORTED_BY = {name: name for name in ("id", *_COLUMNS)} | {
    # As llama-swap calls them.
    "req_path": "route",
    "resp_status_code": "status",
    "resp_content_type": "content_type",
    "cached": "cached_tokens",
    "prompt": "prompt_tokens",
    "generated": "generated_tokens",
    "drafted": "drafted_tokens",
    "prompt_speed": "prompt_per_second",
    "gen_speed": "tokens_per_second",
    "duration": "duration_ms",
}
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS activity (
    id INTEGER PRIMARY KEY AUTOINCREMENT, {", ".join(_COLUMNS)}
);
CREATE INDEX IF NOT EXISTS activity_time ON activity (time);
CREATE INDEX IF NOT EXISTS activity_model ON activity (model, id);
PRAGMA user_version = 1;
"""
_LAST = "SELECT seq FROM sqlite_sequence WHERE name = 'activity'"
_INSERT = f"INSERT INTO activity ({', '.join(_COLUMNS)})"
_PLACES = f"({', '.join('?' * len(_COLUMNS))})"
TOGETHER = 500
"""Rows of one statement; SQLite takes 32,766 values."""


def place(config: Config, folder: Path | None) -> Place:
    """Where the activity belongs; ``folder`` is the user's, for where nothing is said."""
    if config.store_path == MEMORY or (folder is None and not config.store_path):
        return None, config.metrics_max_in_memory
    if config.store_path:
        return config.beside(config.store_path), KEPT_ROWS
    assert folder is not None
    return folder / FILE, KEPT_ROWS


class Activity:
    """``add`` never waits; everything else happens in threads, one after the other."""

    def __init__(self, file: Path | None, rows: int = KEPT_ROWS) -> None:
        """``file`` is the database; None: in memory.  ``rows`` is how many are kept there."""
        self._file = file
        self._rows = rows
        self._waiting: list[tuple[Row, Written | None]] = []
        self._dropped = 0
        self._since_pruned = PRUNED_AFTER
        self._timer: asyncio.TimerHandle | None = None
        self._writing: asyncio.Task[None] | None = None
        self._one_by_one = asyncio.Lock()
        self._connection: sqlite3.Connection | None = None

    def add(self, row: Row, written: Written | None = None) -> None:
        """To be written soon; ``written`` hears its number then, None where it has none."""
        if len(self._waiting) >= WAITING:
            self._dropped += 1
            if written is not None:
                written(None)
            return
        self._waiting.append((row, written))
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(BATCH, self._due)

    def _due(self) -> None:
        self._timer = None
        self._writing = spawn(self._write(), "activity")

    async def close(self) -> None:
        """Write what waits, and let go of the file."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._writing is not None:
            await asyncio.wait((self._writing,))
        if self._waiting:
            await self._write()
        if self._connection is not None:
            await self._do(self._connection.close)
            self._connection = None

    async def move(self, file: Path | None, rows: int) -> bool:
        """From now on the rows are kept in ``file``; those that are elsewhere stay there.

        Whether that is another place than before.
        """
        moves = file != self._file
        if moves:
            await self._write()

        def close() -> None:
            if moves and self._connection is not None:
                self._connection.close()
                self._connection = None
            self._file, self._rows = file, rows

        await self._do(close)
        return moves

    async def page(self, query: MultiMapping[str]) -> dict[str, Any]:
        """The rows that a query of ``/api/activity`` asks for; raises ``ApiError``."""
        wanted = _Wanted.of(query)
        await self._write()
        return await self._do(lambda: self._select(wanted))

    async def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        if self._dropped:
            log.warning("%d requests are missing in the activity", self._dropped)
            self._dropped = 0
        if not waiting:
            return
        numbers: Sequence[int | None] = [None] * len(waiting)
        try:
            numbers = await self._do(lambda: self._insert([row for row, _ in waiting]))
        except sqlite3.Error as error:
            log.warning("the activity of %d requests was not written: %s", len(waiting), error)
        for (_, written), number in zip(waiting, numbers, strict=True):
            if written is not None:
                written(number)

    async def _do(self, work: Callable[[], T]) -> T:
        async with self._one_by_one:
            # Shielded: a thread cannot be stopped, and the next one must not meet it.
            done = asyncio.get_running_loop().run_in_executor(None, work)
            try:
                return await asyncio.shield(done)
            except asyncio.CancelledError:
                await asyncio.wait((done,))
                raise

    # In threads

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._open()
        return self._connection

    def _open(self) -> sqlite3.Connection:
        if self._file is not None:
            try:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                return _connect(str(self._file))
            except (OSError, sqlite3.Error) as error:
                log.warning("the activity is kept in memory only: %s: %s", self._file, error)
        return _connect(MEMORY)

    def _insert(self, rows: Sequence[Row]) -> Sequence[int | None]:
        with self._opened() as connection:
            for at in range(0, len(rows), TOGETHER):
                some = rows[at : at + TOGETHER]
                # One statement: each takes the interpreter away from the event loop and back.
                text = f"{_INSERT} VALUES {', '.join([_PLACES] * len(some))}"
                connection.execute(text, [value for row in some for value in row])
            (last,) = connection.execute(_LAST).fetchone()
            self._since_pruned += len(rows)
            if self._since_pruned >= min(PRUNED_AFTER, self._rows):
                self._since_pruned = 0
                _prune(connection, self._rows)
        # In one transaction, so nobody's are between them.
        return range(last - len(rows) + 1, last + 1)

    def _select(self, wanted: _Wanted) -> dict[str, Any]:
        connection = self._opened()
        where, values = wanted.where()
        (total,) = connection.execute(f"SELECT count(*) FROM activity{where}", values).fetchone()
        order = f" ORDER BY {wanted.sort} {wanted.order}, id {wanted.order} LIMIT ? OFFSET ?"
        rows = connection.execute(
            f"SELECT id, {', '.join(_COLUMNS)} FROM activity{where}{order}",
            (*values, wanted.limit, (wanted.page - 1) * wanted.limit),
        )
        return {
            "data": [_shown(row) for row in rows],
            "page": wanted.page,
            "limit": wanted.limit,
            "total": total,
            "total_pages": -(-total // wanted.limit),
        }


def _connect(file: str) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=5.0, check_same_thread=False)
    try:
        if file != MEMORY:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
        connection.executescript(_SCHEMA)
    except BaseException:
        connection.close()
        raise
    return connection


def _prune(connection: sqlite3.Connection, rows: int) -> None:
    connection.execute("DELETE FROM activity WHERE time < ?", (time.time() - KEPT_DAYS * 86400,))
    connection.execute(
        "DELETE FROM activity WHERE id <= (SELECT max(id) FROM activity) - ?", (rows,)
    )


def _shown(row: tuple[Any, ...]) -> dict[str, Any]:
    shown = dict(zip(("id", *_COLUMNS), row, strict=True))
    shown["timestamp"] = datetime.fromtimestamp(shown.pop("time"), UTC).isoformat()
    shown["counted"] = bool(shown["counted"])
    return shown


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A query, checked."""

    models: tuple[str, ...]
    start: float | None
    end: float | None
    min_id: int | None
    max_id: int | None
    limit: int
    page: int
    sort: str
    order: str

    @classmethod
    def of(cls, query: MultiMapping[str]) -> _Wanted:
        sort = query.get("sort", "id")
        if sort not in _SORTED_BY:
            raise _bad("sort", f"one of {', '.join(_SORTED_BY)}")
        order = query.get("order", "desc").lower()
        if order not in ("asc", "desc"):
            raise _bad("order", "asc or desc")
        return cls(
            models=tuple(query.getall("model", ())),
            start=_time(query, "start"),
            end=_time(query, "end"),
            min_id=_whole(query, "min_id", None),
            max_id=_whole(query, "max_id", None),
            limit=_whole(query, "limit", LIMIT) or 25,
            page=_whole(query, "page", 10**9) or 1,
            sort=_SORTED_BY[sort],
            order=order,
        )

    def where(self) -> tuple[str, tuple[Any, ...]]:
        terms: list[str] = []
        values: list[Any] = []
        if self.models:
            terms.append(f"model IN ({', '.join('?' * len(self.models))})")
            values += self.models
        for term, value in (
            ("time >= ?", self.start),
            ("time <= ?", self.end),
            ("id >= ?", self.min_id),
            ("id <= ?", self.max_id),
        ):
            if value is not None:
                terms.append(term)
                values.append(value)
        return (f" WHERE {' AND '.join(terms)}" if terms else ""), tuple(values)


def _bad(name: str, wanted: str) -> ApiError:
    return ApiError(400, f"{name!r} must be {wanted}", code="invalid_query", param=name)


def _whole(query: MultiMapping[str], name: str, most: int | None) -> int | None:
    text = query.get(name)
    if text is None:
        return None
    most = 2**63 - 1 if most is None else most
    if text.isascii() and text.isdecimal() and len(text) < 20 and 1 <= int(text) <= most:
        return int(text)
    raise _bad(name, f"a whole number from 1 to {most}")


def _time(query: MultiMapping[str], name: str) -> float | None:
    text = query.get(name)
    if text is None:
        return None
    with contextlib.suppress(ValueError):
        # A plus sign in an address is a space unless it is encoded.
        moment = datetime.fromisoformat(text.strip().replace(" ", "+"))
        if moment.tzinfo is not None:
            return moment.timestamp()
    raise _bad(name, "a time such as 2026-01-31T12:00:00Z")


async def activity_page(
    activity: Activity, captures: Captures, request: web.BaseRequest
) -> web.Response:
    """The answer to ``GET /api/activity``; raises ``ApiError``."""
    page = await activity.page(request.query)
    for row in page["data"]:
        row["has_capture"] = row["id"] in captures
    return web.json_response(page)
