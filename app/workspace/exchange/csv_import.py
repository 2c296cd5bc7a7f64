"""A running import: rows become posts; those with files wait until the files are stored."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from app.contract.enums import PostStatus
from app.contract.limits import BULK_POSTS_MAX
from app.language import tr
from app.workspace.accounts.account import Account
from app.workspace.catalogues import KeptFile
from app.workspace.changes import Changes, Listeners
from app.workspace.core import Core
from app.workspace.exchange.csv_checking import Checked
from app.workspace.exchange.csv_files import CellFiles, facts_of
from app.workspace.messages import Problem
from app.workspace.posts.commands import PostCommands
from app.workspace.posts.new import NewPost
from app.workspace.posts.planned import SyncState
from app.workspace.rules import check

PART: Final = BULK_POSTS_MAX
"""Number of rows scheduled in one batch, which takes less than a frame."""
_STEP_MAX: Final = 900
"""Maximum number of posts per undo step; larger steps would take longer and longer to write."""
_REST_S: Final = 0.005
"""Pause between two parts in s, for the window and the writing thread."""
_FILES_AT_ONCE: Final = 4


class RowState(Enum):
    """The state of a row."""

    WAITING = "waiting"  # not started
    FETCHING = "fetching"  # its file is being uploaded
    KEPT = "kept"  # a local post, not sent to the service yet
    SENT = "sent"  # the service has it
    THERE = "there"  # created by an earlier import
    REFUSED = "refused"
    STOPPED = "stopped"  # before it was created


UNDERWAY: Final = frozenset({RowState.WAITING, RowState.FETCHING, RowState.KEPT})
BACK: Final = frozenset({RowState.REFUSED, RowState.STOPPED})
"""States of rows that weren't imported."""


@dataclass(frozen=True, slots=True)
class RowResult:
    """The result of a row, with the reason if it wasn't imported."""

    state: RowState
    reason: str = ""


_STOPPED: Final = RowResult(RowState.STOPPED, tr("The import stopped before this row."))


class CsvImport:
    """Creates posts from rows. Repeating it creates no duplicates, even after it was stopped halfway."""

    def __init__(
        self,
        core: Core,
        commands: PostCommands,
        files: CellFiles,
        rows: Sequence[Checked],
        accounts: Mapping[str, Account],
    ) -> None:
        self.rows = rows
        self._accounts = accounts
        self._core = core
        self._commands = commands
        self._files = files
        self._results = [_at_first(row) for row in rows]
        self._counts = Counter(result.state for result in self._results)
        self._keys: dict[int, list[str]] = {}
        self._rows_of: dict[str, list[int]] = {}
        self._step: int | None = None
        self._forget = core.changes.add(self._changed)
        self._told: Listeners[None] = Listeners()
        self._task: asyncio.Task[None] | None = None

    def listen(self, listener: Callable[[None], None]) -> Callable[[], None]:
        """Subscribe to progress; call the result to unsubscribe."""
        return self._told.add(listener)

    def results(self) -> list[RowResult]:
        """Return the current result of each row."""
        return list(self._results)

    def counts(self) -> Mapping[RowState, int]:
        """Return the number of rows by state; states without rows may be missing."""
        return +self._counts

    def close(self) -> None:
        """Stop following the posts; calls in progress continue."""
        self._forget()

    async def run(self) -> None:
        """Run until every row is a local post or has failed; posts may be sent to the service later."""
        self._task = task = asyncio.get_running_loop().create_task(self._run())
        try:
            await asyncio.wait([task])
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            self._set([*self._in(RowState.WAITING), *self._in(RowState.FETCHING)], _STOPPED)
        if not task.cancelled():
            task.result()

    def stop(self) -> None:
        """Create no more posts; existing ones stay, and one undo removes them all."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        plain = [index for index in self._in(RowState.WAITING) if not self.rows[index].media]
        for start in range(0, len(plain), PART):
            self._plan(plain[start : start + PART])
            await asyncio.sleep(_REST_S)
        await self._make_with_files()

    async def _make_with_files(self) -> None:
        by_cell: dict[str, list[int]] = {}
        for index in self._in(RowState.WAITING):
            by_cell.setdefault(self.rows[index].media, []).append(index)
        free = asyncio.Semaphore(_FILES_AT_ONCE)

        async def make(cell: str, indices: list[int]) -> None:
            async with free:
                await self._make_with(cell, indices)

        tasks = [asyncio.get_running_loop().create_task(make(*one)) for one in by_cell.items()]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _make_with(self, cell: str, indices: list[int]) -> None:
        self._set(indices, RowResult(RowState.FETCHING))
        try:
            stored = await self._files.bring(cell)
        except Problem as problem:
            self._set(indices, RowResult(RowState.REFUSED, problem.text))
        else:
            self._plan(indices, stored)

    def _plan(self, indices: Iterable[int], stored: KeptFile | None = None) -> None:
        """Schedule rows in one batch; if one of them is refused, schedule them one by one."""
        posts = {index: _with_file(self.rows[index].posts, stored) for index in indices}
        fitting = {
            index: some for index, some in posts.items() if stored is None or self._fits(index, some, stored)
        }
        try:
            self._plan_together(fitting)
        except Problem:
            for index, some in fitting.items():
                self._plan_alone(index, some)
        self._told.tell(None)

    def _fits(self, index: int, posts: Iterable[NewPost], stored: KeptFile) -> bool:
        """Whether the platforms accept the file, which is known only now."""
        facts = facts_of(stored)
        limits = {key: account.limits for key, account in self._accounts.items()}
        found = [
            issue.message
            for post in posts
            for issue in check(
                platform=post.ruled_by,
                post_type=post.post_type,
                title=post.title,
                text=post.text,
                has_media=True,
                media=facts,
                board_id=post.board_id,
                limits=limits.get(post.account_key),
            )
        ]
        if found:
            self._put(index, RowResult(RowState.REFUSED, " ".join(dict.fromkeys(found))))
        return not found

    def _plan_together(self, posts: Mapping[int, Sequence[NewPost]]) -> None:
        if not posts:
            return
        before = self._core.history.last_done()
        keys = iter(self._commands.plan([post for some in posts.values() for post in some], onto=self._step))
        for index, some in posts.items():
            self._keys[index] = made = [next(keys) for _ in some]
            for key in made:
                self._rows_of.setdefault(key, []).append(index)
            self._put(index, self._as_posts_are(index))
        last = self._core.history.last_done()
        # If nothing was new, the last step is the user's.
        if last is not None and last is not before:
            self._step = last.id if len(last.edits) < _STEP_MAX else None

    def _plan_alone(self, index: int, posts: Sequence[NewPost]) -> None:
        try:
            self._plan_together({index: posts})
        except Problem as problem:
            self._put(index, RowResult(RowState.REFUSED, problem.text))

    def _as_posts_are(self, index: int) -> RowResult:
        """Return the state of a row from that of its posts."""
        timeline = self._core.mirror.timeline
        posts = [post for key in self._keys[index] if (post := timeline.get(key)) is not None]
        if failed := next((post for post in posts if post.status is PostStatus.FAILED), None):
            return RowResult(RowState.REFUSED, failed.reason)
        sent = all(post.sync is SyncState.SYNCED for post in posts)
        return RowResult(RowState.SENT if sent else RowState.KEPT)

    def _in(self, state: RowState) -> list[int]:
        return [index for index, result in enumerate(self._results) if result.state is state]

    def _set(self, indices: Iterable[int], result: RowResult) -> None:
        for index in indices:
            self._put(index, result)
        self._told.tell(None)

    def _put(self, index: int, result: RowResult) -> None:
        self._counts[self._results[index].state] -= 1
        self._counts[result.state] += 1
        self._results[index] = result

    def _changed(self, changes: Changes) -> None:
        keys = self._rows_of.keys() if changes.reset else self._rows_of.keys() & changes.posts
        indices = {index for key in keys for index in self._rows_of[key]}
        for index in indices:
            self._put(index, self._as_posts_are(index))
        if indices:
            self._told.tell(None)


def _at_first(row: Checked) -> RowResult:
    if row.blocked:
        return RowResult(RowState.REFUSED, " ".join(issue.text for issue in row.issues if issue.blocks))
    return RowResult(RowState.THERE if row.is_there else RowState.WAITING)


def _with_file(posts: Sequence[NewPost], stored: KeptFile | None) -> list[NewPost]:
    if stored is None:
        return list(posts)
    return [replace(post, media_storage_path=stored.storage_path, post_type=stored.kind) for post in posts]
