"""A notification service of our own on a D-Bus of its own: what a desktop does, without a desktop."""

import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from dbus_fast.aio.message_bus import MessageBus
from dbus_fast.annotations import DBusDict, DBusInt32, DBusSignature, DBusStr, DBusUInt32
from dbus_fast.service import ServiceInterface, dbus_method, dbus_signal

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"

Strings = Annotated[list[str], DBusSignature("as")]
FourStrings = Annotated[list[str], DBusSignature("ssss")]
NumberAndWord = Annotated[list[Any], DBusSignature("us")]
TwoNumbers = Annotated[list[int], DBusSignature("uu")]

needs_dbus = pytest.mark.skipif(shutil.which("dbus-daemon") is None, reason="needs dbus-daemon")


@dataclass(frozen=True)
class Shown:
    """One notification on the screen; ``actions`` by what is sent when they are clicked."""

    title: str
    body: str
    actions: dict[str, str]
    icon: str


class Center(ServiceInterface):
    """Shows notifications, and lets a person click them; numbers begin with 1."""

    def __init__(self, abilities: list[str]) -> None:
        super().__init__(NAME)
        self.abilities = abilities
        self.shown: list[Shown] = []
        self.taken_back: list[int] = []

    @dbus_method(name="Notify")
    def notify(  # noqa: PLR0913, PLR0917, RUF100  as the standard has it
        self,
        app_name: DBusStr,
        replaces: DBusUInt32,
        icon: DBusStr,
        title: DBusStr,
        body: DBusStr,
        actions: Strings,
        hints: DBusDict,
        expires: DBusInt32,
    ) -> DBusUInt32:
        assert (app_name, replaces, expires) == ("Kalends", 0, -1)
        assert "urgency" in hints
        pairs = dict(zip(actions[::2], actions[1::2], strict=True))
        self.shown.append(Shown(title, body, pairs, icon))
        return len(self.shown)

    @dbus_method(name="CloseNotification")
    def close(self, number: DBusUInt32) -> None:
        self.taken_back.append(number)

    @dbus_method(name="GetCapabilities")
    def capabilities(self) -> Strings:
        return self.abilities

    @dbus_method(name="GetServerInformation")
    def information(self) -> FourStrings:
        return ["Center", "Kalends", "1", "1.2"]

    @dbus_signal(name="ActionInvoked")
    def click(self, number: int, action: str) -> NumberAndWord:
        return [number, action]

    @dbus_signal(name="NotificationClosed")
    def dismiss(self, number: int, reason: int) -> TwoNumbers:
        return [number, reason]


@contextmanager
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A session bus that nobody else is on."""
    command = ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as daemon:
        assert daemon.stdout is not None
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", daemon.stdout.readline().strip())
        try:
            yield
        finally:
            daemon.terminate()


@asynccontextmanager
async def center(*abilities: str) -> AsyncIterator[Center]:
    """A desktop that shows notifications."""
    line = await MessageBus().connect()
    made = Center(list(abilities))
    line.export(PATH, made)
    await line.request_name(NAME)
    try:
        yield made
    finally:
        line.disconnect()
        await line.wait_for_disconnect()  # type: ignore[no-untyped-call]
