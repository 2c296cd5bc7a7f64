"""The accounts that a post can go to, each switched on and off."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import PostType
from app.desktop.connections.connecting import connectable
from app.desktop.palette.matching import folded
from app.desktop.widgets import (
    AvatarToggle,
    Divider,
    ElidedLabel,
    Face,
    FlowLayout,
    Label,
    LineEdit,
    LinkButton,
)
from app.desktop.words import joined, platform_name
from app.language import tr, trn
from app.workspace.accounts.account import Account
from app.workspace.editing.accounts import posting_platform
from app.workspace.editing.model import DraftModel
from app.workspace.rules import RULES

_NAME_WIDTH = 110
_TOGGLES_MAX = 40
"""More accounts than anybody looks through; a search line finds the others."""
_PLURALS = {
    PostType.TEXT: tr("text posts"),
    PostType.IMAGE: tr("images"),
    PostType.VIDEO: tr("videos"),
}


def _takes_no(account: Account, post_type: PostType) -> bool:
    """Whether it is the platform that takes no such posts, rather than Kalends that cannot publish there."""
    rules = RULES.get(posting_platform(account))
    return rules is not None and post_type not in rules.post_types


class AccountPicker(QWidget):
    """Toggles for accounts; those that can't be used are greyed and come last, with the reason.

    Where there are more than a person can look through, a search line finds the others.
    """

    rearranged = Signal()
    """Other toggles are shown, so that Tab has to be put in order."""
    reconnect = Signal(str)
    """An ended account's "Reconnect" was pressed; its key."""

    def __init__(self, model: DraftModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._toggles: dict[str, AvatarToggle] = {}
        self.search = LineEdit(icon="search")
        self.search.setPlaceholderText(tr("Find an account"))
        self.search.setAccessibleName(tr("Find an account"))
        self.search.offer_to_clear()
        self.search.textChanged.connect(self._find)
        self.search.hide()
        self._flow_holder = QWidget()
        self._flow = FlowLayout(self._flow_holder, gap=6)
        self._more = Label("", "card", "text3", wrap=True)
        self._note = Label("", "card", "text3", wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        for part in (self.search, self._flow_holder, self._more, self._note):
            column.addWidget(part)

    def refresh(self) -> None:
        """Show which accounts are on."""
        for key, toggle in self._toggles.items():
            toggle.setChecked(key in self._model.accounts.on)

    def show_accounts(self) -> None:
        """Show the accounts that there are now, and which can be used for the present kind of post."""
        is_searched = len(self._model.accounts.known) > _TOGGLES_MAX
        self.search.setVisible(is_searched)
        if not is_searched:
            self.search.clear()
        self._show()
        self._note.setText(self._words())
        self._note.setVisible(bool(self._note.text()))

    def _find(self) -> None:
        self._show()
        self.rearranged.emit()

    def _show(self) -> None:
        """Make the toggles that are shown: of what is on first, then of what the search line finds."""
        focused, reasons = self._focused(), self._model.accounts.reasons
        self._empty()
        found = self._found()
        shown = found[:_TOGGLES_MAX]
        for key in shown:
            if not reasons[key]:
                self._add(key)
        greyed = [key for key in shown if reasons[key]]
        if self._toggles and greyed:
            self._flow.addWidget(_divider(next(iter(self._toggles.values())).sizeHint().height()))
        for key in greyed:
            self._flow.addWidget(self._unusable(self._model.accounts.known[key]))
        self._tell_more(len(found) - len(shown))
        if focused is not None:
            self._focus_again(focused)

    def _found(self) -> list[str]:
        """The keys of what can be shown, those first that are not to be left out, else as they come."""
        words, accounts = folded(self.search.text()).split(), self._model.accounts
        matching = [
            key
            for key, account in accounts.known.items()
            if not words or all(word in folded(f"{account.name} {account.handle or ''}") for word in words)
        ]
        if words and accounts.chosen:
            found = {*accounts.chosen, *matching}
            matching = [key for key in accounts.known if key in found]
        if len(matching) <= _TOGGLES_MAX:
            return matching
        return sorted(matching, key=lambda key: (key not in accounts.on, bool(accounts.reasons[key])))

    def _add(self, key: str) -> None:
        toggle = _toggle(self._model.accounts.known[key])
        toggle.setChecked(key in self._model.accounts.on)
        toggle.toggled.connect(lambda on: self._model.switch(key, is_on=on))
        self._toggles[key] = toggle
        self._flow.addWidget(toggle)

    def _tell_more(self, count: int) -> None:
        words = trn(
            "{n} more account. Type its name to find it.",
            "{n} more accounts. Type a name to find one.",
            count,
        )
        self._more.setText(words if count else "")
        self._more.setVisible(bool(count))

    def _focused(self) -> str | None:
        """The key of the account that has the focus."""
        return next((key for key, toggle in self._toggles.items() if toggle.hasFocus()), None)

    def _focus_again(self, key: str) -> None:
        """Go back to an account, or to the first one where it is gone."""
        toggle = self._toggles.get(key) or next(iter(self._toggles.values()), None)
        if toggle is not None:
            toggle.show()  # layouts show what is new later, and only what shows has the focus
            toggle.setFocus()

    def note(self) -> str:
        """Return what is said about accounts that cannot be used, or ""."""
        return self._note.text()

    def focus_first(self) -> None:
        """Put the focus on the first account that can be chosen."""
        for toggle in self._toggles.values():
            toggle.setFocus()
            return

    def toggle(self, key: str) -> AvatarToggle:
        """Return the toggle of an account; raises KeyError for one that cannot be used or isn't shown."""
        return self._toggles[key]

    def _empty(self) -> None:
        self._toggles.clear()
        while (item := self._flow.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()

    def _unusable(self, account: Account) -> QWidget:
        toggle, reason = _toggle(account), self._model.accounts.reasons[account.key]
        toggle.setEnabled(False)
        toggle.setToolTip(f"{account.name}: {reason}")
        toggle.setAccessibleDescription(reason)
        if account.is_available:
            return toggle
        group, words = QWidget(), QVBoxLayout()
        name = ElidedLabel(account.handle or account.name, "card", "text3")
        name.setMaximumWidth(_NAME_WIDTH)
        words.setSpacing(2)
        words.addStretch(1)
        words.addWidget(name)
        if account.platform in connectable():
            again = LinkButton(tr("Reconnect"))
            again.setAccessibleName(tr("Reconnect {account}", account=account.name))
            again.clicked.connect(lambda: self.reconnect.emit(account.key))
            words.addWidget(again)
        else:
            words.addWidget(Label(tr("Access expired"), "card", "text3"))
        words.addStretch(1)
        row = QHBoxLayout(group)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(toggle)
        row.addLayout(words)
        return group

    def _words(self) -> str:
        accounts, kind = self._model.accounts, self._model.post_type
        if not accounts.known:
            return tr("No accounts connected yet. Connect one in Connections.")
        unfit = [one for key, one in accounts.known.items() if one.is_available and accounts.reasons[key]]
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


def _divider(height: int) -> QWidget:
    line = Divider(Qt.Orientation.Vertical)
    line.setFixedHeight(height)
    return line


def _platforms(accounts: Iterable[Account]) -> list[str]:
    """Return the names of the accounts' platforms, each once."""
    return list(dict.fromkeys(platform_name(account.platform.value) for account in accounts))


def _toggle(account: Account) -> AvatarToggle:
    toggle = AvatarToggle(_face(account))
    name = tr("{account} on {platform}", account=account.name, platform=platform_name(account.platform.value))
    toggle.setAccessibleName(name)
    toggle.setToolTip(name)
    return toggle


def _face(account: Account) -> Face:
    return Face(account.name, account.platform.value, account.color_index, badge="account")
