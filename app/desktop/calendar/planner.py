"""What the calendar needs from a workspace."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol
from zoneinfo import ZoneInfo

from app.workspace.accounts.account import Account
from app.workspace.changes import Changes
from app.workspace.posts.planned import Timeline
from app.workspace.slots.slots import Slot
from app.workspace.sync.status import SyncStatus
from app.workspace.undo import Entry
from app.workspace.warnings.warning import PlanWarnings


class WeeklySlots(Protocol):
    """The weekly posting times of accounts."""

    def all(self) -> Sequence[Slot]: ...


class SmallPictures(Protocol):
    """Thumbnails of stored files."""

    async def picture(self, storage_path: str) -> bytes | None: ...


class PostViews(Protocol):
    """The views of published posts."""

    async def views(self, keys: Sequence[str]) -> Mapping[str, int]: ...


class Samples(Protocol):
    """The sample week. ``SampleWeek`` of the workspace is one."""

    @property
    def is_shown(self) -> bool: ...

    @property
    def posts(self) -> Timeline: ...

    @property
    def accounts(self) -> Mapping[str, Account]: ...

    def show(self, zone: ZoneInfo) -> None: ...

    def move(self, times: Mapping[str, int]) -> None: ...

    def remove(self, keys: Iterable[str] | None = None) -> None: ...

    def matching(self, words: str) -> frozenset[str]: ...


class Planner(Protocol):
    """Posts that can be moved and cancelled, and notifications of changes. ``Workspace`` is one."""

    @property
    def posts(self) -> Timeline: ...

    @property
    def accounts(self) -> Mapping[str, Account]: ...

    @property
    def sync(self) -> SyncStatus: ...

    @property
    def slots(self) -> WeeklySlots: ...

    @property
    def media(self) -> SmallPictures: ...

    @property
    def analytics(self) -> PostViews: ...

    @property
    def warnings(self) -> PlanWarnings: ...

    @property
    def undo_label(self) -> str | None: ...

    @property
    def redo_label(self) -> str | None: ...

    @property
    def history(self) -> Sequence[Entry]: ...

    def listen(self, listener: Callable[[Changes], None]) -> Callable[[], None]: ...

    def refusal(self, key: str, at: int) -> str | None: ...

    def move(self, times: Mapping[str, int]) -> None: ...

    def schedule_again(self, times: Mapping[str, int]) -> Sequence[str]: ...

    def cancel(self, keys: Iterable[str]) -> None: ...

    async def texts(self, keys: Sequence[str]) -> Mapping[str, str]: ...

    async def matching(self, typed: str) -> frozenset[str] | None: ...

    def undo(self) -> None: ...

    def redo(self) -> None: ...
