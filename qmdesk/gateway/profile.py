"""The profile that is on: what its pins make of names."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping

from aiohttp import web

from qmdesk.config.target import Profile
from qmdesk.events import Bus, ConfigApplied, ProfileChanged
from qmdesk.gateway.error import ApiError
from qmdesk.router import Router

log = logging.getLogger(__name__)


class Profiles:
    """None is on at the start; the one that is on stays on for as long as there is one."""

    def __init__(self, router: Router, bus: Bus) -> None:
        self._router = router
        self._bus = bus
        self._name: str | None = None
        self._unsubscribe = bus.subscribe(self._config_applied, ConfigApplied)

    def close(self) -> None:
        self._unsubscribe()

    @property
    def active(self) -> Profile | None:
        return None if self._name is None else self._router.config.profiles.get(self._name)

    @property
    def pins(self) -> Mapping[str, str]:
        """By requested name what it means now; empty: nothing."""
        active = self.active
        return {} if active is None else active.pins

    def switch(self, name: str | None) -> None:
        """Turn a profile on, or with None the one that is on off.  Raises ``ApiError``."""
        profiles = self._router.config.profiles
        if name is not None and name not in profiles:
            there = f"; there are {', '.join(profiles)}" if profiles else ""
            raise ApiError(
                404, f"there is no profile {name!r}{there}", code="profile_not_found", param="name"
            )
        if name != self._name:
            self._name = name
            log.info("profile %s is on", name) if name else log.info("no profile is on")
            self._bus.publish(ProfileChanged(name))

    def _config_applied(self, _: object) -> None:
        if self._name is not None and self._name not in self._router.config.profiles:
            self.switch(None)

    # Routes

    async def read(self, _: web.Request) -> web.Response:
        return web.json_response(
            {
                "active": self._name,
                "profiles": [
                    {"name": each.id, "description": each.description, "pins": dict(each.pins)}
                    for each in self._router.config.profiles.values()
                ],
            }
        )

    async def put(self, request: web.Request) -> web.Response:
        try:
            body = json.loads(await request.read())
            name = body["name"]
        except (ValueError, TypeError, KeyError):
            name = 0
        if name is not None and not isinstance(name, str):
            raise ApiError(
                400,
                'the body must be {"name": "PROFILE"}, or {"name": null} for none',
                code="invalid_json",
            )
        self.switch(name or None)
        return web.json_response({"active": self._name})
