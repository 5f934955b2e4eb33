"""Which keys stand on which page, under which heading.

Free of Qt.
"""

from __future__ import annotations

from qmdesk.desktop.settings_window.field import model_field, scalar_keys, top_field
from qmdesk.desktop.settings_window.section import Section
from qmdesk.desktop.words import tr

GENERAL = "general"
MODELS = "models"
GROUPS = "groups"
MEMORY = "memory"
PEERS = "peers"
SELECTORS = "selectors"
PROFILES = "profiles"
KEYS = "keys"
NETWORK = "network"
NOTIFICATIONS = "notifications"
ADVANCED = "advanced"

PAGES = (
    *(GENERAL, MODELS, GROUPS, MEMORY, PEERS, SELECTORS, PROFILES, KEYS),
    *(NETWORK, NOTIFICATIONS, ADVANCED),
)
FORMS = (GENERAL, MEMORY, NETWORK, NOTIFICATIONS, ADVANCED)
"""Those that are nothing but a form."""


def title(page: str) -> str:
    """What a page is called in the rail."""
    return {
        GENERAL: tr("General"),
        MODELS: tr("Models"),
        GROUPS: tr("Groups and matrix"),
        MEMORY: tr("Memory"),
        PEERS: tr("Peers"),
        SELECTORS: tr("Selectors"),
        PROFILES: tr("Profiles"),
        KEYS: tr("API keys"),
        NETWORK: tr("Network and access"),
        NOTIFICATIONS: tr("Notifications"),
        ADVANCED: tr("Advanced"),
    }[page]


def sections(page: str) -> tuple[Section, ...]:
    """The sections of one of ``FORMS``."""
    if page == ADVANCED:
        elsewhere = frozenset(
            ".".join(map(str, field.path))
            for other in (GENERAL, MEMORY, NETWORK, NOTIFICATIONS)
            for section in sections(other)
            for field in section.fields
        )
        rest = tuple(top_field(key) for key in scalar_keys(elsewhere))
        return (Section(tr("Everything else"), rest),)
    return _SECTIONS[page]()


def model_sections() -> tuple[Section, ...]:
    """The form of one model, below its name."""
    return (
        Section(
            tr("Server"),
            (
                model_field("cmd", tr("Command")),
                model_field("env", tr("Environment")),
                model_field("cwd", tr("Working folder")),
                model_field("checkEndpoint", tr("Ready when this answers")),
                model_field("proxy", tr("Server's address")),
                model_field("cmdStop", tr("Stop command")),
                model_field("macros", tr("Macros of its own")),
                model_field("healthCheckTimeout", tr("Start limit, seconds")),
            ),
        ),
        Section(
            tr("Use"),
            (
                model_field("ttl", tr("Unload when idle for, seconds")),
                model_field("concurrencyLimit", tr("Requests at once")),
                model_field("pinned", tr("Never evicted for others")),
                model_field("aliases", tr("Aliases")),
                model_field("useModelName", tr("Name for its server")),
                model_field("sendLoadingState", tr("Tell waiting clients of a load")),
                model_field("unlisted", tr("Kept out of the list of models")),
            ),
        ),
        Section(
            tr("For people"),
            (
                model_field("name", tr("Display name")),
                model_field("description", tr("Description")),
                model_field("estVramGB", tr("Video memory, GB")),
                model_field("capabilities.context", tr("Context, tokens")),
            ),
        ),
        Section(
            tr("Changes to its requests"),
            (
                model_field("filters.stripParams", tr("Parameters removed")),
                model_field("filters.setParams", tr("Parameters set")),
            ),
        ),
    )


def _general() -> tuple[Section, ...]:
    return (
        Section(
            tr("Addresses"),
            (top_field("listen", tr("Listen on")),),
        ),
        Section(
            tr("Loading and unloading"),
            (
                top_field("globalTTL", tr("Unload when idle for, seconds")),
                top_field("sendLoadingState", tr("Tell waiting clients of a load")),
                top_field("healthCheckTimeout", tr("Start limit, seconds")),
                top_field("hooks.on_startup.preload", tr("Load at the start")),
                top_field("defaultModel", tr("Model for requests without one")),
                top_field("fallbackModel", tr("Model for unknown names")),
            ),
        ),
        Section(tr("Windows"), (top_field("ui.language", tr("Language")),)),
        Section(
            tr("Logs"),
            (
                top_field("logLevel", tr("Level")),
                top_field("logToStdout", tr("To the terminal")),
                top_field("logTimeFormat", tr("Time stamps")),
            ),
        ),
    )


def _memory() -> tuple[Section, ...]:
    return (
        Section(
            tr("Video memory"),
            (
                top_field("vramBudgetGB", tr("For all models together, GB")),
                top_field("memory.reserveGB", tr("Left free for others, GB")),
                top_field("memory.minGpuFraction", tr("Least share on the card")),
            ),
        ),
        Section(
            tr("When other programs need it"),
            (
                top_field("memory.pressure", tr("Unload idle models")),
                top_field("memory.graceSeconds", tr("After a shortage of, seconds")),
            ),
        ),
        Section(
            tr("Conversations kept on disk"),
            (
                top_field("slotCache.enable", tr("Keep them across evictions")),
                top_field("slotCache.path", tr("Folder")),
                top_field("slotCache.maxDiskGB", tr("At most, GB")),
                top_field("slotCache.maxSessions", tr("At most, conversations")),
                top_field("slotCache.minSaveTokens", tr("Not below, tokens")),
                top_field("slotCache.preambleCaches", tr("Also system prompts that are shared")),
                top_field("slotCache.recurrentSeeds", tr("Also for recurrent models")),
            ),
        ),
    )


def _network() -> tuple[Section, ...]:
    return (
        Section(
            tr("Who gets in"),
            (
                top_field("allowOrigins", tr("Web origins")),
                top_field("allowHosts", tr("More host names")),
                top_field("adminAllow", tr("Networks that may operate it")),
                top_field("trustedProxies", tr("Trusted proxies")),
            ),
        ),
        Section(
            tr("HTTPS"),
            (
                top_field("tlsCertFile", tr("Certificate (PEM)")),
                top_field("tlsKeyFile", tr("Private key (PEM)")),
            ),
        ),
        Section(
            tr("Requests"),
            (
                top_field("maxBodyMB", tr("Largest request, MB")),
                top_field("queueTimeout", tr("Longest wait, seconds")),
                top_field("upstream.ignorePaths", tr("Paths that load no model")),
            ),
        ),
    )


def _notifications() -> tuple[Section, ...]:
    return (
        Section(
            tr("Tell me when"),
            (
                top_field("notifications.eviction", tr("a model was unloaded for another one")),
                top_field("notifications.memory", tr("models made room for other programs")),
                top_field("notifications.failure", tr("a model could not be started")),
                top_field("notifications.rejected", tr("a changed configuration has mistakes")),
                top_field("notifications.applied", tr("a change from outside is in force")),
                top_field("notifications.exposed", tr("other machines get in without a key")),
                top_field("notifications.peer", tr("a peer does not answer, or answers again")),
            ),
        ),
    )


_SECTIONS = {
    GENERAL: _general,
    MEMORY: _memory,
    NETWORK: _network,
    NOTIFICATIONS: _notifications,
}
