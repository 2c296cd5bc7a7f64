"""A workspace whose calendar can show the sample week."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from app.desktop.calendar.planner import Planner, PostViews, Samples, SmallPictures, WeeklySlots
from app.workspace.accounts.account import Account
from app.workspace.changes import Changes
from app.workspace.clock import wall_clock
from app.workspace.posts.planned import Timeline
from app.workspace.posts.refusal import refuse_move
from app.workspace.sync.status import SyncStatus
from app.workspace.undo import Entry
from app.workspace.warnings.warning import PlanWarnings


class SampledPlanner:
    """A Planner. While the sample week is shown, no command reaches the workspace."""

    def __init__(self, workspace: Planner, samples: Samples) -> None:
        self._workspace, self._samples = workspace, samples

    @property
    def _has_samples(self) -> bool:
        return self._samples.is_shown

    @property
    def posts(self) -> Timeline:
        return self._samples.posts if self._has_samples else self._workspace.posts

    @property
    def accounts(self) -> Mapping[str, Account]:
        return self._samples.accounts if self._has_samples else self._workspace.accounts

    @property
    def sync(self) -> SyncStatus:
        return self._workspace.sync

    @property
    def slots(self) -> WeeklySlots:
        return self._workspace.slots

    @property
    def media(self) -> SmallPictures:
        return self._workspace.media

    @property
    def analytics(self) -> PostViews:
        return self._workspace.analytics

    @property
    def warnings(self) -> PlanWarnings:
        return PlanWarnings() if self._has_samples else self._workspace.warnings

    @property
    def undo_label(self) -> str | None:
        return None if self._has_samples else self._workspace.undo_label

    @property
    def redo_label(self) -> str | None:
        return None if self._has_samples else self._workspace.redo_label

    @property
    def history(self) -> Sequence[Entry]:
        return () if self._has_samples else self._workspace.history

    def listen(self, listener: Callable[[Changes], None]) -> Callable[[], None]:
        return self._workspace.listen(listener)

    def refusal(self, key: str, at: int) -> str | None:
        if self._has_samples:
            return refuse_move(self.posts.get(key), at, now=wall_clock(), unsent=False)
        return self._workspace.refusal(key, at)

    def move(self, times: Mapping[str, int]) -> None:
        (self._samples if self._has_samples else self._workspace).move(times)

    def schedule_again(self, times: Mapping[str, int]) -> Sequence[str]:
        return () if self._has_samples else self._workspace.schedule_again(times)

    def cancel(self, keys: Iterable[str]) -> None:
        if self._has_samples:
            self._samples.remove(tuple(keys))
        else:
            self._workspace.cancel(keys)

    async def texts(self, keys: Sequence[str]) -> Mapping[str, str]:
        if self._has_samples:
            return {key: post.headline for key in keys if (post := self.posts.get(key))}
        return await self._workspace.texts(keys)

    async def matching(self, typed: str) -> frozenset[str] | None:
        if self._has_samples:
            return self._samples.matching(typed) if typed.strip() else None
        return await self._workspace.matching(typed)

    def undo(self) -> None:
        if not self._has_samples:
            self._workspace.undo()

    def redo(self) -> None:
        if not self._has_samples:
            self._workspace.redo()
