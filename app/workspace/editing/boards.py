"""The boards for pins: the last known ones immediately, the current ones soon after."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import Connection

from app.contract.connections import BoardListQuery, PinterestBoard
from app.contract.limits import BOARDS_PAGE_SIZE_MAX
from app.workspace.clock import wall_clock
from app.workspace.core import Core
from app.workspace.store.tables import get_setting, put_setting

PAGES_MAX: Final = 40
BOARDS_MAX: Final = 2_000
"""Pinterest's maximum; further boards or pages are ignored."""


@dataclass(frozen=True, slots=True)
class Board:
    """A board: the platform's ID and its name."""

    id: str
    name: str
    is_secret: bool = False


_SHAPE: Final = TypeAdapter(tuple[Board, ...])
_TIME: Final = TypeAdapter(int)


class Boards:
    """Boards by account, sorted by name."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def known(self, account_key: str) -> tuple[Board, ...] | None:
        """Return the last known boards; None if they were never requested. Raises Problem."""
        return await self._core.read(lambda rows: get_setting(rows, _name(account_key), _SHAPE))

    async def known_at(self, account_key: str) -> int | None:
        """Return when the known boards were requested, in ms since 1970 UTC. Raises Problem."""
        return await self._core.read(lambda rows: get_setting(rows, _time_name(account_key), _TIME))

    async def ask(self, account_key: str) -> tuple[Board, ...]:
        """Request all boards and remember them. Raises Problem."""
        told = await self._core.call(self._told(UUID(account_key)))
        boards = tuple(sorted(told, key=lambda board: board.name.casefold()))
        now = wall_clock()

        def keep(rows: Connection) -> None:
            put_setting(rows, _name(account_key), boards, _SHAPE)
            put_setting(rows, _time_name(account_key), now, _TIME)

        await self._core.write(keep)
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


def _time_name(account_key: str) -> str:
    return f"boards read/{account_key}"


def _name(account_key: str) -> str:
    return f"boards/{account_key}"
