"""The keys of one model: their types, bounds, defaults and meanings.

A key without a value means its default.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from qmdesk.config.fields import (
    Command,
    Count,
    Efforts,
    Environment,
    Flag,
    Gigabytes,
    Loading,
    Modalities,
    Parameters,
    Params,
    ParamsById,
    Seconds,
    Span,
    Text,
    Texts,
    Whole,
    mapping,
)


class Keys(BaseModel):
    """Keys that belong together; a key without a value counts as absent."""

    model_config = ConfigDict(extra="ignore", frozen=True, alias_generator=to_camel)

    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, data: Any) -> Any:
        return {k: v for k, v in mapping(data).items() if v is not None}


class FilterKeys(Keys):
    """Changes to the parameters of every request to a model."""

    strip_params: Parameters | None = Field(
        default=None,
        description="Parameters removed from requests, with commas between; never `model`.",
    )
    old_strip_params: Parameters | None = Field(
        default=None, alias="strip_params", description="The older spelling of `stripParams`."
    )
    set_params: Params = Field(default={}, description="Parameters set in requests; never `model`.")
    set_params_by_id: ParamsById = Field(
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
    embedding: Flag = Field(default=False, description="It makes embeddings.")
    segmentation: Flag = Field(default=False, description="It finds things in images.")
    voice_clone: Flag = Field(
        default=False, alias="voiceClone", description="It speaks with a voice it is given."
    )
    reasoning_effort: Efforts = Field(
        default=False,
        alias="reasoningEffort",
        description="It takes a reasoning effort; a list says which.",
    )
    context: Count = Field(default=0, description="Tokens of context; 0: not said.")


class TimeoutKeys(Keys):
    """Seconds that steps of talking to a server may take; 0 is no limit."""

    connect: Span = Field(default=30.0, description="Seconds until a connection is there.")
    keepalive: Span = Field(default=30.0, description="Seconds between signs of life on it.")
    response_header: Span = Field(default=0.0, description="Seconds until an answer begins.")
    tls_handshake: Span = Field(default=10.0, description="Seconds until TLS is agreed on.")
    expect_continue: Span = Field(
        default=1.0, description="Seconds to wait for `100 Continue` where a client asks for it."
    )
    idle_conn: Span = Field(default=90.0, description="Seconds that an idle connection is kept.")


class CompatKeys(Keys):
    """Ways around the habits of clients."""

    ignore_websockets: Flag = Field(
        default=False, description="WebSockets neither load the model nor keep it loaded."
    )


class ModelKeys(Keys):
    """One entry of `models`."""

    cmd: Command = Field(
        default="", description="Command line, or list of arguments; empty: external."
    )
    cmd_stop: Command = Field(
        default="", description="Command that stops it; `${PID}` is its process."
    )
    proxy: Text | None = Field(default=None, description="Base URL of its server.")
    env: Environment = Field(default=(), description="`NAME=value` for its process.")
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
    timeouts: TimeoutKeys = Field(
        default=TimeoutKeys(), description="How long steps of talking to its server may take."
    )
    compat: CompatKeys = Field(
        default=CompatKeys(), description="Ways around the habits of clients."
    )
    est_vram_gb: Gigabytes = Field(
        default=0.0, alias="estVramGB", description="GB of video memory it takes; 0: unknown."
    )
    est_ram_gb: Gigabytes = Field(
        default=0.0, alias="estRamGB", description="GB of main memory it takes; 0: unknown."
    )
    slot_cache: Flag | None = Field(
        default=None, description="Keep its conversations on disk (see the global `slotCache`)."
    )
    slot_cache_preamble: Flag | None = Field(
        default=None, description="Keep the system prompts that conversations share, too."
    )
