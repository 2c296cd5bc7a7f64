"""The panel for the calendar's filter."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFont, QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.contract.enums import PostingPlatform
from app.desktop.calendar.filters import KIND_NAMES, PLATFORM_NAMES, STATUS_NAMES, Filter
from app.desktop.theme import theme
from app.desktop.theme.theme import grow
from app.desktop.widgets import (
    Avatar,
    CheckBox,
    Chip,
    Face,
    FlowLayout,
    Label,
    LineEdit,
    Popover,
    quiet,
    scrolled,
)
from app.desktop.words import platform_name
from app.language import tr
from app.platforms.cards import own_key
from app.workspace.accounts.account import Account

T = TypeVar("T")

_WIDTH = 320
_ROW = 28
_HIGHEST = 520
"""Maximum height before the choices scroll."""

_AVATAR = 22
_LONGEST_NAME = 30
_PAUSE_MS = 200


class _AccountRow(QWidget):
    """A box, an account's avatar and its name; a click anywhere switches the box."""

    def __init__(self, box: CheckBox, account: Account, label: str) -> None:
        super().__init__()
        self._box = box
        grow(self, QWidget.setFixedHeight, _ROW)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        face = Face(account.name, account.platform.value, account.color_index, ground="raised")
        line.addWidget(box)
        line.addWidget(Avatar(face, _AVATAR))
        line.addWidget(Label(label), 1)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self._box.click()


class FilterPanel(Popover):
    """A search field, accounts, and other criteria. Each choice applies immediately."""

    chosen = Signal(object)
    """The Filter that the user wants."""

    def __init__(
        self, shown: Filter, accounts: Sequence[Account], batches: Mapping[str, str], parent: QWidget
    ) -> None:
        """``batches`` are names by id."""
        super().__init__(parent)
        self.setAccessibleName(tr("Filter"))
        self._filter = shown
        self.words = self._words_field()
        self._names = Counter(account.name for account in accounts)
        self.accounts = {account.key: self._account_box(account) for account in accounts}
        self.platforms = self._chips(tr("Platform"), "platforms", _platforms(accounts, shown))
        self.statuses = self._chips(tr("Status"), "statuses", STATUS_NAMES)
        self.kinds = self._chips(tr("Type"), "kinds", KIND_NAMES)
        self.batches = self._chips(tr("Created together"), "batches", batches)
        self.clear = quiet(tr("Show all"), size="small")
        self.clear.clicked.connect(lambda: self.chosen.emit(Filter()))
        self._lay_out(accounts)
        self.show_filter(shown)
        self.words.setFocus()

    def show_filter(self, shown: Filter) -> None:
        """Show another filter."""
        self._filter = shown
        if self.words.text().strip() != shown.text:
            self.words.setText(shown.text)
        for key, box in self.accounts.items():
            box.setChecked(key in shown.accounts)
        for chips, values in (
            (self.platforms, shown.platforms),
            (self.statuses, shown.statuses),
            (self.kinds, shown.kinds),
            (self.batches, shown.batches),
        ):
            for value, chip in chips.items():
                chip.setChecked(value in values)
        self.clear.setEnabled(shown.is_on)

    def _lay_out(self, accounts: Sequence[Account]) -> None:
        grow(self, QWidget.setFixedWidth, _WIDTH)
        choices = QWidget()
        column = QVBoxLayout(choices)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        if accounts:
            column.addWidget(_heading(tr("Only these accounts")))
        for account in accounts:
            column.addWidget(self._account_row(account))
        for name, chips in (
            (tr("Status"), self.statuses),
            (tr("Type"), self.kinds),
            (tr("Platform"), self.platforms),
            (tr("Created together"), self.batches),
        ):
            if chips:
                column.addSpacing(4)
                column.addWidget(_heading(name))
                column.addWidget(_flow(chips.values()))
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.clear)
        area = scrolled(choices)
        # As high as its content, whose height depends on its width.
        area.setFixedWidth(self.width() - self.body.contentsMargins().left() * 2)
        wanted = choices.heightForWidth(area.width()) if choices.hasHeightForWidth() else 0
        area.setFixedHeight(min(max(wanted, choices.sizeHint().height()), theme.current().grown(_HIGHEST)))
        self.body.addWidget(self.words)
        self.body.addWidget(area)
        self.body.addLayout(foot)

    def _account_row(self, account: Account) -> QWidget:
        label = self._label_of(account)
        row = _AccountRow(self.accounts[account.key], account, label)
        row.setToolTip("" if label.startswith(account.name) else account.name)
        return row

    def _account_box(self, account: Account) -> CheckBox:
        box = CheckBox()
        named = tr("{account} on {platform}", account=account.name, platform=platform_name(account.platform))
        box.setAccessibleName(named)
        box.clicked.connect(lambda: self.chosen.emit(self._filter.with_account(account.key)))
        return box

    def _label_of(self, account: Account) -> str:
        """Return an account's name, with its platform if another account has the same name."""
        if self._names[account.name] == 1:
            return _shortened(account.name)
        platform = platform_name(account.platform)
        return f"{_shortened(account.name, _LONGEST_NAME - len(platform))} · {platform}"

    def _words_field(self) -> LineEdit:
        field = LineEdit(icon="search")
        field.setPlaceholderText(tr("Search posts"))
        field.setAccessibleName(tr("Show only posts containing this text"))
        field.offer_to_clear()
        pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        pause.timeout.connect(self._take_words)
        field.textEdited.connect(pause.start)
        field.returnPressed.connect(self._take_words)
        field.textChanged.connect(lambda text: pause.start() if not text else None)
        return field

    def _take_words(self) -> None:
        typed = self.words.text().strip()
        if typed != self._filter.text:
            self.chosen.emit(replace(self._filter, text=typed))

    def _chips(self, label: str, field: str, names: Mapping[T, str]) -> dict[T, Chip]:
        """Return a chip for each value of a field of the filter."""
        chips = {value: Chip(_shortened(name)) for value, name in names.items()}
        for value, chip in chips.items():
            chip.setAccessibleName(f"{label}: {names[value]}")
            chip.clicked.connect(partial(self._toggle, field, value))
        return chips

    def _toggle(self, field: str, value: object) -> None:
        values: frozenset[object] = getattr(self._filter, field)
        changed: dict[str, Any] = {field: values ^ {value}}
        self.chosen.emit(replace(self._filter, **changed))


def _platforms(accounts: Sequence[Account], shown: Filter) -> dict[PostingPlatform, str]:
    """Return the names of platforms that are connected or filtered for."""
    there = {own_key(account.platform) for account in accounts} | {one.value for one in shown.platforms}
    return {platform: name for platform, name in PLATFORM_NAMES.items() if platform.value in there}


def _heading(text: str) -> Label:
    label = Label(text, "card", "text2", weight=QFont.Weight.Medium)
    label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
    return label


def _flow(chips: Iterable[Chip]) -> QWidget:
    whole = QWidget()
    flow = FlowLayout(whole, 6)
    for chip in chips:
        flow.addWidget(chip)
    return whole


def _shortened(name: str, most: int = _LONGEST_NAME) -> str:
    return name if len(name) <= most else name[: max(1, most - 1)] + "…"
