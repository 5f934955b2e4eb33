"""``/api/config``: what is in force, what an edit would change, and saving it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from aiohttp import web

from qmdesk.config import ConfigError, Problem
from qmdesk.config.store import ChangedOnDisk, Stamp
from qmdesk.configuration import Configuration, NotEditable
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.target import body_limit, whole


class ConfigRoutes:
    """Handlers; texts travel as they stand in the file, the stamp as an entity tag."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration

    async def read(self, _: web.Request) -> web.Response:
        """The file's text, with its stamp as ``ETag``."""
        try:
            text, stamp = await self._configuration.text()
        except NotEditable as error:
            raise ApiError(409, str(error), code="not_editable") from None
        except ConfigError as error:
            return _refused(error.problems)
        return web.Response(
            text=text, content_type="application/yaml", headers={"ETag": f'"{stamp}"'}
        )

    async def save(self, request: web.Request) -> web.Response:
        """Validate the text in the body, write it and apply it; ``If-Match`` guards it."""
        match = request.headers.get("If-Match", "").strip().strip('"')
        stamp = Stamp(match) if match and match != "*" else None
        try:
            changes = await self._configuration.save(await self._text(request), stamp)
        except ConfigError as error:
            return _refused(error.problems)
        except NotEditable as error:
            raise ApiError(409, str(error), code="not_editable") from None
        except ChangedOnDisk as error:
            raise ApiError(412, str(error), code="changed_on_disk") from None
        except OSError as error:
            raise ApiError(
                500, f"the file cannot be written: {error.strerror}", code="not_written"
            ) from None
        return web.json_response({"changes": list(changes)})

    async def diff(self, request: web.Request) -> web.Response:
        """What saving the text in the body would change, in words."""
        try:
            changes = await self._configuration.preview(await self._text(request))
        except ConfigError as error:
            return _refused(error.problems)
        return web.json_response({"changes": list(changes)})

    async def status(self, _: web.Request) -> web.Response:
        """Whether what the files say is in force, and what is wrong with it where not."""
        configuration = self._configuration
        config = configuration.config
        broken = [problem for problems in config.broken.values() for problem in problems]
        return web.json_response(
            {
                "files": [str(file) for file in configuration.sources.files()],
                "in_force": not configuration.problems,
                "applied_at": configuration.applied_at,
                "problems": _rows(configuration.problems),
                "warnings": _rows([*broken, *config.warnings]),
            }
        )

    async def reload(self, _: web.Request) -> web.Response:
        """Read the files again now."""
        try:
            changes = await self._configuration.reload()
        except ConfigError as error:
            return _refused(error.problems)
        return web.json_response({"changes": list(changes)})

    async def _text(self, request: web.Request) -> str:
        try:
            return (await whole(request, body_limit(self._configuration.config))).decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"the text is not UTF-8: byte {error.start} cannot be read"
            raise ApiError(400, message) from None


def _refused(problems: Sequence[Problem]) -> web.Response:
    error = ApiError(400, "\n".join(str(problem) for problem in problems), code="config_rejected")
    body = error.body("/api/config")
    return web.json_response({**body, "problems": _rows(problems)}, status=400)


def _rows(problems: Sequence[Problem]) -> list[dict[str, Any]]:
    return [dataclasses.asdict(problem) for problem in problems]
