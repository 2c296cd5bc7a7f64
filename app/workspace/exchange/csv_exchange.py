"""Import of other programs' tables, and export of posts and results as tables."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter

from app.contract.enums import ConnectionPlatform, PostStatus
from app.language import tr
from app.workspace import foreign_texts
from app.workspace.accounts.account import Account
from app.workspace.core import Core
from app.workspace.editing.boards import Board, Boards
from app.workspace.exchange.csv_checking import Checked, Surroundings, check_table
from app.workspace.exchange.csv_columns import (
    RESULT_COLUMNS,
    Choices,
    Column,
    guess,
    has_names,
    header_id,
    with_proven_order,
)
from app.workspace.exchange.csv_files import CellFiles
from app.workspace.exchange.csv_import import BACK, CsvImport, RowResult, RowState
from app.workspace.exchange.csv_table import BYTES_MAX, Record, Table, csv_file, read_table, write_table
from app.workspace.media.media import Media
from app.workspace.messages import Problem
from app.workspace.posts.commands import PostCommands
from app.workspace.posts.finishing import Finishing
from app.workspace.posts.planned import PlannedPost, Timeline
from app.workspace.store import loading
from app.workspace.store.loading import PostRow
from app.workspace.store.tables import get_setting, put_setting
from app.workspace.tiktok import TikTok

STATE_WORDS: Final = MappingProxyType(
    {
        RowState.WAITING: "waiting",
        RowState.FETCHING: "its file is on the way",
        RowState.KEPT: "planned, waiting to be sent",
        RowState.SENT: "planned",
        RowState.THERE: "was planned already",
        RowState.REFUSED: "not planned",
        RowState.STOPPED: "not planned",
    }
)
POST_COLUMNS: Final = (
    *("Text", "Title", "Account", "Date", "Time", "Zone", "Media", "Board", "Link", "By hand"),
    *("Kind", "Status", "Reason", "Kalends post"),
)
TEMPLATE_COLUMNS: Final = ("Text", "Account", "Date", "Time", "Media", "Title", "Board", "Link", "By hand")
_SHAPE: Final = TypeAdapter(Choices)
_PIECE: Final = 500


def result_file(table: Table, rows: Iterable[tuple[Record, RowResult]], *, only_back: bool = False) -> bytes:
    """Return all rows with their results; or only failed ones, to be fixed and imported again."""
    header = (*table.header, *RESULT_COLUMNS)
    chosen = [(record, result) for record, result in rows if not only_back or result.state in BACK]
    told = ((*record.cells, STATE_WORDS[result.state], result.reason) for record, result in chosen)
    return csv_file(header, told)


def template_file() -> bytes:
    """Return an empty table whose columns are all recognised."""
    return csv_file(TEMPLATE_COLUMNS, ())


def post_file(
    posts: Iterable[tuple[PlannedPost, PostRow | None]], accounts: Mapping[str, Account], zone: ZoneInfo
) -> bytes:
    """Return posts with their full texts, sorted by time; the file can be imported again."""
    ordered = sorted(posts, key=lambda pair: (pair[0].at, pair[0].key))
    return csv_file(POST_COLUMNS, (_post_cells(post, row, accounts, zone) for post, row in ordered))


def _post_cells(
    post: PlannedPost, row: PostRow | None, accounts: Mapping[str, Account], zone: ZoneInfo
) -> Sequence[str]:
    moment = datetime.fromtimestamp(post.at / 1_000, zone)
    account = accounts.get(post.account_key)
    name = (account.handle or account.name) if account else post.account_key
    return (
        (row.description if row else None) or "",
        (row.title if row else None) or "",
        f"{post.platform.value}:{name}",
        f"{moment:%Y-%m-%d}",
        f"{moment:%H:%M:%S}{_offset(moment)}",
        zone.key,
        post.media,
        (row.board_name if row else None) or "",
        (row.link if row else None) or "",
        "yes" if post.by_hand else "",
        post.post_type.value,
        post.status.value,
        post.reason,
        post.key,
    )


def _offset(moment: datetime) -> str:
    """Return the UTC offset; without it, the hour repeated by a clock change would be ambiguous."""
    minutes = round((moment.utcoffset() or moment - moment).total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A file that was read, the interpretation of its columns, and whether that was remembered."""

    path: Path
    table: Table
    choices: Choices
    files: CellFiles
    remembered: bool


class CsvExchange:
    """Reads, checks, imports and exports tables; reads and checks run in threads. Methods raise Problem."""

    def __init__(
        self,
        core: Core,
        commands: PostCommands,
        media: Media,
        boards: Boards,
        tiktok: TikTok,
        finishing: Finishing,
        accounts: Callable[[], Mapping[str, Account]],
    ) -> None:
        self._core = core
        self._commands = commands
        self._media = media
        self._boards = boards
        self._tiktok, self._finishing = tiktok, finishing
        self._accounts = accounts

    async def read(
        self, path: Path, zone: str, *, encoding: str = "", has_header: bool | None = None
    ) -> CsvFile:
        """Read a file as a table; detect what isn't specified. ``zone`` is an IANA name."""
        table = await asyncio.to_thread(_read, path, encoding, has_header)
        if not table.records:
            text = tr("“{name}” has no rows. Choose a file with one row per post.", name=path.name)
            raise Problem(text)
        name = _setting(table)
        kept = await self._core.read(lambda rows: get_setting(rows, name, _SHAPE))
        fits = kept is not None and all(index < len(table.header) for index in kept.columns.values())
        if kept is not None and fits:
            choices = await asyncio.to_thread(with_proven_order, kept, table)
        else:
            choices = await asyncio.to_thread(guess, table, zone)
        return CsvFile(path, table, choices, CellFiles(self._media, path.parent), remembered=fits)

    async def check(self, file: CsvFile, choices: Choices) -> list[Checked]:
        """Check all rows, before any post is created."""
        index = choices.columns.get(Column.MEDIA)
        cells = {cell.strip() for cell in file.table.column(index)} if index is not None else set()
        planned = _Planned(self._commands, self._core.mirror.timeline, self._core.history.undone_posts())
        around = Surroundings(
            accounts=tuple(self._accounts().values()),
            now=self._core.clock(),
            files=await file.files.look_at(cells),
            boards=await self._known_boards() if Column.BOARD in choices.columns else {},
            undecided=await self._undecided(),
            planned=planned,
            cancelled=_Cancelled(planned),
            renewed=planned.renewed,
            posts=self._core.mirror.timeline,
            takes_by_hand=self._finishing.takes_single_posts,
        )
        return await asyncio.to_thread(check_table, file.table, choices, around)

    async def remember(self, file: CsvFile, choices: Choices) -> None:
        """Remember the interpretation for tables with the same columns."""
        name = _setting(file.table)
        await self._core.write(lambda rows: put_setting(rows, name, choices, _SHAPE))

    def begin(self, file: CsvFile, rows: list[Checked]) -> CsvImport:
        """Return an import of these rows, ready to run."""
        return CsvImport(self._core, self._commands, file.files, rows, dict(self._accounts()))

    async def save_results(
        self, path: Path, file: CsvFile, importing: CsvImport, *, only_back: bool = False
    ) -> None:
        """Write each row with its result."""
        pairs = list(zip((row.record for row in importing.rows), importing.results(), strict=True))
        await write_table(path, lambda: result_file(file.table, pairs, only_back=only_back))

    async def save_template(self, path: Path) -> None:
        """Write an empty table whose columns are all recognised."""
        await write_table(path, template_file)

    async def export(self, path: Path, posts: Iterable[PlannedPost], zone: ZoneInfo) -> int:
        """Write posts with their full texts; return how many."""
        chosen = list(posts)
        rows: dict[str, PostRow] = {}
        for start in range(0, len(chosen), _PIECE):
            rows |= await self._rows([post.key for post in chosen[start : start + _PIECE]])
        accounts = dict(self._accounts())
        await write_table(
            path, lambda: post_file([(post, rows.get(post.key)) for post in chosen], accounts, zone)
        )
        return len(chosen)

    async def _rows(self, keys: list[str]) -> dict[str, PostRow]:
        found = await self._core.read(lambda rows: loading.post_rows(rows, keys))
        return {row.key: row for row in found}

    async def _undecided(self) -> frozenset[str]:
        """Return TikTok accounts without a choice of who can see their posts."""
        accounts = self._accounts().values()
        keys = [account.key for account in accounts if account.platform is ConnectionPlatform.TIKTOK]
        return frozenset([key for key in keys if await self._tiktok.is_undecided(key)])

    async def _known_boards(self) -> dict[str, tuple[Board, ...]]:
        """Return the current boards; if the service is unreachable, the last known ones."""
        found: dict[str, tuple[Board, ...]] = {}
        for account in self._accounts().values():
            if account.platform is not ConnectionPlatform.PINTEREST:
                continue
            found[account.key] = await self._boards.known(account.key) or ()
            with suppress(Problem):
                found[account.key] = found[account.key] or await self._boards.ask(account.key)
        return found


@dataclass(frozen=True, slots=True)
class _Planned:
    """A read-only view of the idempotency keys of existing posts, without copying them.

    ``undone`` are the keys of posts whose scheduling was undone.
    """

    commands: PostCommands
    timeline: Timeline
    undone: frozenset[str]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.commands.planned_under(key) is not None

    def cancelled(self, key: object) -> str | None:
        """Return the cancelled post with an idempotency key; None if there's none."""
        post = self.commands.planned_under(key) if isinstance(key, str) else None
        found = self.timeline.get(post) if post is not None else None
        return post if found is not None and found.status is PostStatus.CANCELLED else None

    def renewed(self, idempotency_key: str) -> str:
        """Return the newest key of a row's series, or a new one if scheduling that post was undone."""
        newest = following = idempotency_key
        for number in count(2):
            if following not in self:
                break
            newest, following = following, f"{idempotency_key}:{number}"
        return following if self.cancelled(newest) in self.undone else newest


@dataclass(frozen=True, slots=True)
class _Cancelled:
    """A read-only view of the idempotency keys of cancelled posts."""

    planned: _Planned

    def __contains__(self, key: object) -> bool:
        return self.planned.cancelled(key) is not None


def _setting(table: Table) -> str:
    return f"csv/{sha256(header_id(table.header).encode()).hexdigest()[:32]}"


def _read(path: Path, encoding: str, has_header: bool | None) -> Table:
    try:
        if path.stat().st_size > BYTES_MAX:
            limit = BYTES_MAX // 1024**2
            text = tr(
                "“{name}” is larger than {limit} MB. Split it into several files.",
                name=path.name,
                limit=limit,
            )
            raise Problem(text)
        content = path.read_bytes()
    except OSError as error:
        text = tr("Couldn't read “{name}”: {why}.", name=path.name, why=foreign_texts.why(error))
        raise Problem(text) from error
    table = read_table(content, encoding=encoding, has_header=has_header is not False)
    if has_header is None and not has_names(table.header):
        return read_table(content, encoding=table.encoding, has_header=False)
    return table
