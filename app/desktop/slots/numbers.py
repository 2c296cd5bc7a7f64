"""The numbers behind best times: asked for when somebody looks, kept for when the service is away."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from PySide6.QtCore import QObject, Signal

from app.desktop.aio import TaskScope
from app.desktop.slots import wording
from app.workspace.analytics.best_times import BestTimes
from app.workspace.changes import Changes
from app.workspace.messages import Problem
from app.workspace.sync.status import SyncStatus


class Numbers(Protocol):
    """What was counted of posts, kept and asked for."""

    async def refresh(self) -> None: ...

    async def refresh_when_due(self) -> None: ...

    async def asked_at(self) -> int: ...

    async def best_times(self, zone: ZoneInfo) -> dict[str, BestTimes]: ...


class NumbersKeeper(Protocol):
    """What this needs of a workspace."""

    @property
    def analytics(self) -> Numbers: ...

    @property
    def sync(self) -> SyncStatus: ...

    def listen(self, listener: Callable[[Changes], None]) -> Callable[[], None]: ...


class OwnNumbers(QObject):
    """``times`` by account, as of what is kept; None until that was read."""

    changed = Signal()
    """The times, or what is to be said of them."""

    def __init__(self, owner: QObject, workspace: NumbersKeeper, zone: ZoneInfo) -> None:
        super().__init__(owner)
        self.times: Mapping[str, BestTimes] | None = None
        self.is_asking = False
        self._workspace, self._zone = workspace, zone
        self._asked_at = 0
        self._problem = ""
        self._is_away = not workspace.sync.connected
        self._scope = TaskScope(self, self._report)
        stop = workspace.listen(self._changed)
        owner.destroyed.connect(lambda _object=None: stop())

    @property
    def is_loading(self) -> bool:
        """Whether nothing is known yet, and that may change in a moment."""
        return self.times is None or (self.is_asking and not self._asked_at)

    @property
    def is_known(self) -> bool:
        """Whether the service ever told any numbers, if only that there are none."""
        return self._asked_at > 0

    @property
    def can_retry(self) -> bool:
        """Whether asking once more makes sense."""
        return bool(self._problem) and not self._is_away and not self.is_asking

    def words(self) -> str:
        """What is not as it should be; empty while all is."""
        asked = datetime.fromtimestamp(self._asked_at / 1_000, self._zone) if self._asked_at else None
        if self._is_away:
            return wording.offline(asked)
        return wording.failed(self._problem, asked) if self._problem and not self.is_asking else ""

    def begin(self) -> None:
        """Reads what is kept, and asks the service when that was some hours ago."""
        self._scope.start(self._begin())

    def retry(self) -> None:
        """Asks the service whenever that was done last."""
        if not self.is_asking:
            self._scope.start(self._ask(self._workspace.analytics.refresh))

    async def _begin(self) -> None:
        if self._is_away:
            await self._read()
        else:
            await self._ask(self._workspace.analytics.refresh_when_due)

    async def _ask(self, ask: Callable[[], Awaitable[None]]) -> None:
        self.is_asking = True
        await self._read()
        try:
            await ask()
            self._problem = ""
        except Problem as problem:
            self._problem = problem.text
        finally:
            self.is_asking = False
        await self._read()

    async def _read(self) -> None:
        analytics = self._workspace.analytics
        self._asked_at = await analytics.asked_at()
        self.times = await analytics.best_times(self._zone)
        self.changed.emit()

    def _changed(self, changes: Changes) -> None:
        if changes.sync:
            was_away, self._is_away = self._is_away, not self._workspace.sync.connected
            if was_away and not self._is_away:
                self.begin()
            elif was_away != self._is_away:
                self.changed.emit()
        if changes.metrics and not self.is_asking:
            self._scope.start(self._read())

    def _report(self, problem: Problem) -> None:
        self._problem = problem.text
        self.changed.emit()
