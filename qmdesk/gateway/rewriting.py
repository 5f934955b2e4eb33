"""What a model's configuration changes in a request: the name, and parameters of JSON."""

from __future__ import annotations

from urllib.parse import quote_plus, unquote_plus

from qmdesk.gateway.json_object import JsonObject
from qmdesk.gateway.offer import Offer

Place = tuple[int, int]
"""Where a value begins, and past its end."""


def json_for(content: JsonObject, offer: Offer) -> str:
    """``content`` for the offer's server, in this order: name, strip, set, set by id."""
    model = offer.model
    if not changes_json(offer):
        return content.text
    new = content.copy()
    if offer.sent_as and "model" in new:
        new.set("model", offer.sent_as)
    for path in model.strip_params:
        if path != "model":
            new.remove(path)
    for values in (model.set_params, model.set_params_by_id.get(offer.named, {})):
        for path in sorted(values):
            if path != "model":
                new.set(path, values[path])
    return new.text


def changes_json(offer: Offer) -> bool:
    """Whether the offer's server may get another JSON than was sent."""
    model = offer.model
    return bool(
        offer.sent_as
        or model.strip_params
        or model.set_params
        or model.set_params_by_id.get(offer.named)
    )


def name_in_form(body: bytes) -> tuple[str, Place | None]:
    """The value of the field ``model`` of a URL-encoded form, and where it stands."""
    at = 0
    for pair in body.split(b"&"):
        key, mark, value = pair.partition(b"=")
        if unquote_plus(key.decode("latin-1")) == "model":
            start = at + len(key) + len(mark)
            return unquote_plus(value.decode("latin-1")), (start, start + len(value))
        at += len(pair) + 1
    return "", None


def form_with_name(body: bytes, place: Place | None, offer: Offer) -> bytes:
    """The form with the offer's name in it, where it has to be another one."""
    if place is None or not offer.sent_as:
        return body
    return body[: place[0]] + quote_plus(offer.sent_as).encode() + body[place[1] :]


def path_with_name(path: str, name: str) -> str:
    """``path`` with ``name`` in place of its query's ``model``; empty: as it is."""
    if not name:
        return path
    where, mark, query = path.partition("?")
    raw = query.encode()
    _, place = name_in_form(raw)
    if place is None:
        return path
    new = raw[: place[0]] + quote_plus(name).encode() + raw[place[1] :]
    return where + mark + new.decode()
