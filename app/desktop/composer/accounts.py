"""The account picker: a line with the most relevant accounts, and the rest behind a button."""

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.contract.enums import PostType
from app.desktop.composer.account_chip import CHIP, AccountChip
from app.desktop.connections.connecting import connectable
from app.desktop.palette.lookup import folded
from app.desktop.theme import theme
from app.desktop.widgets import Chip, FlowLayout, Label, LineEdit
from app.desktop.words import joined, platform_name
from app.language import number, tr, trn
from app.workspace.accounts.account import Account
from app.workspace.editing.accounts import posting_platform
from app.workspace.editing.model import DraftModel
from app.workspace.rules import RULES

_GAP = 6
_HIDDEN = 4
"""The rank of accounts that can't be used, and that nobody chose."""
_LINE_MAX = 12
"""Accounts that are considered for the line; no line has room for more."""
_CHIPS_MAX = 40
"""More accounts than anybody looks through; a search line finds the others."""
_PLURALS = {
    PostType.TEXT: tr("text posts"),
    PostType.IMAGE: tr("images"),
    PostType.VIDEO: tr("videos"),
}


def _takes_no(account: Account, post_type: PostType) -> bool:
    """Whether the platform itself doesn't accept such posts, rather than Kalends."""
    rules = RULES.get(posting_platform(account))
    return rules is not None and post_type not in rules.post_types


def fair_widths(wanted: Sequence[int], room: int) -> list[int]:
    """Return widths in ``room`` for parts that want some: the wanted ones, or equal shares of the rest."""
    widths = list(wanted)
    for done, place in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        widths[place] = min(wanted[place], max(0, room) // (len(wanted) - done))
        room -= widths[place]
    return widths


class _Rest(Chip):
    """The area of the other accounts, as high as its chips."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), theme.current().grown(CHIP))


class AccountPicker(QWidget):
    """A line of chips: selected accounts, those without access, then others while there's space.

    Many selected accounts have two lines, so that their names can be read.

    A button opens the rest, with the reasons why some can't be used, and a search field if there are many.
    The line doesn't change while accounts are selected and deselected.
    """

    rearranged = Signal()
    """Other chips are shown, so that Tab has to be put in order."""
    reconnect = Signal(str)
    """An account without access was pressed; its key."""

    def __init__(self, model: DraftModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._chips: dict[str, AccountChip] = {}
        self._on_line: tuple[str, ...] = ()
        self._is_open = False
        self.search = LineEdit(icon="search")
        self.search.setPlaceholderText(tr("Find an account"))
        self.search.setAccessibleName(tr("Find an account"))
        self.search.offer_to_clear()
        self.search.textChanged.connect(self._find)
        self.search.hide()
        holder = QWidget()
        self._flow = FlowLayout(holder, gap=_GAP)
        self.rest = _Rest("", "plus", checkable=False)
        self.rest.clicked.connect(self._switch_rest)
        self._more = Label("", "card", "text3", wrap=True)
        self._note = Label("", "card", "text3", wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for part in (self.search, holder, self._more, self._note):
            column.addWidget(part)
        theme.notifier().changed.connect(self._arrange)

    def refresh(self) -> None:
        """Update which accounts are selected."""
        for key, chip in self._chips.items():
            chip.setChecked(key in self._model.accounts.on)
        if not self._is_open and any(chip.isChecked() and chip.isHidden() for chip in self._chips.values()):
            self._arrange()  # a selected account is in the line, whatever selected it

    def show_accounts(self) -> None:
        """Show these accounts, and which can be used for the current post type."""
        if not self._is_searched():
            self.search.clear()
        self._fill()

    def note(self) -> str:
        """Return the text about accounts that can't be used, or ""."""
        return self._words(self._model.accounts.known)

    def focus_first(self) -> None:
        """Focus the first account that can be selected."""
        usable = [chip for chip in self._chips.values() if not chip.reason]
        for chip in usable:
            if chip.isVisible():
                chip.setFocus()
                return
        if usable:
            self.open_rest(is_open=True)
            usable[0].setFocus()

    def toggle(self, key: str) -> AccountChip:
        """Return the chip of an account; raises KeyError if it can't be used or isn't shown."""
        chip = self._chips[key]
        if chip.reason:
            raise KeyError(key)
        return chip

    def open_rest(self, *, is_open: bool) -> None:
        """Show or hide the accounts outside the line."""
        if is_open is not self._is_open:
            self._is_open = is_open
            if is_open:
                self._show_parts()
            else:
                self.search.clear()
                self._fill()  # what was chosen meanwhile comes first
            self.rearranged.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._arrange()

    def _switch_rest(self) -> None:
        self.open_rest(is_open=not self._is_open)

    def _is_searched(self) -> bool:
        return len(self._model.accounts.known) > _CHIPS_MAX

    def _find(self) -> None:
        self._fill()
        self.rearranged.emit()

    def _fill(self) -> None:
        """Create the chips of the line, and of the search results."""
        focused = next((key for key, chip in self._chips.items() if chip.hasFocus()), None)
        self._empty()
        found = self._found()
        for key in dict.fromkeys([*self._first(), *found[:_CHIPS_MAX]]):
            self._chips[key] = self._chip(self._model.accounts.known[key])
        self._tell_more(len(found) - _CHIPS_MAX)
        self._arrange(force=True)
        if focused is not None:
            self._focus_again(focused)

    def _first(self) -> list[str]:
        """Return the keys of the accounts for the line, most relevant first."""
        accounts = self._model.accounts
        ranks = {key: self._rank(key) for key in accounts.known}
        return sorted((key for key, rank in ranks.items() if rank < 4), key=lambda key: ranks[key])[
            :_LINE_MAX
        ]

    def _rank(self, key: str) -> int:
        accounts = self._model.accounts
        if key in accounts.on:
            return 0 if not accounts.reasons[key] else 1
        if not accounts.known[key].is_available:
            return 2
        return _HIDDEN - 1 if not accounts.reasons[key] else _HIDDEN

    def _found(self) -> list[str]:
        """Return the keys of the matching accounts, mandatory ones first."""
        words, accounts = folded(self.search.text()).split(), self._model.accounts
        matching = [
            key
            for key, account in accounts.known.items()
            if not words or all(word in folded(f"{account.name} {account.handle or ''}") for word in words)
        ]
        if len(matching) <= _CHIPS_MAX:
            return sorted(matching, key=lambda key: bool(accounts.reasons[key]))
        return sorted(matching, key=lambda key: (key not in accounts.on, bool(accounts.reasons[key])))

    def _chip(self, account: Account) -> AccountChip:
        reason = self._model.accounts.reasons[account.key]
        chip = AccountChip(account, reason, can_reconnect=account.platform in connectable())
        chip.setChecked(account.key in self._model.accounts.on)
        if reason:
            chip.clicked.connect(lambda: self.reconnect.emit(account.key))
        else:
            chip.toggled.connect(lambda on: self._model.switch(account.key, is_on=on))
        return chip

    def _arrange(self, *, force: bool = False) -> None:
        """Put as many chips into the line as fit, and the rest behind its button."""
        on_line = self._fitting()
        if on_line == self._on_line and not force:
            return
        self._on_line = on_line
        while self._flow.takeAt(0) is not None:
            pass
        behind = [key for key in self._chips if key not in on_line]
        for widget in (
            *map(self._chips.__getitem__, on_line),
            self.rest,
            *map(self._chips.__getitem__, behind),
        ):
            self._flow.addWidget(widget)
            widget.raise_()  # Tab goes by the order of a widget's children
        self._show_parts()
        if not force:
            self.rearranged.emit()

    def _fitting(self) -> tuple[str, ...]:
        """Return the keys of the chips in the line, or in two.

        Selected accounts have their whole names, or share the room; others share what is left of it.
        """
        first = [key for key in self._first() if key in self._chips]
        on = [key for key in first if self._rank(key) == 0]
        for chip in self._chips.values():
            chip.narrow()
        self._name_rest(len(self._model.accounts.known))
        upper = on[: (len(on) + 1) // 2] if self._needs_two_lines(on) else []
        self._share(upper, self.width())
        self._share(on[len(upper) :], self._room(len(on)))
        before, line = self._lines(first, has_two=bool(upper))
        fitting = [*before, *line] or first[:1]
        taken = self._width([key for key in line if key in on])
        others = [key for key in fitting if key not in on]
        self._share(others, self._room(len(fitting)) - taken - _GAP)
        for key in self._chips.keys() - set(fitting):
            self._chips[key].narrow(self.width())
        return tuple(fitting)

    def _needs_two_lines(self, on: Sequence[str]) -> bool:
        """Whether the names of selected accounts couldn't be read in one line."""
        chips = [self._chips[key] for key in on]
        room = self._room(len(on)) - _GAP * (len(chips) - 1)
        widths = fair_widths([chip.full_width() for chip in chips], room)
        return any(width < chip.readable_width() for chip, width in zip(chips, widths, strict=True))

    def _lines(self, keys: Iterable[str], *, has_two: bool) -> tuple[list[str], list[str]]:
        """Return the keys of the chips that fit before the last line, and in it."""
        before: list[str] = []
        line: list[str] = []
        is_last = not has_two
        for key in keys:
            if not is_last and self._width([*line, key]) > self.width():
                before, line, is_last = line, [], True
            if is_last and self._width([*line, key]) > self._room(len(before) + len(line) + 1):
                break
            line.append(key)
        return before, line

    def _share(self, keys: Sequence[str], room: int) -> None:
        """Divide pixels of the line among chips. Long names get what short ones leave."""
        chips = [self._chips[key] for key in keys]
        widths = fair_widths([chip.full_width() for chip in chips], room - _GAP * (len(chips) - 1))
        for chip, width in zip(chips, widths, strict=True):
            chip.narrow(width)

    def _width(self, keys: Sequence[str]) -> int:
        return sum(self._chips[key].sizeHint().width() + _GAP for key in keys) - _GAP

    def _room(self, count: int) -> int:
        """Return the width for a number of chips, minus the button for the rest if there is a rest."""
        is_all = count == len(self._model.accounts.known)
        return self.width() - (0 if is_all else self.rest.sizeHint().width() + _GAP)

    def _show_parts(self) -> None:
        accounts, behind = self._model.accounts, len(self._model.accounts.known) - len(self._on_line)
        is_open = self._is_open and behind > 0
        for key, chip in self._chips.items():
            chip.setVisible(is_open or key in self._on_line)
        self._name_rest(behind)
        self.rest.setVisible(behind > 0)
        self.search.setVisible(is_open and self._is_searched())
        self._more.setVisible(is_open and bool(self._more.text()))
        waiting = {key: one for key, one in accounts.known.items() if key in accounts.on}
        self._note.setText(self._words(accounts.known if is_open or not accounts.known else waiting))
        self._note.setVisible(bool(self._note.text()))

    def _name_rest(self, behind: int) -> None:
        self.rest.set_icon("chevron-up" if self._is_open else "plus")
        self.rest.setText(tr("Less") if self._is_open else number(behind))
        name = trn("Show {n} more account", "Show {n} more accounts", behind)
        self.rest.setAccessibleName(tr("Show fewer accounts") if self._is_open else name)
        self.rest.updateGeometry()

    def _tell_more(self, count: int) -> None:
        words = trn(
            "{n} more account. Type its name to find it.",
            "{n} more accounts. Type a name to find one.",
            count,
        )
        self._more.setText(words if count > 0 else "")

    def _focus_again(self, key: str) -> None:
        """Restore the focus to an account, or to the first one if it's gone."""
        usable = [chip for chip in self._chips.values() if not chip.reason and not chip.isHidden()]
        chip = self._chips.get(key)
        found = chip if chip is not None and chip in usable else next(iter(usable), None)
        if found is not None:
            found.show()  # layouts show what is new later, and only what shows has the focus
            found.setFocus()

    def _empty(self) -> None:
        for chip in self._chips.values():
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips.clear()

    def _words(self, accounts: Mapping[str, Account]) -> str:
        known, kind = self._model.accounts, self._model.post_type
        if not known.known:
            return tr("No accounts connected yet. Connect one in Connections.")
        unfit = [one for key, one in accounts.items() if one.is_available and known.reasons[key]]
        none = _platforms(account for account in unfit if _takes_no(account, kind))
        not_yet = _platforms(account for account in unfit if not _takes_no(account, kind))
        parts = []
        if none:
            parts.append(
                _needs_file(none)
                if kind is PostType.TEXT
                else tr(
                    "{platforms} can't publish {kinds}",
                    platforms=joined(none),
                    kinds=_PLURALS.get(kind, kind.value),
                )
            )
        if not_yet:
            parts.append(tr("Kalends can't publish to {platforms} yet", platforms=joined(not_yet)))
        return "; ".join(parts) + "." if parts else ""


def _needs_file(platforms: Sequence[str]) -> str:
    return trn(
        "{platforms} needs an image or video",
        "{platforms} need an image or video",
        len(platforms),
        platforms=joined(platforms),
    )


def _platforms(accounts: Iterable[Account]) -> list[str]:
    """Return the platform names of accounts, without repeats."""
    return list(dict.fromkeys(platform_name(account.platform.value) for account in accounts))
