"""The keys of the file: their types, bounds and defaults.

A key without a value means its default.  Texts may be written as numbers, numbers as
text, and truth values also as yes/no/on/off, as Go's YAML library takes them.
"""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from qmdesk.config.config import HoldPolicy
from qmdesk.config.document import as_text, plain
from qmdesk.config.names import did_you_mean

LOG_LEVELS: Final = ("debug", "info", "warn", "error")
MODALITIES: Final = ("text", "audio", "image", "video")
LONGEST: Final = 10 * 365 * 24 * 3600
"""Seconds; no time in the file may be longer."""

_TRUTH: Final = {
    **dict.fromkeys(("true", "yes", "on", "y"), True),
    **dict.fromkeys(("false", "no", "off", "n"), False),
}
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(ms|s|m|min|h|d)")
_UNITS: Final = {"ms": 0.001, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}


def _wrong(message: str) -> PydanticCustomError:
    # The message is data, not a template: braces in it would be read as fields.
    return PydanticCustomError("qmdesk", "{said}", {"said": message})


def shown(value: object) -> str:
    """``value`` for a message: short, and in quotes where it is text."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    text = as_text(value)
    text = text if len(text) <= 40 else text[:39] + "…"
    return f'"{text}"' if isinstance(value, str) else text


def _text(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return as_text(value)
    raise _wrong(f"must be a text, not {shown(value)}")


def _texts(value: Any) -> Any:
    """A list of texts; a single one may stand without its list."""
    return value if isinstance(value, list) else [_text(value)]


def _flag(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in _TRUTH:
        return _TRUTH[value.lower()]
    raise _wrong(f"must be true or false, not {shown(value)}")


def _whole(value: Any) -> Any:
    number = _number(value)
    if number is None or number != int(number):
        raise _wrong(f"must be a whole number, not {shown(value)}")
    return int(number)


def _seconds(value: Any) -> Any:
    number = _number(value)
    if number is None:
        hint = ""
        if isinstance(value, str) and (found := _DURATION.fullmatch(value.strip())):
            hint = f"; write {float(found[1]) * _UNITS[found[2]]:g}"
        raise _wrong(f"must be a number of seconds, not {shown(value)}{hint}")
    if number > LONGEST:
        raise _wrong(f"must be at most {LONGEST} seconds (ten years)")
    return number


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
                raise _wrong(f"argument {index + 1} must be a text, not {shown(each)}")
        return tuple(as_text(each) for each in value)
    if isinstance(value, dict):
        raise _wrong("must be a command line or a list of arguments, not a mapping")
    return _text(value)


def _environment(value: Any) -> Any:
    """``NAME=value`` lines; a mapping of names to values does as well."""
    if isinstance(value, dict):
        for name, each in value.items():
            if isinstance(each, dict | list):
                raise _wrong(f"the value of {name} must be a text, not {shown(each)}")
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
        message = f'must be true, false or "reasoning", not {shown(value)}'
        raise _wrong(message) from None


def _mapping(value: Any) -> Any:
    if not isinstance(value, dict):
        raise _wrong(f"must be a mapping, not {shown(value)}")
    return value


def _by_id(value: Any) -> Any:
    return {key: {} if each is None else each for key, each in _mapping(value).items()}


def _modality(value: Any) -> Any:
    text = _text(value).lower()
    if text not in MODALITIES:
        meant = did_you_mean(text, MODALITIES)
        raise _wrong(f"must be one of {', '.join(MODALITIES)}, not {shown(value)}{meant}")
    return text


def _hold_policy(value: Any) -> Any:
    known = {each.lower(): each for each in HoldPolicy}
    if isinstance(value, str) and value.lower() in known:
        return known[value.lower()]
    raise _wrong(f"must be toolCalls or always, not {shown(value)}")


Text = Annotated[str, BeforeValidator(_text)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_texts)]
Flag = Annotated[bool, BeforeValidator(_flag)]
Whole = Annotated[int, BeforeValidator(_whole)]
Count = Annotated[Whole, Field(ge=0)]
Seconds = Annotated[float, BeforeValidator(_seconds)]
Span = Annotated[Seconds, Field(ge=0)]
Command = Annotated[str | tuple[str, ...], BeforeValidator(_command)]
Loading = Annotated[bool | str, BeforeValidator(_loading)]
Params = Annotated[dict[str, Any], BeforeValidator(_mapping)]
Modalities = Annotated[
    tuple[Annotated[str, BeforeValidator(_modality)], ...], BeforeValidator(_texts)
]


class Keys(BaseModel):
    """Keys that belong together; a key without a value counts as absent."""

    model_config = ConfigDict(extra="ignore", frozen=True, alias_generator=to_camel)

    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, data: Any) -> Any:
        return {k: v for k, v in _mapping(data).items() if v is not None}


class FilterKeys(Keys):
    """Changes to the parameters of every request to a model."""

    strip_params: Annotated[Texts, BeforeValidator(_strip)] | None = Field(
        default=None,
        description="Parameters removed from requests, with commas between; never `model`.",
    )
    old_strip_params: Annotated[Texts, BeforeValidator(_strip)] | None = Field(
        default=None, alias="strip_params", description="The older spelling of `stripParams`."
    )
    set_params: Params = Field(default={}, description="Parameters set in requests; never `model`.")
    set_params_by_id: Annotated[dict[str, Params], BeforeValidator(_by_id)] = Field(
        default={},
        alias="setParamsByID",
        description="More of them by the name that was asked for; each name becomes an alias.",
    )


class CapabilityKeys(Keys):
    """What a model can do, for `/v1/models`."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    in_: Modalities = Field(
        default=(), alias="in", description="What it takes: text, image, audio, video."
    )
    out: Modalities = Field(default=(), description="What it makes: text, image, audio, video.")
    tools: Flag = Field(default=False, description="It can call tools.")
    reranker: Flag = Field(default=False, description="It reranks.")
    context: Count = Field(default=0, description="Tokens of context; 0: not said.")


class ModelKeys(Keys):
    """One entry of `models`."""

    cmd: Command = Field(
        default="", description="Command line, or list of arguments; empty: external."
    )
    cmd_stop: Command = Field(
        default="", description="Command that stops it; `${PID}` is its process."
    )
    proxy: Text | None = Field(default=None, description="Base URL of its server.")
    env: Annotated[Texts, BeforeValidator(_environment)] = Field(
        default=(), description="`NAME=value` for its process."
    )
    cwd: Text = Field(
        default="", description="Working folder of its process; empty: the home folder."
    )
    check_endpoint: Text = Field(
        default="/health", description="Path that answers 200 once it is ready."
    )
    ttl: Annotated[Seconds, Field(ge=-1)] = Field(
        default=-1.0,
        description="Seconds of idleness until it is unloaded; -1: `globalTTL`, 0: never.",
    )
    unload_timeout: Span = Field(
        default=0.0, description="Seconds that a stop may take; 0: the global one."
    )
    health_check_timeout: Span = Field(
        default=0.0, description="Seconds that a start may take; 0: the global one."
    )
    aliases: Texts = Field(default=(), description="Other names of the model.")
    name: Text = Field(default="", description="Its name for people.")
    description: Text = Field(default="", description="A line about it for people.")
    unlisted: Flag = Field(default=False, description="Keep it out of `/v1/models`.")
    use_model_name: Text = Field(default="", description="The name that its server gets to see.")
    concurrency_limit: Whole = Field(
        default=0, description="Requests that may wait for it and use it at once; 0: ten."
    )
    filters: FilterKeys = Field(default=FilterKeys(), description="Changes to its requests.")
    macros: Params = Field(default={}, description="Macros of this model alone.")
    metadata: Params = Field(default={}, description="Anything, shown in `/v1/models`.")
    send_loading_state: Loading | None = Field(
        default=None, description="As the global one, for this model."
    )
    capabilities: CapabilityKeys = Field(default=CapabilityKeys(), description="What it can do.")
    pinned: Flag = Field(default=False, description="Other models never evict it.")


class GroupKeys(Keys):
    """One entry of `groups`."""

    swap: Flag = Field(default=True, description="One of its members runs at a time.")
    exclusive: Flag = Field(default=True, description="Its members evict other groups.")
    persistent: Flag = Field(default=False, description="Other groups never evict its members.")
    members: Texts = Field(default=(), description="Ids of models.")


class MatrixKeys(Keys):
    """Which models may run together, as expressions."""

    model_config = ConfigDict(extra="ignore", frozen=True, alias_generator=None)

    vars: dict[str, Text] = Field(default={}, description="Short names for model ids.")
    evict_costs: dict[str, Annotated[Whole, Field(ge=1)]] = Field(
        default={}, description="Price of evicting a model (1 where unset); the cheapest set wins."
    )
    sets: dict[str, Text] = Field(
        default={}, description="Sets: `a & b`, `a | b`, `+other`, `( )`."
    )


class RouterSettingsKeys(Keys):
    """The policies that `routing.router.use` chooses from."""

    groups: dict[str, GroupKeys | None] | None = Field(default=None, description="As `groups`.")
    matrix: MatrixKeys | None = Field(default=None, description="As `matrix`.")


class RouterKeys(Keys):
    """Who is evicted for whom."""

    use: Text = Field(default="group", description="`group` or `matrix`.")
    settings: RouterSettingsKeys = Field(
        default=RouterSettingsKeys(), description="Of the policies."
    )


class FifoKeys(Keys):
    """The queue."""

    priority: dict[str, Whole] = Field(
        default={}, description="Higher goes first, by model; 0 where unset."
    )
    hold_ms: Count | None = Field(
        default=None,
        description="Milliseconds a model is kept for an agent's next request; 0: not.",
    )
    patience_ms: Count | None = Field(
        default=None, description="Milliseconds a waiter honours other models' holds; 0: not."
    )


class SchedulerSettingsKeys(Keys):
    """Settings by scheduler."""

    fifo: FifoKeys = Field(default=FifoKeys(), description="First in, first out.")


class SchedulerKeys(Keys):
    """In which order requests are served."""

    use: Text = Field(default="fifo", description="Only `fifo`.")
    settings: SchedulerSettingsKeys = Field(
        default=SchedulerSettingsKeys(), description="Of `fifo`."
    )


class RoutingKeys(Keys):
    """The newer spelling of `groups` and `matrix`, and the queue."""

    router: RouterKeys | None = Field(default=None, description="Who is evicted for whom.")
    scheduler: SchedulerKeys = Field(default=SchedulerKeys(), description="In which order.")


class OnStartupKeys(Keys):
    """At the start of the gateway."""

    model_config = ConfigDict(extra="ignore", frozen=True, alias_generator=None)

    preload: Texts = Field(default=(), description="Models that are loaded at once, in this order.")


class HooksKeys(Keys):
    """What happens by itself."""

    model_config = ConfigDict(extra="ignore", frozen=True, alias_generator=None)

    on_startup: OnStartupKeys = Field(default=OnStartupKeys(), description="At the start.")


class TopKeys(Keys):
    """The root of the file, without its models."""

    listen: Texts = Field(
        default=("127.0.0.1:8080",),
        description="`HOST:PORT`, one or a list; `:PORT` is every interface.",
    )
    log_level: Text = Field(default="info", description="debug, info, warn or error.")
    health_check_timeout: Span = Field(
        default=120.0, description="Seconds that a start may take; 15 at least."
    )
    global_ttl: Span = Field(
        default=0.0,
        alias="globalTTL",
        description="Seconds of idleness until a model is unloaded; 0: never.",
    )
    unload_timeout: Span = Field(default=10.0, description="Seconds that a stop may take; 0: ten.")
    start_port: Annotated[Whole, Field(ge=1, le=65535)] = Field(
        default=5800, description="The first of the ports that `${PORT}` gets."
    )
    send_loading_state: Loading = Field(
        default=False, description="Tell waiting clients of a load: true, false or `reasoning`."
    )
    include_aliases_in_list: Flag = Field(
        default=False, description="List aliases in `/v1/models`."
    )
    macros: Params = Field(default={}, description="Texts and numbers for `${name}`.")
    groups: dict[str, GroupKeys | None] | None = Field(
        default=None, description="Who may run together."
    )
    matrix: MatrixKeys | None = Field(
        default=None, description="Who may run together, as expressions."
    )
    routing: RoutingKeys = Field(
        default=RoutingKeys(), description="The newer spelling, and the queue."
    )
    queue_timeout: Span = Field(
        default=0.0, description="Seconds a request may wait its turn; 0: for ever."
    )
    hold_policy: Annotated[HoldPolicy, BeforeValidator(_hold_policy)] = Field(
        default=HoldPolicy.TOOL_CALLS,
        description="Hold a model after tool calls (`toolCalls`) or after all requests (`always`).",
    )
    hooks: HooksKeys = Field(default=HooksKeys(), description="What happens by itself.")
    api_keys: Texts = Field(default=(), description="Keys, one of which each request must bring.")
    allow_origins: Texts = Field(default=(), description="Web origins that may use the gateway.")
    allow_hosts: Texts = Field(
        default=(), description="More host names that the gateway answers to."
    )
    default_model: Text = Field(default="", description="For requests that name no model.")
    fallback_model: Text = Field(default="", description="For requests that name an unknown model.")


class FileKeys(TopKeys):
    """The whole file.  Its models are checked one by one, so one cannot spoil another."""

    models: dict[str, ModelKeys | None] = Field(default={}, description="The models, by id.")
