"""What the import of a table says to a person."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from app.desktop.words import counted
from app.workspace.exchange.csv_checking import Checked
from app.workspace.exchange.csv_columns import Choices, Column
from app.workspace.exchange.csv_import import BACK, UNDERWAY, RowState
from app.workspace.exchange.csv_issues import Issue

COLUMN_NAMES: Final = MappingProxyType(
    {
        Column.TEXT: "Text",
        Column.ACCOUNT: "Account",
        Column.PLATFORM: "Platform",
        Column.DATE: "Date",
        Column.TIME: "Time of day",
        Column.ZONE: "Time zone",
        Column.MEDIA: "Image or video",
        Column.TITLE: "Title",
        Column.BOARD: "Board",
        Column.LINK: "Link of a pin",
        Column.ID: "Kalends post",
    }
)
MAPPED: Final = tuple(column for column in COLUMN_NAMES if column is not Column.ID)
"""What a person may look for in the table; the last one is found by its name alone."""
STATE_NAMES: Final = MappingProxyType(
    {
        RowState.WAITING: "Waiting",
        RowState.FETCHING: "File on its way",
        RowState.KEPT: "Kept, to be sent",
        RowState.SENT: "Planned",
        RowState.THERE: "Planned before",
        RowState.REFUSED: "Not planned",
        RowState.STOPPED: "Not planned",
    }
)
STATE_ICONS: Final = MappingProxyType(
    {
        RowState.WAITING: ("clock", "text3"),
        RowState.FETCHING: ("refresh-cw", "text3"),
        RowState.KEPT: ("refresh-cw", "text3"),
        RowState.SENT: ("check", "ok"),
        RowState.THERE: ("check", "text3"),
        RowState.REFUSED: ("circle-alert", "bad"),
        RowState.STOPPED: ("ban", "text3"),
    }
)


def checked_state(row: Checked) -> tuple[str, str, str]:
    """Of a row that nothing was made of yet: its state in a word or two, an icon and its colour."""
    if row.blocked:
        blocking = len({issue.text for issue in row.issues if issue.blocks})
        return counted(blocking, "problem"), "circle-alert", "bad"
    if row.is_there:
        return STATE_NAMES[RowState.THERE], *STATE_ICONS[RowState.THERE]
    if row.issues:
        return "Ready, with a remark", "info", "warn"
    return "Ready", "check", "ok"


def row_words(row: Checked) -> str:
    """Everything that is to be said of a row, in a line."""
    return f"Line {row.record.line}: " + (
        " ".join(map(issue_words, row.issues)) or "nothing stands in the way."
    )


def issue_words(issue: Issue) -> str:
    """An issue with the name of its column."""
    return f"{COLUMN_NAMES[issue.column]}: {issue.text}" if issue.column else issue.text


def not_found(choices: Choices) -> str:
    """Says which columns have to be chosen before anything can be planned; empty when none has to be."""
    missing = [] if Column.DATE in choices.columns else ["the date"]
    if not ({Column.ACCOUNT, Column.PLATFORM} & choices.columns.keys() or choices.account_keys):
        missing.append("the account")
    return f"No column was found for {' and '.join(missing)}. Choose it at the left." if missing else ""


def summary(rows: Sequence[Checked]) -> str:
    """What the check has found: ``300 rows · 280 posts can be planned · 20 rows have problems``."""
    blocked = sum(row.blocked for row in rows)
    there = sum(row.is_there for row in rows)
    posts = sum(len(row.posts) for row in rows)
    parts = [counted(len(rows), "row"), f"{counted(posts, 'post')} can be planned"]
    if blocked:
        parts.append(f"{counted(blocked, 'row')} {'has' if blocked == 1 else 'have'} problems")
    if there:
        parts.append(f"{there} planned before")
    return " · ".join(parts)


def outcome(counts: Mapping[RowState, int]) -> str:
    """How an import stands, or has ended."""
    made = counts.get(RowState.SENT, 0) + counts.get(RowState.KEPT, 0)
    parts = [f"{counted(made, 'row')} planned"]
    if there := counts.get(RowState.THERE, 0):
        parts.append(f"{there} planned before")
    if back := _sum(counts, BACK):
        parts.append(f"{back} not planned")
    if kept := counts.get(RowState.KEPT, 0):
        parts.append(f"{kept} on the way to the service, also when this is closed")
    return " · ".join(parts)


def share_done(counts: Mapping[RowState, int]) -> int:
    """How much of an import is over, in hundredths."""
    whole = sum(counts.values())
    return 100 if not whole else round(100 * (whole - _sum(counts, UNDERWAY)) / whole)


def _sum(counts: Mapping[RowState, int], states: Iterable[RowState]) -> int:
    return sum(counts.get(state, 0) for state in states)
