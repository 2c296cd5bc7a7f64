"""The composition root: everything from the first window to the final cleanup, in this order.

1. The window appears, then the calendar in its last state, before anything slow is imported.
2. The home that was open last is opened, or the welcome screen asks where to create the calendar.
3. The panes are built for that home's workspace; from then on they communicate with the workspace.
4. On quit, the panes are closed first, then the workspace, then the service on this computer.
"""

import asyncio
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QWidget

from app.desktop import aio
from app.desktop.ahead import Ahead, lock_of
from app.desktop.aio import TaskScope, report_to
from app.desktop.errands import Errands
from app.desktop.first_state import FirstState
from app.desktop.folder_lock import FolderLock
from app.desktop.followers import Followers
from app.desktop.reopening import until_answered
from app.desktop.shell.window import MainWindow
from app.desktop.speech import settings_in
from app.desktop.widgets import Menu
from app.language import tr
from app.workspace.messages import Message, Problem

if TYPE_CHECKING:
    from app.desktop.moving.mover import Mover
    from app.desktop.settings import SettingsPane
    from app.desktop.shell.main_controller import MainController
    from app.desktop.shell.undoable import Undoable
    from app.desktop.welcome import WelcomeScreen
    from app.workspace.homes import Home
    from app.workspace.homes.certificates import PresentedCertificate
    from app.workspace.homes.moving.note import MoveNote
    from app.workspace.homes.visit import Visit, Visits

_LISTING = "homes.json"
"""The list of calendars. Its module isn't imported before the window is shown."""
PRACTICE_PLATFORMS = ("linkedin", "x")


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A service given on the command line."""

    url: str
    key_file: Path


class Application:
    """A running app: a window, and the home that is open in it."""

    def __init__(
        self,
        data: Path,
        zone: ZoneInfo,
        elsewhere: Elsewhere | None = None,
        ahead: Ahead | None = None,
    ) -> None:
        """``ahead`` is what was started before the window."""
        self._data = data
        self._elsewhere = elsewhere
        self._ahead = ahead
        self.window = MainWindow(settings_in(data), zone)
        self.folder = FolderLock(data, ahead.lock if ahead is not None else lock_of(data), self.window)
        self.first = FirstState(self.window, ahead.home if ahead is not None else None)
        self.errands = Errands(data, self.window, lambda: self.controller)
        self._scope = TaskScope(self.window, report_to(self.window.messages.tell), self._report_defect)
        self._followers = Followers(self.window, self._scope)
        self._welcome: WelcomeScreen | None = None
        self._beginning: asyncio.Task[Any] | None = None
        self._untrusted: tuple[str, str, PresentedCertificate] | None = None
        self.window.home_menu_requested.connect(lambda: self._scope.start(self._offer_homes()))
        self._opener: Visits | None = None
        self.visit: Visit | None = None
        self.controller: MainController | None = None
        self._moving: Mover | None = None
        self._turn = asyncio.Lock()
        """Held while another calendar is opened, because two that are open would share files."""
        self._chosen: Home | None = None
        """The calendar to switch to; None for the welcome screen."""
        self._before: Home | None = None
        """The calendar that was closed for the one that is being opened."""
        self._leaving: asyncio.Task[None] | None = None

    @property
    def calendar_painted(self) -> asyncio.Event:
        """Set when the calendar is first painted."""
        return self.first.painted

    def take_folder(self) -> bool:
        """Make this the only app on its data folder; return False if another one has it. Raises OSError."""
        return self.folder.take()

    async def run(self, stop: asyncio.Event, *, hidden: bool = False, things: Sequence[str] = ()) -> int:
        """Show the window and run until ``stop``; return the exit code.

        ``hidden``: only in the tray. ``things``: links, and files by full path, to open.
        """
        is_ours = await self.folder.take_patiently(stop)
        if is_ours is None:
            return 1
        if not is_ours:
            from app.desktop.single_instance import activate

            if activate(self._data, things):
                return 0
            text = tr("Kalends is already open with the folder {folder}.", folder=self._data)
            sys.stderr.write(f"{text}\n")
            return 1
        if not hidden:
            if self._elsewhere is None and not (self._data / _LISTING).exists():
                self.window.cover(QWidget())  # until the welcome screen: there are no panes to show yet
            self.window.show()
            await aio.painted(self.window)
        from app.desktop.logs import log_to
        from app.desktop.motion.system import follow_system

        with log_to(self._data / "logs"):
            self._followers.allow_tray(stop.set)
            self.errands.take(things)
            self._scope.start(self._begin_hidden() if hidden else self.begin())
            if not hidden:
                # Listening needs QtNetwork, whose import takes a fifth of the time for showing the calendar.
                await self.first.tried.wait()
            QTimer.singleShot(0, follow_system)  # an error there disables animations, not the app
            instance = self.errands.listen_for_starts(stop.set)
            await stop.wait()
            instance.close()
            await self.close()
        return 0

    async def begin(self) -> None:
        """Open the service of the command line, the home that was open last, or the welcome screen."""
        async with self._turn:
            await self._begin()

    async def _begin(self, *, restores: bool = False) -> None:
        try:
            await self.first.show()
            await self._open_last(restores=restores)
        finally:
            if self._ahead is not None and self._ahead.service is not None:
                await asyncio.to_thread(self._ahead.service.stop)  # unless it's used by now

    async def _open_last(self, *, restores: bool) -> None:
        """Open the home that was open last; ``restores``: of the staged backup, which is installed first."""
        visits = await self._visits()
        try:
            aside = await asyncio.to_thread(_restored, self._data, installs=restores)
            home = await asyncio.to_thread(visits.homes.current)
        except Problem as problem:
            self._show_problem(problem)
            return
        if (named := self._elsewhere) is not None:
            await self._open_named(named)
        elif home is None:
            self.show_welcome().offer_backup()
        elif not await self._is_moving(home):
            rows = self.first.rows_of(home)
            await self._open(lambda: visits.open(home, self._progress, rows))
        if aside is not None:
            from app.desktop.settings.data import restored_message

            self.window.messages.tell(restored_message(aside))

    async def _open_named(self, named: Elsewhere) -> None:
        from app.workspace.homes.credentials import read_key_file
        from app.workspace.homes.visit import UntrustedCertificateError

        visits = await self._visits()
        try:
            await self._open(lambda: visits.named(named.url, named.key_file, self._progress))
        except UntrustedCertificateError as error:
            key = await asyncio.to_thread(read_key_file, named.key_file)
            self._ask_trust(named.url, key, error.certificate, changed=error.changed)

    async def _begin_hidden(self) -> None:
        """Start in the tray; without one, or with a question for the user, show the window minimised."""
        from app.desktop.background.tray import wait_for_watcher

        await wait_for_watcher()
        await self.begin()
        if not await self._followers.is_in_tray() and not self.window.isVisible():
            self.window.showMinimized()

    async def begin_here(self, *, practice: bool) -> None:
        """Create a calendar on this computer and open it."""
        visits = await self._visits()
        async with self._turn:
            await self._open(lambda: visits.begin_here(practice=practice, progress=self._progress))

    async def begin_service(
        self, address: str, key: str, trusted: "PresentedCertificate | None" = None
    ) -> None:
        """Test a service and open it; ask the user if its certificate is unknown."""
        from app.workspace.homes.visit import UntrustedCertificateError

        visits = await self._visits()
        try:
            async with self._turn:
                await self._open(
                    lambda: visits.begin_service(address, key, trusted=trusted, progress=self._progress)
                )
        except UntrustedCertificateError as error:
            self._ask_trust(address, key, error.certificate, changed=error.changed)

    def show_welcome(self) -> "WelcomeScreen":
        """Show the welcome screen, which asks where to create the calendar."""
        from app.desktop.welcome import WelcomeScreen

        self._welcome = welcome = WelcomeScreen()
        welcome.start_here.connect(lambda practice: self._try(self._begin_here(practice=practice)))
        welcome.start_service.connect(lambda url, key: self._try(self.begin_service(url, key)))
        welcome.trust_accepted.connect(self._trust_and_try)
        welcome.cancelled.connect(self._give_up)
        welcome.proxy_wanted.connect(lambda: self._scope.start(self._ask_for_proxy(welcome)))
        welcome.restore_wanted.connect(partial(self._ask_for_backup, welcome))
        self.window.cover(welcome)
        return welcome

    async def _ask_for_proxy(self, welcome: "WelcomeScreen") -> None:
        visits = await self._visits()
        from app.desktop.settings.network import NetworkSheet

        NetworkSheet(welcome, visits.network).ask()

    def _ask_for_backup(self, welcome: "WelcomeScreen") -> None:
        from app.desktop.settings.data import ask_for_backup

        ask_for_backup(welcome, lambda file: self._try(self.begin_with_backup(file)))

    async def begin_with_backup(self, file: Path) -> None:
        """Check a backup, and open the home that was open in it. Only where there's no calendar yet."""
        from app.workspace.settings import restore

        homes = (await self._visits()).homes
        async with self._turn:
            self._progress(tr("Checking the backup"))
            stop = threading.Event()
            try:
                await asyncio.to_thread(restore.stage, homes, file, lambda _done, _total: None, stop)
            except Problem as problem:
                self._show_problem(problem)
                return
            finally:
                stop.set()
            self._beginning = self._welcome = None  # from now on, it can't be cancelled
            self.window.uncover()
            await self._install_backup()

    async def leave(self, *, is_rebuilt: bool = False) -> None:
        """Close the open calendar, in an order that loses no data. Cancelling this doesn't stop it.

        ``is_rebuilt``: it's opened again, so its messages stay.
        """
        controller, self.controller = self.controller, None
        self.first.leave()
        visit, self.visit = self.visit, None
        self._followers.leave()
        if controller is not None:
            controller.close(is_rebuilt=is_rebuilt)
            self.errands.ask_again(controller.unanswered)
        if visit is not None:
            self._leaving = asyncio.create_task(visit.leave())
        if self._leaving is not None and not self._leaving.done():
            await asyncio.shield(self._leaving)

    async def close(self) -> None:
        """Release everything; a waiting update is installed last."""
        install = self._followers.end(self.visit.workspace if self.visit else None)
        self.window.close()
        self._scope.close()
        if self._moving is not None:
            self._moving.close()
        await self.leave()
        await self._followers.close()
        self.folder.release()
        if install is not None:
            await asyncio.to_thread(install)

    async def _begin_here(self, *, practice: bool) -> None:
        await self.begin_here(practice=practice)
        if practice and self.controller is not None:
            self.controller.connect_in_turn(PRACTICE_PLATFORMS)

    def _try(self, beginning: Coroutine[Any, Any, None]) -> None:
        self._give_up()
        self._beginning = self._scope.start(beginning)

    def _give_up(self) -> None:
        """Cancel opening a calendar."""
        if self._beginning is not None:
            self._beginning.cancel()
            self._beginning = None

    def _trust_and_try(self) -> None:
        if self._untrusted is not None:
            address, key, certificate = self._untrusted
            self._try(self.begin_service(address, key, certificate))

    async def _offer_homes(self) -> None:
        """Show a menu of all calendars, with an entry for another one."""
        visits = await self._visits()
        homes = await asyncio.to_thread(visits.homes.all)
        menu = Menu(self.window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        opened = self.visit.home.id if self.visit else None
        for home in homes:
            icon = "check" if home.id == opened else "laptop" if home.is_embedded else "server"
            menu.add(home.name, partial(self._switch_to, home), icon=icon, enabled=home.id != opened)
        menu.addSeparator()
        menu.add(tr("Another calendar"), self._go_to_welcome, icon="plus")
        header = self.window.rail.header
        menu.popup(header.mapToGlobal(header.rect().bottomLeft()))

    def _switch_to(self, home: "Home") -> None:
        def go() -> None:
            self._chosen = home
            self._scope.start(self._switch(home))

        self._when_saved(go, for_another=True)

    def _when_saved(
        self, go: Callable[[], object], *, is_removed: bool = False, for_another: bool = False
    ) -> None:
        """Call ``go``, which closes the calendar; ask first if something would be left behind.

        ``is_removed``: the calendar is removed, and the question about that has named its unsent changes.
        ``for_another``: another calendar is opened instead, so this one's service may stop for long.
        """
        from app.desktop.background.unsent import unless_left_behind, unless_unpublished

        runs_here = self.visit is not None and self.visit.home.is_embedded
        if for_another and runs_here:
            go = partial(unless_unpublished, self.window, self.controller, go)
        unless_left_behind(self.window, self.controller, go, runs_here=is_removed or runs_here)

    async def _switch(self, home: "Home") -> None:
        async with self._turn:
            if self._chosen is home:  # otherwise, another one was chosen in the meantime
                await self._reopen(home)

    async def _reopen(self, home: "Home", *, is_rebuilt: bool = False) -> None:
        if self.visit is not None:
            self._before = self.visit.home if self.visit.home.id != home.id else None
        await self.leave(is_rebuilt=is_rebuilt)
        visits = await self._visits()
        if not await self._is_moving(home):
            await self._open(lambda: visits.open(home, self._progress), home)

    async def _mover(self) -> "Mover":
        if self._moving is None:
            from app.desktop.moving.mover import Mover

            self._moving = Mover(self.window, await self._visits(), self._switch_to)
        return self._moving

    async def _is_moving(self, home: "Home") -> bool:
        """Whether a home is on its way; the move then continues, and opens it in the end."""
        visits = await self._visits()
        if not await asyncio.to_thread(visits.is_moving, home):
            return False
        self.first.leave()
        return await (await self._mover()).continues(home)

    async def _move(self, home: "Home", note: "MoveNote", key: str) -> None:
        """Close the open calendar and move it."""
        async with self._turn:
            await self.leave()
            (await self._mover()).move(home, note, key)

    def _go_to_welcome(self) -> None:
        def go() -> None:
            self._chosen = None
            self._scope.start(self._leave_for_welcome())

        self._when_saved(go, for_another=True)

    async def _leave_for_welcome(self) -> None:
        async with self._turn:
            if self._chosen is not None:
                return
            self._before = self.visit.home if self.visit else None
            await self.leave()
            self._show_welcome_with_way_back()

    def _show_welcome_with_way_back(self) -> None:
        welcome = self.show_welcome()
        if self._before is not None:
            welcome.offer_back(self._before.name)
            welcome.back_wanted.connect(partial(self._switch_to, self._before))

    async def _visits(self) -> "Visits":
        await asyncio.to_thread(_import_the_rest)
        from app.workspace.homes import Homes
        from app.workspace.homes.credentials import Credentials
        from app.workspace.homes.visit import Visits

        service = self._ahead.service if self._ahead is not None else None
        self._opener = self._opener or Visits(Homes(self._data), Credentials(self._data), service)
        return self._opener

    async def _open(self, visit: Callable[[], "Awaitable[Visit]"], home: "Home | None" = None) -> None:
        """Open a calendar, or show why it can't be opened. ``home``: the one the user chose."""
        from app.workspace.homes.visit import UntrustedCertificateError

        if self.visit is not None:
            await self.leave()
        try:
            opened = self.visit = await visit()
        except UntrustedCertificateError:
            raise
        except Problem as problem:
            self._show_problem(problem, home)
        else:
            self._before = None
            self._furnish(opened)
            self._welcome = None
            if opened.embedded is not None:
                use = partial(self._use_service, opened, None, is_where_it_was=False)
                opened.embedded.on_moved = lambda: self._scope.start(use())
            if opened.starting is not None:
                self.window.status.set_progress(tr("Starting the service"))
                self._scope.start(self._await_service(opened, opened.starting))

    async def _await_service(self, visit: "Visit", starting: "Awaitable[bool]") -> None:
        """Connect a calendar that shows its last state, once its service is running."""
        problem = None
        try:
            # Quitting cancels this; the start must continue until it notices, or its programs would be left.
            is_where_it_was = await asyncio.shield(starting)
        except Problem as error:
            problem, is_where_it_was = error, False
        await self._use_service(visit, problem, is_where_it_was=is_where_it_was)

    async def _use_service(self, visit: "Visit", problem: Problem | None, *, is_where_it_was: bool) -> None:
        """Use a service that is running now, maybe at another address, or show why it isn't."""
        if not is_where_it_was and self._is_open(visit) and self.controller is not None:
            await until_answered(self.controller)
        async with self._turn:
            if self._is_open(visit):
                self.window.status.set_progress("")
                if problem is not None:
                    await self.leave()
                    self._show_problem(problem)
                elif is_where_it_was:
                    visit.workspace.look_again()
                elif visit.embedded is not None:  # `visit.home` has the old address
                    await self._reopen(visit.embedded.home, is_rebuilt=True)

    def _is_open(self, visit: "Visit") -> bool:
        """Whether a visit's calendar is still open; renaming it replaces the visit."""
        return self.visit is not None and self.visit.workspace is visit.workspace

    def _furnish(self, visit: "Visit", undoable: "Undoable | None" = None) -> None:
        from app.desktop.shell.main_controller import MainController

        self.controller = MainController(
            self.window,
            visit.workspace,
            visit.home,
            self.window.zone,
            self._opener,
            self._connect_settings,
            self.first.hand_over(visit.home),
            undoable,
        )
        if not self.calendar_painted.is_set():
            self._scope.start(self.first.note_painted(self.controller.calendar))
        self._followers.follow(self.controller, runs_here=visit.home.is_embedded)
        self._scope.start(self._followers.follow_updates(self.calendar_painted, self._visits))
        self.errands.run(self.controller)

    def _connect_settings(self, settings: "SettingsPane") -> None:
        self._followers.connect(settings)
        settings.refurnish_wanted.connect(self._furnish_again)
        settings.data.restore_wanted.connect(
            lambda: self._when_saved(lambda: self._scope.start(self._restore()))
        )
        settings.calendars.opened.connect(self._switch_to)
        settings.calendars.renamed.connect(self._rename)
        settings.calendars.another_wanted.connect(self._go_to_welcome)
        settings.calendars.move_wanted.connect(
            lambda home, note, key: self._when_saved(lambda: self._scope.start(self._move(home, note, key)))
        )
        settings.calendars.removed.connect(
            lambda home: self._when_saved(lambda: self._scope.start(self._remove(home)), is_removed=True)
        )

    def _rename(self, home: "Home") -> None:
        if self.visit is not None:
            self.visit = replace(self.visit, home=home)

    async def _restore(self) -> None:
        """Close the calendar, install the staged backup, and open the home that was open in it."""
        async with self._turn:
            await self._install_backup()

    async def _install_backup(self) -> None:
        await self.leave()
        await self._begin(restores=True)

    def _furnish_again(self) -> None:
        """Rebuild all panes of the open calendar, and return to the settings."""
        if self.visit is not None and self.controller is not None:
            before, place = self.controller, self.controller.settings.place()
            before.close(is_rebuilt=True)
            self.errands.ask_again(before.unanswered)
            self._furnish(self.visit, before.undoable)
            self.window.go("settings")
            self.controller.settings.return_to(*place)

    async def _remove(self, home: "Home") -> None:
        """Close the open calendar, remove it, and open another one or show the welcome screen."""
        from app.desktop.settings.calendars import removed_message

        visits = await self._visits()
        async with self._turn:
            await self.leave()
            try:
                removed = await visits.forget(home)
            except Problem:
                if not await self._is_moving(home):
                    await self._open(lambda: visits.open(home, self._progress))
                raise
            others = await asyncio.to_thread(visits.homes.all)
            if not others:
                self.show_welcome()
            elif not await self._is_moving(others[-1]):
                await self._open(lambda: visits.open(others[-1], self._progress))
        self.window.messages.tell(removed_message(removed))

    def _ask_trust(
        self, address: str, key: str, certificate: "PresentedCertificate", *, changed: bool
    ) -> None:
        self._untrusted = address, key, certificate
        welcome = self._welcome or self.show_welcome()
        welcome.ask_trust(address, certificate.fingerprint, changed=changed)

    def _progress(self, text: str) -> None:
        if self._welcome is not None:
            self._welcome.show_progress(text)
        else:
            self.window.status.set_progress(text)

    def _show_problem(self, problem: Problem, home: "Home | None" = None) -> None:
        """Show why a calendar can't be opened; "Try again" opens ``home``, or the one that was open last."""
        self.first.leave()
        if self._welcome is not None:
            self._welcome.show_problem(problem)
            return
        has_other = problem.kind != "restoring"  # another calendar would be set aside with what was here
        before = self._before if self._before != home and has_other else None
        failed = self.window.cover_failure(
            problem.text, problem.details, has_other=has_other, before=before.name if before else ""
        )
        failed.retry.connect(partial(self._again, home))
        failed.elsewhere.connect(self._show_welcome_with_way_back)
        if before is not None:
            failed.back_wanted.connect(partial(self._switch_to, before))

    def _again(self, home: "Home | None") -> None:
        self.window.uncover()
        if home is not None:
            self._switch_to(home)
        else:
            self._scope.start(self.begin())

    def _report_defect(self, error: Exception) -> None:
        self.window.messages.tell(
            Message("error", tr("Something went wrong in Kalends. Your posts are safe."), details=repr(error))
        )


def _restored(data: Path, *, installs: bool) -> Path | None:
    from app.workspace.settings import restore

    return restore.finish(data) if installs else restore.resume(data)


def _import_the_rest() -> None:
    """Import slow modules in a thread, after the calendar is shown."""
    from app.children.lean import import_without_authorities

    import_without_authorities("aiohttp")
    import app.workspace.homes.visit  # noqa: F401
    from app.desktop import logs

    logs.configure()
