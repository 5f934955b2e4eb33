"""The other side of the session bus: a tray host and a notification daemon, as stubs.

They follow the StatusNotifierItem and the desktop notification protocols as far as Qt
uses them, and record what came.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated, Any

from dbus_fast import BusType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.annotations import DBusBool, DBusDict, DBusInt32, DBusSignature, DBusStr, DBusUInt32
from dbus_fast.constants import PropertyAccess
from dbus_fast.service import ServiceInterface, dbus_method, dbus_property, dbus_signal

Strings = Annotated[list[str], DBusSignature("as")]

WATCHER = "org.kde.StatusNotifierWatcher"
ITEM = "org.kde.StatusNotifierItem"
MENU = "com.canonical.dbusmenu"
NOTIFICATIONS = "org.freedesktop.Notifications"


class _Watcher(ServiceInterface):
    def __init__(self) -> None:
        super().__init__(WATCHER)
        self.items: list[str] = []
        self.came = asyncio.Event()

    @dbus_method()
    def RegisterStatusNotifierItem(self, service: DBusStr):
        self.items.append(service)
        self.StatusNotifierItemRegistered(service)
        self.came.set()

    @dbus_method()
    def RegisterStatusNotifierHost(self, service: DBusStr):
        pass

    @dbus_property(access=PropertyAccess.READ)
    def RegisteredStatusNotifierItems(self) -> Strings:
        return self.items

    @dbus_property(access=PropertyAccess.READ)
    def IsStatusNotifierHostRegistered(self) -> DBusBool:
        return True

    @dbus_property(access=PropertyAccess.READ)
    def ProtocolVersion(self) -> DBusInt32:
        return 0

    @dbus_signal()
    def StatusNotifierItemRegistered(self, service: str) -> DBusStr:
        return service


@dataclass(frozen=True, slots=True)
class Note:
    """One notification as it came."""

    app: str
    title: str
    text: str
    id: int = 0
    replaces: int = 0
    actions: tuple[str, ...] = ()
    """Key and words by turns."""


class _Daemon(ServiceInterface):
    def __init__(self) -> None:
        super().__init__(NOTIFICATIONS)
        self.notes: asyncio.Queue[Note] = asyncio.Queue()
        self._last = 0

    @dbus_method()
    def Notify(  # noqa: PLR0917 - the protocol's own
        self,
        app_name: DBusStr,
        replaces_id: DBusUInt32,
        app_icon: DBusStr,
        summary: DBusStr,
        body: DBusStr,
        actions: Strings,
        hints: DBusDict,
        expire_timeout: DBusInt32,
    ) -> DBusUInt32:
        self._last += 1
        number = replaces_id or self._last
        self.notes.put_nowait(Note(app_name, summary, body, number, replaces_id, tuple(actions)))
        return number

    @dbus_signal()
    def ActionInvoked(self, id: int, action: str) -> Annotated[list[Any], DBusSignature("us")]:
        return [id, action]

    @dbus_signal()
    def NotificationClosed(self, id: int, reason: int) -> Annotated[list[int], DBusSignature("uu")]:
        return [id, reason]

    @dbus_method()
    def CloseNotification(self, id: DBusUInt32):
        pass

    @dbus_method()
    def GetCapabilities(self) -> Strings:
        return ["body", "body-markup", "actions"]

    @dbus_method()
    def GetServerInformation(self) -> Annotated[list[str], DBusSignature("ssss")]:
        return ["stub", "qmdesk", "1", "1.2"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a menu as the panel sees it."""

    id: int
    label: str
    enabled: bool
    children: tuple[Entry, ...]


class SessionBus:
    """Connects to a bus as panel and daemon; use it as an async context manager."""

    def __init__(self, address: str, *, panel: bool = True) -> None:
        """``panel``: be a tray host from the start on."""
        self._bus = MessageBus(bus_address=address, bus_type=BusType.SESSION)
        self._panel = panel
        self._watcher = _Watcher()
        self._daemon = _Daemon()

    async def __aenter__(self) -> SessionBus:
        await self._bus.connect()
        self._bus.export("/org/freedesktop/Notifications", self._daemon)
        await self._bus.request_name(NOTIFICATIONS)
        if self._panel:
            await self.become_panel()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._bus.disconnect()
        await self._bus.wait_for_disconnect()

    async def become_panel(self) -> None:
        """Appear on the bus as the tray host."""
        self._bus.export("/StatusNotifierWatcher", self._watcher)
        await self._bus.request_name(WATCHER)

    async def leave_panel(self) -> None:
        """Vanish, as a panel that crashes; registered items are forgotten."""
        await self._bus.release_name(WATCHER)
        self._bus.unexport("/StatusNotifierWatcher")
        self._watcher.items.clear()
        self._watcher.came.clear()

    async def item(self) -> str:
        """The bus name of the newest tray icon, once one has come."""
        await self._watcher.came.wait()
        return self._watcher.items[-1]

    async def note(self) -> Note:
        """The next notification."""
        return await self._daemon.notes.get()

    def press(self, note: Note, action: str) -> None:
        """Click a button of a notification, or ``default`` for all of it."""
        self._daemon.ActionInvoked(note.id, action)

    def dismiss(self, note: Note) -> None:
        """Take a notification off the screen."""
        self._daemon.NotificationClosed(note.id, 2)

    async def item_property(self, item: str, name: str) -> Any:
        """A property of a tray icon, such as ``Title`` or ``ToolTip``."""
        properties = await self._interface(
            item, "/StatusNotifierItem", "org.freedesktop.DBus.Properties"
        )
        value: Variant = await properties.call_get(ITEM, name)
        return value.value

    async def activate(self, item: str) -> None:
        """Click a tray icon with the left button."""
        interface = await self._interface(item, "/StatusNotifierItem", ITEM)
        await interface.call_activate(0, 0)

    async def menu(self, item: str) -> tuple[Entry, ...]:
        """The visible entries of a tray icon's menu."""
        path = await self.item_property(item, "Menu")
        menu = await self._interface(item, path, MENU)
        _, layout = await menu.call_get_layout(0, -1, [])
        return _entry(layout).children

    async def choose(self, item: str, *labels: str) -> None:
        """Click the entry that is found by its label, through submenus, once it can be."""
        while True:
            entries = await self.menu(item)
            for label in labels[:-1]:
                entries = _named(entries, label).children
            chosen = _named(entries, labels[-1])
            if chosen.enabled:
                break
            # The menu follows what happens a moment later; Qt tells of it, but not always.
            await asyncio.sleep(0.05)
        path = await self.item_property(item, "Menu")
        menu = await self._interface(item, path, MENU)
        await menu.call_event(chosen.id, "clicked", Variant("i", 0), 0)

    async def _interface(self, item: str, path: str, interface: str) -> Any:
        introspection = await self._bus.introspect(item, path)
        return self._bus.get_proxy_object(item, path, introspection).get_interface(interface)


def _entry(layout: Any) -> Entry:
    id, properties, children = layout
    values = {key: value.value for key, value in properties.items()}
    return Entry(
        id,
        values.get("label", "").replace("__", "\0").replace("_", "").replace("\0", "_"),
        values.get("enabled", True),
        tuple(
            _entry(each.value)
            for each in children
            if each.value[1].get("visible", Variant("b", True)).value
            and each.value[1].get("type", Variant("s", "")).value != "separator"
        ),
    )


def _named(entries: tuple[Entry, ...], label: str) -> Entry:
    for each in entries:
        if each.label.partition("   ")[0] == label:
            return each
    raise LookupError(f"no entry {label!r} in {[each.label for each in entries]}")
