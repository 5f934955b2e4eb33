"""The keys of the gateway's own settings, block by block."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field

from qmdesk.config.fields import (
    Count,
    Duration,
    Flag,
    Gigabytes,
    Patterns,
    Share,
    Span,
    Text,
    Texts,
    by_kind,
    one_or_many,
    text,
)
from qmdesk.config.model_schema import Keys
from qmdesk.config.settings import Memory, Notifications, SlotCache


class ApiKeyKeys(Keys):
    """One entry of `apiKeys`; a text is its `key`."""

    key: Text = Field(description="What requests bring.")
    admin: Flag = Field(default=False, description="It may operate the gateway from anywhere.")
    name: Text = Field(default="", description="Whose it is, for the log.")


def _api_key(value: Any) -> Any:
    return value if isinstance(value, dict) else {"key": text(value)}


ApiKeys = Annotated[
    tuple[Annotated[ApiKeyKeys, BeforeValidator(_api_key)], ...], BeforeValidator(one_or_many)
]


class ListenerKeys(Keys):
    """One entry of `listeners`."""

    groups: Texts = Field(default=(), description="Groups that it offers; none: all models.")


class UpstreamKeys(Keys):
    """Requests straight to a model's server, under `/upstream`."""

    ignore_paths: Patterns = Field(
        default=(), description="Regular expressions of paths that load no model."
    )


class MemoryKeys(Keys):
    """How memory is shared with other programs."""

    reserve_gb: Gigabytes = Field(
        default=1.0, alias="reserveGB", description="GB left free where others use the card too."
    )
    pressure: Flag = Field(
        default=True, description="Unload idle models when other programs need the memory."
    )
    grace_seconds: Span = Field(
        default=30.0, description="Seconds that a shortage must last before that."
    )
    min_gpu_fraction: Share = Field(
        default=0.5, description="A start with less of the model on the card is refused (0 to 1)."
    )
    cards: dict[str, Gigabytes] = Field(
        default={}, description="GB for models by card: its index, UUID or name."
    )

    def value(self) -> Memory:
        return Memory(
            reserve_gb=self.reserve_gb,
            pressure=self.pressure,
            grace=self.grace_seconds,
            min_gpu_fraction=self.min_gpu_fraction,
            cards=self.cards,
        )


class SlotCacheKeys(Keys):
    """Conversations kept on disk, so that an evicted model need not read them again."""

    enable: Flag = Field(default=False, description="Keep them.")
    path: Text = Field(default="", description="Folder; empty: the user's cache folder.")
    min_save_tokens: Count = Field(default=30_000, description="Shorter ones are not kept.")
    max_disk_gb: Gigabytes = Field(
        default=10.0, alias="maxDiskGB", description="GB that they may take."
    )
    max_sessions: Count = Field(default=20, description="Conversations that are kept.")
    preamble_caches: Flag = Field(
        default=True, description="Keep system prompts that conversations share, too."
    )
    recurrent_seeds: Flag = Field(
        default=False, description="Do so for hybrid and recurrent models as well."
    )

    def value(self) -> SlotCache:
        return SlotCache(
            enable=self.enable,
            path=self.path.strip(),
            min_save_tokens=self.min_save_tokens,
            max_disk_gb=self.max_disk_gb,
            max_sessions=self.max_sessions,
            preamble_caches=self.preamble_caches,
            recurrent_seeds=self.recurrent_seeds,
        )


class StoreKeys(Keys):
    """Where activity is kept."""

    path: Text = Field(description="SQLite file; `:memory:`: no file.")


class PerformanceKeys(Keys):
    """Measuring of the machine's load."""

    disabled: Flag = Field(default=False, description="Do not measure.")
    every: Duration = Field(default=5.0, description="How often, such as `10s`; 5s at least.")


class ActivityKeys(Keys):
    """The list of requests."""

    model_config = ConfigDict(extra="ignore", frozen=True, alias_generator=None)

    session_id: Texts = Field(
        default=("X-Session-ID", "X-Litellm-Session-Id"),
        description="Headers that tell sessions apart; `[]`: none.",
    )


class UiKeys(Keys):
    """What the windows show."""

    activity: ActivityKeys = Field(default=ActivityKeys(), description="The list of requests.")
    language: Text = Field(
        default="", description="`en` or `de`, from the next start on; empty: the system's."
    )


class NotificationKeys(Keys):
    """What is told by a notification."""

    eviction: Flag = Field(default=True, description="A model was unloaded for another one.")
    memory: Flag = Field(default=True, description="Models were unloaded for other programs.")
    failure: Flag = Field(default=True, description="A model could not be started.")
    rejected: Flag = Field(default=True, description="A changed configuration has mistakes.")
    applied: Flag = Field(default=True, description="A configuration changed outside is in force.")
    exposed: Flag = Field(default=True, description="Other machines get in without a key.")
    peer: Flag = Field(default=True, description="A peer does not answer, or answers again.")

    def value(self) -> Notifications:
        return Notifications(
            eviction=self.eviction,
            memory=self.memory,
            failure=self.failure,
            rejected=self.rejected,
            applied=self.applied,
            exposed=self.exposed,
            peer=self.peer,
        )


Notified = Annotated[NotificationKeys, BeforeValidator(by_kind)]
