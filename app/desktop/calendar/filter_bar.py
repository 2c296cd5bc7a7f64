"""The chips below the toolbar: what is shown, and that something is not."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.desktop.calendar.filters import KIND_NAMES, STATUS_NAMES, Filter
from app.desktop.widgets import Chip, Menu
from app.workspace.accounts.account import Account

T = TypeVar("T")
_MOST_ACCOUNT_CHIPS = 6


class FilterBar(QWidget):
    """Chips: all accounts, each account, status and kind."""

    changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.filter = Filter()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(8)
        self._accounts: list[Account] = []
        self._rebuild()

    def show_accounts(self, accounts: list[Account]) -> None:
        """Offers these accounts."""
        if accounts != self._accounts:
            self._accounts = accounts
            self._rebuild()

    def clear(self) -> None:
        """Shows everything again."""
        self._set(Filter())

    def _set(self, filter_: Filter) -> None:
        self.filter = filter_
        self._rebuild()
        self.changed.emit(filter_)

    def _rebuild(self) -> None:
        while (item := self._row.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        everything = Chip("Filtered" if self.filter.is_on else "All accounts", "funnel")
        everything.setChecked(True)
        everything.setToolTip("Show everything again" if self.filter.is_on else "Nothing is hidden")
        everything.clicked.connect(self.clear)
        self._row.addWidget(everything)
        for account in self._accounts[:_MOST_ACCOUNT_CHIPS]:
            self._row.addWidget(self._account_chip(account))
        chosen = self.filter
        self._row.addWidget(
            self._menu_chip(
                "Status", STATUS_NAMES, chosen.status, lambda status: replace(chosen, status=status)
            )
        )
        self._row.addWidget(
            self._menu_chip("Kind", KIND_NAMES, chosen.kind, lambda kind: replace(chosen, kind=kind))
        )
        self._row.addStretch(1)

    def _account_chip(self, account: Account) -> Chip:
        name = account.name if len(account.name) <= 22 else account.name[:21] + "…"
        chip = Chip(name, f"brand:{account.platform}")
        chip.setChecked(account.key in self.filter.accounts)
        chip.clicked.connect(lambda: self._set(self.filter.with_account(account.key)))
        return chip

    def _menu_chip(
        self, label: str, names: dict[T, str], chosen: T | None, filtered: Callable[[T | None], Filter]
    ) -> Chip:
        chip = Chip(names[chosen] if chosen is not None else label)
        chip.setAccessibleName(f"{label}: {names[chosen] if chosen is not None else 'any'}")
        chip.setChecked(chosen is not None)

        def show_menu() -> None:
            chip.setChecked(chosen is not None)
            menu = Menu(chip)
            menu.add("Any", partial(self._set, filtered(None)), icon="" if chosen is not None else "check")
            for value, name in names.items():
                icon = "check" if value == chosen else ""
                menu.add(name, partial(self._set, filtered(value)), icon=icon)
            menu.popup(chip.mapToGlobal(QPoint(0, chip.height() + 4)))

        chip.clicked.connect(show_menu)
        return chip
