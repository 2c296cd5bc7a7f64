"""The panel that shows a post next to a list of posts: picture, title, text and facts."""

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.theme.theme import grow
from app.desktop.widgets import Divider, ElidedLabel, IconLabel, Label, Panel, clear, scrolled

WIDTH: Final = 340
WIDEST: Final = 440
INSET: Final = 16
_GLYPH: Final = 12
_SHORT: Final = 60
"""Maximum length of a text that is shown as a title, in characters."""


class PostPreview(Panel):
    """Subclasses add widgets to ``body``, and buttons to ``foot``."""

    def __init__(self, cover: QWidget) -> None:
        """``cover`` is across the top; it hides itself for posts without a file."""
        super().__init__()
        self.title, self.text = Label("", "heading", wrap=True), Label("", "text", "text2", wrap=True)
        self.alt_text = Label("", "small", "text3", wrap=True)
        self.body, self.foot, self._facts = QVBoxLayout(), QVBoxLayout(), QVBoxLayout()
        grow(self, QWidget.setFixedWidth, WIDTH, WIDEST)
        for label in (self.title, self.text):
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(cover)
        self.body.setContentsMargins(INSET, 14, INSET, 14)
        self.body.setSpacing(8)
        self._facts.setSpacing(4)
        for label in (self.title, self.text, self.alt_text):
            self.body.addWidget(label)
        self.body.addLayout(self._facts)
        column.addLayout(self.body)
        column.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(1, 1, 1, 1)
        whole.setSpacing(0)
        whole.addWidget(scrolled(holder), 1)
        whole.addWidget(Divider(inner=True))
        self.foot.setContentsMargins(INSET, 12, INSET, 12)
        self.foot.setSpacing(10)
        whole.addLayout(self.foot)

    def show_words(self, title: str, text: str) -> None:
        """Show a title and a text; empty ones are hidden, and a text of a few words becomes the title."""
        if not title and len(text) <= _SHORT and "\n" not in text:
            title, text = text, ""
        for label, words in ((self.title, title), (self.text, text)):
            label.setText(words)
            label.setVisible(bool(words))

    def show_alt_text(self, words: str) -> None:
        """Show the alt text of the file, in words; "" for none."""
        self.alt_text.setText(words)
        self.alt_text.setVisible(bool(words))

    def add_note(self, words: str, tone: str) -> None:
        """Add a text below the last fact."""
        self._facts.addWidget(Label(words, "card", tone, wrap=True))

    def clear_facts(self) -> None:
        """Remove all facts."""
        clear(self._facts)

    def add_fact(self, icon: str, color: str, words: str, *more: QWidget) -> None:
        """Add a line with an icon; ``more`` is placed after the text."""
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(IconLabel(icon, color, _GLYPH))
        row.addWidget(ElidedLabel(words, "card", "text2"), 1)
        for widget in more:
            row.addWidget(widget)
        self._facts.addWidget(line)
