"""What the import of a table says to a person."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from app.language import tr, trn
from app.workspace.exchange.csv_cells import Issue
from app.workspace.exchange.csv_checking import Checked
from app.workspace.exchange.csv_columns import Choices, Column
from app.workspace.exchange.csv_import import BACK, UNDERWAY, RowState
from app.workspace.exchange.csv_table import numbered

COLUMN_NAMES: Final = MappingProxyType(
    {
        Column.TEXT: tr("Text"),
        Column.ACCOUNT: tr("Account"),
        Column.PLATFORM: tr("Platform"),
        Column.DATE: tr("Date"),
        Column.TIME: tr("Time of day"),
        Column.ZONE: tr("Time zone"),
        Column.MEDIA: tr("Image or video"),
        Column.TITLE: tr("Title"),
        Column.BOARD: tr("Board"),
        Column.LINK: tr("Pin link"),
        Column.ID: tr("Kalends post"),
    }
)
MAPPED: Final = tuple(column for column in COLUMN_NAMES if column is not Column.ID)
"""The columns that the user can assign. The missing one is only found by its name."""
STATE_NAMES: Final = MappingProxyType(
    {
        RowState.WAITING: tr("Waiting"),
        RowState.FETCHING: tr("File uploading"),
        RowState.KEPT: tr("Saved, sending…"),
        RowState.SENT: tr("Scheduled"),
        RowState.THERE: tr("Already scheduled"),
        RowState.REFUSED: tr("Not scheduled"),
        RowState.STOPPED: tr("Not scheduled"),
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
        return trn("{n} problem", "{n} problems", blocking), "circle-alert", "bad"
    if row.is_there:
        return STATE_NAMES[RowState.THERE], *STATE_ICONS[RowState.THERE]
    if row.issues:
        return tr("Ready, check it"), "info", "warn"
    return tr("Ready"), "check", "ok"


def row_words(row: Checked) -> str:
    """Everything that is to be said of a row, in a line."""
    words = " ".join(map(issue_words, row.issues)) or tr("no problems found.")
    return tr("Line {line}: {words}", line=row.record.line, words=words)


def issue_words(issue: Issue) -> str:
    """An issue with the name of its column."""
    return f"{COLUMN_NAMES[issue.column]}: {issue.text}" if issue.column else issue.text


def not_found(choices: Choices) -> str:
    """Says which columns have to be chosen before anything can be planned; empty when none has to be."""
    dated = Column.DATE in choices.columns
    if {Column.ACCOUNT, Column.PLATFORM} & choices.columns.keys() or choices.account_keys:
        return "" if dated else tr("No column found for the date. Choose it on the left.")
    if dated:
        return tr("No column found for the account. Choose it on the left.")
    return tr("No columns found for the date and the account. Choose them on the left.")


def column_title(name: str, index: int) -> str:
    """The name of a table's column, of which one without a name has but its number."""
    return tr("Column {n}", n=index + 1) if name == numbered(index) else name


def summary(rows: Sequence[Checked]) -> str:
    """What the check has found: ``300 rows · 280 posts can be planned · 20 rows have problems``."""
    blocked = sum(row.blocked for row in rows)
    there = sum(row.is_there for row in rows)
    posts = sum(len(row.posts) for row in rows)
    parts = [
        trn("{n} row", "{n} rows", len(rows)),
        trn("{n} post ready", "{n} posts ready", posts),
    ]
    if blocked:
        parts.append(trn("{n} row has problems", "{n} rows have problems", blocked))
    if there:
        parts.append(tr("{n} already scheduled", n=there))
    return " · ".join(parts)


def outcome(counts: Mapping[RowState, int]) -> str:
    """How an import stands, or has ended."""
    made = counts.get(RowState.SENT, 0) + counts.get(RowState.KEPT, 0)
    parts = [trn("{n} row scheduled", "{n} rows scheduled", made)]
    if there := counts.get(RowState.THERE, 0):
        parts.append(tr("{n} already scheduled", n=there))
    if back := _sum(counts, BACK):
        parts.append(tr("{n} not scheduled", n=back))
    if kept := counts.get(RowState.KEPT, 0):
        parts.append(trn("sending {n} row; you can close this", "sending {n} rows; you can close this", kept))
    return " · ".join(parts)


def share_done(counts: Mapping[RowState, int]) -> int:
    """How much of an import is over, in hundredths."""
    whole = sum(counts.values())
    return 100 if not whole else round(100 * (whole - _sum(counts, UNDERWAY)) / whole)


def _sum(counts: Mapping[RowState, int], states: Iterable[RowState]) -> int:
    return sum(counts.get(state, 0) for state in states)
