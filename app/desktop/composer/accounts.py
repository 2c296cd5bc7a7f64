"""The accounts that a post can go to, each switched on and off."""

from collections.abc import Iterable, Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import PostingPlatform, PostType
from app.desktop.connections.connecting import connectable
from app.desktop.widgets import AvatarToggle, Divider, ElidedLabel, Face, FlowLayout, Label, LinkButton
from app.desktop.words import joined, platform_name
from app.language import tr, trn
from app.workspace.accounts.account import Account
from app.workspace.rules import RULES, check

_NAME_WIDTH = 110
_PLURALS = {
    PostType.TEXT: tr("text posts"),
    PostType.IMAGE: tr("images"),
    PostType.VIDEO: tr("videos"),
}


def unusable(account: Account, post_type: PostType = PostType.TEXT) -> str:
    """Why no post of a kind can be planned for an account, in words; "" when it can."""
    if not account.is_available:
        return tr("Access has ended. Connect the account again.")
    platform = posting_platform(account)
    if platform not in RULES:
        return tr("{platform} takes no posts.", platform=platform_name(account.platform.value))
    has_media = post_type is not PostType.TEXT
    issues = check(platform=platform, post_type=post_type, title=None, text="Text", has_media=has_media)
    return next((issue.message for issue in issues if issue.field == "post_type"), "")


def _takes_no(account: Account, post_type: PostType) -> bool:
    """Whether it is the platform that takes no such posts, rather than Kalends that cannot publish there."""
    rules = RULES.get(posting_platform(account))
    return rules is not None and post_type not in rules.post_types


def posting_platform(account: Account) -> PostingPlatform:
    """The platform of an account, as posts name it."""
    return PostingPlatform(account.platform.value)


class AccountPicker(QWidget):
    """Toggles for accounts; those that cannot be used stand greyed behind them, with the reason."""

    changed = Signal()
    reconnect = Signal(str)
    """An ended account's "Reconnect" was pressed; its key."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._toggles: dict[str, AvatarToggle] = {}
        self._waiting: set[str] = set()
        """Accounts that are switched on, but take no posts of the present kind."""
        self._post_type = PostType.TEXT
        self._flow_holder = QWidget()
        self._flow = FlowLayout(self._flow_holder, gap=6)
        self._note = Label("", "card", "text3", wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self._flow_holder)
        column.addWidget(self._note)

    def set_accounts(
        self, accounts: Mapping[str, Account], chosen: Iterable[str], post_type: PostType = PostType.TEXT
    ) -> None:
        """Show accounts, those in `chosen` switched on where they can be used for a kind of post.

        What was switched on and cannot be used for this kind is on again with the next kind that it takes.
        """
        on, focused = self._waiting | set(chosen), self._focused()
        self._post_type = post_type
        self._empty()
        usable = {key: account for key, account in accounts.items() if not unusable(account, post_type)}
        for key, account in usable.items():
            toggle = _toggle(account)
            toggle.setChecked(key in on)
            toggle.toggled.connect(self.changed)
            self._toggles[key] = toggle
            self._flow.addWidget(toggle)
        self._waiting = on - usable.keys()
        if usable and len(usable) < len(accounts):
            self._flow.addWidget(_divider(next(iter(self._toggles.values())).sizeHint().height()))
        for key, account in accounts.items():
            if key not in usable:
                self._flow.addWidget(self._unusable(account))
        self._note.setText(self._words(accounts))
        self._note.setVisible(bool(self._note.text()))
        if focused is not None:
            self._focus_again(focused)

    def _focused(self) -> str | None:
        """The key of the account that has the focus."""
        return next((key for key, toggle in self._toggles.items() if toggle.hasFocus()), None)

    def _focus_again(self, key: str) -> None:
        """Go back to an account, or to the first one where it is gone."""
        toggle = self._toggles.get(key) or next(iter(self._toggles.values()), None)
        if toggle is not None:
            toggle.show()  # layouts show what is new later, and only what shows has the focus
            toggle.setFocus()

    def chosen(self) -> tuple[str, ...]:
        """Return the keys of the accounts that are on, in the order shown."""
        return tuple(key for key, toggle in self._toggles.items() if toggle.isChecked())

    def waiting(self) -> tuple[str, ...]:
        """Return the keys of the accounts that are on, but take no posts of this kind."""
        return tuple(sorted(self._waiting))

    def note(self) -> str:
        """Return what is said about accounts that cannot be used, or ""."""
        return self._note.text()

    def focus_first(self) -> None:
        """Put the focus on the first account that can be chosen."""
        for toggle in self._toggles.values():
            toggle.setFocus()
            return

    def toggle(self, key: str) -> AvatarToggle:
        """Return the toggle of an account; raises KeyError for one that cannot be used."""
        return self._toggles[key]

    def _empty(self) -> None:
        self._toggles.clear()
        while (item := self._flow.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()

    def _unusable(self, account: Account) -> QWidget:
        toggle = _toggle(account)
        toggle.setEnabled(False)
        toggle.setToolTip(f"{account.name}: {unusable(account, self._post_type)}")
        toggle.setAccessibleDescription(unusable(account, self._post_type))
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
            words.addWidget(Label(tr("Access ended"), "card", "text3"))
        words.addStretch(1)
        row = QHBoxLayout(group)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(toggle)
        row.addLayout(words)
        return group

    def _words(self, accounts: Mapping[str, Account]) -> str:
        if not accounts:
            return tr("No account is connected yet. Connect one in Connections.")
        kind = self._post_type
        unfit = [one for one in accounts.values() if one.is_available and unusable(one, kind)]
        none = _platforms(account for account in unfit if _takes_no(account, kind))
        not_yet = _platforms(account for account in unfit if not _takes_no(account, kind))
        parts = []
        if none:
            parts.append(
                trn(
                    "{platforms} takes no {kinds}",
                    "{platforms} take no {kinds}",
                    len(none),
                    platforms=joined(none),
                    kinds=_PLURALS.get(kind, kind.value),
                )
            )
        if not_yet:
            parts.append(tr("Kalends cannot publish to {platforms} yet", platforms=joined(not_yet)))
        return "; ".join(parts) + "." if parts else ""


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
