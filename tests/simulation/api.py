"""Calls of users to any running program, until one answers."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import ClientDisconnect

from app.contract.enums import ErrorCode
from app.database import DatabaseError
from app.service.accounts.accounts import KeyRefusedError
from app.service.api.responses import ApiError
from tests.simulation.lives import DeathError, Life

T = TypeVar("T")

_TRIES: Final = 40
_AGAIN_S: Final = 3.0


class Running(Protocol):
    """A program."""

    @property
    def life(self) -> Life:
        """It runs as long as this lasts."""


P = TypeVar("P", bound=Running)


class UnansweredError(Exception):
    """The service did not answer; what was asked for may have been done."""


@dataclass(frozen=True)
class Answer(Generic[T]):
    """What came of asking.

    Attributes:
        result: What the service said; None where it refused, or never answered.
        refusal: Why it refused.
        is_doubtful: It may have been done, and more than once, besides what the answer says.
    """

    result: T | None = None
    refusal: ApiError | None = None
    is_doubtful: bool = False

    @property
    def is_done(self) -> bool:
        return self.result is not None


class Api(Generic[P]):
    """Calls to any running program, each in a task of that program."""

    def __init__(self, running: Callable[[], P | None]) -> None:
        self._running = running

    async def call(self, work: Callable[[P], Awaitable[T]]) -> T:
        """Raises ApiError for a refusal, UnansweredError, and what the service didn't foresee."""
        program = self._running()
        if program is None:
            raise UnansweredError
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        async def answered() -> None:
            try:
                answer.set_result(await work(program))
            except ApiError as error:
                answer.set_exception(error)
            except (DatabaseError, SQLAlchemyError, OSError, ClientDisconnect):
                answer.set_exception(UnansweredError())
            except KeyRefusedError as error:
                answer.set_exception(ApiError(ErrorCode.UNAUTHORIZED, str(error)))
            except (DeathError, asyncio.CancelledError):
                answer.set_exception(UnansweredError())
                raise
            except Exception as error:  # noqa: BLE001  a mistake of the service, which ends the run
                answer.set_exception(error)

        def ended(_task: object) -> None:
            if not answer.done():  # the program died before the call had begun
                answer.set_exception(UnansweredError())

        program.life.start(answered()).add_done_callback(ended)
        return await answer

    async def insist(self, work: Callable[[P], Awaitable[T]], tries: int = _TRIES) -> Answer[T]:
        """Asks until there is an answer, or often enough."""
        is_doubtful = False
        for _ in range(tries):
            try:
                return Answer(await self.call(work), is_doubtful=is_doubtful)
            except ApiError as error:
                return Answer(refusal=error, is_doubtful=is_doubtful)
            except UnansweredError:
                is_doubtful = True
                await asyncio.sleep(_AGAIN_S)
        return Answer(is_doubtful=True)
