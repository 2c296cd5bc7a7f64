"""The service on this computer continues if the disk has no room for the log."""

import asyncio
import ssl
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.desktop.application import Application
from app.workspace.homes import Home
from tests.journeys.conftest import Play
from tests.journeys.stage import ZONE, Actor
from tests.journeys.test_plan_and_publish import a_week_from_now

_A_PIPE_HOLDS = 65_536
_AT_ONCE = 20
_REFUSAL = b"Invalid HTTP request"


async def make_it_log(base_url: str, ca_file: Path, times: int) -> None:
    """Make the service log a line for each of many invalid requests."""
    place = urlsplit(base_url)
    trusted = ssl.create_default_context(cafile=ca_file)

    async def once() -> None:
        reader, writer = await asyncio.open_connection(place.hostname, place.port, ssl=trusted)
        writer.write(b"this is no request\r\n\r\n")
        await writer.drain()
        async with asyncio.timeout(10):
            await reader.read()
        writer.close()

    for _ in range(0, times, _AT_ONCE):
        await asyncio.gather(*(once() for _ in range(_AT_ONCE)))


async def opened(folder: Path, *, first: bool) -> tuple[Application, Actor, Home]:
    """The app with a calendar on this computer."""
    application = Application(folder / "app", ZONE)
    assert application.take_folder()
    application.window.show()
    await application.begin()
    if first:
        await application.begin_here(practice=True)
    assert application.controller is not None
    assert application.visit is not None
    if application.visit.starting is not None:
        await application.visit.starting
    return application, Actor(application, application.controller), application.visit.home


@pytest.mark.variation
@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")
def test_the_service_goes_on_when_its_log_finds_no_room(tmp_path: Path, play: Play) -> None:
    async def journey() -> None:
        application, actor, home = await opened(tmp_path, first=True)
        account = await actor.connect("linkedin")
        assert home.ca_file is not None
        log = next((tmp_path / "app" / "homes").glob("*")) / "service.log"
        await make_it_log(home.base_url, home.ca_file, _AT_ONCE)
        await actor.until(
            lambda: log.exists() and log.read_bytes().count(b"Invalid HTTP request") >= _AT_ONCE
        )
        line = log.stat().st_size // _AT_ONCE
        await application.close()
        log.unlink()
        log.symlink_to("/dev/full")

        application, actor, home = await opened(tmp_path, first=False)
        assert home.ca_file is not None
        await make_it_log(home.base_url, home.ca_file, 2 * _A_PIPE_HOLDS // line)
        panel = actor.controller.panels.compose(a_week_from_now(9, 30))
        await actor.until(lambda: not panel.text_box.editor.isReadOnly())
        panel.accounts.toggle(account).setChecked(True)
        panel.text_box.editor.setFocus()
        QTest.keyClicks(panel.text_box.editor, "Heard all the same")
        QTest.mouseClick(panel.frame.schedule, Qt.MouseButton.LeftButton)
        await actor.until(lambda: actor.workspace.sync.waiting == 0)
        assert actor.post("Heard all the same").at == a_week_from_now(9, 30)
        await application.close()
        application.window.deleteLater()

    play(journey())
