"""People who plan posts and change their minds, and what the service confirms to them."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeVar
from uuid import UUID

from sqlalchemy import Connection, select
from sqlalchemy.exc import SQLAlchemyError

from app.contract.enums import PostType
from app.contract.posts import CreatePost
from app.database import DatabaseError
from app.service.api.errors import ApiError, invalid
from app.service.posts.changing import cancel, remove, reschedule
from app.service.posts.creating import Creation
from app.service.store.tables import attempts
from tests.simulation.lives import DeathError, WorldClock
from tests.simulation.publishing.ground import ACCOUNT, Ground
from tests.simulation.publishing.plan import Change, Known, Verb
from tests.simulation.publishing.program import Program

T = TypeVar("T")

_TRIES: Final = 40
_AGAIN_S: Final = 3.0
_PATIENCE: Final = 8
_LATER_S: Final = 20.0


class UnansweredError(Exception):
    """The service did not answer; what was asked for may have been done."""


class Api:
    """Calls to any running program, each in a task of that program."""

    def __init__(self, running: Callable[[], Program | None]) -> None:
        self._running = running

    async def call(self, work: Callable[[Program], Awaitable[T]]) -> T:
        """Raises ApiError for a refusal, and UnansweredError."""
        program = self._running()
        if program is None:
            raise UnansweredError
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        async def answered() -> None:
            try:
                answer.set_result(await work(program))
            except ApiError as error:
                answer.set_exception(error)
            except (DatabaseError, SQLAlchemyError):
                answer.set_exception(UnansweredError())
            except (DeathError, asyncio.CancelledError):
                answer.set_exception(UnansweredError())
                raise

        def ended(_task: object) -> None:
            if not answer.done():  # the program died before the call had begun
                answer.set_exception(UnansweredError())

        program.life.start(answered()).add_done_callback(ended)
        return await answer


@dataclass(frozen=True)
class _Said:
    """What came of asking; ``is_doubtful``: it may have been done all the same."""

    is_done: bool = False
    is_doubtful: bool = False
    result: bool = False


class Person:
    """Plans one post, and changes it."""

    def __init__(
        self, known: Known, api: Api, clock: WorldClock, ground: Ground, note: Callable[..., None]
    ) -> None:
        self._known = known
        self._wish = known.wish
        self._api = api
        self._clock = clock
        self._ground = ground
        self._note = note
        chance = random.Random(known.wish.number)  # noqa: S311  chance, no secret
        self.post_id = UUID(int=chance.getrandbits(128), version=4)

    async def live(self) -> None:
        """All that the person does."""
        await self._until(self._wish.created_s)
        if not await self._plan():
            return
        for change in self._wish.changes:
            await self._until(change.at_s)
            await self._change(change)

    async def _until(self, second: float) -> None:
        await asyncio.sleep(max(0.0, second - asyncio.get_running_loop().time()))

    async def _plan(self) -> bool:
        """Asks with the same key until there is an answer."""
        wish, account = self._wish, self._ground.accounts[self._wish.platform][self._wish.account]
        due = None if wish.due_s is None else self._at(wish.due_s)
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
        }
        body = CreatePost.model_validate({name: one for name, one in told.items() if one is not None})
        self._known.plan(due or self._clock.now())

        async def create(program: Program) -> None:
            creation = Creation(ACCOUNT, body, program.clock(), {}, new_id=lambda: self.post_id)
            await program.database.read(creation.check_account)
            await program.database.write(creation.store)
            program.publishing.notify()

        for _ in range(_PATIENCE):
            said = await self._insist("create", create)
            self._known.is_stored = said.is_done
            if said.is_done or (due is not None and due <= self._clock.now()):
                break
            await asyncio.sleep(_LATER_S)  # the service's clock was ahead, and the time over by that
        return self._known.is_stored

    def _at(self, second: float) -> datetime:
        return self._clock.now() + timedelta(seconds=second - asyncio.get_running_loop().time())

    async def _change(self, change: Change) -> None:
        if change.verb is Verb.MOVE:
            await self._move(self._at(change.to_s))
            return
        self._known.removed = True
        said = await self._insist(change.verb, self._removing(change.verb))
        if said.result:
            self._known.gone_at = self._clock.now()

    async def _move(self, at: datetime) -> None:
        async def move(program: Program) -> None:
            if at <= program.clock():
                raise invalid("scheduled_at", "must be in the future", "time_past")
            await program.database.write(lambda rows: reschedule(rows, ACCOUNT, self.post_id, at))
            program.publishing.notify()

        known = self._known
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
            (cancel if verb is Verb.CANCEL else remove)(rows, ACCOUNT, self.post_id)
            return nothing

        async def take_back(program: Program) -> bool:
            nothing = await program.database.write(work)
            program.publishing.notify()
            return nothing

        return take_back

    async def _insist(self, verb: str, work: Callable[[Program], Awaitable[object]]) -> _Said:
        """Asks until there is an answer."""
        doubtful = False
        for _ in range(_TRIES):
            try:
                result = await self._api.call(work)
            except ApiError:
                self._note("person", verb, self._wish.number, "refused")
                return _Said(is_doubtful=doubtful)
            except UnansweredError:
                doubtful = True
                await asyncio.sleep(_AGAIN_S)
            else:
                self._note("person", verb, self._wish.number, result)
                return _Said(is_done=True, result=bool(result))
        return _Said(is_doubtful=True)
