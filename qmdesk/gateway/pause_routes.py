"""``/api/pause`` and ``/api/resume``: the card kept free for something else."""

from __future__ import annotations

import json
import time
from typing import Any

from aiohttp import web

from qmdesk.gateway.error import ApiError
from qmdesk.gateway.who import client_of
from qmdesk.process.programs import ProgramNotFound
from qmdesk.router import Pause, Router

LIMIT = 7 * 24 * 60
"""Minutes of one pause."""


class PauseRoutes:
    """Handlers for whoever wants the card for a game, a film or a training."""

    def __init__(self, router: Router) -> None:
        self._router = router

    async def pause(self, request: web.Request) -> web.Response:
        """Free the card: for some minutes, until a program ends, or until it is resumed."""
        seconds, program = _wanted_pause(await _object(request))
        try:
            stopped = await self._router.pause(
                seconds=seconds, program=program, by=client_of(request)
            )
        except ProgramNotFound as error:
            raise ApiError(404, str(error), code="program_not_found") from None
        row = pause_row(self._router.paused)
        return web.json_response({"success": True, "paused": row, "unloaded": list(stopped)})

    async def resume(self, request: web.Request) -> web.Response:
        was = self._router.resume(by=client_of(request))
        return web.json_response({"success": True, "was_paused": was})


async def _object(request: web.Request) -> dict[str, Any]:
    """The JSON object of the body; empty where there is no body."""
    text = await request.read()
    try:
        body = json.loads(text) if text.strip() else {}
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise ApiError(
            400,
            'the body must be a JSON object such as {"minutes": 30}, or empty',
            code="invalid_json",
        )
    return body


def _wanted_pause(body: dict[str, Any]) -> tuple[float | None, str]:
    """The seconds and the program that ``body`` asks for."""
    for key in body:
        if key not in ("minutes", "until_program"):
            raise ApiError(
                400,
                f"unknown key {key!r}: there are minutes and until_program",
                code="invalid_value",
                param=key,
            )
    minutes, program = body.get("minutes"), body.get("until_program")
    if minutes is not None and program is not None:
        raise ApiError(400, "minutes and until_program exclude each other", code="invalid_value")
    if program is not None:
        if not isinstance(program, str) or not program.strip():
            raise ApiError(
                400,
                "until_program must be the name of a program, such as game.exe",
                code="invalid_value",
                param="until_program",
            )
        return None, program.strip()
    if minutes is None:
        return None, ""
    number = isinstance(minutes, int | float) and not isinstance(minutes, bool)
    if not number or not 0 < minutes <= LIMIT:
        raise ApiError(
            400,
            f"minutes must be a number above 0 and at most {LIMIT} (a week); leave it out"
            " to pause until somebody resumes",
            code="invalid_value",
            param="minutes",
        )
    return minutes * 60.0, ""


def pause_row(pause: Pause | None) -> dict[str, Any] | None:
    if pause is None:
        return None
    left = pause.seconds_left(time.time())
    return {
        "by": pause.by,
        "since": pause.since,
        "until": pause.until,
        "until_program": pause.program or None,
        "seconds_left": None if left is None else round(left, 1),
        "end": pause.end(),
    }
