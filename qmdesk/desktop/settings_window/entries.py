"""What is edited entry by entry: peers, selectors, profiles, parameters by name.

Free of Qt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from qmdesk.config import Config
from qmdesk.config.document import KeyPath
from qmdesk.desktop.settings_window.analysis import value_at
from qmdesk.desktop.settings_window.field import (
    Offer,
    parameters_field,
    peer_field,
    profile_field,
    selector_field,
)
from qmdesk.desktop.settings_window.section import Section
from qmdesk.desktop.words import tr

BY_NAME: Final[KeyPath] = ("filters", "setParamsByID")
"""Parameters by the name that was asked for, below a model or a peer."""


@dataclass(frozen=True, slots=True)
class Entries:
    """A mapping of the file by names that the user chooses."""

    path: KeyPath
    """Where the mapping stands; empty: that changes."""
    title: str
    """What they are together, for screen readers and headings."""
    one: str
    """What the field of the name is called."""
    about: str
    """What they are for."""
    name: str
    """What a new one is called at first."""
    new: dict[str, Any] = field(hash=False)
    """What a new one holds."""
    sections: tuple[Section, ...]
    ordered: bool = False
    """Their order means something."""
    inner: Entries | None = None
    """What each of them has by name in turn, at ``inner_path`` below it."""
    inner_path: KeyPath = ()


def peers() -> Entries:
    """Other gateways and services."""
    return Entries(
        ("peers",),
        tr("Peers"),
        tr("Name of the peer"),
        tr(
            "Other gateways and services whose models are offered here too, as PEER/MODEL. Where "
            "several offer the same model, they stand in for each other in this order."
        ),
        "peer",
        {"proxy": "http://", "models": "auto"},
        (
            Section(
                tr("Where and what"),
                (
                    peer_field("proxy", tr("Address (URL)")),
                    peer_field("apiKey", tr("Key that it asks for")),
                    peer_field("models", tr("Its models")),
                ),
            ),
            Section(
                tr("Limits"),
                (
                    peer_field("timeouts.connect", tr("Longest wait to connect, seconds")),
                    peer_field("timeouts.responseHeader", tr("Longest wait to answer, seconds")),
                ),
            ),
            Section(
                tr("Changes to its requests"),
                (
                    peer_field("filters.stripParams", tr("Parameters removed")),
                    peer_field("filters.setParams", tr("Parameters set")),
                ),
            ),
        ),
        ordered=True,
        inner=parameters_by_name(),
        inner_path=BY_NAME,
    )


def selectors() -> Entries:
    """Names that stand for one of several models."""
    return Entries(
        ("selectors",),
        tr("Selectors"),
        tr("Name of the selector"),
        tr(
            "A selector is a name that clients ask for as if it were a model; each request goes "
            "to one of its targets."
        ),
        "selector",
        {"strategy": "warm", "targets": []},
        (
            Section(
                tr("Which model gets a request"),
                (
                    selector_field("strategy", tr("Takes")),
                    selector_field("targets", tr("Targets, best first"), Offer.TARGETS),
                    selector_field("settings.spillover", tr("Requests before the next one")),
                ),
            ),
            Section(
                tr("For people"),
                (
                    selector_field("name", tr("Display name")),
                    selector_field("description", tr("Description")),
                    selector_field("unlisted", tr("Kept out of the list of models")),
                    selector_field("metadata", tr("Metadata")),
                ),
            ),
        ),
    )


def profiles() -> Entries:
    """Sets of pins, one of which can be switched on."""
    return Entries(
        ("profiles",),
        tr("Profiles"),
        tr("Name of the profile"),
        tr(
            "While a profile is on (tray menu, HTTP), the names in it mean other models. A line "
            "is NAME: MODEL; without a model the name is switched off."
        ),
        "profile",
        {"pins": {}},
        (
            Section(
                "",
                (
                    profile_field("description", tr("Description")),
                    profile_field("pins", tr("What names mean"), Offer.ALL),
                ),
            ),
        ),
    )


def parameters_by_name() -> Entries:
    """``filters.setParamsByID`` of a model or a peer."""
    return Entries(
        (),
        tr("Parameters by requested name"),
        tr("Requested name"),
        tr(
            "Further names for it, each setting parameters of its own, such as one that thinks "
            "and one that does not."
        ),
        "name",
        {},
        (
            Section(
                "",
                (
                    parameters_field(
                        tr("Parameters set"),
                        tr("Set where this name was asked for, after those above."),
                    ),
                ),
            ),
        ),
    )


def names(root: Any, path: KeyPath) -> tuple[str, ...]:
    """The names that stand at ``path`` now."""
    found = value_at(root, path, {})
    return tuple(str(name) for name in found) if isinstance(found, dict) else ()


def chosen(before: Sequence[str], now: Sequence[str], name: str, wanted: str) -> str:
    """Which of ``now`` is shown, when ``name`` of ``before`` was and ``wanted`` is waited for."""
    for each in (wanted, name):
        if each in now:
            return each
    if not now:
        return ""
    at = before.index(name) if name in before else 0
    return now[min(at, len(now) - 1)]


def offered(config: Config | None, offer: Offer) -> tuple[str, ...]:
    """The names that a field can be given."""
    if config is None or offer is Offer.NONE:
        return ()
    found = dict.fromkeys(config.models)
    for model in config.models.values():
        found |= dict.fromkeys(model.aliases)
    for peer in config.peers.values():
        found |= dict.fromkeys(f"{peer.id}/{model}" for model in peer.models)
    if offer is Offer.ALL:
        found |= dict.fromkeys(config.selectors)
    return tuple(found)
