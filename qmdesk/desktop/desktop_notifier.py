"""Notifications over the session bus, with buttons: Linux and its kin.

Qt's own messages have neither buttons nor identity, and its D-Bus binding for Python
cannot send the unsigned number that the protocol asks for: so a library of its own.
https://specifications.freedesktop.org/notification-spec/latest/
"""

from __future__ import annotations

import asyncio
import html
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from qmdesk import resources
from qmdesk.desktop.notification_text import Deed, Kind, Message, one
from qmdesk.desktop.notifications import Notifier
from qmdesk.tasks import spawn

if TYPE_CHECKING:
    from dbus_fast import Message as BusMessage
    from dbus_fast.aio import MessageBus

log = logging.getLogger(__name__)

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
PATIENCE = 5.0
"""Seconds that a daemon has to answer in; the tray's own message is shown instead."""
FOLD = 10.0
"""Seconds in which an unload is told together with the one before, in its place."""
OPEN = 50
"""Notifications that are remembered while they may be clicked."""

Acted = Callable[[Message, Deed], None]


class DesktopNotifier:
    """Shows messages through the desktop's daemon; through ``fallback`` where none answers.

    One at a time, in order.  ``acted`` is told what was clicked.
    """

    def __init__(self, fallback: Notifier, acted: Acted) -> None:
        self._fallback = fallback
        self._acted = acted
        self._bus: MessageBus | None = None
        self._features: frozenset[str] = frozenset()
        self._open: OrderedDict[int, Message] = OrderedDict()
        """By the daemon's numbers, as long as they are on the screen."""
        self._one_by_one = asyncio.Lock()
        self._closed = False

    def notify(self, message: Message) -> None:
        spawn(self._notify(message), "notification")

    def close(self) -> None:
        """Let go of the bus; what is on the screen stays there."""
        self._closed = True
        if self._bus is not None:
            self._bus.disconnect()
            self._bus = None

    async def _notify(self, message: Message) -> None:
        async with self._one_by_one:
            try:
                async with asyncio.timeout(PATIENCE):
                    await self._send(message)
            except Exception as error:  # noqa: BLE001 - whatever it was, the user is told
                log.debug("no notification daemon answers: %s", error)
                if self._bus is not None and not self._bus.connected:
                    self._bus = None
                if not self._closed:
                    self._fallback.notify(message)

    async def _send(self, message: Message) -> None:
        if self._bus is None:
            await self._connect()
        replaces = self._alike(message)
        if replaces and message.kind in (Kind.EVICTED, Kind.MEMORY):
            before = self._open[replaces]
            if time.time() - before.at < FOLD:
                message = one([before, message])
            else:
                replaces = 0
        actions: list[str] = []
        if "actions" in self._features:
            actions += ["default", message.deeds[0][1]]
            actions += [word for deed in message.deeds for word in deed]
        text = message.text
        if "body-markup" in self._features:
            text = html.escape(text, quote=False)
        from dbus_fast import Variant

        hints = {"urgency": Variant("y", 1), "desktop-entry": Variant("s", "qmdesk")}
        icon = str(resources.path("icons/qmdesk.svg"))
        body = ["qmdesk", replaces, icon, message.title, text, actions, hints, -1]
        (number,) = await self._call("Notify", "susssasa{sv}i", body)
        self._open[number] = message
        self._open.move_to_end(number)
        while len(self._open) > OPEN:
            self._open.popitem(last=False)

    def _alike(self, message: Message) -> int:
        """The number of the one on the screen in whose place ``message`` goes; 0: none."""
        for number, each in reversed(self._open.items()):
            unload = message.kind in (Kind.EVICTED, Kind.MEMORY)
            if each.kind is message.kind and (unload or each.model == message.model):
                return number
        return 0

    async def _connect(self) -> None:
        # It takes a tenth of a second to import: not on the event loop.
        bus = (await asyncio.to_thread(_library))()
        await bus.connect()
        if self._closed:
            bus.disconnect()
            raise OSError("the notifier is closed")
        try:
            self._bus = bus
            bus.add_message_handler(self._on_message)
            rule = f"type='signal',interface='{NAME}',path='{PATH}'"
            await self._call(
                "AddMatch", "s", [rule], name="org.freedesktop.DBus", path="/org/freedesktop/DBus"
            )
            (features,) = await self._call("GetCapabilities", "", [])
            self._features = frozenset(features)
        except BaseException:
            self._bus = None
            bus.disconnect()
            raise

    async def _call(
        self, member: str, signature: str, body: list[Any], *, name: str = NAME, path: str = PATH
    ) -> list[Any]:
        from dbus_fast import Message, MessageType

        if self._bus is None:
            raise OSError("the notifier is closed")
        reply = await self._bus.call(
            Message(
                destination=name,
                path=path,
                interface=name,
                member=member,
                signature=signature,
                body=body,
            )
        )
        if reply.message_type is MessageType.ERROR:
            raise OSError(f"{reply.error_name}: {reply.body}")
        values: list[Any] = reply.body
        return values

    def _on_message(self, heard: BusMessage) -> None:
        if heard.interface == NAME and heard.body:
            # After the answer that came before it, whose number it bears.
            asyncio.get_running_loop().call_soon(self._on_signal, heard)

    def _on_signal(self, heard: BusMessage) -> None:
        number = heard.body[0]
        if heard.member == "NotificationClosed":
            self._open.pop(number, None)
        elif heard.member == "ActionInvoked" and (message := self._open.get(number)):
            word = heard.body[1]
            deeds = [deed for deed, _ in message.deeds]
            if word == "default":
                self._acted(message, deeds[0])
            elif word in deeds:
                self._acted(message, Deed(word))


def _library() -> type[MessageBus]:
    from dbus_fast.aio import MessageBus

    return MessageBus
