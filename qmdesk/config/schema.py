"""The keys of the file: their types, bounds, defaults and meanings.

A key without a value means its default.  ``schema`` gives the same to editors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, get_args

from pydantic import BaseModel, ConfigDict, Field

from qmdesk.config.config import HoldPolicy
from qmdesk.config.fields import (
    Budget,
    Count,
    Flag,
    Hold,
    Loading,
    LogTarget,
    Megabytes,
    Networks,
    Params,
    Span,
    Text,
    Texts,
    Whole,
)
from qmdesk.config.model_schema import Keys, ModelKeys
from qmdesk.config.settings_schema import (
    ApiKeys,
    ListenerKeys,
    MemoryKeys,
    NotificationKeys,
    Notified,
    PerformanceKeys,
    SlotCacheKeys,
    StoreKeys,
    UiKeys,
    UpstreamKeys,
)
from qmdesk.config.target_schema import PeerKeys, ProfileKeys, SelectorKeys


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
    hold_policy: Hold = Field(
        default=HoldPolicy.TOOL_CALLS,
        description="Hold a model after tool calls (`toolCalls`) or after all requests (`always`).",
    )
    hooks: HooksKeys = Field(default=HooksKeys(), description="What happens by itself.")
    api_keys: ApiKeys = Field(default=(), description="Keys, one of which each request must bring.")
    allow_origins: Texts = Field(default=(), description="Web origins that may use the gateway.")
    allow_hosts: Texts = Field(
        default=(), description="More host names that the gateway answers to."
    )
    default_model: Text = Field(default="", description="For requests that name no model.")
    fallback_model: Text = Field(default="", description="For requests that name an unknown model.")
    profiles: dict[str, ProfileKeys | None] = Field(
        default={}, description="Sets of pins, one of which can be switched on."
    )
    selectors: dict[str, SelectorKeys | None] = Field(
        default={}, description="Names that stand for one of several models."
    )
    peers: dict[str, PeerKeys | None] = Field(
        default={}, description="Other gateways and services whose models are offered too."
    )
    listeners: dict[str, ListenerKeys | None] = Field(
        default={}, description="Addresses, each with its own catalogue; `listen` is then unused."
    )
    upstream: UpstreamKeys = Field(
        default=UpstreamKeys(), description="Requests straight to a model's server."
    )
    api_key_models: dict[str, Texts | None] = Field(
        default={}, description="The models that a key may use; all where it has no entry."
    )
    admin_allow: Networks = Field(
        default=(), description="Networks that may operate the gateway, besides this machine."
    )
    trusted_proxies: Networks = Field(
        default=(), description="Networks whose `X-Forwarded-For` is believed."
    )
    tls_cert_file: Text = Field(
        default="", description="Certificate chain (PEM) for HTTPS; with `tlsKeyFile`."
    )
    tls_key_file: Text = Field(default="", description="Private key (PEM) of `tlsCertFile`.")
    max_body_mb: Megabytes = Field(
        default=0.0, alias="maxBodyMB", description="MB that a request may have; 0: no limit."
    )
    idle_model: Text = Field(
        default="", description="Loaded again when the others have been unloaded for idleness."
    )
    models_dirs: Texts = Field(default=(), description="Folders in which models are looked for.")
    vram_budget_gb: Budget = Field(
        default=0.0,
        alias="vramBudgetGB",
        description="GB of video memory for all models together; 0 or `auto`: measured.",
    )
    memory: MemoryKeys = Field(default=MemoryKeys(), description="How memory is shared.")
    slot_cache: SlotCacheKeys = Field(
        default=SlotCacheKeys(), description="Conversations kept on disk across evictions."
    )
    store: StoreKeys | None = Field(default=None, description="Where activity is kept.")
    metrics_max_in_memory: Whole = Field(
        default=1000, description="Requests remembered where `store.path` is `:memory:`; 0: 1000."
    )
    capture_buffer: Megabytes = Field(
        default=0.0, description="MB of requests and answers kept for a look; 0: none."
    )
    performance: PerformanceKeys = Field(
        default=PerformanceKeys(), description="Measuring of the machine's load."
    )
    ui: UiKeys = Field(default=UiKeys(), description="What the windows show.")
    log_time_format: Text = Field(
        default="", description="Time stamps in the log, by the name of a Go layout; `none`: off."
    )
    log_to_stdout: LogTarget = Field(
        default="proxy", description="`proxy`, `upstream`, `both` or `none`."
    )
    notifications: Notified = Field(
        default=NotificationKeys(), description="What is told; true or false is all or nothing."
    )


class FileKeys(TopKeys):
    """The whole file.  Its models are checked one by one, so one cannot spoil another."""

    models: dict[str, ModelKeys | None] = Field(default={}, description="The models, by id.")


def schema() -> dict[str, Any]:
    """The JSON schema of the file, for editors: every key with its type and meaning.

    It takes what the reader takes: numbers and truth values written as text, single
    values for lists, keys without a value, ``x-...`` keys, and macros anywhere.
    """
    made = FileKeys.model_json_schema(by_alias=True)
    named = {each.__name__: each for each in _all_blocks(FileKeys)}
    _open_up(made, FileKeys)
    for name, each in made["$defs"].items():
        _open_up(each, named[name])
    made["properties"]["notifications"]["anyOf"].append({"type": "boolean"})
    keys = made["properties"]["apiKeys"]["anyOf"]
    text = {"type": ["string", "number", "boolean"]}
    keys[0]["items"] = {"anyOf": [keys[0]["items"], text]}
    keys += [text, {"$ref": "#/$defs/ApiKeyKeys"}]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made, "title": "qmdesk"}


def keys() -> Iterator[tuple[str, str]]:
    """Every key of the file, dotted, with its meaning; ``*`` is a name that people choose."""
    yield from _described(FileKeys, "")


def blocks(annotation: Any, by_name: bool = False) -> Iterator[tuple[type[BaseModel], bool]]:
    """The blocks of keys in a field's type; true where they are the values of a mapping."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation, by_name
    origin = getattr(annotation, "__origin__", None)
    for each in get_args(annotation):
        yield from blocks(each, by_name or origin is dict)


def _described(block: type[BaseModel], above: str) -> Iterator[tuple[str, str]]:
    for name, field in block.model_fields.items():
        key = f"{above}{field.alias or name}"
        yield key, field.description or ""
        for inner, by_name in blocks(field.annotation):
            yield from _described(inner, f"{key}.*." if by_name else f"{key}.")


def _all_blocks(block: type[BaseModel]) -> Iterator[type[BaseModel]]:
    yield block
    for field in block.model_fields.values():
        for inner, _ in blocks(field.annotation):
            yield from _all_blocks(inner)


def _open_up(made: dict[str, Any], block: type[BaseModel]) -> None:
    """Lets a block's keys be empty, and have ``x-...`` beside them, but nothing unknown."""
    made.pop("title", None)
    for name, field in block.model_fields.items():
        key = field.alias or name
        said: dict[str, Any] = made["properties"].pop(key)
        kept = {"description": field.description, "default": said.pop("default", None)}
        for word in ("description", "title"):
            said.pop(word, None)
        made["properties"][key] = {"anyOf": [said, {"type": "null"}], **kept}
    made["additionalProperties"] = False
    made["patternProperties"] = {"^x-": {}}
