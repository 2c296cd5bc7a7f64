"""The chips below the toolbar, which show the filter."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TypeVar

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QStyle, QWidget

from app.desktop.calendar.filters import KIND_NAMES, PLATFORM_NAMES, STATUS_NAMES, Batch, Filter
from app.desktop.theme import icons, theme
from app.desktop.widgets import Chip, LineEdit, Menu
from app.language import number, tr
from app.workspace.accounts.account import Account

T = TypeVar("T")
_GAP = 8
_LONGEST_NAME = 22
_WORDS_WIDTH = 132
_OTHERS_WIDTH = 44
_PAUSE_MS = 200
_CHIPS_MOST = 40
"""More accounts than any window has room for; the others are in the menu."""


class FilterBar(QWidget):
    """Chips: everything, as many accounts as fit, the others in a menu, other filters, and words.

    Chips without room are hidden, except those that filter something out.
    """

    changed = Signal(object)
    warnings_asked = Signal()
    """The user wants to see what will fail."""

    def __init__(self) -> None:
        super().__init__()
        self.filter = Filter()
        self._accounts: dict[str, Account] = {}
        self._batches: dict[str, str] = {}
        self._chips: dict[str, Chip] = {}
        self._everything = self._chip("funnel", self.clear)
        self.show_all = self._chip("x", self.clear)
        self.show_all.setText(tr("Show all"))
        self.show_all.setCheckable(False)
        self._others = self._chip("", self._show_others)
        self._platform = self._chip("", self._show_platforms)
        self._status = self._chip("", self._show_statuses)
        self._kind = self._chip("", self._show_kinds)
        self._batch = self._chip("", self._show_batches)
        self.words = self._words_field()
        self.warnings = Chip("", "triangle-alert", checkable=False, tone="warn", parent=self)
        self.warnings.setToolTip(tr("What will fail"))
        self.warnings.clicked.connect(self.warnings_asked)
        self.warnings.hide()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.follow(self._restyle)
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
        self._chips = {account.key: self._account_chip(account) for account in accounts[:_CHIPS_MOST]}
        # Tab follows the line: these chips came after all that stands behind them.
        for before, chip in pairwise((self.show_all, *self._chips.values())):
            QWidget.setTabOrder(before, chip)
        chosen = self.filter.accounts.intersection(found)
        if chosen != self.filter.accounts:
            self._set(replace(self.filter, accounts=chosen))
        self._dress()

    def offer_batches(self, batches: Iterable[Batch]) -> None:
        """Offers to filter by these batches; without any there is no chip for them."""
        found = {batch.id: batch.name for batch in batches}
        if found != self._batches:
            self._batches = found
            self._dress()

    def choose(self, chosen: Filter) -> None:
        """Filters so; accounts that are gone are left out."""
        self._set(replace(chosen, accounts=chosen.accounts.intersection(self._accounts)))

    def show_warnings(self, summary: str) -> None:
        """Says at the end of the line what will fail; "" for nothing."""
        if summary != self.warnings.text() or self.warnings.isHidden() == bool(summary):
            self.warnings.setText(summary)
            self._arrange()

    def clear(self) -> None:
        """Shows everything again."""
        self._set(Filter())

    def sizeHint(self) -> QSize:
        return QSize(0, theme.current().metrics.chip)

    def event(self, event: QEvent) -> bool:
        """Chips have become wider or narrower, as when text grows."""
        if event.type() is QEvent.Type.LayoutRequest:
            self._arrange()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shows as many accounts as there is room for."""
        del event
        self._arrange()

    def _set(self, chosen: Filter) -> None:
        is_other = chosen != self.filter
        self.filter = chosen
        self._pause.stop()
        if self.words.text().strip() != chosen.text:
            self.words.setText(chosen.text)
        self._dress()
        if is_other:
            self.changed.emit(chosen)

    def _chip(self, icon: str, act: Callable[[], None]) -> Chip:
        chip = Chip("", icon, parent=self)
        chip.clicked.connect(act)
        return chip

    def _account_chip(self, account: Account) -> Chip:
        chip = self._chip(icons.platform_icon(account.platform), lambda: self._toggle(account.key))
        chip.setText(_shortened(account.name))
        chip.setToolTip(tr("Show only {account}", account=account.name))
        return chip

    def _words_field(self) -> LineEdit:
        field = LineEdit(icon="search", parent=self, pill=True)
        field.setPlaceholderText(tr("Search posts"))
        field.setAccessibleName(tr("Show only posts containing this text"))
        field.offer_to_clear()
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._take_words)
        field.textEdited.connect(self._pause.start)
        field.returnPressed.connect(self._take_words)
        field.textChanged.connect(lambda text: self._pause.start() if not text else None)
        return field

    def _restyle(self) -> None:
        self.words.setFont(theme.current().font("card"))

    def _take_words(self) -> None:
        self._set(replace(self.filter, text=self.words.text().strip()))

    def _toggle(self, key: str) -> None:
        self._set(self.filter.with_account(key))

    def _dress(self) -> None:
        """Says on the chips what the filter is."""
        chosen = self.filter
        self._everything.setText(tr("Filtered") if chosen.is_on else tr("All accounts"))
        self._everything.setToolTip(tr("Clear the filter") if chosen.is_on else tr("No filter"))
        self._everything.setChecked(True)
        for key, chip in self._chips.items():
            chip.setChecked(key in chosen.accounts)
        _dress_menu(self._platform, tr("Platform"), PLATFORM_NAMES, chosen.platforms)
        _dress_menu(self._status, tr("Status"), STATUS_NAMES, chosen.statuses)
        _dress_menu(self._kind, tr("Type"), KIND_NAMES, chosen.kinds)
        _dress_menu(self._batch, tr("Created together"), self._batches, chosen.batches)
        self._arrange()

    def _arrange(self) -> None:
        chips = list(self._chips.values())
        least = sum(self._width(widget) + _GAP for widget in self._needed()) + self._width(self.warnings)
        self.warnings.setVisible(bool(self.warnings.text()) and least <= self.width())
        extras = self._extras()
        shown = self._fitting(chips, extras)
        hidden = list(self._accounts)[shown:]
        self._others.setText(f"+{number(len(hidden))}")
        self._others.setAccessibleName(tr("More accounts"))
        self._others.setChecked(bool(self.filter.accounts & set(hidden)))
        reset = (self.show_all,) if self.filter.is_on else ()
        left = self._room() - sum(self._width(widget) + _GAP for widget in extras)
        has_room = self._others.isChecked() or left >= self._width(self._others) + _GAP
        others = (self._others,) if hidden and has_room else ()
        line = (self._everything, *reset, *chips[:shown], *others, *extras)
        for widget in (self.show_all, self._others, *chips, *self._extras_by_need()):
            widget.setVisible(widget in line)
        left = 0
        for widget in line:
            self._place(widget, left)
            left += self._width(widget) + _GAP
        self._place(self.warnings, self.width() - self._width(self.warnings))

    def _place(self, widget: QWidget, left: int) -> None:
        area = QRect(QPoint(left, 0), QSize(self._width(widget), theme.current().metrics.chip))
        widget.setGeometry(QStyle.visualRect(self.layoutDirection(), self.rect(), area))

    def _width(self, widget: QWidget) -> int:
        return theme.current().grown(_WORDS_WIDTH) if widget is self.words else widget.sizeHint().width()

    def _extras_by_need(self) -> list[QWidget]:
        """Active filters first, then the most used ones."""
        chosen = self.filter
        needed: list[tuple[QWidget, object]] = [
            (self._status, chosen.statuses),
            (self._kind, chosen.kinds),
            (self.words, chosen.text or self.words.hasFocus()),
            (self._platform, chosen.platforms),
            (self._batch, chosen.batches),
        ]
        return [one for one, is_on in sorted(needed, key=lambda pair: not pair[1])]

    def _extras(self) -> list[QWidget]:
        """Return the other chips that have room, in their order on screen."""
        room = self._room() - theme.current().grown(_OTHERS_WIDTH) - _GAP
        always = len(self._hiding())
        kept: list[QWidget] = []
        for place, widget in enumerate(self._extras_by_need()):
            if widget is self._batch and not (self._batches or self.filter.batches):
                continue
            room -= self._width(widget) + _GAP
            if room >= 0 or place < always:
                kept.append(widget)
        stand = (self._platform, self._status, self._kind, self._batch, self.words)
        return [widget for widget in stand if widget in kept]

    def _needed(self) -> list[QWidget]:
        """Return the chips that are always shown: those that filter something out."""
        chosen = self.filter
        on: list[tuple[QWidget, object]] = [
            (self._everything, True),
            (self.show_all, chosen.is_on),
            (self._others, chosen.accounts),
            *zip(self._extras_by_need(), self._hiding(), strict=False),
        ]
        return [widget for widget, is_on in on if is_on]

    def _hiding(self) -> list[object]:
        """Yield the other chips that filter something out."""
        chosen = self.filter
        every = (chosen.platforms, chosen.statuses, chosen.kinds, chosen.batches, chosen.text)
        return [one for one in every if one]

    def _room(self) -> int:
        """Return the width left by the chips that are always shown."""
        fixed: list[QWidget] = [self._everything]
        fixed += [self.show_all] if self.filter.is_on else []
        fixed += [] if self.warnings.isHidden() else [self.warnings]
        return self.width() - sum(self._width(widget) + _GAP for widget in fixed) + _GAP

    def _fitting(self, chips: list[Chip], extras: Collection[QWidget]) -> int:
        """How many account chips there is room for."""
        room = self._room() - sum(self._width(widget) + _GAP for widget in extras)
        widths = [self._width(chip) + _GAP for chip in chips]
        if sum(widths) <= room and len(chips) == len(self._accounts):
            return len(chips)
        room -= theme.current().grown(_OTHERS_WIDTH) + _GAP
        shown = 0
        while shown < len(widths) and widths[shown] <= room:
            room -= widths[shown]
            shown += 1
        return shown

    def _show_others(self) -> None:
        shown = {key for key, chip in self._chips.items() if not chip.isHidden()}
        hidden = [account for key, account in self._accounts.items() if key not in shown]
        menu = Menu(self._others)
        for account in hidden:
            icon = "check" if account.key in self.filter.accounts else icons.platform_icon(account.platform)
            menu.add(account.name, partial(self._toggle, account.key), icon=icon)
        self._open(menu, self._others)

    def _show_platforms(self) -> None:
        shown = {account.platform.value for account in self._accounts.values()} | {
            platform.value for platform in self.filter.platforms
        }
        names = {platform: name for platform, name in PLATFORM_NAMES.items() if platform.value in shown}
        self._show_values(
            self._platform, names, self.filter.platforms, lambda some: replace(self.filter, platforms=some)
        )

    def _show_statuses(self) -> None:
        self._show_values(
            self._status, STATUS_NAMES, self.filter.statuses, lambda some: replace(self.filter, statuses=some)
        )

    def _show_kinds(self) -> None:
        self._show_values(
            self._kind, KIND_NAMES, self.filter.kinds, lambda some: replace(self.filter, kinds=some)
        )

    def _show_batches(self) -> None:
        self._show_values(
            self._batch, self._batches, self.filter.batches, lambda some: replace(self.filter, batches=some)
        )

    def _show_values(
        self,
        chip: Chip,
        names: Mapping[T, str],
        chosen: frozenset[T],
        filtered: Callable[[frozenset[T]], Filter],
    ) -> None:
        """A menu in which each value is put in or taken out."""
        menu = Menu(chip)
        menu.add(tr("Any"), lambda: self._set(filtered(frozenset())), icon="" if chosen else "check")
        for value, name in names.items():
            toggled = filtered(chosen ^ {value})
            menu.add(name, partial(self._set, toggled), icon="check" if value in chosen else "")
        self._open(menu, chip)

    def _open(self, menu: Menu, chip: Chip) -> None:
        self._dress()  # the click has switched the chip
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(chip.mapToGlobal(QPoint(0, chip.height() + 4)))


def _dress_menu(chip: Chip, label: str, names: Mapping[T, str], chosen: frozenset[T]) -> None:
    known = [name for value, name in names.items() if value in chosen]
    shown = (
        known[0] if len(chosen) == len(known) == 1 else f"{label}: {number(len(chosen))}" if chosen else label
    )
    chip.setText(_shortened(shown))
    told = ", ".join(known) or (str(len(chosen)) if chosen else tr("any"))
    chip.setAccessibleName(f"{label}: {told}")
    chip.setChecked(bool(chosen))


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
