"""Updates of the app, as the window needs them: the setting, the progress, and installing on quit."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from app.contract.enums import PostStatus
from app.desktop.aio import TaskScope
from app.desktop.shell.window import MainWindow
from app.language import tr
from app.updates.build import Channel, Kind
from app.workspace.clock import wall_clock
from app.workspace.messages import Message

if TYPE_CHECKING:
    import asyncio
    from ssl import SSLContext

    from app.updates.updater import Report, Updater, Way
    from app.workspace.workspace import Workspace

_log = structlog.get_logger(__name__)

_FOLDER: Final = "updates"
_WAITING: Final = frozenset({PostStatus.SCHEDULED, PostStatus.QUEUED, PostStatus.PROCESSING})


class Updates(QObject):
    """The updates of a running app whose build has a channel; idle until the user turns them on."""

    changed = Signal()
    """The report or the previous version has changed."""

    def __init__(
        self, window: MainWindow, channel: Channel, way: "Way", *, trust: "SSLContext | None" = None
    ) -> None:
        super().__init__(window)
        self.channel = channel
        self._window, self._way, self._trust = window, way, trust
        self._scope = TaskScope(self)
        self._following: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._updater: Updater | None = None
        self._said = ""

    @property
    def folder(self) -> Path:
        """The folder of installers."""
        return self._window.data / _FOLDER

    @property
    def is_on(self) -> bool:
        """Whether the user wants updates."""
        return self._window.preferences.checks_updates

    @property
    def report(self) -> "Report | None":
        """The state of the last check; None before the first one."""
        return self._updater.report if self._updater is not None else None

    @property
    def previous(self) -> str:
        """The version that can be restored; empty for none."""
        kept = self._updater.shelf.state.previous if self._updater is not None else None
        return kept.version if kept is not None else ""

    @property
    def waiting(self) -> str:
        """The version that is installed when the user quits; empty for none."""
        ready = self._updater.shelf.state.ready if self._updater is not None else None
        return ready.version if ready is not None else ""

    def begin(self) -> None:
        """Check once a day from now on, if the user wants updates."""
        if self.is_on and self._following is None:
            self._following = self._scope.start(self._follow())

    def turn(self, *, on: bool) -> None:
        """Save the setting; while it's off, nothing is requested, downloaded or installed."""
        self._window.preferences.checks_updates = on
        if on:
            self.begin()
        else:
            for task in filter(None, (self._following, self._looking)):
                task.cancel()
            self._following = None
        self.changed.emit()

    def look(self) -> None:
        """Check now."""
        self._looking = self._scope.start(self._look())

    def prepare(self, workspace: "Workspace | None") -> Callable[[], None] | None:
        """Return a call that starts the waiting installer when the app has ended, in a thread.

        None if no update is waiting, if the computer is shutting down, or if a post is due within ten
        minutes: it's installed on a later quit then.
        """
        from app.updates.shelf import QUIET_MS

        self._scope.cancel()
        updater = self._updater
        application = QGuiApplication.instance()
        is_ending = isinstance(application, QGuiApplication) and application.isSavingSession()
        if updater is None or not self.is_on or is_ending or updater.shelf.state.ready is None:
            return None
        now = wall_clock()
        near = workspace.posts.between(now - QUIET_MS, now + QUIET_MS + 1) if workspace is not None else []
        if any(post.status in _WAITING for post in near):
            _log.info("update put off", reason="a post is due")
            return None
        return lambda: _hand_over(updater)

    async def _follow(self) -> None:
        await (await self._opened()).follow()

    async def _look(self) -> None:
        await (await self._opened()).look(is_asked=True)

    async def _opened(self) -> "Updater":
        if self._updater is None:
            from app.updates.updater import Updater

            updater = Updater(
                self.channel,
                self.folder,
                self._way,
                clock=wall_clock,
                told=self._told,
                trust=self._trust,
            )
            await updater.open()
            self._updater = updater
            self._told(updater.report)
        return self._updater

    def _told(self, report: "Report") -> None:
        from app.updates.updater import Standing

        self.changed.emit()
        if report.standing is Standing.READY and report.version != self._said:
            self._said = report.version
            self._window.messages.tell(Message("info", ready_words(self.channel.kind, report.version)))


def ready_words(kind: Kind, version: str) -> str:
    """Return a text that a version is ready, and what happens on quit."""
    if kind is Kind.DMG:
        return tr("Kalends {version} is downloaded. Its disk image opens when you quit.", version=version)
    return tr("Kalends {version} is downloaded. It will be installed when you quit.", version=version)


def _hand_over(updater: "Updater") -> None:
    from app.updates.feed import Refused

    try:
        updater.install()
    except (Refused, OSError) as error:
        _log.warning("update not installed", error=str(error))
