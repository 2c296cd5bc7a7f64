"""Sends the changes of one post, and applies the service's responses to it."""

import asyncio
from dataclasses import replace

from app.client import (
    ClientError,
    NotConnected,
    NotFound,
    RateLimited,
    ServerFailed,
    ServiceAnswered,
    Unauthorized,
)
from app.contract.enums import PostStatus
from app.contract.posts import Post, PostListQuery
from app.database import DatabaseError
from app.language import tr
from app.workspace.changes import Changes
from app.workspace.clock import to_millis
from app.workspace.core import Core
from app.workspace.drafts.salvage import Salvage
from app.workspace.outbox.calls import Answered, change, choose, create, look_up
from app.workspace.outbox.intention import Intention, Wanted, is_met, spared, wanted_of
from app.workspace.outbox.refusals import Refusal, Refusals, What
from app.workspace.outbox.unanswered import Unanswered
from app.workspace.posts.ahead import shown_ahead
from app.workspace.posts.planned import PlannedPost
from app.workspace.posts.refusal import named
from app.workspace.problems import details_of, reason_of
from app.workspace.store import loading
from app.workspace.store.journal import Batch
from app.workspace.store.loading import PostRow, planned_from
from app.workspace.sync.link import Link
from app.workspace.undo import NO_CHANGE

ALREADY_PUBLISHED = tr("it is already published")
NOT_REPLACED = tr("its replacement wasn't scheduled")
_NOT_A_REFUSAL = (Unauthorized, RateLimited, ServerFailed)
_NOT_CARRIED_OUT = (NotConnected, Unauthorized, RateLimited)


def post_at(intention: Intention) -> int:
    """Return the time in a create call."""
    return intention.wanted.at if intention.create_at is None else intention.create_at


def _is_done(base: PlannedPost, intention: Intention) -> bool:
    """Whether nothing is left to send, and no earlier call can still undo it."""
    sent = intention.sent
    return is_met(base, intention.wanted) and all(one.same(intention.wanted) for one in sent)


def _as_told(answered: PlannedPost, told: PlannedPost | None) -> PlannedPost:
    """Return the post from an answer, in the state reported by a list or the stream.

    A published post has more than a state; it's requested anyway, because it's due.
    """
    if told is None or told.published:
        return answered
    return answered._replace(at=told.at, status=told.status, reason=told.reason, may_be_live=told.may_be_live)


def _again(newer: Intention | None, current: Intention) -> Intention:
    """Return the intention to keep when the answer to ``current`` couldn't be stored.

    ``newer`` was set meanwhile.
    """
    if newer is None:
        return current
    return replace(current, wanted=newer.wanted, version=newer.version, after=newer.after)


def _in_state(post: PlannedPost, state: Wanted | None) -> PlannedPost:
    if state is None:
        return post
    return post._replace(
        at=state.at, status=PostStatus.CANCELLED if state.cancelled else PostStatus.SCHEDULED
    )


class Delivery:
    """Makes calls until a post is as wanted, the service refuses, or the user has to choose."""

    def __init__(self, core: Core, link: Link, salvage: Salvage, refusals: Refusals) -> None:
        self.refusals = refusals
        self._core = core
        self._link = link
        self._salvage = salvage
        self._choosing = asyncio.Lock()

    async def deliver(self, key: str) -> None:
        """Return when nothing is left to send, the post is in conflict, or it waits for another post.

        The contract has no conditional requests, so a post is looked up before it is changed, unless the
        service reports every change anyway.

        Raises ClientError if the call has to be made again later, DatabaseError if an answer couldn't be
        stored. In both cases the intention remains; every call can be repeated without a second effect.
        """
        mirror = self._core.mirror
        looked = self._link.is_current
        while (intention := mirror.intentions.get(key)) and (base := mirror.base(key)):
            if key not in mirror.unsent and (not looked or key in mirror.doubtful):
                looked = True
                await self._look_before(key, base, intention)
                continue
            if mirror.is_held(key):
                return
            if mirror.is_void(intention):
                await self._spare(base, intention)
                continue
            if key in mirror.unsent and intention.wanted.cancelled and intention.create_at is None:
                await self._not_needed(base)
                return
            if base.published:
                await self._withdraw(base, intention, ALREADY_PUBLISHED)
                return
            if key in mirror.conflicts:
                return
            if key not in mirror.unsent and _is_done(base, intention):
                mirror.confirm(key)  # the wanted change was made elsewhere
                await self._keep(base, Batch(bases=(base,)), intention.wanted)
                continue
            intention = await self.begin(intention, base)
            try:
                answered, row = await self._call(base, intention)
            except _NOT_CARRIED_OUT:
                self._forget_call(key, intention)
                raise
            except _NOT_A_REFUSAL:
                raise
            except ServiceAnswered as error:
                await self._refused(key, intention, error)
            else:
                await self.confirmed(key, intention, answered, row)

    async def begin(self, intention: Intention, base: PlannedPost) -> Intention:
        """Record that a call begins. A create call fixes the content, because repeats must be identical."""
        unsent = base.key in self._core.mirror.unsent
        create_at = intention.create_at
        if unsent and create_at is None:
            create_at = intention.wanted.at
        begun = replace(intention.begun(), create_at=create_at)
        with shown_ahead(self._core, [(base, begun)]):
            await self._core.commit(Batch(intentions=(begun,)).apply)
        return begun

    def _forget_call(self, key: str, intention: Intention) -> None:
        """Note that the call wasn't carried out and never will be. The next call corrects the row on disk."""
        mirror = self._core.mirror
        if (current := mirror.intentions.get(key)) and (base := mirror.base(key)):
            mirror.put(base, current.answered(intention.wanted))

    async def _call(self, base: PlannedPost, intention: Intention) -> tuple[Answered, PostRow | None]:
        key = base.key
        service_id = self._core.mirror.service_id(key)
        if service_id is not None:
            calls = self._core.calls_of(base.platform, by_hand=base.by_hand)
            return await change(calls, service_id, intention), None
        row = await self._core.database.read(lambda connection: loading.post_row(connection, key))
        if row is None:
            return Answered(gone=True), None
        at = post_at(intention)
        is_now = row.immediate or at <= self._core.clock()
        if is_now and intention.wanted.cancelled:
            # Created again, to be cancelled by its ID, it would be published immediately.
            made = await self._made_before(row, at)
            return (Answered(cancelled=True), None) if made is None else (Answered(post=made), row)
        try:
            return await self._create(row, at), row
        except _NOT_A_REFUSAL:
            raise
        except ServiceAnswered:
            # An earlier call whose answer was lost may have made the post; its time may have passed since.
            post = await self._made_before(row, at) if intention.attempts > 1 else None
            if post is None:
                raise
            return Answered(post=post), row

    async def _create(self, row: PostRow, at: int) -> Answered:
        calls = self._core.calls_of(row.platform, by_hand=row.by_hand)
        if not row.tiktok:
            return await create(calls, row, at)
        async with self._choosing:  # another post with this file may have another choice
            await choose(self._core.client, row)
            return await create(calls, row, at)

    async def _made_before(self, row: PostRow, at: int) -> Post | None:
        page = await self._core.calls_for(row.platform).list_posts(PostListQuery(limit=100))
        return next((post for post in page.data if self._is_same(post, row, at)), None)

    def _is_same(self, post: Post, row: PostRow, at: int) -> bool:
        known = self._core.mirror.key_of(post.id) in self._core.mirror.timeline
        content = (str(post.social_account_id), post.description or "", post.title or "")
        same = content == (row.account_key, row.description or "", row.title or "")
        return same and not known and (row.immediate or to_millis(post.scheduled_at) == at)

    async def confirmed(
        self, key: str, intention: Intention, answered: Answered, created: PostRow | None
    ) -> None:
        mirror = self._core.mirror
        mirror.confirm(key)
        base = mirror.base(key)
        if answered.gone or base is None:
            await self._salvage.remove((key,))
        elif answered.post is None:
            base = base._replace(status=PostStatus.CANCELLED)
            await self._keep(base, Batch(bases=(base,)), intention.wanted)
        elif created is None:
            base = planned_from(key, answered.post, base)
            batch = Batch(rows=(PostRow.of(key, answered.post, base),))
            await self._keep(base, batch, intention.wanted)
        else:
            await self._created(created, answered.post, intention)

    async def _created(self, row: PostRow, post: Post, intention: Intention) -> None:
        """Give the post its ID. If a copy of it is shown, because an earlier call was refused, it's removed.

        The user's last change of either stays wanted. The copy's undo steps and unanswered calls become those
        of this post. If a list or the stream reported
        another state than the answer, the answer may be older, because it was slow or belongs to a repeated
        call. The reported state is then used, and the post is requested.
        """
        mirror = self._core.mirror
        twin = mirror.key_of(post.id)
        copy = mirror.base(twin) if twin != row.key else None
        wish = mirror.intentions.get(twin) if copy else None
        sent = seen = Wanted(post_at(intention), cancelled=False)
        newer: Intention | None = None
        history, calls = NO_CHANGE, mirror.unanswered(twin, Wanted(row.at, cancelled=False))
        own_calls = mirror.unanswered(row.key, sent)
        if copy is not None:
            seen, newer, late = self._merged(row.key, copy, sent, calls)
            mirror.remove((twin,))
            mirror.await_late([replace(late, key=row.key)])
            history = self._core.history.rename(twin, row.key)
            self._core.changes.tell(Changes(removed=frozenset((twin,)), undo=history != NO_CHANGE))
        answered = planned_from(row.key, post, mirror.base(row.key))
        told = mirror.foretold.get(twin) if copy is None else copy
        base = _as_told(answered, told)
        is_told_otherwise = (
            twin in mirror.foretold
            if told is None
            else (told.at, told.status) != (answered.at, answered.status)
        )
        mirror.identify(row.key, str(post.id))
        kept = PostRow.of(row.key, post, answered, row.idempotency_key)
        batch = Batch(rows=(kept,), bases=(base,), removed=() if copy is None else (twin,), history=history)
        if is_told_otherwise or twin in mirror.doubtful:
            mirror.doubtful[row.key] = None
        try:
            await self._keep(base, batch, sent, seen=seen, newer=newer)
        except DatabaseError:
            if copy is not None:
                mirror.put(copy, wish)
                mirror.await_late([own_calls, calls])
                self._core.changes.tell(Changes(posts=frozenset((twin,))))
            raise
        mirror.foretold.pop(twin, None)

    def _merged(
        self, key: str, copy: PlannedPost, sent: Wanted, calls: Unanswered
    ) -> tuple[Wanted, Intention | None, Unanswered]:
        """Return what the user saw and wants of a new post and its copy, and which calls may be late.

        What is wanted is None if nobody changed the copy after the new post. ``calls`` are those that may be
        late whose intention is over.
        """
        mirror, history, there = self._core.mirror, self._core.history, wanted_of(copy)
        own, wish = mirror.intentions.get(key), mirror.intentions.get(copy.key)
        moved = replace(wish, key=key) if wish is not None else None
        if own is None or own.wanted.same(sent):
            return sent, moved, calls
        last = next(history.edits_of(copy.key, key), None)
        if last is not None and last.key == copy.key and not copy.published:
            settled = replace(own, wanted=there, attempts=0, create_at=None, seen=there, sent=())
            return sent, moved or settled, calls
        late = mirror.late_after(wish, copy, self._core.clock()) if wish is not None else calls
        # Otherwise, the user would have to choose between two changes of their own.
        is_ours = any(edit.after.same(there) for edit in history.edits_of(copy.key))
        return (there if is_ours else sent), None, late

    async def _keep(
        self,
        base: PlannedPost,
        batch: Batch,
        sent: Wanted,
        *,
        seen: Wanted | None = None,
        newer: Intention | None = None,
    ) -> None:
        """Store the new base. Changes beyond the call, or ``newer``, stay wanted."""
        mirror, key = self._core.mirror, base.key
        current, before = mirror.intentions.get(key), mirror.base(key)
        late = mirror.unanswered(key, sent)
        if current is not None:
            batch = replace(batch, unanswered=(self._confirm(current, sent, is_new=seen is not None),))
        if newer is not None:
            self._core.mirror.put(base, newer)
            batch = replace(batch, intentions=(newer,))
        elif current is None or current.wanted == sent or is_met(base, current.wanted):
            self._core.mirror.put(base, None)
            batch = replace(batch, settled=(base.key,))
        else:
            calls = mirror.late(key)
            left = replace(current, attempts=0, create_at=None, seen=seen or wanted_of(base), sent=calls)
            self._core.mirror.put(base, left)
            batch = replace(batch, intentions=(left,))
        put = mirror.intentions.get(key)
        try:
            await self._salvage.write(batch)
        except DatabaseError:
            # It's still wanted on disk, so memory must keep it too, or it's sent again later.
            if before is not None and current is not None:
                if seen is not None:
                    mirror.identify(key, None)
                now = mirror.intentions.get(key)
                mirror.put(before, _again(None if now is put else now, current))
                mirror.await_late([late])
            raise

    def _confirm(self, current: Intention, sent: Wanted, *, is_new: bool) -> Unanswered:
        """Remember the calls before the confirmed one, except creates: repeating those changes nothing."""
        earlier = () if is_new else current.answered(sent).sent
        mirror = self._core.mirror
        left = mirror.unanswered(current.key, sent).confirmed(sent, earlier, self._core.clock())
        mirror.await_late([left])
        return left

    async def _refused(self, key: str, intention: Intention, error: ServiceAnswered) -> None:
        mirror = self._core.mirror
        current, base = mirror.intentions.get(key), mirror.base(key)
        if current is None or base is None:
            return
        unsent = key in mirror.unsent
        if unsent and current.wanted.cancelled:
            await self._not_needed(base)
        elif current.version != intention.version or (unsent and post_at(intention) != current.wanted.at):
            await self._reconsider(key, intention.wanted)
        elif unsent:
            await self._not_created(base, error)
        else:
            await self._not_changed(base, current, error)

    async def _not_needed(self, base: PlannedPost) -> None:
        """Treat a post that was never created as cancelled.

        A post that it was to replace is cancelled once the service has the newest replacement.
        """
        mirror, key = self._core.mirror, base.key
        wish = mirror.intentions.get(key)
        after = wish.after if wish is not None else ""
        older = [one for one in mirror.intentions.values() if after and one.after == key]
        left = tuple(replace(one, after=after) for one in older)
        cancelled = base._replace(status=PostStatus.CANCELLED)
        await self._core.commit(Batch(bases=(cancelled,), intentions=left, settled=(key,)).apply)
        if self._is_changed(key, wish):
            await self._reconsider(key)
            return
        mirror.put(cancelled, None)
        for before, after_it in zip(older, left, strict=True):
            there = mirror.base(before.key)
            if there is not None and not self._is_changed(before.key, before):
                mirror.put(there, after_it)

    def _is_changed(self, key: str, wish: Intention | None) -> bool:
        """Whether the user changed a post while it was decided that this wish is over."""
        return self._core.mirror.intentions.get(key) is not wish

    async def _reconsider(self, key: str, answered: Wanted | None = None) -> None:
        """Continue with what the user wants now, after something that isn't wanted any more failed.

        ``answered`` is what the service refused. Whatever was stored about that is overwritten.
        """
        mirror = self._core.mirror
        base, current = mirror.base(key), mirror.intentions.get(key)
        if base is None or current is None:
            return
        known = current if answered is None else current.answered(answered)
        fresh = replace(known, attempts=0, create_at=None)  # earlier calls may have been carried out
        held = tuple(one for one in mirror.intentions.values() if one.after == key)
        history = self._core.history.steps_of((key,))
        with shown_ahead(self._core, [(base, fresh)]):
            batch = Batch(bases=(base,), intentions=(fresh, *held), history=history)
            await self._core.commit(self.refusals.with_them(batch))

    async def _not_created(self, base: PlannedPost, error: ServiceAnswered) -> None:
        """Keep the post here as failed, because its text isn't stored anywhere else."""
        key, wish = base.key, self._core.mirror.intentions.get(base.key)
        reason = reason_of(error) or tr("The service rejected it without a reason.")
        failed = base._replace(status=PostStatus.FAILED, reason=reason)
        refusal = Refusal(key, named(failed), "planned", reason_of(error), details_of(error))
        await self.refusals.store(refusal, Batch(bases=(failed,), settled=(key,)))
        if self._is_changed(key, wish):
            await self._reconsider(key, wish.wanted if wish is not None else None)
            return
        self._core.mirror.put(failed, None)
        self.refusals.add(refusal)

    async def _not_changed(self, base: PlannedPost, refused: Intention, error: ServiceAnswered) -> None:
        """Restore the service's state of the post."""
        gone = isinstance(error, NotFound)
        if gone and refused.wanted.cancelled:
            await self._salvage.remove((base.key,))  # gone, as the user wanted
            return
        reason = tr("it no longer exists") if gone else reason_of(error)
        # Earlier unanswered calls may still be carried out.
        wish = refused.answered(refused.wanted)
        if await self._withdraw(base, wish, reason, details_of(error)):
            self._core.mirror.doubtful[base.key] = None  # the sync continues if the rest fails
            await (self._salvage.remove((base.key,)) if gone else self._look_again(base, refused.seen))

    async def _spare(self, base: PlannedPost, wish: Intention) -> None:
        """Keep a post if its replacement was never created, unless it would be published immediately."""
        unsent = base.key in self._core.mirror.unsent
        if unsent and (base.status is PostStatus.QUEUED or wish.wanted.at <= self._core.clock()):
            left = wish.changed_to(wish.wanted, wish.seen)
            with shown_ahead(self._core, [(base, left)]):
                await self._core.commit(Batch(intentions=(left,)).apply)
        else:
            await self._withdraw(base, wish, NOT_REPLACED, left=spared(base, wish, unsent=unsent))

    async def _withdraw(
        self,
        base: PlannedPost,
        wish: Intention,
        reason: str,
        details: str = "",
        left: Intention | None = None,
    ) -> bool:
        """Drop the change of a post, because the service refuses it; ``left`` is still wanted.

        It's stored before it's shown: the next start would make the call of a change that the user believes
        to be given up. Return False if the user changed the post meanwhile.
        """
        mirror, key, history = self._core.mirror, base.key, self._core.history
        current, given_up = mirror.intentions.get(key), history.copy().give_up(key, wish.wanted)
        late = mirror.late_after(wish, base, self._core.clock())
        if left is not None:
            batch = Batch(intentions=(left,), history=given_up)
        else:
            batch = Batch(settled=(key,), unanswered=(late,), history=given_up)
        what: What = "cancelled" if wish.wanted.cancelled else "moved"
        refusal = Refusal(key, named(base), what, reason, details)
        await self.refusals.store(refusal, batch)
        if self._is_changed(key, current):
            await self._reconsider(key, None if wish is current else wish.wanted)
            return False
        mirror.put(base, left)
        if left is None:
            mirror.await_late([late])
        later = history.give_up(key, wish.wanted)
        self._core.changes.tell(Changes(posts=frozenset((key,)), undo=later != NO_CHANGE, sync=True))
        self.refusals.add(refusal)
        if later != given_up:  # the history changed meanwhile
            mirror.doubtful[key] = None  # requested even if this can't be stored
            await self._core.commit(Batch(history=later).apply)
        return True

    async def _look_again(self, refused: PlannedPost, seen: Wanted | None) -> None:
        """Request a refused post, whose state may differ from the one stored here.

        ``seen`` is its state before the refused change. If it's no longer in that state because a late call
        of ours was carried out, it's sent again.
        """
        mirror, key = self._core.mirror, refused.key
        service_id = mirror.service_id(key)
        if service_id is None:
            return
        try:
            answered = await look_up(self._core.calls_for(refused.platform), service_id)
        except ClientError:
            return  # the next sync brings it
        if answered.post is None:
            await self._salvage.remove((key,))
        elif (before := mirror.base(key)) is not None:
            base, wish = planned_from(key, answered.post, before), mirror.intentions.get(key)
            undone = None
            if wish is None and not base.published:
                undone = mirror.wanted_again(_in_state(before, seen), base, self._core.clock())
            again, left = ((undone[0],), (undone[1],)) if undone is not None else ((), ())
            mirror.touch(key)
            rows = (PostRow.of(key, answered.post, base),)
            with shown_ahead(self._core, [(base, wish or next(iter(again), None))], left):
                await self._salvage.write(Batch(rows=rows, intentions=again, unanswered=left))
        mirror.doubtful.pop(key, None)

    async def _look_before(self, key: str, base: PlannedPost, intention: Intention) -> None:
        """Request the post before changing it."""
        service_id = self._core.mirror.service_id(key)
        if service_id is None:
            return
        self._core.mirror.doubtful.pop(key, None)
        try:
            post = await self._core.calls_for(base.platform).get_post(service_id)
        except NotFound as error:
            await self._not_changed(base, intention, error)
            return
        except BaseException:
            self._core.mirror.doubtful[key] = None
            raise
        fresh = planned_from(key, post, base)
        if fresh == base or self._core.mirror.base(key) is None:
            return
        self._core.mirror.touch(key)
        with shown_ahead(self._core, [(fresh, self._core.mirror.intentions.get(key))]):
            await self._salvage.write(Batch(rows=(PostRow.of(key, post, fresh),)))
