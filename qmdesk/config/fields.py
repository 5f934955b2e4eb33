"""What the file may say for a key: texts, flags, times and the like, and how they are read.

Texts may be written as numbers, numbers as text, and truth values also as yes/no/on/off,
as Go's YAML library takes them.
"""

from __future__ import annotations

import ipaddress
import math
import re
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from qmdesk.config.config import HoldPolicy
from qmdesk.config.names import did_you_mean
from qmdesk.config.scalars import as_text, plain
from qmdesk.said import said

LOG_LEVELS: Final = ("debug", "info", "warn", "error")
LOG_TARGETS: Final = ("proxy", "upstream", "both", "none")
LOG_TIME_FORMATS: Final = (
    *("ansic", "unixdate", "rubydate", "rfc822", "rfc822z", "rfc850", "rfc1123", "rfc1123z"),
    *("rfc3339", "rfc3339nano", "kitchen", "stamp", "stampmilli", "stampmicro", "stampnano"),
)
MODALITIES: Final = ("text", "audio", "image", "video")
LANGUAGES: Final = ("en", "de")
"""In which the windows speak, as ISO 639 names them."""
NOTIFICATIONS: Final = ("eviction", "memory", "failure", "rejected", "applied", "exposed", "peer")
STRATEGIES: Final = ("warm", "pin", "spillover")
OURS: Final = "qmdesk"
"""The kind of error that ``wrong`` makes."""
LONGEST: Final = 10 * 365 * 24 * 3600
"""Seconds; no time in the file may be longer."""

_TRUTH: Final = {
    **dict.fromkeys(("true", "yes", "on", "y"), True),
    **dict.fromkeys(("false", "no", "off", "n"), False),
}
_LARGEST: Final = 1024 * 1024
"""GiB and MiB; no size in the file may be larger."""
_GO_DURATION = re.compile(r"(?:([0-9]+(?:\.[0-9]*)?)(ns|us|µs|ms|s|m|h))")
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(M|G|T)i?B?", re.IGNORECASE)
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(ms|s|m|min|h|d)")
_UNITS: Final = {"ms": 0.001, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}


def wrong(message: str) -> PydanticCustomError:
    """What a validator raises: the words follow the key's name in the message."""
    # The message is data, not a template: braces in it would be read as fields.
    return PydanticCustomError(OURS, "{said}", {"said": message})


def shown(value: object) -> str:
    """``value`` for a message: short, and in quotes where it is text."""
    if value is None:
        return said("nothing")
    if isinstance(value, dict):
        return said("a mapping")
    if isinstance(value, list | tuple):
        return said("a list")
    text = as_text(value)
    text = text if len(text) <= 40 else text[:39] + "…"
    return said('"{text}"', text=text) if isinstance(value, str) else text


def _text(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return as_text(value)
    raise wrong(said("must be a text, not {value}", value=shown(value)))


def text(value: Any) -> str:
    """``value`` as a text; raises what a validator raises where it is none."""
    found: str = _text(value)
    return found


def _texts(value: Any) -> Any:
    """A list of texts; a single one may stand without its list."""
    return value if isinstance(value, list) else [_text(value)]


def one_or_many(value: Any) -> Any:
    """A list; a single item may stand without it."""
    return value if isinstance(value, list) else [value]


def _flag(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in _TRUTH:
        return _TRUTH[value.lower()]
    raise wrong(said("must be true or false, not {value}", value=shown(value)))


def _whole(value: Any) -> Any:
    number = _number(value)
    if number is None or number != int(number):
        raise wrong(said("must be a whole number, not {value}", value=shown(value)))
    return int(number)


def _seconds(value: Any) -> Any:
    number = _number(value)
    if number is None:
        hint = ""
        if isinstance(value, str) and (found := _DURATION.fullmatch(value.strip())):
            hint = said("; write {found}", found=format(float(found[1]) * _UNITS[found[2]], "g"))
        raise wrong(said("must be a number of seconds, not {value}", value=shown(value)) + hint)
    if number > LONGEST:
        raise wrong(said("must be at most {most} seconds (ten years)", most=LONGEST))
    return number


def _duration(value: Any) -> Any:
    """Seconds from Go's spelling, such as ``1m30s``; a number is seconds too."""
    if isinstance(value, str) and len(value) <= 40 and (text := value.replace(" ", "")):
        parts = _GO_DURATION.findall(text)
        if "".join(number + unit for number, unit in parts) == text:
            scale = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, **_UNITS}
            value = sum(float(number) * scale[unit] for number, unit in parts)
    if _number(value) is None:
        raise wrong(said("must be a duration such as 5s or 1m30s, not {value}", value=shown(value)))
    return _seconds(value)


def _gigabytes(value: Any) -> Any:
    return _size(value, {"M": 1 / 1024, "G": 1, "T": 1024}, "GB")


def _megabytes(value: Any) -> Any:
    return _size(value, {"M": 1, "G": 1024, "T": 1024 * 1024}, "MB")


def _size(value: Any, units: dict[str, float], unit: str) -> float | int:
    number = _number(value)
    if number is None:
        hint = ""
        if isinstance(value, str) and (found := _SIZE.fullmatch(value.strip())):
            hint = said(
                "; write {found}", found=format(float(found[1]) * units[found[2].upper()], "g")
            )
        raise wrong(
            said("must be a number of {unit}, not {value}", unit=unit, value=shown(value)) + hint
        )
    if not 0 <= number <= _LARGEST:
        raise wrong(
            said(
                "must be from 0 to {most} {unit}, not {value}",
                most=_LARGEST,
                unit=unit,
                value=shown(value),
            )
        )
    return number


def _budget(value: Any) -> Any:
    if isinstance(value, str) and value.strip().lower() == "auto":
        return 0.0
    return _gigabytes(value)


def _number(value: Any) -> float | int | None:
    if isinstance(value, str) and len(value) <= 20:
        try:
            value = float(value) if "_" not in value else None
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, int) and abs(value) > 2**53:
        return None
    return plain(value) if math.isfinite(value) else None


def _command(value: Any) -> Any:
    """A command line, or the list of its arguments."""
    if isinstance(value, list):
        for index, each in enumerate(value):
            if not isinstance(each, str | bool | int | float):
                raise wrong(
                    said(
                        "argument {index} must be a text, not {value}",
                        index=index + 1,
                        value=shown(each),
                    )
                )
        return tuple(as_text(each) for each in value)
    if isinstance(value, dict):
        raise wrong(said("must be a command line or a list of arguments, not a mapping"))
    return _text(value)


def _environment(value: Any) -> Any:
    """``NAME=value`` lines; a mapping of names to values does as well."""
    if isinstance(value, dict):
        for name, each in value.items():
            if isinstance(each, dict | list):
                raise wrong(
                    said(
                        "the value of {name} must be a text, not {value}",
                        name=name,
                        value=shown(each),
                    )
                )
        return [f"{name}={as_text(each)}" for name, each in value.items()]
    return _texts(value)


def _strip(value: Any) -> Any:
    """Names of parameters: in one text with commas, or in a list."""
    return value.split(",") if isinstance(value, str) else _texts(value)


def _loading(value: Any) -> Any:
    if isinstance(value, str) and value.lower() == "reasoning":
        return "reasoning"
    try:
        return _flag(value)
    except PydanticCustomError:
        message = said('must be true, false or "reasoning", not {value}', value=shown(value))
        raise wrong(message) from None


def mapping(value: Any) -> Any:
    if not isinstance(value, dict):
        raise wrong(said("must be a mapping, not {value}", value=shown(value)))
    return value


def _by_id(value: Any) -> Any:
    return {key: {} if each is None else each for key, each in mapping(value).items()}


def _modality(value: Any) -> Any:
    text = _text(value).lower()
    if text not in MODALITIES:
        meant = did_you_mean(text, MODALITIES)
        raise wrong(
            said(
                "must be one of {names}, not {value}",
                names=", ".join(MODALITIES),
                value=shown(value),
            )
            + meant
        )
    return text


def _hold_policy(value: Any) -> Any:
    known = {each.lower(): each for each in HoldPolicy}
    if isinstance(value, str) and value.lower() in known:
        return known[value.lower()]
    raise wrong(said("must be toolCalls or always, not {value}", value=shown(value)))


def _log_target(value: Any) -> Any:
    return _one_of(value, LOG_TARGETS)


def _strategy(value: Any) -> Any:
    return _one_of(value, STRATEGIES)


def _one_of(value: Any, known: tuple[str, ...]) -> str:
    text: str = _text(value).strip().lower()
    if text not in known:
        meant = did_you_mean(text, known)
        raise wrong(
            said("must be one of {names}, not {value}", names=", ".join(known), value=shown(value))
            + meant
        )
    return text


def _efforts(value: Any) -> Any:
    """Whether a model takes a reasoning effort; a list says which."""
    return tuple(_text(each) for each in value) if isinstance(value, list) else _flag(value)


def _networks(value: Any) -> Any:
    return [_network(each) for each in (value if isinstance(value, list) else [value])]


def _network(value: Any) -> str:
    try:
        return str(ipaddress.ip_network(str(_text(value)).strip(), strict=False))
    except ValueError:
        raise wrong(
            said(
                "must be networks or addresses such as 192.168.1.0/24 or 10.0.0.7, not {value}",
                value=shown(value),
            )
        ) from None


def _patterns(value: Any) -> Any:
    for each in _texts(value):
        text = _text(each)
        try:
            re.compile(text)
        except (re.error, OverflowError, RecursionError) as error:
            raise wrong(
                said(
                    "has an invalid regular expression {value}: {error}",
                    value=shown(text),
                    error=error,
                )
            ) from None
    return _texts(value)


def by_kind(value: Any) -> Any:
    """A flag for all of them, or flags by kind."""
    if isinstance(value, dict):
        return value
    return dict.fromkeys(NOTIFICATIONS, _flag(value))


def _peer_models(value: Any) -> Any:
    if isinstance(value, str) and value.strip().lower() == "auto":
        return "auto"
    names = [_text(each) for each in _texts(value)]
    if not any(name.strip() for name in names):
        raise wrong(said("must list at least one model, or say auto"))
    return tuple(names)


def _written(schema: dict[str, Any], *more: dict[str, Any]) -> WithJsonSchema:
    """What may stand in the file, for editors: a value, or macros that make one."""
    return WithJsonSchema({"anyOf": [schema, *more, _MACRO]})


_MACRO: Final = {"type": "string", "pattern": r"\$\{"}
_SAID: Final = {"type": ["string", "number", "boolean"]}
_DIGITS: Final = {"type": "string", "pattern": "^[-+0-9.eE]+$"}
_YES_OR_NO: Final = {"enum": ["yes", "no", "on", "off", "y", "n"]}
_MANY: Final = {"type": "array", "items": _SAID}

Text = Annotated[str, BeforeValidator(_text), WithJsonSchema(_SAID)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_texts), _written(_SAID, _MANY)]
Flag = Annotated[bool, BeforeValidator(_flag), _written({"type": "boolean"}, _YES_OR_NO)]
Whole = Annotated[int, BeforeValidator(_whole), _written({"type": "integer"}, _DIGITS)]
Count = Annotated[
    int, Field(ge=0), BeforeValidator(_whole), _written({"type": "integer", "minimum": 0}, _DIGITS)
]
Seconds = Annotated[float, BeforeValidator(_seconds), _written({"type": "number"}, _DIGITS)]
Span = Annotated[
    float,
    Field(ge=0),
    BeforeValidator(_seconds),
    _written({"type": "number", "minimum": 0}, _DIGITS),
]
Duration = Annotated[
    float,
    BeforeValidator(_duration),
    _written({"type": "number"}, {"type": "string", "pattern": "^[0-9.]+(ns|us|µs|ms|s|m|h)"}),
]
Gigabytes = Annotated[
    float, BeforeValidator(_gigabytes), _written({"type": "number", "minimum": 0}, _DIGITS)
]
Budget = Annotated[
    float,
    BeforeValidator(_budget),
    _written({"type": "number", "minimum": 0}, _DIGITS, {"const": "auto"}),
]
Megabytes = Annotated[float, BeforeValidator(_megabytes), _written({"type": "number"}, _DIGITS)]
Share = Annotated[
    float,
    Field(ge=0, le=1),
    BeforeValidator(_seconds),
    _written({"type": "number", "minimum": 0, "maximum": 1}, _DIGITS),
]
Command = Annotated[str | tuple[str, ...], BeforeValidator(_command), _written(_SAID, _MANY)]
Environment = Annotated[
    tuple[Text, ...],
    BeforeValidator(_texts),
    BeforeValidator(_environment),
    _written(_SAID, _MANY, {"type": "object"}),
]
Parameters = Annotated[
    tuple[Text, ...], BeforeValidator(_texts), BeforeValidator(_strip), _written(_SAID, _MANY)
]
Loading = Annotated[
    bool | str,
    BeforeValidator(_loading),
    _written({"type": "boolean"}, _YES_OR_NO, {"const": "reasoning"}),
]
Params = Annotated[dict[str, Any], BeforeValidator(mapping)]
ParamsById = Annotated[dict[str, Params], BeforeValidator(_by_id)]
Modalities = Annotated[
    tuple[Annotated[str, BeforeValidator(_modality)], ...],
    BeforeValidator(_texts),
    _written({"type": "array", "items": {"enum": list(MODALITIES)}}, {"enum": list(MODALITIES)}),
]
Efforts = Annotated[
    bool | tuple[str, ...], BeforeValidator(_efforts), _written({"type": "boolean"}, _MANY)
]
LogTarget = Annotated[str, BeforeValidator(_log_target), _written({"enum": list(LOG_TARGETS)})]
Strategy = Annotated[str, BeforeValidator(_strategy), _written({"enum": list(STRATEGIES)})]
Networks = Annotated[tuple[str, ...], BeforeValidator(_networks), _written(_SAID, _MANY)]
Patterns = Annotated[tuple[Text, ...], BeforeValidator(_patterns), _written(_SAID, _MANY)]
PeerModels = Annotated[str | tuple[str, ...], BeforeValidator(_peer_models), _written(_SAID, _MANY)]
Hold = Annotated[
    HoldPolicy,
    BeforeValidator(_hold_policy),
    _written({"enum": [each.value for each in HoldPolicy]}),
]
