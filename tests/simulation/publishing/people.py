"""People who plan posts and change their minds, and what the service confirms to them."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, select

from app.contract.companion import CreateAnyPost, CreatePlacePost
from app.contract.enums import PostType
from app.contract.posts import BulkCreateResult, CreatePost
from app.service.api.responses import invalid
from app.service.posts.changing import cancel, remove, reschedule
from app.service.posts.creating import BulkCreation, Creation
from app.service.store.reach import Reach
from app.service.store.tables import attempts
from tests.simulation.api import Answer, Api
from tests.simulation.lives import WorldClock
from tests.simulation.publishing.by_hand import choose, report
from tests.simulation.publishing.ground import ACCOUNT, Ground
from tests.simulation.publishing.plan import Change, Known, Verb
from tests.simulation.publishing.program import Program

_PATIENCE: Final = 8
_LATER_S: Final = 20.0
_SHAPES: Final = {Reach.SPECIFIED: CreatePost, Reach.COMPANION: CreatePlacePost, Reach.ALL: CreateAnyPost}


class Person:
    """Plans one post, and changes it."""

    def __init__(
        self, known: Known, api: Api[Program], clock: WorldClock, ground: Ground, note: Callable[..., None]
    ) -> None:
        self.known = known
        self._wish = known.wish
        self._api = api
        self._clock = clock
        self._ground = ground
        self._note = note
        chance = random.Random(known.wish.number)  # noqa: S311  chance, no secret
        self.post_id = UUID(int=chance.getrandbits(128), version=4)

    async def live(self) -> None:
        """All that the person does."""
        await self.until(self._wish.created_s)
        await self._plan()
        await self.change()

    async def until(self, second: float) -> None:
        await asyncio.sleep(max(0.0, second - asyncio.get_running_loop().time()))

    async def change(self) -> None:
        """Every change of mind, once the post is stored."""
        for change in self._wish.changes if self.known.is_stored else ():
            await self.until(change.at_s)
            await self._change(change)

    def plan(self) -> dict[str, object]:
        """What the post is created by."""
        wish, account = self._wish, self._ground.accounts[self._wish.platform][self._wish.account]
        due = None if wish.due_s is None else self._at(wish.due_s)
        self.known.plan(due or self._clock.now())
        told = {
            "social_account_id": account.id,
            "platform": wish.platform,
            "post_type": wish.kind,
            "title": f"Linen {wish.marker}" if wish.kind is PostType.VIDEO else None,
            "description": f"Linen {wish.marker} in the window",
            "media_storage_path": wish.file,
            "pinterest_board_id": account.board_id,
            "idempotency_key": f"key-{wish.number}",
            "scheduled_at": due,
            "by_hand": self._wish.by_hand or None,
        }
        return {name: one for name, one in told.items() if one is not None}

    @property
    def is_too_late(self) -> bool:
        """Its time is over, so that nobody asks for it any more."""
        return self._wish.due_s is not None and self._wish.due_s <= self._clock.steady()

    async def _plan(self) -> None:
        """Asks with the same key until there is an answer."""
        reach = self._wish.reach
        body = _SHAPES[reach].model_validate(self.plan())

        async def create(program: Program) -> bool:
            creation = Creation(ACCOUNT, body, program.clock(), {}, new_id=lambda: self.post_id, reach=reach)
            await program.database.read(creation.check_account)
            await program.database.write(creation.store)
            program.publishing.notify()
            return True

        for _ in range(_PATIENCE):
            said = await self._insist("create", create)
            if said.refusal and any(issue.type == "unsupported" for issue in said.refusal.details):
                raise ValueError(f"nothing would ever be published of {self._wish}: {said.refusal}")
            self.known.is_stored = said.is_done
            if said.is_done or self.is_too_late:
                break
            await asyncio.sleep(_LATER_S)  # the service's clock was ahead, and the time over by that

    def _at(self, second: float) -> datetime:
        return self._clock.now() + timedelta(seconds=second - asyncio.get_running_loop().time())

    async def _change(self, change: Change) -> None:
        if change.verb is Verb.MOVE:
            await self._move(self._at(change.to_s))
            return
        if change.verb in {Verb.FINISH, Verb.UNDO}:
            await report(self.known, change.verb, self.post_id, self._insist)
            return
        if change.verb in {Verb.BY_HAND, Verb.BY_KALENDS}:
            is_by_hand = change.verb is Verb.BY_HAND
            await choose(self.known, self.post_id, self._insist, by_hand=is_by_hand)
            return
        self.known.removed = True
        said = await self._insist(change.verb, self._removing(change.verb))
        if said.result:
            self.known.gone_at = self._clock.now()

    async def _move(self, at: datetime) -> None:
        async def move(program: Program) -> bool:
            if at <= program.clock():
                raise invalid("scheduled_at", "must be in the future", "time_past")
            await program.database.write(
                lambda rows: reschedule(rows, ACCOUNT, self.post_id, at, self._wish.reach)
            )
            program.publishing.notify()
            return True

        known = self.known
        before = known.dues, known.gone_at, known.removed
        # From now on both times are possible, until there is an answer.
        known.plan(*known.dues, at)
        known.gone_at, known.removed = None, False
        said = await self._insist(Verb.MOVE, move)
        if said.is_done:
            known.plan(at)
        elif not said.is_doubtful:
            known.dues, known.gone_at, known.removed = before
        else:
            known.removed = before[2]

    def _removing(self, verb: Verb) -> Callable[[Program], Awaitable[bool]]:
        def work(rows: Connection) -> bool:
            open_calls = select(attempts.c.id).where(
                attempts.c.post_id == self.post_id, attempts.c.finished_at.is_(None)
            )
            nothing = rows.execute(open_calls).first() is None
            (cancel if verb is Verb.CANCEL else remove)(rows, ACCOUNT, self.post_id, self._wish.reach)
            return nothing

        async def take_back(program: Program) -> bool:
            nothing = await program.database.write(work)
            program.publishing.notify()
            return nothing

        return take_back

    async def _insist(self, verb: str, work: Callable[[Program], Awaitable[bool]]) -> Answer[bool]:
        """Asks until there is an answer."""
        said = await self._api.insist(work)
        self._note("person", verb, self._wish.number, _noted(said))
        return said


class Batch:
    """People whose posts are created by one call; later each goes on alone."""

    def __init__(
        self,
        number: int,
        people: Sequence[Person],
        api: Api[Program],
        clock: WorldClock,
        note: Callable[..., None],
    ) -> None:
        self._number = number
        self._people = people
        self._api = api
        self._clock = clock
        self._note = note
        self._chance = random.Random(f"batch {number}")  # noqa: S311  chance, no secret

    async def live(self) -> None:
        """All that they do."""
        await self._people[0].until(self._people[0].known.wish.created_s)
        await self._plan()
        await asyncio.gather(*(person.change() for person in self._people))

    async def _plan(self) -> None:
        """Asks with the same keys until every post is stored, or its time is over."""
        bodies = [person.plan() for person in self._people]

        async def create(program: Program) -> BulkCreateResult:
            creation = BulkCreation(ACCOUNT, bodies, program.clock(), {}, new_id=self._new_id)
            await program.database.read(creation.check_accounts)
            creation.check_texts()
            result = await program.database.write(lambda rows: self._store(rows, creation))
            program.publishing.notify()
            return result

        for _ in range(_PATIENCE):
            said = await self._api.insist(create)
            self._note("batch", self._number, _noted(said))
            if said.result is not None:
                rejected = {one["index"] for one in said.result.rejected}
                for index, person in enumerate(self._people):
                    person.known.is_stored = index not in rejected
            if all(person.known.is_stored or person.is_too_late for person in self._people):
                break
            await asyncio.sleep(_LATER_S)

    def _store(self, rows: Connection, creation: BulkCreation) -> BulkCreateResult:
        """Stores them, and learns the ids that the posts get."""
        result = creation.store(rows)
        for post in result.posts:
            for person in self._people:
                if person.known.wish.marker in (post.description or ""):
                    person.post_id = post.id
        return result

    def _new_id(self) -> UUID:
        return UUID(int=self._chance.getrandbits(128), version=4)


def _noted(said: Answer[Any]) -> object:
    """An answer as the trace has it."""
    match said.result:
        case BulkCreateResult(inserted=inserted, duplicates=duplicates, rejected=rejected):
            return f"{inserted} inserted, {duplicates} duplicates, {len(rejected)} rejected"
        case None:
            return "refused" if said.refusal else "no answer"
        case result:
            return result
