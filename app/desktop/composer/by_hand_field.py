"""The choice to publish the posts of single accounts by hand."""

from collections.abc import Collection
from functools import partial
from typing import Final

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.widgets import CheckBox, FlowLayout, Label, clear
from app.desktop.words import joined
from app.language import tr
from app.platforms.cards import offers_by_hand, own_name
from app.workspace.accounts.account import Account
from app.workspace.editing.accounts import unusable
from app.workspace.editing.model import DraftModel
from app.workspace.posts.finishing import Finishing

_GAP: Final = 16
_NAME: Final = tr("Publish by hand")


class ByHandField(QWidget):
    """A check box for each selected account that can also be published to by hand.

    Accounts without access are there too, because this is the only way to publish to them. Hidden without
    any, and if the service doesn't offer it.
    """

    def __init__(self, model: DraftModel, finishing: Finishing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._finishing = model, finishing
        self._boxes: dict[str, CheckBox] = {}
        self._is_offered = False
        self._name = Label(_NAME, "card", "text2", weight=QFont.Weight.Medium)
        self.about = Label("", "card", "text3", wrap=True)
        self._row = QWidget()
        self._flow = FlowLayout(self._row, gap=_GAP)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        for part in (self._name, self._row, self.about):
            column.addWidget(part)
        self.hide()

    @property
    def is_outdated(self) -> bool:
        """Whether the service began or ceased to offer it since ``refresh``."""
        return self._is_offered is not self._finishing.takes_single_posts

    def refresh(self) -> None:
        """Show the draft's choices for the selected accounts."""
        self._is_offered = self._finishing.takes_single_posts
        shown = {one.key: one for one in (*self._model.chosen, *self._ended()) if self._takes(one)}
        if list(shown) != list(self._boxes):
            self._rebuild(list(shown))
        self._name.setVisible(_are_named(shown.values()))
        for key, account in shown.items():
            self._dress(key, account, list(shown.values()))
        self._explain([account for key, account in shown.items() if self._model.is_by_hand(key)])
        self.setVisible(bool(shown))

    def box(self, account_key: str) -> CheckBox:
        """Return the check box of an account. Raises KeyError if it has none."""
        return self._boxes[account_key]

    def _ended(self) -> list[Account]:
        """Return the accounts without access that aren't selected yet."""
        accounts = self._model.accounts
        return [
            one
            for key, one in accounts.known.items()
            if not one.is_available
            and key not in accounts.chosen
            and offers_by_hand(one.platform)
            and not unusable(one, self._model.post_type, by_hand=True)
        ]

    def _takes(self, account: Account) -> bool:
        """Practice accounts don't: the platform's own composer would publish for real."""
        is_offered = self._is_offered and not account.practice
        return offers_by_hand(account.platform) and (is_offered or self._model.is_by_hand(account.key))

    def _rebuild(self, keys: list[str]) -> None:
        """Create all boxes again, so that Tab follows the order of the accounts."""
        held = next((key for key, box in self._boxes.items() if box.hasFocus()), "")
        clear(self._flow)
        self._boxes = {key: self._make_box(key) for key in keys}
        for box in self._boxes.values():
            self._flow.addWidget(box)
            box.show()  # now, and not when the layout gets to it: it may be given the focus
        if held in self._boxes:
            self._boxes[held].setFocus()

    def _make_box(self, key: str) -> CheckBox:
        box = CheckBox(parent=self._row)
        box.toggled.connect(partial(self._choose, key))
        return box

    def _choose(self, key: str, is_on: bool) -> None:
        account = self._model.accounts.known.get(key)
        self._model.choose_by_hand(key, is_on=is_on)
        if account is not None and not account.is_available:
            self._model.switch(key, is_on=is_on)

    def _dress(self, key: str, account: Account, shown: list[Account]) -> None:
        """Name a box after its platform, or its account if several are on that platform."""
        box, name = self._boxes[key], own_name(account.platform)
        if sum(one.platform == account.platform for one in shown) > 1:
            name = tr("{account} on {platform}", account=account.name, platform=name)
        if not account.is_available:
            name = tr("{account} (access expired)", account=name)
        are_named = _are_named(shown)
        box.setText(name if are_named else _NAME)
        spoken = tr("Publish by hand: {account}", account=name) if are_named else _NAME
        box.setAccessibleName(spoken)
        box.setChecked(self._model.is_by_hand(key))

    def _explain(self, chosen: list[Account]) -> None:
        """Say what happens at the time of the posts by hand."""
        names = list(dict.fromkeys(own_name(account.platform) for account in chosen))
        text = ""
        if names:
            text = tr(
                "At that time, Kalends reminds you and gives you the text and file for {platform}.",
                platform=joined(names),
            )
        self.about.setText(text)
        self.about.setVisible(bool(text))
        for box in self._boxes.values():
            box.setAccessibleDescription(text if box.isChecked() else "")


def _are_named(shown: Collection[Account]) -> bool:
    """Whether the boxes are named after their accounts."""
    return len(shown) > 1 or not all(account.is_available for account in shown)
