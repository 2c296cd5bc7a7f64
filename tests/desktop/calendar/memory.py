"""A workspace without file and service, made of the real parts: timeline, refusals, undo, listeners."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from PySide6.QtCore import QObject

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostStatus, PostType
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.model import Describe, PostListModel
from app.workspace.accounts.account import Account
from app.workspace.changes import Changes, Listeners
from app.workspace.clock import wall_clock
from app.workspace.messages import Message
from app.workspace.outbox.intention import Wanted, wanted_of
from app.workspace.posts.planned import PlannedPost, SyncState, Timeline
from app.workspace.posts.refusal import refuse_cancel, refuse_move, refuse_schedule
from app.workspace.slots.slots import Slot
from app.workspace.sync.status import SyncStatus
from app.workspace.undo import Doing, Edit, Entry, History, Label, Step
from app.workspace.warnings.warning import PlanWarning, PlanWarnings


def instant(text: str) -> int:
    """Milliseconds since 1970 of an ISO time in UTC, such as 2026-11-25T09:00."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1_000)


def account(key: str, platform: str = "linkedin", *, color: int = 1, practice: bool = False) -> Account:
    return Account(
        key=key,
        platform=ConnectionPlatform(platform),
        name=f"Name of {key}",
        handle=key,
        identifier=key,
        avatar_url=None,
        followers=12,
        is_verified=None,
        is_available=True,
        token_expires_at=None,
        connected_at=datetime(2026, 1, 1, tzinfo=UTC),
        color_index=color,
        practice=practice,
    )


def post(
    key: str,
    at: str | int,
    headline: str = "Launch teaser",
    *,
    account_key: str = "studio",
    platform: str = "linkedin",
    kind: PostType = PostType.TEXT,
    status: PostStatus = PostStatus.SCHEDULED,
    sync: SyncState = SyncState.SYNCED,
    reason: str = "",
    may_be_live: bool = False,
    media: str = "",
) -> PlannedPost:
    return PlannedPost(
        key=key,
        at=instant(at) if isinstance(at, str) else at,
        account_key=account_key,
        platform=PostingPlatform(platform),
        post_type=kind,
        status=status,
        headline=headline,
        sync=sync,
        reason=reason,
        may_be_live=may_be_live,
        published=status is PostStatus.POSTED,
        media=media,
    )


class ListedPosts(PostListModel):
    """The calendar's model with posts of its own, for tests without a pane."""

    def __init__(self, days: LocalDays, describe: Describe, parent: QObject | None = None) -> None:
        super().__init__(days, describe, parent)
        self.fill(())

    def fill(self, posts: Iterable[PlannedPost]) -> None:
        """Replace all posts."""
        self._timeline = Timeline(posts)
        self.reset(self._timeline.all(), self._timeline.reader())

    def change(self, changed: Iterable[PlannedPost], removed: Iterable[str]) -> None:
        """Change some posts, then the model."""
        changed, removed = list(changed), list(removed)
        self._timeline.apply(changed, removed)
        self.apply(changed, removed)


class MemorySlots:
    """Weekly slots that are kept nowhere."""

    def __init__(self, tell: Callable[[Changes], None]) -> None:
        self._slots: list[Slot] = []
        self._tell = tell

    def all(self) -> tuple[Slot, ...]:
        return tuple(sorted(self._slots, key=lambda slot: (slot.weekday, slot.minute)))

    async def set(self, account_key: str, chosen: Iterable[Slot]) -> None:
        self.put(account_key, chosen)

    def put(self, account_key: str, chosen: Iterable[Slot]) -> None:
        others = [slot for slot in self._slots if slot.account_key != account_key]
        self._slots = [*others, *chosen]
        self._tell(Changes(slots=True))


class MemoryPictures:
    """Small pictures by storage path; ``asked`` are the paths that were asked for."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.asked: list[str] = []

    async def picture(self, storage_path: str) -> bytes | None:
        self.asked.append(storage_path)
        await asyncio.sleep(0)
        return self.kept.get(storage_path)


class MemoryViews:
    """Views by post."""

    def __init__(self) -> None:
        self.kept: dict[str, int] = {}

    async def views(self, keys: Sequence[str]) -> dict[str, int]:
        await asyncio.sleep(0)
        return {key: self.kept[key] for key in keys if key in self.kept}


class MemoryWorkspace:
    """What the calendar asks of a workspace. ``moves`` remembers each call of ``move``."""

    def __init__(
        self,
        posts: Iterable[PlannedPost] = (),
        accounts: Iterable[Account] = (),
        *,
        clock: Callable[[], int] = wall_clock,
    ) -> None:
        self.posts = Timeline(posts)
        self.accounts: Mapping[str, Account] = {one.key: one for one in accounts}
        self.sync = SyncStatus(connected=True, last_synced=None, waiting=0, problem=None, syncing=False)
        self.moves: list[dict[str, int]] = []
        self.warnings = PlanWarnings()
        self.media = MemoryPictures()
        self.analytics = MemoryViews()
        self._clock = clock
        self._history = History()
        self._changes: Listeners[Changes] = Listeners()
        self._messages: Listeners[Message] = Listeners()
        self.slots = MemorySlots(self._changes.tell)

    @property
    def undo_label(self) -> str | None:
        return self._history.undo_label

    @property
    def redo_label(self) -> str | None:
        return self._history.redo_label

    @property
    def history(self) -> list[Entry]:
        return self._history.entries()

    def listen(self, listener: Callable[[Changes], None]) -> Callable[[], None]:
        return self._changes.add(listener)

    def listen_messages(self, listener: Callable[[Message], None]) -> Callable[[], None]:
        return self._messages.add(listener)

    def refusal(self, key: str, at: int) -> str | None:
        return refuse_move(self.posts.get(key), at, now=self._clock(), unsent=False)

    def move(self, times: Mapping[str, int]) -> None:
        self.moves.append(dict(times))
        granted = {key: at for key, at in times.items() if self.refusal(key, at) is None}
        if len(granted) < len(times):
            self._messages.tell(Message("warning", "Some posts could not be moved."))
        self._edit(Doing.MOVE, {key: Wanted(at, cancelled=False) for key, at in granted.items()})

    def schedule_again(self, times: Mapping[str, int]) -> list[str]:
        granted = {
            key: at
            for key, at in times.items()
            if refuse_schedule(self.posts.get(key), at, now=self._clock(), unsent=False) is None
        }
        wishes = {key: Wanted(at, cancelled=False) for key, at in granted.items()}
        self._edit(Doing.SCHEDULE_AGAIN, wishes)
        return list(granted)

    def cancel(self, keys: Iterable[str]) -> None:
        there = [one for key in keys if (one := self.posts.get(key)) and refuse_cancel(one) is None]
        self._edit(Doing.CANCEL, {one.key: Wanted(one.at, cancelled=True) for one in there})

    async def texts(self, keys: Sequence[str]) -> dict[str, str]:
        return {key: f"{one.headline}\nand more" for key in keys if (one := self.posts.get(key))}

    async def matching(self, typed: str) -> frozenset[str] | None:
        found = (one.key for one in self.posts if typed.casefold() in one.headline.casefold())
        return frozenset(found) if typed.strip() else None

    def undo(self) -> None:
        if step := self._history.last_done():
            now = self._clock()
            refused = (
                refuse_schedule(self.posts.get(edit.key), edit.before.at, now=now, unsent=False)
                for edit in step.edits
            )
            if all(refused):
                self._history.drop(step)
                self._messages.tell(Message("warning", "Nothing could be undone."))
                return
            self._history.undo()
            self._show(step, lambda edit: edit.before)

    def redo(self) -> None:
        if step := self._history.last_undone():
            self._history.redo()
            self._show(step, lambda edit: edit.after)

    def arrive(self, *changed: PlannedPost, removed: Iterable[str] = ()) -> None:
        """The service tells of posts."""
        gone = frozenset(removed)
        self.posts.apply(changed, gone)
        self._changes.tell(Changes(posts=frozenset(one.key for one in changed), removed=gone))

    def tell(self, changes: Changes) -> None:
        """Something else has changed."""
        self._changes.tell(changes)

    def warn(self, *warnings: PlanWarning) -> None:
        """The workspace has looked at what will fail."""
        self.warnings = PlanWarnings.of(warnings)
        self._changes.tell(Changes(warnings=True))

    def connect(self, *accounts: Account) -> None:
        """The service tells of accounts."""
        self.accounts = {**self.accounts, **{one.key: one for one in accounts}}
        self._changes.tell(Changes(accounts=True))

    def find(self, files: Mapping[str, bytes]) -> None:
        """There are other files now, whose small pictures are these, by storage path."""
        self.media.kept |= files
        self._changes.tell(Changes(catalogues=True))

    def lose_contact(self) -> None:
        """The service does not answer any more."""
        self.sync = replace(self.sync, connected=False)
        self._changes.tell(Changes(sync=True))

    def find_contact(self) -> None:
        """The service answers again."""
        self.sync = replace(self.sync, connected=True)
        self._changes.tell(Changes(sync=True))

    def _edit(self, doing: Doing, wishes: Mapping[str, Wanted]) -> None:
        before = {key: one for key in wishes if (one := self.posts.get(key))}
        edits = [Edit(key, wanted_of(one), wishes[key]) for key, one in before.items()]
        if edits:
            label = Label(doing, len(edits))
            self._history.add(label, edits, self._clock())
            self._show(Step(0, label, tuple(edits)), lambda edit: edit.after)

    def _show(self, step: Step, side: Callable[[Edit], Wanted]) -> None:
        wishes = {edit.key: side(edit) for edit in step.edits}
        self.posts.apply(
            _as_wanted(one, wish) for key, wish in wishes.items() if (one := self.posts.get(key))
        )
        self._changes.tell(Changes(posts=frozenset(wishes), undo=True))


def _as_wanted(one: PlannedPost, wish: Wanted) -> PlannedPost:
    status = PostStatus.CANCELLED if wish.cancelled else PostStatus.SCHEDULED
    return one._replace(at=wish.at, status=status, sync=SyncState.WAITING)
