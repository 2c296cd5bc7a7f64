"""The chips below the toolbar: what is shown, and that something is not."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QPoint, QRect, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QStyle, QWidget

from app.desktop.calendar.filters import KIND_NAMES, STATUS_NAMES, Filter
from app.desktop.theme import theme
from app.desktop.widgets import Chip, Menu
from app.workspace.accounts.account import Account

T = TypeVar("T")
_GAP = 8
_LONGEST_NAME = 22


class FilterBar(QWidget):
    """Chips: all accounts, as many accounts as fit, the others in a menu, status and kind."""

    changed = Signal(object)
    warnings_asked = Signal()
    """The person wants to see what will fail."""

    def __init__(self) -> None:
        super().__init__()
        self.filter = Filter()
        self._accounts: dict[str, Account] = {}
        self._chips: dict[str, Chip] = {}
        self._everything = self._chip("funnel", self.clear)
        self._others = self._chip("", self._show_others)
        self._status = self._chip("", self._show_status)
        self._kind = self._chip("", self._show_kind)
        self.warnings = Chip("", "triangle-alert", checkable=False, tone="warn", parent=self)
        self.warnings.setToolTip("What will fail")
        self.warnings.clicked.connect(self.warnings_asked)
        self.warnings.hide()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._dress()

    def show_accounts(self, accounts: list[Account]) -> None:
        """Offers these accounts; one that is gone is no longer filtered for."""
        found = {account.key: account for account in accounts}
        if found == self._accounts:
            return
        self._accounts = found
        for chip in self._chips.values():
            chip.hide()
            chip.deleteLater()
        self._chips = {account.key: self._account_chip(account) for account in accounts}
        chosen = self.filter.accounts & found.keys()
        if chosen != self.filter.accounts:
            self._set(replace(self.filter, accounts=chosen))
        self._dress()

    def choose(self, chosen: Filter) -> None:
        """Filters so; accounts that are gone are left out."""
        self._set(replace(chosen, accounts=chosen.accounts & self._accounts.keys()))

    def show_warnings(self, summary: str) -> None:
        """Says at the end of the line what will fail; "" for nothing."""
        if summary != self.warnings.text() or self.warnings.isHidden() == bool(summary):
            self.warnings.setText(summary)
            self.warnings.setVisible(bool(summary))
            self._arrange()

    def clear(self) -> None:
        """Shows everything again."""
        self._set(Filter())

    def sizeHint(self) -> QSize:
        return QSize(0, theme.current().metrics.chip)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shows as many accounts as there is room for."""
        del event
        self._arrange()

    def _set(self, chosen: Filter) -> None:
        is_other = chosen != self.filter
        self.filter = chosen
        self._dress()
        if is_other:
            self.changed.emit(chosen)

    def _chip(self, icon: str, act: Callable[[], None]) -> Chip:
        chip = Chip("", icon, parent=self)
        chip.clicked.connect(act)
        return chip

    def _account_chip(self, account: Account) -> Chip:
        chip = self._chip(f"brand:{account.platform}", lambda: self._toggle(account.key))
        chip.setText(_shortened(account.name))
        chip.setToolTip(f"Show only {account.name}")
        return chip

    def _toggle(self, key: str) -> None:
        self._set(self.filter.with_account(key))

    def _dress(self) -> None:
        """Says on the chips what the filter is."""
        chosen = self.filter
        self._everything.setText("Filtered" if chosen.is_on else "All accounts")
        self._everything.setToolTip("Show everything again" if chosen.is_on else "Nothing is hidden")
        self._everything.setChecked(True)
        for key, chip in self._chips.items():
            chip.setChecked(key in chosen.accounts)
        _dress_menu(self._status, "Status", STATUS_NAMES, chosen.status)
        _dress_menu(self._kind, "Kind", KIND_NAMES, chosen.kind)
        self._arrange()

    def _arrange(self) -> None:
        chips = list(self._chips.values())
        shown = self._fitting(chips)
        for chip in chips[shown:]:
            chip.hide()
        hidden = list(self._chips)[shown:]
        self._others.setText(f"+{len(hidden)}")
        self._others.setAccessibleName("More accounts")
        self._others.setChecked(bool(self.filter.accounts & set(hidden)))
        self._others.setVisible(bool(hidden))
        left = 0
        for chip in (
            self._everything,
            *chips[:shown],
            *([self._others] if hidden else ()),
            self._status,
            self._kind,
        ):
            size = chip.sizeHint()
            place = QRect(QPoint(left, 0), size)
            chip.setGeometry(QStyle.visualRect(self.layoutDirection(), self.rect(), place))
            chip.show()
            left += size.width() + _GAP
        size = self.warnings.sizeHint()
        place = QRect(QPoint(self.width() - size.width(), 0), size)
        self.warnings.setGeometry(QStyle.visualRect(self.layoutDirection(), self.rect(), place))

    def _fitting(self, chips: list[Chip]) -> int:
        """How many account chips there is room for."""
        warned = () if self.warnings.isHidden() else (self.warnings,)
        fixed = (self._everything, self._status, self._kind, *warned)
        room = self.width() - sum(chip.sizeHint().width() + _GAP for chip in fixed) + _GAP
        widths = [chip.sizeHint().width() + _GAP for chip in chips]
        if sum(widths) <= room:
            return len(chips)
        room -= 44 + _GAP
        shown = 0
        while shown < len(widths) and widths[shown] <= room:
            room -= widths[shown]
            shown += 1
        return shown

    def _show_others(self) -> None:
        hidden = [account for key, account in self._accounts.items() if self._chips[key].isHidden()]
        menu = Menu(self._others)
        for account in hidden:
            icon = "check" if account.key in self.filter.accounts else f"brand:{account.platform}"
            menu.add(account.name, partial(self._toggle, account.key), icon=icon)
        self._open(menu, self._others)

    def _show_status(self) -> None:
        chosen = self.filter
        self._show_values(
            self._status, STATUS_NAMES, chosen.status, lambda status: replace(chosen, status=status)
        )

    def _show_kind(self) -> None:
        chosen = self.filter
        self._show_values(self._kind, KIND_NAMES, chosen.kind, lambda kind: replace(chosen, kind=kind))

    def _show_values(
        self, chip: Chip, names: dict[T, str], chosen: T | None, filtered: Callable[[T | None], Filter]
    ) -> None:
        menu = Menu(chip)
        menu.add("Any", partial(self._set, filtered(None)), icon="" if chosen is not None else "check")
        for value, name in names.items():
            menu.add(name, partial(self._set, filtered(value)), icon="check" if value == chosen else "")
        self._open(menu, chip)

    def _open(self, menu: Menu, chip: Chip) -> None:
        self._dress()  # the click has switched the chip
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(chip.mapToGlobal(QPoint(0, chip.height() + 4)))


def _dress_menu(chip: Chip, label: str, names: dict[T, str], chosen: T | None) -> None:
    chip.setText(names[chosen] if chosen is not None else label)
    chip.setAccessibleName(f"{label}: {names[chosen] if chosen is not None else 'any'}")
    chip.setChecked(chosen is not None)


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
