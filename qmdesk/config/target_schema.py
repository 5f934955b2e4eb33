"""The keys of what a requested name may mean besides a model: peers, selectors, profiles."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, model_validator

from qmdesk.config.fields import (
    Count,
    Flag,
    Params,
    PeerModels,
    Span,
    Strategy,
    Text,
    Texts,
    wrong,
)
from qmdesk.config.model_schema import FilterKeys, Keys, TimeoutKeys


class PeerTimeoutKeys(TimeoutKeys):
    """As a model's, with a limit for the beginning of an answer."""

    response_header: Span = Field(default=60.0, description="Seconds until an answer begins.")


class PeerKeys(Keys):
    """One entry of `peers`."""

    proxy: Text = Field(description="Its base URL.")
    models: PeerModels = Field(
        description="The names of its models; `auto`: those that it lists itself."
    )
    api_key: Text = Field(default="", description="The key that it asks for.")
    filters: FilterKeys = Field(default=FilterKeys(), description="Changes to its requests.")
    timeouts: PeerTimeoutKeys = Field(
        default=PeerTimeoutKeys(), description="How long steps of talking to it may take."
    )


class SpilloverKeys(Keys):
    """The settings of a selector, by strategy."""

    spillover: Annotated[Count, Field(ge=1)] = Field(
        default=1, description="Requests that one target gets before the next one is started."
    )


class SelectorKeys(Keys):
    """One entry of `selectors`."""

    strategy: Strategy = Field(
        description="`warm`: what is loaded; `pin`: the first; `spillover`: the next when busy."
    )
    targets: Texts = Field(description="Models, aliases or models of peers, best first.")
    settings: SpilloverKeys = Field(default=SpilloverKeys(), description="Of the strategy.")
    name: Text = Field(default="", description="Its name for people.")
    description: Text = Field(default="", description="A line about it for people.")
    unlisted: Flag = Field(default=False, description="Keep it out of `/v1/models`.")
    metadata: Params = Field(default={}, description="Anything, shown in `/v1/models`.")


class ProfileKeys(Keys):
    """One entry of `profiles`."""

    @model_validator(mode="before")
    @classmethod
    def _explain_old_form(cls, data: Any) -> Any:
        if isinstance(data, list):
            raise wrong(
                "lists models, which is the old form; write `pins: {NAME: MODEL}` below it to say "
                "what a name means, or use `groups` to run models together"
            )
        return data

    description: Text = Field(default="", description="A line about it for people.")
    pins: dict[str, Text | None] = Field(
        default={},
        description="What a requested name means while it is on; without a value: nothing.",
    )
