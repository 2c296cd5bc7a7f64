"""The stage of the pictures: a real window over a real workspace, made, waited for, grabbed and closed."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from PySide6.QtCore import QPoint, QRect, QRectF, QSettings, QSize, Qt
from PySide6.QtGui import QCursor, QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget

from app.desktop import aio, motion
from app.desktop.application import Application
from app.desktop.shell.main_controller import MainController
from app.desktop.shell.window import MainWindow
from app.desktop.theme import theme
from app.desktop.widgets.painting import draw_icon
from app.workspace.clock import Pace
from app.workspace.homes import Home
from app.workspace.homes.registry import HomeKind
from app.workspace.store.tables import MIGRATIONS
from app.workspace.workspace import Workspace
from tests.gallery.samples import ZONE
from tests.gallery.service import StudioService
from tests.migrated import lay

Mode = Literal["light", "dark"]
Size = tuple[int, int]
_PATIENCE_S = 120
_TITLE_BAR = 30
"""Height of the title bar of a small window, in px."""
_SETTLING_S = 0.01
_SETTLING_ROUNDS = 3
_PICTURES = re.compile("picture|thumbnail|^faces ")


@dataclass(frozen=True, slots=True)
class Look:
    """One way to show a scene."""

    mode: Mode
    size: Size

    def __str__(self) -> str:
        return f"{self.mode}-{self.size[0]}x{self.size[1]}"


class Stage:
    """What a scene plays on. ``folder`` is its own; what it opens is closed after the picture."""

    def __init__(self, folder: Path, look: Look) -> None:
        self.folder = folder
        self.look = look
        self.window: MainWindow | None = None
        self._closers: list[Callable[[], Awaitable[None]]] = []
        self.waits_for_pictures = True
        """Whether `settle` waits for pictures; false where the service answers nothing."""

    async def bare_window(self) -> MainWindow:
        """A window in which nothing is furnished yet."""
        window = MainWindow(QSettings(str(self.folder / "window.ini"), QSettings.Format.IniFormat), ZONE)
        self._show(window)

        async def close() -> None:
            window.close()
            window.deleteLater()

        self._closers.append(close)
        return window

    async def controller(
        self,
        service: StudioService,
        name: str = "Okafor Studio",
        pace: Pace | None = None,
        *,
        is_read: bool = True,
    ) -> MainController:
        """A furnished window over a service; ``is_read``: everything that the service has is in it."""
        workspace = await self._workspace(service, name, pace or Pace())
        if is_read:
            await self._read(workspace, service)
        home = Home(kind=HomeKind.EMBEDDED, name=name, practice=service.practice)
        window = await self.bare_window()
        controller = MainController(window, workspace, home, ZONE)
        controller._builder.stop()  # a scene shows one pane; building the others is most of its time

        async def close() -> None:
            controller.close()

        self._closers.append(close)
        return controller

    async def application(self) -> Application:
        """The app itself on the stage's folder, not begun yet."""
        app = Application(self.folder, ZONE)
        if not app.take_folder():
            raise RuntimeError("the folder of the stage is in use")
        self._show(app.window)

        async def close() -> None:
            await app.close()
            app.window.deleteLater()

        self._closers.append(close)
        return app

    def keep(self, close: Callable[[], Awaitable[None]]) -> None:
        """Has something closed after the picture, before what was opened earlier."""
        self._closers.append(close)

    async def until(self, condition: Callable[[], object]) -> None:
        """Waits for something to be seen; raises TimeoutError when it never is."""
        async with asyncio.timeout(_PATIENCE_S):
            while not condition():  # noqa: ASYNC110  whatever it waits for tells nobody
                await asyncio.sleep(0.005)

    async def settle(self) -> None:
        """Lets pictures arrive, and layouts, fonts, delayed repaints and motions come to rest."""
        motion.finish_all()
        quiet_rounds = 0
        async with asyncio.timeout(_PATIENCE_S):
            while quiet_rounds < _SETTLING_ROUNDS:
                await asyncio.sleep(_SETTLING_S)
                is_loading = self.waits_for_pictures and any(map(_loads_pictures, asyncio.all_tasks()))
                quiet_rounds = 0 if is_loading else quiet_rounds + 1

    def picture(self) -> QImage:
        """The window as it is, with the menus and small windows that are open over it."""
        if self.window is None:
            raise RuntimeError("the scene showed no window")
        for small in self.small_windows():
            self._move_into_picture(small)
        picture = self.window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        painter = QPainter(picture)
        for small in self.small_windows():
            _paint_frame(painter, small, self._place(small))
        for top in (*self.small_windows(), *self.menus()):
            painter.drawPixmap(self._place(top), top.grab())
        painter.end()
        return picture

    def _place(self, top: QWidget) -> QPoint:
        """Where a window is in the picture."""
        assert self.window is not None
        return self.window.mapFromGlobal(top.mapToGlobal(QPoint()))

    def _move_into_picture(self, small: QWidget) -> None:
        """Move a window down until its title bar is in the picture, as desktops do at a screen's edge."""
        hidden = _TITLE_BAR + 2 - self._place(small).y()
        if hidden > 0:
            small.move(small.pos() + QPoint(0, hidden))

    def small_windows(self) -> list[QWidget]:
        """Windows above the window, such as the card of posts to publish by hand."""
        tops = [top for top in QApplication.topLevelWidgets() if top.isVisible() and top is not self.window]
        return [top for top in tops if top.windowFlags() & Qt.WindowType.WindowStaysOnTopHint]

    def menus(self) -> list[QWidget]:
        """The menus that are open."""
        tops = QApplication.topLevelWidgets()
        return [top for top in tops if top.isVisible() and top.windowType() == Qt.WindowType.Popup]

    async def close(self) -> None:
        """Closes everything, newest first."""
        for menu in self.menus():
            menu.close()
        while self._closers:
            await self._closers.pop()()
        await asyncio.sleep(0)

    async def _workspace(self, service: StudioService, name: str, pace: Pace) -> Workspace:
        """Opens a workspace."""
        path = self.folder / "workspace.db"
        lay(path, MIGRATIONS)
        workspace = await Workspace.open(
            service.client(),
            path,
            name=name,
            practice=service.practice,
            runs_here=True,
            clock=service.clock,
            pace=pace,
        )
        self._closers.append(workspace.close)
        return workspace

    async def _read(self, workspace: Workspace, service: StudioService) -> None:
        """Accounts arrive one after the other, as when a person connects them."""
        waiting = list(service.connections)
        service.connections[:] = waiting[:1]
        await workspace.refresh()
        for connection in waiting[1:]:
            service.connections.append(connection)
            await workspace.refresh()
        await self.until(lambda: _is_explained(workspace))

    def _show(self, window: MainWindow) -> None:
        self.window = window
        window.set_appearance(self.look.mode)
        window.resize(*self.look.size)
        window.show()
        window.activateWindow()
        # Nothing is to look as if the mouse were over it.
        QCursor.setPos(window.status.mapToGlobal(window.status.rect().center()))


def _paint_frame(painter: QPainter, window: QWidget, place: QPoint) -> None:
    """Paint a title bar and a border like those that every desktop gives a window, but offscreen doesn't."""
    look = theme.current()
    around = QRect(place, window.size()).adjusted(-1, -_TITLE_BAR, 1, 1)
    painter.fillRect(around.adjusted(-1, -1, 1, 1), look.color("line_strong"))
    painter.fillRect(around, look.color("raised"))
    bar = QRect(around.topLeft(), QSize(around.width(), _TITLE_BAR))
    painter.setFont(look.font("card"))
    painter.setPen(look.color("text2"))
    painter.drawText(bar, Qt.AlignmentFlag.AlignCenter, window.windowTitle())
    edge = bar.height() // 4
    close = QRectF(bar.right() - bar.height(), bar.top(), bar.height(), bar.height())
    draw_icon(painter, close.adjusted(edge, edge, -edge, -edge), "x", "text2")


def _loads_pictures(task: "asyncio.Task[Any]") -> bool:
    """Whether a task is named after the pictures it loads, or comes from a module that is."""
    code = getattr(task.get_coro(), "cr_code", None)
    return code is not None and bool(_PICTURES.search(f"{Path(code.co_filename).stem} {code.co_name}"))


def _is_explained(workspace: Workspace) -> bool:
    return not workspace.sync.syncing and all(
        post.reason for post in workspace.posts.all() if post.status.value == "failed"
    )


@asynccontextmanager
async def open_stage(folder: Path, look: Look) -> AsyncIterator[Stage]:
    """A stage that is closed whatever happens on it."""
    stage = Stage(folder, look)
    try:
        yield stage
    finally:
        await stage.close()


def run(app: QApplication, work: Coroutine[Any, Any, None]) -> None:
    """Runs work on Qt's event loop."""
    app.setQuitOnLastWindowClosed(False)
    app.setCursorFlashTime(0)  # a cursor that blinks would be in every other picture
    with asyncio.Runner(loop_factory=lambda: aio.event_loop(app)) as runner:
        runner.run(work)
