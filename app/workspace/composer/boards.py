"""The boards that pins can go to: those known last time at once, those of now soon after."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from pydantic import TypeAdapter

from app.client import ClientError
from app.contract.connections import BoardListQuery, PinterestBoard
from app.contract.limits import BOARDS_PAGE_SIZE_MAX
from app.database import DatabaseError
from app.workspace.core import Core
from app.workspace.problems import problem_of, problem_of_request
from app.workspace.store.settings import get_setting, put_setting

PAGES_MAX: Final = 40
BOARDS_MAX: Final = 2_000
"""Pinterest allows no more; a service that tells of more boards, or more pages, is not followed further."""


@dataclass(frozen=True, slots=True)
class Board:
    """A board by the platform's id, and what people call it."""

    id: str
    name: str
    is_secret: bool = False


_SHAPE: Final = TypeAdapter(tuple[Board, ...])


class Boards:
    """Boards by account, in the order of their names."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def known(self, account_key: str) -> tuple[Board, ...] | None:
        """What was told last time; None when nothing ever was. Raises Problem."""
        try:
            return await self._core.database.read(lambda rows: get_setting(rows, _name(account_key), _SHAPE))
        except DatabaseError as error:
            raise problem_of(error) from error

    async def ask(self, account_key: str) -> tuple[Board, ...]:
        """Every board that there is now; from then on they are known. Raises Problem."""
        try:
            told = await self._told(UUID(account_key))
        except ClientError as error:
            raise problem_of_request(error) from error
        boards = tuple(sorted(told, key=lambda board: board.name.casefold()))
        try:
            await self._core.write(lambda rows: put_setting(rows, _name(account_key), boards, _SHAPE))
        except DatabaseError as error:
            raise problem_of(error) from error
        return boards

    async def _told(self, connection_id: UUID) -> list[Board]:
        found: dict[str, Board] = {}
        query = BoardListQuery(page_size=BOARDS_PAGE_SIZE_MAX)
        for _ in range(PAGES_MAX):
            page = await self._core.client.list_boards(connection_id, query)
            found |= {board.id: _board(board) for board in page.data[:BOARDS_MAX]}
            if page.bookmark is None or page.bookmark == query.bookmark or len(found) >= BOARDS_MAX:
                break
            query = query.model_copy(update={"bookmark": page.bookmark})
        return list(found.values())[:BOARDS_MAX]


def _board(told: PinterestBoard) -> Board:
    return Board(told.id, told.name, is_secret=(told.privacy or "").upper() == "SECRET")


def _name(account_key: str) -> str:
    return f"boards/{account_key}"
