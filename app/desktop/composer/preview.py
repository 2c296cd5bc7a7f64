"""A rough preview of a post: account, time, title, and the first lines."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QImage
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.composer.attachment import Tile
from app.desktop.theme import icons
from app.desktop.widgets import Avatar, Button, ElidedLabel, Face, IconButton, Label, Panel, stop_at_checked
from app.desktop.words import handle, platform_name
from app.language import tr
from app.workspace.accounts.account import Account

_SHOWN, _LINES = 140, 3
_PICTURE, _AVATAR = 68, 34


@dataclass(frozen=True, slots=True)
class Sketch:
    """The content for an account."""

    account: Account
    title: str
    text: str
    picture: QImage
    """A null one for none."""
    warning: str = ""
    """The content warning in front of the rest, "" for none."""
    audience: str = ""
    """Who can see it, "" where that is up to the account."""


class Preview(QWidget):
    """Always visible, folded in a low window; icons switch between accounts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._accounts: list[Account] = []
        self._sketches: dict[str, Sketch] = {}
        self._moment = ""
        self._is_folded: bool | None = None
        """As the person chose; None while the height of the window decides."""
        self._group = QButtonGroup(self)
        self._fold = Button(tr("Preview"), "quiet", icon="chevron-down", size="small")
        self._fold.setAccessibleDescription(tr("Show or hide the preview"))
        self._fold.clicked.connect(self._toggle)
        self._glyphs = QHBoxLayout()
        self._glyphs.setSpacing(2)
        head = QHBoxLayout()
        head.addWidget(self._fold)
        head.addStretch(1)
        head.addLayout(self._glyphs)
        self._card = Panel()
        self._avatar, self._name = Avatar(Face(""), _AVATAR), ElidedLabel("", "strong")
        self._about, self._words = _Byline("", "card", "text2"), Label("", "text", wrap=True)
        self._title, self._warning = Label("", "strong", wrap=True), Label("", "strong", wrap=True)
        self._who, self._picture = self._heading(), Tile(_PICTURE)
        self._picture.hide()
        words, body = QVBoxLayout(), QHBoxLayout(self._card)
        body.setContentsMargins(12, 10, 12, 12)
        body.setSpacing(12)
        words.setSpacing(3)
        for part in (self._who, self._warning, self._title, self._words):
            words.addWidget(part)
        words.addStretch(1)
        body.addWidget(self._avatar, 0, Qt.AlignmentFlag.AlignTop)
        body.addLayout(words, 1)
        body.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._card)
        self._show_post()

    def show_posts(self, sketches: Sequence[Sketch], moment: str) -> None:
        """Show these posts and their time, keeping the current account if possible."""
        self._sketches = {sketch.account.key: sketch for sketch in sketches}
        self._moment = moment
        accounts = [sketch.account for sketch in sketches]
        if accounts != self._accounts:
            self._offer(accounts)
        self._show_post()

    def show_account(self, account_key: str) -> None:
        """Show the post of an account, if it's among them."""
        for index, account in enumerate(self._accounts):
            if account.key == account_key:
                self._group.button(index).setChecked(True)

    def _offer(self, accounts: Sequence[Account]) -> None:
        before = self._current()
        self._accounts = list(accounts)
        for button in self._group.buttons():
            self._group.removeButton(button)
            self._glyphs.removeWidget(button)
            button.hide()
            button.deleteLater()
        for index, account in enumerate(self._accounts):
            name = tr(
                "Preview on {platform} as {account}",
                platform=platform_name(account.platform.value),
                account=account.name,
            )
            mark = icons.platform_icon(account.platform.value)
            button = IconButton(mark, name, size="small", checkable=True)
            button.setAutoExclusive(True)  # by which a screen reader knows a choice of one
            button.setChecked(index == 0 if before is None else account.key == before.key)
            button.toggled.connect(self._choose)
            self._group.addButton(button, index)
            self._glyphs.addWidget(button)
        if self._accounts and self._group.checkedId() < 0:
            self._group.button(0).setChecked(True)
        stop_at_checked(self._group.buttons())

    def _choose(self) -> None:
        stop_at_checked(self._group.buttons())
        self._show_post()

    def _current(self) -> Account | None:
        index = self._group.checkedId()
        return self._accounts[index] if 0 <= index < len(self._accounts) else None

    def fit(self, *, is_low: bool) -> None:
        """Fold it in little space, unless the user chose otherwise."""
        if self._is_folded is None:
            self._show_card(is_shown=not is_low)

    def _toggle(self) -> None:
        self._is_folded = self._card.isVisibleTo(self)
        self._show_card(is_shown=not self._is_folded)

    def _show_card(self, *, is_shown: bool) -> None:
        self._fold.set_icon("chevron-down" if is_shown else "chevron-right")
        self._card.setVisible(is_shown)

    def _show_post(self) -> None:
        account = self._current()
        sketch = self._sketches.get(account.key) if account is not None else None
        self._who.setVisible(sketch is not None)
        self._avatar.setVisible(sketch is not None)
        self._title.setVisible(sketch is not None and bool(sketch.title))
        self._warning.setVisible(sketch is not None and bool(sketch.warning))
        picture = sketch.picture if sketch is not None else QImage()
        self._picture.set_picture(picture)
        self._picture.setVisible(not picture.isNull())
        if account is None or sketch is None:
            self._words.setText(tr("Choose an account to see its preview."))
            return
        self._avatar.set_face(Face(account.name, "", account.color_index))
        self._name.setText(account.name)
        named = handle(account.handle, account.platform.value)
        self._about.show_parts(" · ".join(filter(None, (sketch.audience, named))), self._moment)
        self._title.setText(sketch.title)
        self._warning.setText(tr("Content warning: {warning}", warning=sketch.warning))
        self._words.setText(first_lines(sketch.text) or tr("Nothing written yet."))

    def _heading(self) -> QWidget:
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self._name)
        row.addWidget(self._about, 1)
        return line


class _Byline(ElidedLabel):
    """Who can see the post, the handle and the time, which is the last to be shortened."""

    _moment = ""

    def show_parts(self, about: str, moment: str) -> None:
        """Show these parts; ``moment`` may be empty."""
        self._moment = f" · {moment}" if about and moment else moment
        self.setText(f"{about}{self._moment}")

    def shown_text(self) -> str:
        metrics = QFontMetrics(self.font())
        room = self.width() - metrics.horizontalAdvance(self._moment)
        about = metrics.elidedText(
            self.text().removesuffix(self._moment), Qt.TextElideMode.ElideRight, max(0, room)
        )
        return f"{about}{self._moment}" if about else super().shown_text()


def first_lines(text: str) -> str:
    """Return the beginning of a text as platforms show it before "more"."""
    lines = text.strip().splitlines()
    start = "\n".join(lines[:_LINES])
    if len(start) <= _SHOWN and len(lines) <= _LINES:
        return start
    if len(start) > _SHOWN:
        start = start[:_SHOWN]
        if (end := max(map(start.rfind, " \n"))) > _SHOWN // 2:  # no part of a word
            start = start[:end]
    return tr("{text} …more", text=start.rstrip())
