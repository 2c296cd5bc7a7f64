"""The tray of a desktop that comes up later is waited for; where there is no session, nothing is."""

import asyncio
import subprocess
import sys

import pytest

from tests.desktop.notices_center import bus, needs_dbus

WAIT = "import asyncio; from app.desktop.background.tray import wait_for_watcher as w; asyncio.run(w())"
NAME = "org.kde.StatusNotifierWatcher"


def waiting() -> "subprocess.Popen[bytes]":
    """A program of its own: Qt keeps its way to the bus for as long as it lives."""
    return subprocess.Popen([sys.executable, "-c", WAIT])


def test_without_a_session_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus")
    assert waiting().wait(60) == 0


@needs_dbus
async def test_it_ends_when_the_watcher_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    from dbus_fast.aio.message_bus import MessageBus

    async def work() -> None:
        program = waiting()
        line = await MessageBus().connect()
        await line.request_name(NAME)
        assert await asyncio.to_thread(program.wait, 60) == 0
        line.disconnect()
        await line.wait_for_disconnect()  # type: ignore[no-untyped-call]

    with bus(monkeypatch):
        await work()
