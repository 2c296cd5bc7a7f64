"""Exported files: the result of each row, posts as a table, and a template. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

from app.workspace.accounts.account import Account
from app.workspace.exchange.csv_columns import RESULT_COLUMNS
from app.workspace.exchange.csv_import import BACK, RowResult, RowState
from app.workspace.exchange.csv_table import Record, Table
from app.workspace.exchange.csv_writing import csv_file
from app.workspace.posts.planned import PlannedPost
from app.workspace.store.rows import PostRow

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
    *("Text", "Title", "Account", "Date", "Time", "Zone", "Media", "Board", "Link"),
    *("Kind", "Status", "Reason", "Kalends post"),
)
TEMPLATE_COLUMNS: Final = ("Text", "Account", "Date", "Time", "Media", "Title", "Board", "Link")


def result_file(table: Table, rows: Iterable[tuple[Record, RowResult]], *, only_back: bool = False) -> bytes:
    """Return every row with its result; or only failed ones, to be fixed and imported again."""
    header = (*table.header, *RESULT_COLUMNS)
    chosen = [(record, result) for record, result in rows if not only_back or result.state in BACK]
    told = ((*record.cells, STATE_WORDS[result.state], result.reason) for record, result in chosen)
    return csv_file(header, told)


def template_file() -> bytes:
    """Return a table without rows, whose columns are all understood."""
    return csv_file(TEMPLATE_COLUMNS, ())


def post_file(
    posts: Iterable[tuple[PlannedPost, PostRow | None]], accounts: Mapping[str, Account], zone: ZoneInfo
) -> bytes:
    """Return posts with their whole texts, sorted by time; such a file can be imported again."""
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
        post.post_type.value,
        post.status.value,
        post.reason,
        post.key,
    )


def _offset(moment: datetime) -> str:
    """The UTC offset, without which the hour repeated by a clock change would be ambiguous."""
    minutes = round((moment.utcoffset() or moment - moment).total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
