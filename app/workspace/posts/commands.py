"""Commands for posts: shown immediately, then stored, and sent when the service is reachable."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from pydantic import ValidationError
from sqlalchemy import Connection

from app.contract.enums import PostStatus
from app.language import filled, tr
from app.workspace.changes import Changes
from app.workspace.clock import LAST_MOMENT, from_millis
from app.workspace.core import Core
from app.workspace.messages import Message, Problem
from app.workspace.outbox.calls import create_body
from app.workspace.outbox.intention import Intention, Wanted, decide, is_met, spared, wanted_of
from app.workspace.posts.new import NewPost
from app.workspace.posts.planned import PlannedPost
from app.workspace.posts.refusal import named, refuse_cancel, refuse_move, refuse_schedule
from app.workspace.store.journal import Batch, Journal
from app.workspace.store.loading import PostRow
from app.workspace.undo import NO_CHANGE, Doing, Edit, HistoryChange, Label, Step


class Refused(NamedTuple):
    """Messages for a failed command: if it failed for all of its posts, and for some of them."""

    whole: str
    some: str


_NOT_MOVED: Final = Refused(
    tr("Couldn't move {post}. {why}"), tr("Couldn't move {n} of {total} posts. {first}")
)
_NOT_SCHEDULED: Final = Refused(
    tr("Couldn't schedule {post} again. {why}"),
    tr("Couldn't reschedule {n} of {total} posts. {first}"),
)
_NOT_CANCELLED: Final = Refused(
    tr("Couldn't cancel {post}. {why}"), tr("Couldn't cancel {n} of {total} posts. {first}")
)
_NOT_UNDONE: Final = Refused(
    tr("Couldn't undo “{step}”. {first}"),
    tr("Couldn't undo “{step}” for {n} of {total} posts. {first}"),
)
_ASKED_AGAIN_MS: Final = 60_000
"""How soon the user is asked again to publish by hand if they undo a change of a due post, in ms."""
_NOT_REDONE: Final = Refused(
    tr("Couldn't redo “{step}”. {first}"),
    tr("Couldn't redo “{step}” for {n} of {total} posts. {first}"),
)


@dataclass(frozen=True, slots=True)
class Replay:
    """A step to undo or redo: for each post, the expected and the wanted state."""

    step: Step
    refused: Refused
    edits: Sequence[tuple[str, Wanted, Wanted]]


class PostCommands:
    """Move, schedule, cancel, undo, redo. Each is one transaction and notifies listeners once."""

    def __init__(self, core: Core, journal: Journal) -> None:
        self._core = core
        self._journal = journal
        self._planned_as: dict[str, str] = {}  # idempotency key to post key

    def remember(self, idempotency_key: str, key: str) -> None:
        """Note the idempotency key under which a post was scheduled."""
        self._planned_as[idempotency_key] = key

    def refusal(self, key: str, at: int, *, again: bool = False) -> str | None:
        """Return why a move, or with ``again`` scheduling again, would be refused; None if it is allowed."""
        mirror = self._core.mirror
        refuse = refuse_schedule if again else refuse_move
        return refuse(mirror.timeline.get(key), at, now=self._core.clock(), unsent=key in mirror.unsent)

    def move(self, times: Mapping[str, int]) -> None:
        """Move posts. Cancelled ones aren't moved, and a message names them."""
        wishes = {key: Wanted(at, cancelled=False) for key, at in times.items()}
        self._edit(Doing.MOVE, _NOT_MOVED, wishes, self._refused(wishes))

    def schedule_again(self, times: Mapping[str, int]) -> list[str]:
        """Schedule cancelled posts again; return the keys of those that are scheduled now."""
        timeline = self._core.mirror.timeline
        wishes = {
            key: Wanted(at, cancelled=False)
            for key, at in times.items()
            if (post := timeline.get(key)) is None or post.status is PostStatus.CANCELLED
        }
        refused = self._refused(wishes, again=True)
        self._edit(Doing.SCHEDULE_AGAIN, _NOT_SCHEDULED, wishes, refused)
        return [key for key in wishes if key not in refused]

    def cancel(self, keys: Iterable[str]) -> None:
        posts = {key: self._core.mirror.timeline.get(key) for key in keys}
        wishes = {key: Wanted(post.at if post else 0, cancelled=True) for key, post in posts.items()}
        self._edit(Doing.CANCEL, _NOT_CANCELLED, wishes, self._refused(wishes))

    def undo(self) -> None:
        if step := self._core.history.last_done():
            replay = Replay(step, _NOT_UNDONE, [(edit.key, edit.after, edit.before) for edit in step.edits])
            self._replay(replay, self._core.history.undo)

    def redo(self) -> None:
        if step := self._core.history.last_undone():
            replay = Replay(step, _NOT_REDONE, [(edit.key, edit.before, edit.after) for edit in step.edits])
            self._replay(replay, self._core.history.redo)

    def undo_step(self, step_id: int) -> None:
        """Undo a step if it is the newest one; otherwise, a message says where to undo it."""
        last = self._core.history.last_done()
        if last is not None and last.id == step_id:
            self.undo()
            return
        text = tr("You've made other changes since. Open Changes to undo this one.")
        if last is None or any(step.id == step_id for step in self._core.history.entries() if not step.done):
            text = tr("That's already undone.")
        self._core.messages.tell(Message("info", text))

    def go_to(self, step_id: int) -> None:
        """Undo or redo until the step is the last one done; 0 undoes all. Stops at a refusal."""
        history = self._core.history
        while (last := history.last_done()) and last.id > step_id:
            self.undo()
        while (following := history.last_undone()) and following.id <= step_id:
            self.redo()

    def plan(self, posts: Sequence[NewPost], *, onto: int | None = None, instead_of: str = "") -> list[str]:
        """Schedule all posts or none. Raises Problem if a time has passed or the contract forbids a post.

        ``onto``: the step to add these posts to, unless something else was done since. ``instead_of``: the
        key of a post to cancel once the service has the first of these; if it can't be cancelled any more,
        the Problem is of the kind ``not_replaceable``.
        """
        now = self._core.clock()
        fresh: dict[str, PostRow] = {}
        keys = []
        for new in posts:
            if (key := self.planned_under(new.idempotency_key)) is None:
                row = fresh.setdefault(new.idempotency_key, self._row(new, now))
                _check(row, now)
                key = row.key
            keys.append(key)
        if fresh:
            replaced = self._replaced(instead_of, next(iter(fresh.values())).key) if instead_of else None
            self._make(tuple(fresh.values()), onto, replaced)
        return keys

    def unsent(self, keys: Iterable[str]) -> list[str]:
        """Return the keys of those new posts that were never sent."""
        mirror = self._core.mirror
        return [key for key in keys if key in mirror.intentions and mirror.is_fresh(key)]

    def take_back(
        self, keys: Iterable[str], also: Callable[[Connection], object] | None = None
    ) -> Future[None] | None:
        """Remove new posts that were never sent, as if they were never scheduled; None if there are none.

        ``also`` does more in the transaction, whose future is returned.
        """
        mirror = self._core.mirror
        gone = self.unsent(keys)
        if not gone:
            return None
        wishes = {key: mirror.intentions[key] for key in gone}
        freed = {
            wish.key: (base, spared(base, wish, unsent=wish.key in mirror.unsent))
            for wish in mirror.intentions.values()
            if wish.after in wishes and (base := mirror.base(wish.key))
        }
        history = NO_CHANGE
        for edited in (*gone, *freed):
            history |= self._core.history.forget(edited, mirror.intentions[edited].wanted)
        mirror.put_all(freed.values())
        mirror.remove(gone)
        self._planned_as = {name: key for name, key in self._planned_as.items() if key not in wishes}
        left = tuple(wish for _, wish in freed.values() if wish is not None)
        settled = tuple(freed.keys() - {wish.key for wish in left})
        batch = Batch(removed=tuple(gone), intentions=left, settled=settled, history=history)
        written = self._journal.record(batch, also)
        told = Changes(posts=frozenset(freed), removed=frozenset(gone), undo=True, sync=True)
        self._core.changes.tell(told)
        return written

    def _replaced(self, key: str, by: str) -> tuple[Edit, PlannedPost, Intention | None]:
        """Return how to cancel a post once the service has another one. Raises Problem."""
        post, base = self._core.mirror.timeline.get(key), self._core.mirror.base(key)
        why = refuse_cancel(post)
        if post is None or base is None or why:
            text = tr(
                "Couldn't replace {post}. {why} Schedule again to make this a new post.",
                post=named(post),
                why=why or "",
            )
            raise Problem(text, kind="not_replaceable")
        wanted = Wanted(post.at, cancelled=True)
        return Edit(key, wanted_of(post), wanted), *self._decide(base, wanted, after=by)

    def planned_under(self, idempotency_key: str) -> str | None:
        """Return the key of the post with this idempotency key; None if it was never created."""
        key = self._planned_as.get(idempotency_key)
        mirror = self._core.mirror
        given_up = key in mirror.unsent and key not in mirror.intentions
        return None if given_up else key

    def has_planned(self, beginning: str) -> bool:
        """Whether a post was created under an idempotency key with this prefix."""
        return any(name.startswith(beginning) and self.planned_under(name) for name in self._planned_as)

    def _make(
        self,
        rows: tuple[PostRow, ...],
        onto: int | None,
        replaced: tuple[Edit, PlannedPost, Intention | None] | None,
    ) -> None:
        wishes = tuple(Intention(row.key, Wanted(row.at, cancelled=False)) for row in rows)
        for row in rows:
            self._core.mirror.identify(row.key, None)
            self.remember(row.idempotency_key or "", row.key)
        self._core.mirror.put_all((row.planned(), wish) for row, wish in zip(rows, wishes, strict=True))
        edits = [Edit(wish.key, Wanted(wish.wanted.at, cancelled=True), wish.wanted) for wish in wishes]
        batch = Batch(rows=rows, intentions=wishes)
        if replaced is not None:
            edit, base, wish = replaced
            edits.append(edit)
            self._core.mirror.put(base, wish)
            if wish is None:  # it was never sent, so nothing is left to send
                batch = replace(batch, bases=(base,), settled=(base.key,))
            else:
                batch = replace(batch, intentions=(*wishes, wish))
        history = self._step(edits, onto, is_replacing=replaced is not None)
        self._journal.record(replace(batch, history=history))
        told = frozenset(edit.key for edit in edits)
        self._core.changes.tell(Changes(posts=told, undo=True, sync=True))

    def _step(self, edits: list[Edit], onto: int | None, *, is_replacing: bool) -> HistoryChange:
        last = self._core.history.last_done()
        if is_replacing:
            return self._core.history.add(Label(Doing.REPLACE), edits, self._core.clock())
        if last is None or last.id != onto:
            return self._core.history.add(Label(Doing.PLAN, len(edits)), edits, self._core.clock())
        every = (*last.edits, *edits)
        label = Label(Doing.PLAN, len(every))
        return self._core.history.replace_last(replace(last, label=label, edits=every))

    def _row(self, new: NewPost, now: int) -> PostRow:
        return PostRow(
            key=self._planned_as.get(new.idempotency_key) or str(self._core.new_id()),
            service_id=None,
            account_key=new.account_key,
            platform=new.platform.value,
            post_type=new.post_type.value,
            status=(PostStatus.QUEUED if new.at is None else PostStatus.SCHEDULED).value,
            title=new.title,
            description=new.text,
            at=now if new.at is None else new.at,
            posted_at=None,
            media_storage_path=new.media_storage_path,
            batch_id=None,
            created_at=from_millis(now),
            immediate=new.at is None,
            idempotency_key=new.idempotency_key,
            board_id=new.board_id,
            board_name=new.board_name,
            link=new.link,
            tiktok=new.tiktok.model_dump_json() if new.tiktok else "",
            options=new.options.model_dump_json(exclude_none=True) if new.options else "",
            by_hand=new.by_hand,
        )

    def _edit(
        self, doing: Doing, not_done: Refused, wishes: Mapping[str, Wanted], refused: Mapping[str, str]
    ) -> None:
        """Apply all allowed changes as one step; a message names the others."""
        edits = [
            Edit(key, wanted_of(post), wanted)
            for key, wanted in wishes.items()
            if key not in refused and (post := self._core.mirror.timeline.get(key)) is not None
            if not is_met(post, wanted)
        ]
        self._say_refused(refused, not_done, len(wishes))
        if edits:
            history = self._core.history.add(Label(doing, len(edits)), edits, self._core.clock())
            self._apply({edit.key: edit.after for edit in edits}, history)

    def _replay(self, replay: Replay, mark: Callable[[], HistoryChange]) -> None:
        mirror, step = self._core.mirror, replay.step
        wishes: dict[str, Wanted] = {}
        refused: dict[str, str] = {}
        for key, expected, wanted in replay.edits:
            post, base = mirror.timeline.get(key), mirror.base(key)
            if key in mirror.conflicts and base is not None:
                wishes[key] = wanted_of(base)  # the undone change was never sent, so theirs stays
            elif post is None or not is_met(post, wanted):
                wishes[key] = self._ahead(post, wanted)
                if post and not (wanted.cancelled or wanted_of(post).same(expected)):
                    refused[key] = tr("It has been changed elsewhere since then.")
        refused = self._refused(wishes, again=True) | refused
        granted, total = {key: wish for key, wish in wishes.items() if key not in refused}, len(step.edits)
        if refused and step.label.doing is Doing.REPLACE:
            granted, total = {}, len(refused)  # half of it would leave neither post, or both
        self._say_refused(refused, replay.refused, total, str(step.label))
        history = self._core.history.drop(step) if refused and not granted else mark()
        is_replacing = step.label.doing is Doing.REPLACE
        self._apply(granted, history, _order(step, granted) if is_replacing else {})

    def _ahead(self, post: PlannedPost | None, wanted: Wanted) -> Wanted:
        """Return the intention, with a future time for a post that the user publishes by hand."""
        now = self._core.clock()
        is_asked = post is not None and post.is_by_hand
        if is_asked and not wanted.cancelled and wanted.at <= now:
            return Wanted(now + _ASKED_AGAIN_MS, cancelled=False)
        return wanted

    def _refused(self, wishes: Mapping[str, Wanted], *, again: bool = False) -> dict[str, str]:
        """Return the reasons for refusals by key; ``again``: cancelled posts may be scheduled."""
        found = {
            key: refuse_cancel(self._core.mirror.timeline.get(key))
            if wanted.cancelled
            else self.refusal(key, wanted.at, again=again)
            for key, wanted in wishes.items()
        }
        return {key: why for key, why in found.items() if why}

    def _say_refused(self, refused: Mapping[str, str], not_done: Refused, total: int, step: str = "") -> None:
        """Show why posts were refused; ``step`` is the label of the step to undo or redo."""
        if not refused:
            return
        told = [(named(self._core.mirror.timeline.get(key)), why) for key, why in refused.items()]
        lines = [f"{post}: {why}" for post, why in told]
        is_whole = len(refused) == total if step else total == 1
        post, why = told[0]
        text = filled(
            not_done.whole if is_whole else not_done.some,
            step=step,
            post=post,
            why=why,
            n=len(refused),
            total=total,
            first=lines[0],
        )
        self._core.messages.tell(Message("warning", text, "\n".join(lines) if len(lines) > 1 else ""))

    def _apply(
        self, wishes: Mapping[str, Wanted], history: HistoryChange, after: Mapping[str, str] | None = None
    ) -> None:
        """Change posts; ``after`` are those that are cancelled once another one is created, by key."""
        after = after or {}
        decided = [
            (old, *self._decide(old, wanted, after=after.get(key, "")))
            for key, wanted in wishes.items()
            if (old := self._core.mirror.base(key)) is not None
        ]
        cancelled = {key for key, wanted in wishes.items() if wanted.cancelled} - after.keys()
        decided += self._replaced_by(cancelled, wishes)
        self._core.mirror.put_all((base, intention) for _, base, intention in decided)
        batch = Batch(
            bases=tuple(base for old, base, _ in decided if base != old),
            intentions=tuple(intention for _, _, intention in decided if intention),
            settled=tuple(base.key for _, base, intention in decided if intention is None),
            history=history,
        )
        self._journal.record(batch)
        told = frozenset((*wishes, *(base.key for base, _, _ in decided)))
        self._core.changes.tell(Changes(posts=told, undo=True, sync=True))

    def _replaced_by(
        self, cancelled: Collection[str], wishes: Collection[str]
    ) -> list[tuple[PlannedPost, PlannedPost, Intention | None]]:
        """Return the posts that cancelled ones replace, how they are then, and what is left to send.

        They no longer wait for posts that are never created: the user wants none of them. ``wishes`` are
        the posts that are changed anyway.
        """
        mirror = self._core.mirror
        gone, found = set(cancelled), []
        waiting = [wish for wish in mirror.intentions.values() if wish.after and wish.key not in wishes]
        while freed := [wish for wish in waiting if wish.after in gone and wish.key not in gone]:
            gone |= {wish.key for wish in freed}
            found += [(base, *self._at_once(base, wish)) for wish in freed if (base := mirror.base(wish.key))]
        return found

    def _at_once(self, base: PlannedPost, wish: Intention) -> tuple[PlannedPost, Intention | None]:
        """Return how a post is, and what is left to send, when it's cancelled without waiting."""
        if self._core.mirror.is_fresh(base.key):
            return self._decide(base, wish.wanted)
        return base, replace(wish, after="")

    def _decide(
        self, base: PlannedPost, wanted: Wanted, after: str = ""
    ) -> tuple[PlannedPost, Intention | None]:
        """Return the base and intention for a change; ``after``: the key of the post that replaces it.

        A post that was never sent is then cancelled later, too, and is created if the other one isn't.
        """
        mirror = self._core.mirror
        key = base.key
        wish = mirror.intentions.get(key)
        if after and wish is not None and key in mirror.unsent and wish.create_at is None:
            return base, replace(wish.changed_to(wanted, None), after=after)
        base, wish = decide(
            base,
            wish,
            wanted,
            unsent=key in mirror.unsent,
            sending=key in mirror.sending,
            late=mirror.late(key),
        )
        return base, replace(wish, after=after) if wish is not None and after else wish


def _order(step: Step, wishes: Mapping[str, Wanted]) -> dict[str, str]:
    """Return which post of a replacement is cancelled once which other one is created, by key."""
    new, old = (wishes.get(edit.key) for edit in (step.edits[0], step.edits[-1]))
    is_again = new is not None and old is not None and old.cancelled and not new.cancelled
    return {step.edits[-1].key: step.edits[0].key} if is_again else {}


def _check(row: PostRow, now: int) -> None:
    if not row.immediate and row.at <= now:
        raise Problem(tr("That time has passed. Choose a later one."), kind="past")
    if row.at > LAST_MOMENT:
        text = tr("That date is too far in the future. Choose an earlier one.")
        raise Problem(text, kind="invalid")
    try:
        create_body(row, row.at)
    except ValidationError as error:
        fields = ", ".join(sorted({str(issue["loc"][0]) for issue in error.errors()}))
        raise Problem(
            tr("This post isn't valid: check its text, title and account."),
            details=tr("Rejected: {fields}", fields=fields),
            kind="invalid",
        ) from error
