"""Stores news about posts from the service in the mirror."""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from app.client import ITEMS_MAX
from app.contract.enums import PostType
from app.contract.posts import Post
from app.language import tr
from app.workspace.changes import Changes
from app.workspace.core import Core
from app.workspace.drafts.salvage import Salvage
from app.workspace.messages import Message
from app.workspace.outbox.intention import Intention
from app.workspace.outbox.unanswered import Unanswered
from app.workspace.posts.ahead import shown_ahead
from app.workspace.posts.planned import PlannedPost
from app.workspace.posts.refusal import named
from app.workspace.store.journal import Batch
from app.workspace.store.loading import PostRow, planned_from

_MANY: Final = 3
"""From this number of missing posts on, they are only removed if they are missing twice."""
_Content = tuple[str, PostType, str, str]


def _now() -> float:
    return asyncio.get_running_loop().time()


class Intake:
    """Stores posts from the service. Unconfirmed changes made here are shown instead of them."""

    def __init__(self, core: Core, salvage: Salvage) -> None:
        self._core = core
        self._salvage = salvage
        self._has_told_too_many = False
        self._missed: dict[str, float] = {}  # key to when it was first missing

    @property
    def has_passed_over(self) -> bool:
        """Whether posts were skipped that still have to be looked up, or may be results of our own calls."""
        return bool(self._core.mirror.doubtful or self._core.mirror.foretold)

    def take_passed_over(self) -> list[str]:
        """Return posts skipped while a change of them was being sent, if none is being sent now.

        So are posts of others that looked like the result of a create call, which has now been answered.
        A post with a change to be sent stays in doubt, so that the outbox requests it first.
        """
        mirror = self._core.mirror
        free = [key for key in mirror.doubtful if not self._is_requested_by_outbox(key)]
        for key in free:
            del mirror.doubtful[key]
        if not mirror.foretold:
            return free
        own = self._being_created()
        if not own:
            mirror.foretold = {key: told for key, told in mirror.foretold.items() if told is not None}
        others = [key for key, told in mirror.foretold.items() if told and _content(told) not in own]
        return [*free, *others]

    def _is_requested_by_outbox(self, key: str) -> bool:
        mirror = self._core.mirror
        waits_for_more = key in mirror.conflicts or mirror.is_held(key)
        return key in mirror.sending or (key in mirror.intentions and not waits_for_more)

    async def hear(self, post: Post) -> None:
        """Store a post from the stream, which is newer than any list.

        If it differs from a change of ours that was just confirmed, it may have been read before that change,
        and is looked up instead. So is every difference while calls of ours may still be carried out late:
        old news of the time before a change would make the change itself look like such a call.
        """
        mirror = self._core.mirror
        key = mirror.key_of(post.id)
        base = mirror.base(key)
        may_be_old = mirror.is_settling(key) or bool(mirror.late(key))
        if may_be_old and base != planned_from(key, post, base):
            mirror.doubtful[key] = None
            return
        await self.take_newest(post, mirror.generation)

    async def take_newest(self, post: Post, generation: int) -> None:
        """Store a post that is newer than any list requested until now.

        Not if it was changed after ``generation``, when the answer was requested.
        """
        mirror = self._core.mirror
        key = mirror.key_of(post.id)
        if not mirror.is_older(key, generation):
            mirror.touch(key)  # before the write, during which the answer for an older list may arrive
            generation = mirror.generation
        await self.take([post], generation)

    async def take(self, listed: Sequence[Post], generation: int) -> int:
        """Store posts requested at ``generation``; return how many of them are new."""
        mirror = self._core.mirror
        rows: list[PostRow] = []
        changed: list[tuple[PlannedPost, Intention | None]] = []
        again: list[tuple[Intention, Unanswered]] = []
        unknown, room = 0, ITEMS_MAX - len(mirror.timeline)
        own = self._being_created()
        for post in listed:
            key = mirror.key_of(post.id)
            self._missed.pop(key, None)
            before = mirror.base(key)
            if before is None and unknown >= room:
                mirror.foretold.pop(key, None)
                self.tell_too_many()
                continue
            unknown += before is None
            if mirror.is_older(key, generation):
                if key in mirror.sending or (before and planned_from(key, post, before) != before):
                    mirror.doubtful[key] = None
                continue
            planned = planned_from(key, post, before)
            if before is None and _content(planned) in own:
                mirror.foretell({key: planned})
                continue
            if planned != before:
                if before is not None:
                    mirror.touch(key)  # another answer that was requested earlier may come later
                rows.append(PostRow.of(key, post, planned))
                wish = mirror.intentions.get(key)
                if wish is None and before is not None and not planned.published:
                    undone = mirror.wanted_again(before, planned, self._core.clock())
                    if undone is not None:
                        again.append(undone)
                        wish, _ = undone
                changed.append((planned, wish))
        await self._keep(rows, changed, again)
        for row in rows:
            mirror.foretold.pop(row.key, None)
        return unknown

    async def forget_late(self) -> None:
        """Forget unanswered calls that can't arrive any more. All changes until now are known."""
        if over := self._core.mirror.forget_late(self._core.clock()):
            await self._core.commit(Batch(unanswered=tuple(over)).apply)

    def tell_too_many(self) -> None:
        """Show once that the service has more posts than the app can hold."""
        if not self._has_told_too_many:
            self._has_told_too_many = True
            text = tr("The service has more posts than Kalends can show, so some are missing here.")
            self._core.messages.tell(Message("warning", text))

    async def explain(self, keys: Iterable[str], reason: str, *, may_be_live: bool) -> None:
        """Store why posts failed, or that their outcome is unknown."""
        mirror = self._core.mirror
        known = [post for key in keys if (post := mirror.base(key))]
        told = [(post, post._replace(reason=reason, may_be_live=may_be_live)) for post in known]
        told = [(before, after) for before, after in told if after != before]
        if not told:
            return
        # Stored first: a post whose explanation is shown isn't asked about again.
        await self._core.commit(Batch(bases=tuple(after for _, after in told)).apply)
        shown = [after for before, after in told if mirror.base(after.key) == before]
        mirror.put_all((base, mirror.intentions.get(base.key)) for base in shown)
        self._core.changes.tell(Changes(posts=frozenset(base.key for base in shown)))

    @property
    def wants_second_look(self) -> bool:
        """Whether many posts were missing recently, so everything should be listed again."""
        return bool(self._missed) and _now() - min(self._missed.values()) >= self._core.pace.second_look

    async def miss_in_list(self, keys: Collection[str]) -> None:
        """Remove posts missing from a complete list: a few immediately, many if they are missing again.

        A service that is being repaired or restored may return an empty list for a while.
        """
        self._missed = {key: self._missed.get(key, _now()) for key in keys}
        await self._forget_missed(keys)
        await self.forget_late()

    async def miss(self, keys: Collection[str]) -> None:
        """Remove posts that one round of lookups did not find; many only if they are missing again."""
        self._missed |= {key: self._missed.get(key, _now()) for key in keys}
        await self._forget_missed(keys)

    async def _forget_missed(self, keys: Collection[str]) -> None:
        first_missed = _now() - self._core.pace.second_look
        is_much = len(keys) >= _MANY
        gone = [key for key in keys if not is_much or self._missed[key] <= first_missed]
        for key in gone:
            del self._missed[key]
        await self.remove(gone)

    async def remove(self, keys: Collection[str]) -> None:
        """Remove posts that the service doesn't have any more. Those scheduled here become drafts."""
        mirror = self._core.mirror
        mirror.foretell(dict.fromkeys(keys))
        keys = [key for key in keys if key in mirror.timeline]
        if not keys:
            return
        not_moved = [
            named(mirror.timeline.get(key))
            for key in keys
            if (wish := mirror.intentions.get(key)) and not wish.wanted.cancelled
        ]
        await self._salvage.remove(keys)
        for post in not_moved:
            text = tr("{post} wasn't moved: it no longer exists.", post=post)
            self._core.messages.tell(Message("error", text))

    async def _keep(
        self,
        rows: Sequence[PostRow],
        changed: Sequence[tuple[PlannedPost, Intention | None]],
        again: Sequence[tuple[Intention, Unanswered]],
    ) -> None:
        if not rows:
            return
        left = tuple(late for _, late in again)
        batch = Batch(rows=tuple(rows), intentions=tuple(wish for wish, _ in again), unanswered=left)
        with shown_ahead(self._core, changed, left):
            await self._salvage.write(batch)

    def _being_created(self) -> set[_Content]:
        """Return what the results of our own unanswered create calls look like.

        They aren't shown next to our own posts. Otherwise, users could change both, and nobody could tell
        which change they want. Time and status prove nothing: others may have changed them since.
        """
        return {_content(own) for own in self._core.mirror.being_created()}


def _content(post: PlannedPost) -> _Content:
    return post.account_key, post.post_type, post.headline, post.media
