"""The form that maps a table's columns, and the texts about rows."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.widgets import CheckBox, ComboBox, Field, Label, ZonePicker
from app.desktop.widgets.painting import insets
from app.desktop.words import day_year_and_time, platform_name, zone_time
from app.language import tr, trn
from app.workspace.accounts.account import Account
from app.workspace.editing.schedule import in_zone
from app.workspace.exchange.csv_cells import Issue
from app.workspace.exchange.csv_checking import Checked
from app.workspace.exchange.csv_columns import Choices, Column
from app.workspace.exchange.csv_import import BACK, UNDERWAY, RowState
from app.workspace.exchange.csv_table import Table, numbered
from app.workspace.time.written import DayOrder

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
        Column.BY_HAND: tr("By hand"),
        Column.ID: tr("Kalends post"),
    }
)
MAPPED: Final = tuple(column for column in COLUMN_NAMES if column is not Column.ID)
"""The columns that the user can assign. The missing one is only found by its name."""
STATE_NAMES: Final = MappingProxyType(
    {
        RowState.WAITING: tr("Waiting"),
        RowState.FETCHING: tr("File uploading"),
        RowState.KEPT: tr("Saved, not sent yet"),
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
    """Return text, icon and colour role for a row that isn't imported yet."""
    if row.blocked:
        blocking = len({issue.text for issue in row.issues if issue.blocks})
        return trn("{n} problem", "{n} problems", blocking), "circle-alert", "bad"
    if row.is_there:
        return STATE_NAMES[RowState.THERE], *STATE_ICONS[RowState.THERE]
    if row.issues:
        return tr("Ready, check it"), "info", "warn"
    return tr("Ready"), "check", "ok"


def row_words(row: Checked) -> str:
    """Return a row's complete description in one line."""
    words = " ".join(map(issue_words, row.issues)) or tr("no problems found.")
    return tr("Line {line}: {words}", line=row.record.line, words=words)


def issue_words(issue: Issue) -> str:
    """Return an issue with the name of its column."""
    return f"{COLUMN_NAMES[issue.column]}: {issue.text}" if issue.column else issue.text


def not_found(choices: Choices) -> str:
    """Return which required columns weren't found; empty if none is missing."""
    dated = Column.DATE in choices.columns
    if {Column.ACCOUNT, Column.PLATFORM} & choices.columns.keys() or choices.account_keys:
        return "" if dated else tr("No column found for the date. Choose it on the left.")
    if dated:
        return tr("No column found for the account. Choose it on the left.")
    return tr("No columns found for the date and the account. Choose them on the left.")


def column_title(name: str, index: int) -> str:
    """Return the name of a table's column, or its number if it has no name."""
    return tr("Column {n}", n=index + 1) if name == numbered(index) else name


def summary(rows: Sequence[Checked]) -> str:
    """Return the result of the check: ``300 rows · 280 posts can be planned · 20 rows have problems``."""
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


def reading(rows: Sequence[Checked], choices: Choices) -> str:
    """Return how the first ready row's date and time were read; empty if no row is ready."""
    row = next((row for row in rows if row.posts), None)
    if row is None or (at := row.posts[0].at) is None:
        return ""
    places = (choices.columns.get(column) for column in (Column.DATE, Column.TIME))
    cells = (row.record.cells[place] for place in places if place is not None)
    zone = ZoneInfo(choices.zone)
    return tr(
        "“{cell}” is read as {moment}, {zone}.",
        cell=" ".join(" ".join(cells).split()),
        moment=day_year_and_time(in_zone(at, zone)),
        zone=zone_time(zone),
    )


def outcome(counts: Mapping[RowState, int], *, is_online: bool) -> str:
    """Return the progress or the result of an import."""
    kept = counts.get(RowState.KEPT, 0)
    made = counts.get(RowState.SENT, 0) + (kept if is_online else 0)
    parts = [trn("{n} row scheduled", "{n} rows scheduled", made)] if made or not kept else []
    if there := counts.get(RowState.THERE, 0):
        parts.append(tr("{n} already scheduled", n=there))
    if back := _sum(counts, BACK):
        parts.append(tr("{n} not scheduled", n=back))
    if kept and is_online:
        parts.append(trn("sending {n} row; you can close this", "sending {n} rows; you can close this", kept))
    elif kept:
        parts.append(
            trn(
                "{n} row saved, to be sent when the service responds; you can close this",
                "{n} rows saved, to be sent when the service responds; you can close this",
                kept,
            )
        )
    return " · ".join(parts)


def share_done(counts: Mapping[RowState, int]) -> int:
    """Return the progress of an import in percent."""
    whole = sum(counts.values())
    return 100 if not whole else round(100 * (whole - _sum(counts, UNDERWAY)) / whole)


def _sum(counts: Mapping[RowState, int], states: Iterable[RowState]) -> int:
    return sum(counts.get(state, 0) for state in states)


_NOWHERE: Final = tr("Not in this file")
_NOBODY: Final = tr("None")
_ENCODINGS: Final = (
    *("utf-8", "utf-16", "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256"),
    *("cp932", "gb18030", "big5", "cp949", "mac_roman"),
)


class MappingForm(QWidget):
    """Starts with the guessed or remembered columns; every change is emitted immediately."""

    changed = Signal()
    """The choices are others; the table is the same."""
    reread = Signal()
    """The file is to be read with another encoding, or with another first row."""

    def __init__(self, accounts: Mapping[str, Account], zone: ZoneInfo) -> None:
        super().__init__()
        self._choices = Choices({}, zone.key)
        self.columns = {column: _box(COLUMN_NAMES[column]) for column in MAPPED}
        self.order = _box(tr("Dates like 03/04/2026"))
        self.order.addItem(tr("3 April, day first"), DayOrder.DAY_FIRST)
        self.order.addItem(tr("4 March, month first"), DayOrder.MONTH_FIRST)
        self.zone = ZonePicker(zone)
        self.account = _box(tr("Account for rows without one"))
        self.account.addItem(_NOBODY, "")
        for account in accounts.values():
            name = platform_name(account.platform.value)
            self.account.addItem(
                tr("{account} on {platform}", account=account.name, platform=name), account.key
            )
        self.encoding = _box(tr("Encoding"))
        self.names = CheckBox(tr("Contains column names"))
        self.names.setAccessibleName(tr("The first row contains column names"))
        self._lay_out()
        for box in (*self.columns.values(), self.order, self.account):
            box.activated.connect(self._tell)
        self.zone.zone_changed.connect(self._tell)
        self.encoding.activated.connect(self.reread)
        self.names.clicked.connect(self.reread)

    def show(self, table: Table, choices: Choices) -> None:  # type: ignore[override]
        """Show a mapping without emitting signals."""
        self._choices = choices
        for column, box in self.columns.items():
            box.clear()
            box.addItem(_NOWHERE, None)
            for index, name in enumerate(table.header):
                box.addItem(column_title(name, index), index)
            box.setCurrentIndex(max(0, box.findData(choices.columns.get(column))))
        self.order.setCurrentIndex(self.order.findData(choices.day_order))
        self.zone.blockSignals(True)
        self.zone.set_zone(ZoneInfo(choices.zone))
        self.zone.blockSignals(False)
        usual = choices.account_keys[0] if choices.account_keys else ""
        self.account.setCurrentIndex(max(0, self.account.findData(usual)))
        self.encoding.clear()
        self.encoding.addItems(list(dict.fromkeys((table.encoding, *_ENCODINGS))))
        self.names.setChecked(table.has_header)

    def keep_reading(self) -> None:
        """Disable choices that would read the file differently: corrections would be lost."""
        for control in (self.encoding, self.names):
            control.setEnabled(False)
            control.setToolTip(
                tr("Can't be changed after you corrected a cell: the correction would be lost.")
            )

    def choices(self) -> Choices:
        """The current mapping."""
        columns = {column: box.currentData() for column, box in self.columns.items()}
        found: dict[Column, int] = {column: index for column, index in columns.items() if index is not None}
        if Column.ID in self._choices.columns:
            found[Column.ID] = self._choices.columns[Column.ID]
        account = self.account.currentData()
        return Choices(found, self.zone.zone().key, self.order.currentData(), (account,) if account else ())

    def _tell(self) -> None:
        self.changed.emit()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(insets(20, 16, 16, 16))
        column.setSpacing(12)
        column.addWidget(Label(tr("Columns"), "strong"))
        for each, box in self.columns.items():
            column.addWidget(Field(COLUMN_NAMES[each], box))
        column.addSpacing(8)
        column.addWidget(Label(tr("Dates and accounts"), "strong"))
        column.addWidget(Field(tr("Dates like 03/04/2026"), self.order))
        zone = tr("Time zone for times without one")
        self.zone.setAccessibleName(zone)
        column.addWidget(Field(zone, self.zone))
        column.addWidget(Field(tr("Account for rows without one"), self.account))
        column.addSpacing(8)
        column.addWidget(Label(tr("File"), "strong"))
        column.addWidget(Field(tr("Encoding"), self.encoding))
        column.addWidget(Field(tr("First row"), self.names))
        column.addStretch(1)


def _box(name: str) -> ComboBox:
    box = ComboBox()
    box.setAccessibleName(name)
    box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(10)
    return box
