"""A rough preview of a post: account, time, title, and the first lines."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.composer.file_field import Tile
from app.desktop.theme import icons
from app.desktop.widgets import (
    Avatar,
    Button,
    ElidedLabel,
    Face,
    IconButton,
    Label,
    Panel,
    TailLabel,
    stop_at_checked,
)
from app.desktop.widgets.painting import insets
from app.desktop.words import handle, platform_name
from app.language import tr
from app.workspace.accounts.account import Account

_SHOWN, _LINES = 140, 3
_PICTURE, _AVATAR = 68, 34
_BRIEF = 36
"""Size of avatar and picture in the card with one line of text, in px."""
_GAP = 8


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
    """Always visible, brief or folded where there's little room; icons switch between accounts."""

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
        self._head = head = QHBoxLayout()
        head.addWidget(self._fold)
        head.addStretch(1)
        head.addLayout(self._glyphs)
        self._card, self._brief = Panel(), _BriefCard()
        self._avatar, self._name = Avatar(Face(""), _AVATAR), ElidedLabel("", "strong")
        self._about, self._words = TailLabel("", "card", "text2"), Label("", "text", wrap=True)
        self._title, self._warning = Label("", "strong", wrap=True), Label("", "strong", wrap=True)
        self._who, self._picture = self._heading(), Tile(_PICTURE)
        self._picture.hide()
        self._lay_out_card()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(_GAP)
        column.addLayout(head)
        column.addWidget(self._card)
        column.addWidget(self._brief)
        self._brief.hide()
        self._show_post()

    def _lay_out_card(self) -> None:
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

    def fit(self, room: int, *, is_low: bool) -> None:
        """Show the whole card where ``room`` pixels are enough, else a brief one; fold it if ``is_low``.

        If the user has shown or hidden it, it stays like that.
        """
        if self._is_folded is None:
            whole = self._head.sizeHint().height() + _GAP + self._card.heightForWidth(self.width())
            self._show_card(None if is_low else self._card if whole <= room else self._brief)

    def _toggle(self) -> None:
        self._is_folded = not (self._card.isHidden() and self._brief.isHidden())
        self._show_card(None if self._is_folded else self._card)

    def _show_card(self, shown: Panel | None) -> None:
        self._fold.set_icon("chevron-down" if shown is not None else "chevron-right")
        for card in (self._card, self._brief):
            card.setVisible(card is shown)

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
            self._brief.show_post(None, self._words.text(), "", "")
            return
        self._avatar.set_face(Face(account.name, "", account.color_index))
        self._name.setText(account.name)
        named = handle(account.handle, account.platform.value)
        about = " · ".join(filter(None, (sketch.audience, named)))
        self._about.show_parts(about, self._moment)
        self._title.setText(sketch.title)
        self._warning.setText(tr("Content warning: {warning}", warning=sketch.warning))
        self._words.setText(first_lines(sketch.text) or tr("Nothing written yet."))
        self._brief.show_post(sketch, self._words.text(), about, self._moment)

    def _heading(self) -> QWidget:
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self._name)
        row.addWidget(self._about, 1)
        return line


class _BriefCard(Panel):
    """The post with one line of text, where the window is too low for more."""

    def __init__(self) -> None:
        super().__init__()
        self._avatar, self._name = Avatar(Face(""), _BRIEF), ElidedLabel("", "strong")
        self._about, self._line = TailLabel("", "card", "text2"), ElidedLabel("", "text")
        self._picture = Tile(_BRIEF)
        words, who, row = QVBoxLayout(), QHBoxLayout(), QHBoxLayout(self)
        who.setSpacing(6)
        who.addWidget(self._name)
        who.addWidget(self._about, 1)
        words.setSpacing(1)
        words.addLayout(who)
        words.addWidget(self._line)
        row.setContentsMargins(insets(12, 8, 8, 8))
        row.setSpacing(12)
        row.addWidget(self._avatar)
        row.addLayout(words, 1)
        row.addWidget(self._picture)

    def show_post(self, sketch: Sketch | None, words: str, about: str, moment: str) -> None:
        """Show a post and its shortened text, or only a sentence if ``sketch`` is None."""
        for part in (self._avatar, self._name, self._about):
            part.setVisible(sketch is not None)
        picture = sketch.picture if sketch is not None else QImage()
        self._picture.set_picture(picture)
        self._picture.setVisible(not picture.isNull())
        if sketch is not None:
            self._avatar.set_face(Face(sketch.account.name, "", sketch.account.color_index))
            self._name.setText(sketch.account.name)
            self._about.show_parts(about, moment)
            words = sketch.warning or sketch.title or words
        self._line.setText(" ".join(words.split()))


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
