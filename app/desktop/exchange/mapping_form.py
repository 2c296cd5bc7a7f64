"""How a table is understood: which column holds what, and what its dates and letters mean."""

from collections.abc import Mapping
from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.exchange.wording import COLUMN_NAMES, MAPPED, column_title
from app.desktop.widgets import CheckBox, ComboBox, Field, Label, ZonePicker
from app.desktop.words import platform_name
from app.language import tr
from app.workspace.accounts.account import Account
from app.workspace.exchange.csv_columns import Choices, Column
from app.workspace.exchange.csv_table import Table
from app.workspace.time.written import DayOrder

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
        self.names = CheckBox(tr("The first row contains column names"))
        self._lay_out()
        for box in (*self.columns.values(), self.order, self.account):
            box.activated.connect(self._tell)
        self.zone.zone_changed.connect(self._tell)
        self.encoding.activated.connect(self.reread)
        self.names.clicked.connect(self.reread)

    def show(self, table: Table, choices: Choices) -> None:  # type: ignore[override]
        """Shows how a table is understood, without telling."""
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
        """Keep the file as it was read: what was corrected in it would be lost."""
        for control in (self.encoding, self.names):
            control.setEnabled(False)
            control.setToolTip(
                tr("Can't be changed after you corrected a cell: the correction would be lost.")
            )

    def choices(self) -> Choices:
        """What is chosen now."""
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
        column.setContentsMargins(20, 16, 16, 16)
        column.setSpacing(12)
        column.addWidget(Label(tr("Columns"), "strong"))
        for each, box in self.columns.items():
            column.addWidget(Field(COLUMN_NAMES[each], box))
        column.addSpacing(8)
        column.addWidget(Label(tr("Dates and accounts"), "strong"))
        column.addWidget(Field(tr("Dates like 03/04/2026"), self.order))
        column.addWidget(Field(tr("Time zone for times without one"), self.zone))
        column.addWidget(Field(tr("Account for rows without one"), self.account))
        column.addSpacing(8)
        column.addWidget(Label(tr("File"), "strong"))
        column.addWidget(Field(tr("Encoding"), self.encoding))
        column.addWidget(self.names)
        column.addStretch(1)


def _box(name: str) -> ComboBox:
    box = ComboBox()
    box.setAccessibleName(name)
    box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(10)
    return box
