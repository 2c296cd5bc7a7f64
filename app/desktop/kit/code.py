"""Read-only code in monospace, with syntax highlighting."""

import re
from typing import Final

from PySide6.QtCore import QSize
from PySide6.QtGui import QFont, QResizeEvent, QSyntaxHighlighter, QTextCharFormat
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from app.desktop.theme import theme

_RULES: Final = (
    (re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\''), "ok"),
    (re.compile(r'"(?:[^"\\]|\\.)*"(?=\s*:)'), "text"),
    (re.compile(r"(?:#|//(?!\w)).*$"), "text3"),
)
_DIFFERENCES: Final = ((re.compile(r"^\+ .*$"), "ok"), (re.compile(r"^- .*$"), "bad"))
_MARGIN: Final = 4
_GAP: Final = 3
"""Minimum space between the last line and the scroll bar."""
_ROUNDED: Final = 1
"""Extra pixel that Qt needs to treat all lines as fully visible."""
_FRAME: Final = 9
"""Border and padding."""
_LINES: Final = 9
_ROUNDS: Final = 3
"""Maximum number of passes: less space may add a scroll bar, which itself takes space."""


class _Highlighter(QSyntaxHighlighter):
    def highlightBlock(self, text: str) -> None:  # noqa: N802  Qt's
        editor = self.parent()
        shows_differences = isinstance(editor, Code) and editor.shows_differences
        for pattern, ink in _DIFFERENCES if shows_differences else _RULES:
            look = QTextCharFormat()
            look.setForeground(theme.current().color(ink))
            for found in pattern.finditer(text):
                self.setFormat(found.start(), found.end() - found.start(), look)


class Code(QPlainTextEdit):
    """Read-only; text can be selected by keyboard. ``shows_differences``: lines begin with + and -."""

    def __init__(self, name: str, *, shows_differences: bool = False) -> None:
        super().__init__()
        self.shows_differences = shows_differences
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setAccessibleName(name)
        self.document().setDocumentMargin(0)  # Qt scrolls it out of view, and the lines would no longer fit
        self.setViewportMargins(_MARGIN, _MARGIN, _MARGIN, 0)
        self._highlighter = _Highlighter(self)
        self._highlighter.setDocument(self.document())
        theme.follow(self._restyle)

    def sizeHint(self) -> QSize:
        """Return the height of nine lines; a layout can make it larger."""
        around = 2 * _FRAME + _MARGIN + _GAP + _ROUNDED
        return QSize(240, _LINES * self._line_height() + around)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 60)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_lines()

    def show_code(self, code: str) -> None:
        """Show other code from its beginning."""
        if code != self.toPlainText():
            self.setPlainText(code)
            self._fit_lines()

    def _fit_lines(self) -> None:
        """Show only whole lines: half a line above the scroll bar looks as if the bar covered it."""
        line = self._line_height()
        for _ in range(_ROUNDS):
            margin = self.viewportMargins().bottom()
            room = self.viewport().height() + margin - _GAP - _ROUNDED
            below = _GAP + room % line if room >= line else 0
            if below == margin:
                return
            self.setViewportMargins(_MARGIN, _MARGIN, _MARGIN, below)

    def _line_height(self) -> int:
        """Return the height of a laid-out line, which is rounded differently from the font's line spacing."""
        return max(1, round(self.blockBoundingRect(self.document().firstBlock()).height()))

    def _restyle(self) -> None:
        font = theme.current().font("mono")
        font.setFeature(QFont.Tag("calt"), 0)  # no ligatures, so that code looks as it's typed
        self.setFont(font)
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance("    "))
        self._highlighter.rehighlight()
        self._fit_lines()
