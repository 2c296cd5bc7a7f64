"""The system's wish for less motion is respected, and followed when it changes."""

import asyncio
import ctypes
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import pytest
from dbus_fast import DBusError, Variant
from dbus_fast.aio.message_bus import MessageBus
from dbus_fast.annotations import DBusSignature, DBusStr, DBusVariant
from dbus_fast.service import ServiceInterface, dbus_method, dbus_signal

from app.children import SOURCE
from app.desktop.motion import switch, system
from tests.desktop.notices_center import bus, needs_dbus

Setting = tuple[str, str]
REDUCED: Setting = ("org.freedesktop.appearance", "reduced-motion")
GNOME: Setting = ("org.gnome.desktop.interface", "enable-animations")
KDE: Setting = ("org.kde.kdeglobals.KDE", "AnimationDurationFactor")
Changed = Annotated[list[Any], DBusSignature("ssv")]

PROGRAM = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from app.children import SOURCE
from app.desktop.motion import switch, system

app = QApplication(["motion", "-platform", "offscreen"])
before = None

def look():
    global before
    if switch.is_on() != before:
        before = switch.is_on()
        print("moves" if before else "still", flush=True)

look()
system.follow_system()
timer = QTimer(interval=5)
timer.timeout.connect(look)
timer.start()
app.exec()
"""


class Portal(ServiceInterface):
    """A desktop's settings; ``kept`` are those that it has."""

    def __init__(self, kept: dict[Setting, Variant]) -> None:
        super().__init__("org.freedesktop.portal.Settings")
        self.kept = kept
        self.asked: set[Setting] = set()

    @dbus_method(name="Read")
    def read(self, namespace: DBusStr, key: DBusStr) -> DBusVariant:
        """A setting within two variants, as the standard has it; an error for one that isn't kept."""
        self.asked.add((namespace, key))  # also by Qt itself, for the colour scheme
        if (namespace, key) not in self.kept:
            raise DBusError("org.freedesktop.portal.Error.NotFound", "Requested setting not found")
        return Variant("v", self.kept[namespace, key])

    @dbus_signal(name="SettingChanged")
    def change(self, setting: Setting, value: Variant) -> Changed:
        return [*setting, value]


async def follow(portal: Portal | None, *expected: str, then: tuple[Setting, Variant] | None = None) -> None:
    """Run the app's part on a desktop, and wait for what it says; ``then`` is a later change."""
    line = await MessageBus().connect()
    if portal is not None:
        line.export("/org/freedesktop/portal/desktop", portal)
        await line.request_name("org.freedesktop.portal.Desktop")
    program = await asyncio.create_subprocess_exec(sys.executable, "-c", PROGRAM, stdout=subprocess.PIPE)
    assert program.stdout is not None
    try:
        async with asyncio.timeout(60):
            for number, word in enumerate(expected):
                if then is not None and portal is not None and number == len(expected) - 1:
                    while not portal.asked >= {REDUCED, GNOME, KDE}:  # noqa: ASYNC110  the bus tells nobody
                        await asyncio.sleep(0.005)
                    portal.change(*then)
                assert (await program.stdout.readline()).decode().strip() == word
    finally:
        program.kill()
        await program.wait()
        line.disconnect()
        await line.wait_for_disconnect()  # type: ignore[no-untyped-call]


@needs_dbus
async def test_a_desktop_without_a_wish_or_a_portal_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    with bus(monkeypatch):
        await follow(Portal({}), "still", "moves")
        await follow(None, "still", "moves")


@needs_dbus
@pytest.mark.parametrize(
    ("setting", "less", "more"),
    [
        (REDUCED, Variant("u", 1), Variant("u", 0)),
        (GNOME, Variant("b", False), Variant("b", True)),
        (KDE, Variant("s", "0"), Variant("s", "0.5")),
    ],
)
async def test_each_desktop_can_stop_motion_at_any_time(
    monkeypatch: pytest.MonkeyPatch, setting: Setting, less: Variant, more: Variant
) -> None:
    with bus(monkeypatch):
        await follow(Portal({setting: more}), "still", "moves", "still", then=(setting, less))
        await follow(Portal({setting: less}), "still", "moves", then=(setting, more))


@needs_dbus
async def test_the_app_asks_once_its_window_shows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async def work() -> None:
        line, portal = await MessageBus().connect(), Portal({})
        line.export("/org/freedesktop/portal/desktop", portal)
        await line.request_name("org.freedesktop.portal.Desktop")
        program = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "app", "--data", str(tmp_path), cwd=SOURCE
        )
        try:
            async with asyncio.timeout(60):
                while not portal.asked >= {REDUCED, GNOME, KDE}:  # noqa: ASYNC110  the bus tells nobody
                    await asyncio.sleep(0.01)
        finally:
            program.terminate()
            await program.wait()
            line.disconnect()
            await line.wait_for_disconnect()  # type: ignore[no-untyped-call]

    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    with bus(monkeypatch):
        await work()


@pytest.mark.parametrize("flag", [0, 1])
def test_windows_is_asked_for_animation_effects(monkeypatch: pytest.MonkeyPatch, flag: int) -> None:
    class User:
        """The library of Windows that knows."""

        def __init__(self, name: str) -> None:
            assert name == "user32"

        def SystemParametersInfoW(self, action: int, size: int, shown: Any, change: int) -> int:  # noqa: N802
            assert (action, size, change) == (0x1042, 0, 0)
            shown._obj.value = flag
            return 1

    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(ctypes, "CDLL", User)
    assert system.allows() is bool(flag)


def test_nothing_moves_before_the_system_was_asked() -> None:
    assert switch.mode() == "system"
    assert not switch.is_on()
