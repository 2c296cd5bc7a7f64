"""Posts that their users publish by hand: what they report, and when the service may ask for it."""

from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from app.service.posts.by_hand import set_by_hand
from app.service.publishing.endings import finish, take_back
from tests.simulation.api import Answer
from tests.simulation.publishing.ground import ACCOUNT
from tests.simulation.publishing.invariants import Rule
from tests.simulation.publishing.plan import Known, Verb
from tests.simulation.publishing.program import Program
from tests.simulation.room import Breach

_AT_ONCE: Final = timedelta(milliseconds=1)
_UNDER_WAY: Final = timedelta(seconds=1)

Insist = Callable[[str, Callable[[Program], Awaitable[bool]]], Awaitable[Answer[bool]]]

WATCH: Final = """
CREATE TRIGGER watch_hand_over AFTER UPDATE OF outcome ON attempts
WHEN old.outcome = 'pending' AND new.outcome = 'handed_over'
BEGIN SELECT tell('handed over', new.post_id, (SELECT scheduled_at FROM posts WHERE id = new.post_id)); END;
"""
"""Tells the world when a user is asked to publish a post."""


async def report(known: Known, verb: Verb, post_id: UUID, insist: Insist) -> None:
    """Report that the post is live, or undo that, and note what the service must know since then."""
    before, reach = known.is_done, known.wish.reach

    async def work(program: Program) -> bool:
        now = program.clock()
        if verb is Verb.FINISH:
            await program.database.write(lambda rows: finish(rows, ACCOUNT, post_id, None, now, reach))
        else:
            await program.database.write(lambda rows: take_back(rows, ACCOUNT, post_id, now, reach))
        program.publishing.notify()
        return True

    known.is_done = None
    said = await insist(verb, work)
    if said.is_done:
        known.is_done = verb is Verb.FINISH
    elif not said.is_doubtful:
        known.is_done = before
        is_possible = known.is_left_to_user and before is False and not known.removed
        if verb is Verb.FINISH and is_possible and known.copied_at is None:
            known.refused.append("the report that it's live was refused")


async def choose(known: Known, post_id: UUID, insist: Insist, *, by_hand: bool) -> None:
    """Let the user publish the post, or Kalends again."""
    before = known.is_left_to_user

    async def work(program: Program) -> bool:
        await program.database.write(lambda rows: set_by_hand(rows, ACCOUNT, post_id, by_hand=by_hand))
        program.publishing.notify()
        return True

    known.is_left_to_user = None
    said = await insist(Verb.BY_HAND if by_hand else Verb.BY_KALENDS, work)
    if said.is_done:
        known.is_left_to_user = by_hand
    elif not said.is_doubtful:
        known.is_left_to_user = before


def at_hand_over(known: Known, now: datetime, due: datetime, *, is_right: bool) -> Iterator[Breach]:
    """What must hold when the service asks a user to publish a post. ``is_right``: no clock is wrong."""
    number = known.wish.number
    if known.is_left_to_user is False:
        yield Breach(Rule.UNASKED, number, f"a user was asked at {now.time()} for what Kalends publishes")
    if due in known.asked_for:
        yield Breach(Rule.DOUBLED, number, f"asked again at {now.time()} for {due.time()}")
    known.asked_for.append(due)
    if is_right and now < min(known.dues) - _AT_ONCE:
        yield Breach(Rule.EARLY, number, f"asked at {now.time()}, due at {min(known.dues).time()}")
    if known.gone_at is not None and known.gone_at < now - _UNDER_WAY:
        yield Breach(Rule.AFTER_CANCEL, number, f"gone at {known.gone_at.time()}, asked at {now.time()}")
