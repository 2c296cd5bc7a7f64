"""The accounts that a post can go to, each switched on and off."""

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import PostingPlatform, PostType
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
from app.workspace.rules import RULES, check

_NAME_WIDTH = 110
_TOGGLES_MAX = 40
"""More accounts than anybody looks through; a search line finds the others."""
_PLURALS = {
    PostType.TEXT: tr("text posts"),
    PostType.IMAGE: tr("images"),
    PostType.VIDEO: tr("videos"),
}


def unusable(account: Account, post_type: PostType = PostType.TEXT) -> str:
    """Why no post of a kind can be planned for an account, in words; "" when it can."""
    if not account.is_available:
        return tr("Access has expired. Reconnect the account.")
    platform = posting_platform(account)
    if platform not in RULES:
        return tr("{platform} doesn't support posts.", platform=platform_name(account.platform.value))
    has_media = post_type is not PostType.TEXT
    issues = check(platform=platform, post_type=post_type, title=None, text="Text", has_media=has_media)
    return next((issue.message for issue in issues if issue.field == "post_type"), "")


def _reasons(accounts: Mapping[str, Account], post_type: PostType) -> dict[str, str]:
    """Why accounts can't be used, by key; they differ by platform and access alone."""
    known: dict[tuple[object, bool], str] = {}
    found = {}
    for key, account in accounts.items():
        kind = account.platform, account.is_available
        if kind not in known:
            known[kind] = unusable(account, post_type)
        found[key] = known[kind]
    return found


def _takes_no(account: Account, post_type: PostType) -> bool:
    """Whether it is the platform that takes no such posts, rather than Kalends that cannot publish there."""
    rules = RULES.get(posting_platform(account))
    return rules is not None and post_type not in rules.post_types


def posting_platform(account: Account) -> PostingPlatform:
    """The platform of an account, as posts name it."""
    return PostingPlatform(account.platform.value)


class AccountPicker(QWidget):
    """Toggles for accounts; those that can't be used are greyed and come last, with the reason.

    Where there are more than a person can look through, a search line finds the others.
    """

    changed = Signal()
    rearranged = Signal()
    """Other toggles are shown, so that Tab has to be put in order."""
    reconnect = Signal(str)
    """An ended account's "Reconnect" was pressed; its key."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._accounts: Mapping[str, Account] = {}
        self._reasons: dict[str, str] = {}
        """Why no post of the present kind can be planned for an account, by key; "" where it can."""
        self._on: set[str] = set()
        """Accounts that are switched on, also those that take no posts of the present kind."""
        self._toggles: dict[str, AvatarToggle] = {}
        self._post_type = PostType.TEXT
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

    def set_accounts(
        self, accounts: Mapping[str, Account], chosen: Iterable[str], post_type: PostType = PostType.TEXT
    ) -> None:
        """Show accounts, those in `chosen` switched on where they can be used for a kind of post.

        What was switched on and cannot be used for this kind is on again with the next kind that it takes.
        """
        self._on = set(self.waiting()) | set(chosen)
        self._accounts, self._post_type = accounts, post_type
        self._reasons = _reasons(accounts, post_type)
        self.search.setVisible(len(accounts) > _TOGGLES_MAX)
        if len(accounts) <= _TOGGLES_MAX:
            self.search.clear()
        self._show()
        self._note.setText(self._words(accounts))
        self._note.setVisible(bool(self._note.text()))

    def _find(self) -> None:
        self._show()
        self.rearranged.emit()

    def _show(self) -> None:
        """Make the toggles that are shown: of what is on first, then of what the search line finds."""
        focused = self._focused()
        self._empty()
        found = self._found()
        shown = set(found[:_TOGGLES_MAX])
        for key in found:
            if key in shown and not self._reasons[key]:
                self._add(key)
        greyed = [key for key in found if key in shown and self._reasons[key]]
        if self._toggles and greyed:
            self._flow.addWidget(_divider(next(iter(self._toggles.values())).sizeHint().height()))
        for key in greyed:
            self._flow.addWidget(self._unusable(self._accounts[key]))
        self._tell_more(len(found) - len(shown))
        if focused is not None:
            self._focus_again(focused)

    def _found(self) -> list[str]:
        """The keys of what can be shown, those first that are not to be left out, else as they come."""
        words = folded(self.search.text()).split()
        matching = [
            key
            for key, account in self._accounts.items()
            if not words or all(word in folded(f"{account.name} {account.handle or ''}") for word in words)
        ]
        chosen = set(self.chosen())
        if words and chosen:
            found = chosen.union(matching)
            matching = [key for key in self._accounts if key in found]
        if len(matching) <= _TOGGLES_MAX:
            return matching
        return sorted(matching, key=lambda key: (key not in self._on, bool(self._reasons[key])))

    def _add(self, key: str) -> None:
        toggle = _toggle(self._accounts[key])
        toggle.setChecked(key in self._on)
        toggle.toggled.connect(lambda on: self._switch(key, on))
        self._toggles[key] = toggle
        self._flow.addWidget(toggle)

    def _switch(self, key: str, on: bool) -> None:
        (self._on.add if on else self._on.discard)(key)
        self.changed.emit()

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

    def chosen(self) -> tuple[str, ...]:
        """Return the keys of the accounts that are on and can be used, in the order of all accounts."""
        return tuple(key for key in self._accounts if key in self._on and not self._reasons[key])

    def waiting(self) -> tuple[str, ...]:
        """Return the keys of the accounts that are on, but take no posts of this kind."""
        return tuple(sorted(self._on - set(self.chosen())))

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
        toggle = _toggle(account)
        toggle.setEnabled(False)
        toggle.setToolTip(f"{account.name}: {self._reasons[account.key]}")
        toggle.setAccessibleDescription(self._reasons[account.key])
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

    def _words(self, accounts: Mapping[str, Account]) -> str:
        if not accounts:
            return tr("No accounts connected yet. Connect one in Connections.")
        kind = self._post_type
        unfit = [one for key, one in accounts.items() if one.is_available and self._reasons[key]]
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
