"""Which models somebody gets to see and to use: those of the address, and those of the key."""

from __future__ import annotations

from dataclasses import dataclass

from qmdesk.config import Config
from qmdesk.config.config import DEFAULT_GROUP
from qmdesk.gateway.error import ApiError


@dataclass(frozen=True, slots=True)
class Scope:
    """None is no limit."""

    offered: frozenset[str] | None = None
    """The ids of the models that the address offers."""
    allowed: frozenset[str] | None = None
    """The names that the key may use, ids in place of aliases."""

    @classmethod
    def of(cls, config: Config, groups: tuple[str, ...], key: str | None) -> Scope:
        """``groups`` are those that the address offers, none for all; ``key`` was brought."""
        allowed = None if key is None else config.api_key_models.get(key)
        if not groups and allowed is None:
            return EVERYTHING
        return cls(
            offered=_members(config, groups) if groups else None,
            allowed=None if allowed is None else frozenset(allowed),
        )

    def sees(self, id: str, name: str = "") -> bool:
        """Whether the model ``id``, called by ``name`` or by its id, is there for them."""
        return self._offers(id) and self._allows(id, name)

    def check(self, id: str, name: str) -> None:
        """Refuse the model ``id`` where it is not for them.  Raises ``ApiError``.

        ``name`` is what they called it, empty where they named none.
        """
        if not self._offers(id):
            raise ApiError(
                404,
                f"there is no model {name!r} at this address"
                if name
                else "the request names no model: set 'model' in the body",
                code="model_not_found" if name else "model_required",
                param="model",
            )
        if not self._allows(id, name):
            raise ApiError(
                403,
                f"this API key may not use {f'the model {name!r}' if name else 'the default model'}"
                "; GET /v1/models lists those that it may use",
                code="model_not_allowed",
                param="model",
            )

    def _offers(self, id: str) -> bool:
        return self.offered is None or id in self.offered

    def _allows(self, id: str, name: str) -> bool:
        return self.allowed is None or id in self.allowed or name in self.allowed


EVERYTHING = Scope()


def _members(config: Config, groups: tuple[str, ...]) -> frozenset[str]:
    found = {
        id for group in groups if group in config.groups for id in config.groups[group].members
    }
    if DEFAULT_GROUP in groups:
        grouped = {id for group in config.groups.values() for id in group.members}
        found |= {*config.models, *config.broken} - grouped
    return frozenset(found)
