"""A post's text, with the line height and the coloured hashtags of platforms."""

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit, QWidget

from app.desktop.kit import hashtag
from app.desktop.theme import theme

_LINE_PERCENT: Final = 115.0
"""Of the typeface's own line, which is 16 px at 13 px: 18 px from line to line."""


class PostText(QTextEdit):
    """As high as its text, which is plain: what looks like markup is shown as written."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = ""
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setProperty("bare", True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for policy in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        theme.follow(self._restyle)

    def show_words(self, words: str) -> None:
        """Show another text."""
        self.words = words
        self.setAccessibleName(words)
        self._restyle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Become as high as the lines in the new width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(max(1, round(self.document().documentLayout().documentSize().height())))

    def _restyle(self) -> None:
        theme.set_font(self, theme.current().font("text"))
        self.setPlainText(self.words)
        cursor, spacing = QTextCursor(self.document()), QTextBlockFormat()
        spacing.setLineHeight(_LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.mergeBlockFormat(spacing)
        look = QTextCharFormat()
        look.setForeground(theme.current().color("accent"))
        for start, end in hashtag.places(self.words):
            cursor.setPosition(start)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(look)
