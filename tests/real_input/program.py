"""The app's window with an in-memory service, which answers questions about itself.

Run as ``python -m tests.real_input.program FOLDER [media] [by-hand]``. With ``media``, the service has files,
and accounts that accept Pins and images; with ``by-hand``, users may publish single posts by hand. Each line
on stdin is a JSON list with a question and its arguments; the answer is one line of JSON. Days count from a
Wednesday whose whole week is in the future.
"""

import asyncio
import json
import sys
from collections.abc import Collection
from pathlib import Path
from uuid import UUID
from zoneinfo import ZoneInfo

from PySide6.QtCore import QPoint, QSettings
from PySide6.QtWidgets import QApplication

from app.contract.enums import PostStatus
from app.desktop import aio
from app.desktop.calendar.day_sheet import DaySheet
from app.desktop.calendar.days import LocalDays, Span
from app.desktop.calendar.geometry import HOUR_HEIGHT
from app.desktop.composer import ComposerPanel
from app.desktop.drafts import SpreadSheet
from app.desktop.shell.main_controller import MainController
from app.desktop.shell.window import MainWindow
from app.workspace.clock import wall_clock
from app.workspace.editing.draft import ComposerDraft
from app.workspace.homes import Home
from app.workspace.homes.registry import HomeKind
from app.workspace.slots.slots import Slot
from app.workspace.time.wall import monday_of
from app.workspace.workspace import Workspace
from tests.real_input.questions import Questioned, answer_questions
from tests.workspace.media.samples import SlowLine
from tests.workspace.model_by_hand import OFFER
from tests.workspace.model_service import ModelService

ZONE = ZoneInfo("Europe/Lisbon")
DAYS = LocalDays(ZONE)
FIRST = monday_of(DAYS.today()) + 9
POSTS = (("Swatch day", 0, 12 * 60 + 15), ("Fitting notes", 0, 9 * 60), ("A year of one pattern", 1, 15 * 60))


class Answers(Questioned):
    """Questions about the window."""

    def __init__(self, controller: MainController, line: SlowLine) -> None:
        self._controller = controller
        self._line = line
        self._pane = controller.calendar
        self._view = controller.calendar.grid.view

    def span(self, name: str) -> None:
        """Show the first days, without toasts that would cover them."""
        messages = self._controller.window.messages
        for message in tuple(messages._shown):
            messages._remove(message)
        self._pane.show_span(Span(name), FIRST)

    def card(self, text: str) -> list[int]:
        """Return where to grab a post's card on the screen."""
        key = next(post.key for post in self._controller.workspace.posts.all() if post.headline == text)
        index = self._view.model().index(self._pane.model.row_of(key), 0)
        rect = self._view.visualRect(index)
        assert not rect.isEmpty()
        return self._on_screen(rect.topLeft() + QPoint(28, 10))

    def day(self, number: int) -> list[int]:
        """Return the centre of a day."""
        return self._on_screen(self._view.on_viewport(self._view.page.geometry.cell(FIRST + number)).center())

    def hour(self, number: int, minute: int) -> list[int]:
        """Return the position of a time in the week."""
        cell = self._view.on_viewport(self._view.page.geometry.cell(FIRST + number))
        return self._on_screen(QPoint(cell.center().x(), cell.top() + minute * HOUR_HEIGHT // 60))

    def post(self, text: str) -> list[int]:
        """Return the day and minute of a post."""
        return self._place(
            next(post.at for post in self._controller.workspace.posts.all() if post.headline == text)
        )

    def posts(self) -> list[list[object]]:
        """Return every post with text, day and minute, in chronological order."""
        return [[post.headline, *self._place(post.at)] for post in self._controller.workspace.posts.all()]

    def scheduled(self) -> list[str]:
        """Return the texts of scheduled posts, in order."""
        posts = self._controller.workspace.posts.all()
        return [post.headline for post in posts if post.status is PostStatus.SCHEDULED]

    def by_hand(self) -> list[str]:
        """Return the texts of scheduled posts that the user publishes by hand."""
        posts = self._controller.workspace.posts.all()
        return [one.headline for one in posts if one.is_by_hand and one.status is PostStatus.SCHEDULED]

    def composer(self) -> list[object] | None:
        """Return the composer's file and its status, day and minute; None while it's closed."""
        panel = self._controller.window.side
        if not isinstance(panel, ComposerPanel) or panel.text_box.editor.isReadOnly():
            return None
        at = panel.when.at()
        place = self._place(at) if at is not None else None
        return [panel.file.name.text(), panel.file.accessibleName(), place]

    def text(self) -> str:
        """Return the composer's text."""
        panel = self._controller.window.side
        return panel.text_box.text() if isinstance(panel, ComposerPanel) else ""

    def draft(self, text: str) -> list[int]:
        """Save a draft, show the drafts, and return where to grab it."""
        self._controller.workspace.drafts.keep(ComposerDraft(text))
        self._controller.window.go("drafts")
        rows = self._controller.drafts.list
        place = rows.visualItemRect(rows.item(0)).topLeft() + QPoint(80, 20)
        there = rows.viewport().mapToGlobal(place)
        return [there.x(), there.y()]

    def upload(self, path: str) -> None:
        """Upload a file and show the stored files."""
        self._uploading = asyncio.ensure_future(self._controller.workspace.media.add_files([Path(path)]))
        self._controller.window.go("media")

    def tile(self) -> list[int] | None:
        """Return where to grab the first stored file; None while none is visible."""
        grid = self._controller.media.grid
        place = grid.visualRect(grid.files.index(0))
        there = grid.viewport().mapToGlobal(place.center())
        return [there.x(), there.y()] if grid.isVisible() and not place.isEmpty() else None

    def drafts(self) -> list[str]:
        return [draft.content.text for draft in self._controller.workspace.drafts.all()]

    def way(self, name: str) -> list[int]:
        """Return the position of a pane's button in the sidebar."""
        item = self._controller.window.rail._items[name]
        there = item.mapToGlobal(item.rect().center())
        return [there.x(), there.y()]

    def is_active(self) -> bool:
        """Whether the window has the keyboard."""
        return self._controller.window.isActiveWindow() and QApplication.focusWidget() is not None

    def shows_calendar(self) -> bool:
        return self._pane.isVisible()

    def listed(self, number: int, text: str) -> list[int]:
        """Open the list of all posts of a day, and return where to grab one in it."""
        self._pane._show_day(FIRST + number)
        sheet = self._pane.findChildren(DaySheet)[-1]
        row = next(row for row in range(sheet.list.count()) if sheet.list.item(row).text() == text)
        place = sheet.list.visualItemRect(sheet.list.item(row)).topLeft() + QPoint(80, 12)
        there = sheet.list.viewport().mapToGlobal(place)
        return [there.x(), there.y()]

    def sheet(self) -> list[list[object]] | None:
        """Return names, days and minutes of the files that will become drafts."""
        sheets = [sheet for sheet in self._controller.window.findChildren(SpreadSheet) if sheet.isVisible()]
        if not sheets:
            return None
        return [[one.file.name, *self._place(one.place.at)] for one in sheets[0].good if one.place]

    def hold(self) -> None:
        """Stall uploads after their first bytes."""
        self._line.go.clear()

    def release(self) -> None:
        """Continue uploads."""
        self._line.go.set()

    def refuse_upload(self) -> None:
        """Refuse the next upload."""
        self._line.service.faults.append(("PUT", "refuse"))

    def described(self) -> str:
        """Return the last alt text that the service received; empty for none."""
        changes = [request for request in self._line.service.requests if request.method == "PATCH"]
        return str(json.loads(changes[-1].content)["alt_text"]) if changes else ""

    def lose(self, name: str) -> None:
        """Delete a file on the service."""
        files = self._line.service.files
        del files[next(path for path in files if path.endswith(name))]

    def need(self, name: str) -> None:
        """Schedule a post with a file on the service."""
        service = self._line.service
        post = service.posts[
            UUID(service.add_post(service.connections[0]["id"], DAYS.instant(FIRST + 30, 540)))
        ]
        post["media_storage_path"] = next(path for path in service.files if path.endswith(name))

    def nudge(self, text: str) -> None:
        """Move a post by a minute."""
        post = next(post for post in self._controller.workspace.posts.all() if post.headline == text)
        self._controller.workspace.move({post.key: post.at + 60_000})

    def post_daily(self, minute: int) -> None:
        """Add a daily posting time to the first account."""
        workspace = self._controller.workspace
        key = next(iter(workspace.accounts))
        slots = [Slot(key, day, minute) for day in range(7)]
        self._setting = asyncio.ensure_future(workspace.slots.set(key, slots))

    def waiting(self) -> int:
        """Return the number of unsent changes."""
        return self._controller.workspace.sync.waiting

    def held(self) -> list[int] | None:
        """Return where something is dragged over the calendar, according to the window."""
        if self._view.drag is not None:
            return self._on_screen(self._view.drag.pointer)
        return self._on_screen(self._pane.drops._point) if self._view.marks.aim is not None else None

    def _place(self, at: int) -> list[int]:
        day, minute = DAYS.place(at)
        return [day - FIRST, minute]

    def _on_screen(self, point: QPoint) -> list[int]:
        there = self._view.viewport().mapToGlobal(point)
        return [there.x(), there.y()]


def _service(options: Collection[str]) -> ModelService:
    with_media = "media" in options
    service = ModelService(wall_clock)
    for platform in ("x", "linkedin", *(("instagram", "pinterest") if with_media else ())):
        service.add_account(platform)
    if with_media:
        service.offers, service.tells_usage = ("media",), True
        for name in ("Winter", "Spring"):
            service.add_board(service.connections[-1]["id"], name)
    if "by-hand" in options:
        service.offers, service.practice = (*service.offers, OFFER, "finishing"), False
    account = service.connections[0]["id"]
    for text, day, minute in POSTS:
        service.add_post(account, DAYS.instant(FIRST + day, minute), text)
    return service


async def live(folder: Path, stop: asyncio.Event, options: Collection[str]) -> int:
    line = SlowLine(_service(options))
    line.go.set()
    workspace = await Workspace.open(line.client(), folder / "workspace.db", name="Studio")
    await workspace.refresh()
    window = MainWindow(QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat), ZONE)
    window.set_appearance("light")
    window.setGeometry(0, 0, 1280, 800)
    window.show()
    controller = MainController(window, workspace, Home(kind=HomeKind.EMBEDDED, name="Studio"), ZONE)
    controller.calendar.show_span(Span.MONTH, FIRST)
    say = answer_questions(Answers(controller, line), stop)
    say("ready")
    await stop.wait()
    controller.close()
    await workspace.close()
    window.close()
    return 0


if __name__ == "__main__":
    application = aio.AsyncApplication(["kalends"])
    folder = Path(sys.argv[1])
    sys.exit(aio.run(application, lambda stop: live(folder, stop, sys.argv[2:])))
