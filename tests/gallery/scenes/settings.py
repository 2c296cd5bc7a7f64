"""The settings: each section, and what they say when something is not as it should be."""

import asyncio
import json
from pathlib import Path
from threading import Event

from app.desktop.guide import GuideSheet
from app.desktop.moving.screen import MoveScreen
from app.desktop.settings import SettingsPane
from app.desktop.settings.move_sheets import MoveThereSheet, ask_back
from app.desktop.settings.notices import NoticesSheet
from app.desktop.settings.rows import AskSheet, ConfirmSheet
from app.desktop.shell.window import MainWindow
from app.desktop.updates import Updates
from app.language import tr
from app.network import Way
from app.updates.build import Channel, Kind, Version
from app.updates.updater import Standing
from app.workspace.clock import Pace
from app.workspace.homes import Home, Homes
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.moving.messages import MoveProgress
from app.workspace.homes.registry import HomeKind
from app.workspace.homes.visit import Visits
from app.workspace.messages import Problem
from app.workspace.notices.notice import NoticeKind
from app.workspace.settings.backup import back_up
from tests.gallery.hands import the
from tests.gallery.samples import full_studio
from tests.gallery.scene import Screen
from tests.gallery.stage import Stage

SCREEN = Screen()
_HOME = "/home/maya/.local/share/Kalends"
_LINES = (
    {"event": "the stream of changes ended", "level": "warning", "timestamp": "2026-11-21T08:02:11.204Z"},
    {"event": "the embedded service ended and is started again", "exit_code": -9, "level": "warning"},
    {"event": "an upload is tried again", "reason": "no response in time", "level": "warning"},
)


@SCREEN.scene("settings-calendars")
async def calendars(stage: Stage) -> None:
    """Three calendars, one of which is open."""
    await _homes(stage)
    pane = await _opened(stage, "calendars")
    await stage.until(lambda: len(pane.calendars.rows) == 4)


@SCREEN.scene("settings-move")
async def move(stage: Stage) -> None:
    """Which server a calendar moves to."""
    home = Home(kind=HomeKind.EMBEDDED, name="Okafor Studio")
    pane = await _opened(stage, "calendars")
    sheet = MoveThereSheet(pane, home, Visits(Homes(stage.folder), Credentials(stage.folder)))
    sheet.ask()
    sheet.form.address.setText("https://plan.example.com")


@SCREEN.scene("settings-move-back")
async def move_back(stage: Stage) -> None:
    """What changes when a calendar comes back."""
    pane = await _opened(stage, "calendars")
    there = Home(kind=HomeKind.REMOTE, name="Agency", base_url="https://plan.okafor.studio")
    ask_back(pane, there).ask(lambda: None)


@SCREEN.scene("moving")
async def moving(stage: Stage) -> None:
    """A calendar on its way."""
    screen = await _move_screen(stage)
    screen.show_progress(MoveProgress(tr("Sending the calendar"), 0.4))


@SCREEN.scene("moving-stopped")
async def moving_stopped(stage: Stage) -> None:
    """The server doesn't respond."""
    screen = await _move_screen(stage)
    text = tr("No response from {host}. Check your network, then continue.", host="plan.example.com")
    screen.show_problem(Problem(text, details="ConnectionRefusedError"))


@SCREEN.scene("settings-rename")
async def rename(stage: Stage) -> None:
    await _homes(stage)
    pane = await _opened(stage, "calendars")
    await stage.until(lambda: len(pane.calendars.rows) == 4)
    pane.calendars.rows[1].rename.click()


@SCREEN.scene("settings-key")
async def key(stage: Stage) -> None:
    """A key that is none."""
    pane = await _opened(stage, "calendars")
    await stage.until(lambda: pane.calendars.rows)
    pane.calendars.rows[0].key.click()
    sheet = the(AskSheet, pane.window())
    sheet.editor.setText("stp_rest_b17e")
    sheet.go.click()
    await stage.until(sheet.field.error)


@SCREEN.scene("settings-remove")
async def remove(stage: Stage) -> None:
    """Asked before a calendar is removed, with what goes with it."""
    await _homes(stage)
    pane = await _opened(stage, "calendars")
    await stage.until(lambda: len(pane.calendars.rows) == 4)
    pane.calendars.rows[0].remove.click()


@SCREEN.scene("settings-dead-key")
async def dead_key(stage: Stage) -> None:
    """The service no longer takes the key of the open calendar."""
    service = full_studio()
    controller = await stage.controller(service, pace=Pace(poll_active=0.05, poll_idle=0.05))
    service.key_is_good = False
    controller.window.go("settings")
    pane = controller.settings
    await stage.until(pane.calendars.strip.isVisible)


@SCREEN.scene("settings-looks")
async def looks(stage: Stage) -> None:
    await _opened(stage, "looks")


@SCREEN.scene("settings-network")
async def network(stage: Stage) -> None:
    """Like the system: nothing is to be typed."""
    pane = await _opened(stage, "network")
    await stage.until(lambda: pane.network.proxy.use.value() == "system")


@SCREEN.scene("settings-network-own")
async def own_proxy(stage: Stage) -> None:
    """A proxy in force that was tried, and is not there."""
    pane = await _opened(stage, "network")
    proxy = pane.network.proxy
    proxy.use.set_value("own")
    proxy.address.setText("http://127.0.0.1:9")
    proxy.user.setText("n.okafor")
    proxy.password.setText("a pass phrase")
    proxy.exceptions.setText("intranet.okafor.studio, 10.0.0.0/8")
    proxy.go.click()
    await stage.until(lambda: not proxy.password.text())
    in_force = proxy.strip.text()
    proxy.try_button.click()
    await stage.until(lambda: proxy.strip.text() != in_force and "…" not in proxy.strip.text())


@SCREEN.scene("settings-network-wrong")
async def wrong_proxy(stage: Stage) -> None:
    """The port is missing."""
    pane = await _opened(stage, "network")
    proxy = pane.network.proxy
    proxy.use.set_value("own")
    proxy.address.setText("http://proxy.okafor.studio")
    proxy.go.click()
    await stage.until(lambda: any(field.error() for field in proxy.fields.values()))


@SCREEN.scene("settings-notifications")
async def notifications(stage: Stage) -> None:
    pane = await _opened(stage, "notifications")
    pane.notifications.show_trial(shown=True)


@SCREEN.scene("settings-notifications-off")
async def notifications_off(stage: Stage) -> None:
    """None at all, on a system that would show none either."""
    pane = await _opened(stage, "notifications")
    pane.notifications.kinds[NoticeKind.UPLOADED].setChecked(False)
    pane.notifications.all.setChecked(False)
    pane.notifications.show_trial(shown=False)


@SCREEN.scene("settings-background")
async def background(stage: Stage) -> None:
    """On a desktop without a tray."""
    await _opened(stage, "background")


@SCREEN.scene("settings-data")
async def data(stage: Stage) -> None:
    pane = await _opened(stage, "data")
    row = pane.data.folder
    await stage.until(lambda: "\n" in row.text.text())
    row.say(row.text.text().replace(str(stage.folder), _HOME))  # not the folder of the picture


@SCREEN.scene("settings-backup-failed")
async def backup_failed(stage: Stage) -> None:
    """A folder that is not there any more, such as that of a stick that was pulled out."""
    pane = await _opened(stage, "data")
    pane.data.back_up(stage.folder / "stick" / "Kalends-backup.zip")
    await stage.until(pane.data.strip.isVisible)


@SCREEN.scene("settings-restore")
async def restoring(stage: Stage) -> None:
    """A backup that was tested; asked before it takes the place of what is there."""
    await _homes(stage)
    pane = await _opened(stage, "data")
    file = stage.folder / "Kalends-backup-2026-11-21.zip"
    await asyncio.to_thread(back_up, Homes(stage.folder), file, lambda _done, _all: None, Event())
    pane.data.test(file)
    await stage.until(lambda: pane.window().findChildren(ConfirmSheet))


@SCREEN.scene("settings-restore-refused")
async def refused(stage: Stage) -> None:
    """A file that isn't a backup."""
    pane = await _opened(stage, "data")
    file = stage.folder / "photos.zip"
    file.write_bytes(b"no zip at all")
    pane.data.test(file)
    await stage.until(pane.data.strip.isVisible)


@SCREEN.scene("settings-logs")
async def logs(stage: Stage) -> None:
    await asyncio.to_thread(_write_log, stage.folder / "logs" / "kalends.log")
    pane = await _opened(stage, "logs")
    await stage.until(pane.logs.lines.toPlainText)


@SCREEN.scene("settings-logs-failed")
async def logs_failed(stage: Stage) -> None:
    """Something else stands where the log should be."""
    (stage.folder / "logs" / "kalends.log").mkdir(parents=True)
    pane = await _opened(stage, "logs")
    await stage.until(pane.logs.strip.isVisible)


@SCREEN.scene("settings-about")
async def about(stage: Stage) -> None:
    pane = await _opened(stage, "about")
    await stage.until(pane.about.version.text)


@SCREEN.scene("settings-notices")
async def notices(stage: Stage) -> None:
    pane = await _opened(stage, "about")
    await stage.until(pane.about.version.text)
    pane.about.notices_button.click()
    await stage.until(lambda: pane.window().findChildren(NoticesSheet))


async def _opened(stage: Stage, section: str) -> SettingsPane:
    controller = await stage.controller(full_studio())
    controller.window.go("settings")
    controller.settings.show_section(section)
    return controller.settings


async def _move_screen(stage: Stage) -> MoveScreen:
    window = await stage.bare_window()
    screen = MoveScreen(
        tr("Moving {name} to {host}", name="Okafor Studio", host="plan.example.com"),
        tr("The move to {host} stopped", host="plan.example.com"),
    )
    window.cover(screen)
    return screen


async def _homes(stage: Stage) -> None:
    homes = Homes(stage.folder)
    for home in (
        Home(kind=HomeKind.REMOTE, name="Agency", base_url="https://plan.okafor.studio"),
        Home(kind=HomeKind.REMOTE, name="Weekend market", base_url="https://planning.weekend-market.example"),
        Home(kind=HomeKind.EMBEDDED, name="Practice calendar", practice=True),
    ):
        await asyncio.to_thread(homes.keep, home)


def _write_log(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("".join(json.dumps(line) + "\n" for line in _LINES * 14), "utf-8")


@SCREEN.scene("guide")
async def guide(stage: Stage) -> None:
    """The user guide over the window."""
    controller = await stage.controller(full_studio())
    controller.finder.show_guide()


@SCREEN.scene("guide-page")
async def guide_page(stage: Stage) -> None:
    controller = await stage.controller(full_studio())
    sheet = GuideSheet(controller.window)
    sheet.show_guide("platforms.md")


@SCREEN.scene("settings-updates")
async def updates(stage: Stage) -> None:
    """An update waits, and there is a version to go back to."""
    pane = await _opened(stage, "about")
    window = pane.window()
    assert isinstance(window, MainWindow)
    folder = window.data / "updates"
    await asyncio.to_thread(folder.mkdir)
    kept = {"sha256": "0" * 64, "name": "installer"}
    state = {"ready": kept | {"version": "1.3.0"}, "previous": kept | {"version": "1.1.0"}}
    await asyncio.to_thread((folder / "updates.json").write_text, json.dumps(state), "utf-8")
    channel = Channel("https://127.0.0.1:9/feed", (b"",), Version(1, 2, 0), "windows-x64", Kind.NSIS)
    found = Updates(window, channel, Way())
    pane.about.show_updates(found)
    found.turn(on=True)
    await stage.until(lambda: found.report is not None and found.report.standing is Standing.REFUSED)
