"""The tray as the desktop sees it: over D-Bus, on a real screen, with the window closed."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import pytest
from dbus_fast import Message, Variant
from dbus_fast.aio.message_bus import MessageBus
from dbus_fast.annotations import DBusBool, DBusInt32, DBusSignature, DBusStr
from dbus_fast.constants import PropertyAccess
from dbus_fast.service import ServiceInterface, dbus_method, dbus_property

from tests.desktop.notices_center import bus
from tests.real_input.desk import _screen, missing
from tests.workspace.opened import until

pytestmark = pytest.mark.skipif(bool(missing()), reason=f"needs {missing()}")

NAME = "org.kde.StatusNotifierWatcher"


class Watcher(ServiceInterface):
    """Holds the icons of a tray."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self.items: list[str] = []

    @dbus_method(name="RegisterStatusNotifierItem")
    def register(self, service: DBusStr) -> None:
        self.items.append(service)

    @dbus_property(access=PropertyAccess.READ, name="IsStatusNotifierHostRegistered")
    def has_host(self) -> DBusBool:
        return True

    @dbus_property(access=PropertyAccess.READ, name="ProtocolVersion")
    def version(self) -> DBusInt32:
        return 0

    @dbus_property(access=PropertyAccess.READ, name="RegisteredStatusNotifierItems")
    def registered(self) -> Annotated[list[str], DBusSignature("as")]:
        return self.items


class Icon:
    """An icon in the tray, and its menu."""

    def __init__(self, line: MessageBus, owner: str) -> None:
        self._line, self._owner = line, owner

    async def tip(self) -> str:
        asked = ["org.kde.StatusNotifierItem", "ToolTip"]
        (found,) = await self._call(
            "/StatusNotifierItem", "org.freedesktop.DBus.Properties", "Get", "ss", asked
        )
        return str(found.value[2])

    async def entries(self) -> dict[str, int]:
        """Return the IDs of menu entries by label."""
        _, layout = await self._call("/MenuBar", "com.canonical.dbusmenu", "GetLayout", "iias", [0, -1, []])
        entries = [child.value for child in layout[2]]
        return {entry[1]["label"].value: entry[0] for entry in entries if "label" in entry[1]}

    async def choose(self, words: str) -> None:
        number = (await self.entries())[words]
        body = [number, "clicked", Variant("s", ""), 0]
        await self._call("/MenuBar", "com.canonical.dbusmenu", "Event", "isvu", body)

    async def _call(self, path: str, interface: str, member: str, signature: str, body: list[Any]) -> Any:
        call = Message(self._owner, path, interface, member, signature=signature, body=body)
        answer = await self._line.call(call)
        assert answer is not None
        return answer.body


def windows() -> list[str]:
    """Return the app's visible windows."""
    search = ["xdotool", "search", "--onlyvisible", "--name", "^Kalends$"]
    return subprocess.run(search, capture_output=True, text=True, check=False).stdout.split()


async def ask(program: asyncio.subprocess.Process, question: str) -> Any:
    """Return the program's answer to a question about itself."""
    assert program.stdin is not None
    assert program.stdout is not None
    program.stdin.write(json.dumps([question]).encode() + b"\n")
    return json.loads(await program.stdout.readline())


async def press(key: str) -> None:
    """Press a key in the window."""
    (name,) = windows()
    pressing = await asyncio.create_subprocess_exec("xdotool", "windowfocus", name, "key", key)
    await pressing.wait()


async def go_to(program: asyncio.subprocess.Process, button: str, key: str) -> None:
    """When a question is shown, press a key until a button has the focus.

    Waits for each key press, because a busy program might handle a later one when the button already has the
    focus.
    """
    async with asyncio.timeout(60):
        while (found := await ask(program, "focused")) != button:
            if found:
                await press(key)
                await ask(program, "settle")
            else:
                await asyncio.sleep(0.1)


@asynccontextmanager
async def _line() -> AsyncIterator[MessageBus]:
    """Connect to the session bus."""
    line = await MessageBus().connect()
    try:
        yield line
    finally:
        line.disconnect()
        await line.wait_for_disconnect()  # type: ignore[no-untyped-call]


@asynccontextmanager
async def _program(folder: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run the app in the tray, and kill it at the end if necessary."""
    command = [sys.executable, "-m", "tests.real_input.tray_program", str(folder)]
    pipe = asyncio.subprocess.PIPE
    program = await asyncio.create_subprocess_exec(
        *command, env=os.environ | {"QT_QPA_PLATFORM": "xcb"}, stdin=pipe, stdout=pipe
    )
    try:
        yield program
    finally:
        if program.returncode is None:
            program.kill()
            await program.wait()


def test_the_window_comes_back_from_the_tray_and_quitting_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with _line() as line:
            watcher = Watcher()
            line.export("/StatusNotifierWatcher", watcher)
            await line.request_name(NAME)
            async with _program(tmp_path) as program:
                await until(lambda: watcher.items, patience=90)
                icon = Icon(line, watcher.items[0])
                assert (await icon.tip()).startswith("Kalends\nNext: ")
                await until(lambda: not windows())
                await icon.choose("Open Kalends")
                await until(windows)
                await icon.choose("Quit Kalends")
                # A post waits, so the app asks.
                await go_to(program, "Quit Kalends", "shift+Tab")
                await press("Return")
                assert await asyncio.wait_for(program.wait(), 60) == 0

    with _screen() as display, bus(monkeypatch):
        monkeypatch.setenv("DISPLAY", display)
        asyncio.run(work())
