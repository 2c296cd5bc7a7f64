"""Code to read and copy: set in monospace, with what stands out."""

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
"""Between the last line and the bar, at least."""
_ROUNDED: Final = 1
"""A pixel that Qt wants beyond the lines, to take them for whole."""
_FRAME: Final = 9
"""The line around it, and the padding within."""
_LINES: Final = 9
_ROUNDS: Final = 3
"""Less room may bring a bar, and a bar takes room."""


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
    """Read only; the keyboard walks and chooses in it. ``shows_differences``: lines begin with + and -."""

    def __init__(self, name: str, *, shows_differences: bool = False) -> None:
        super().__init__()
        self.shows_differences = shows_differences
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setAccessibleName(name)
        self.document().setDocumentMargin(0)  # Qt scrolls it away, and so what shows would no longer fit
        self.setViewportMargins(_MARGIN, _MARGIN, _MARGIN, 0)
        self._highlighter = _Highlighter(self)
        self._highlighter.setDocument(self.document())
        theme.follow(self._restyle)

    def sizeHint(self) -> QSize:
        """Nine lines; a layout with more room can make it larger."""
        around = 2 * _FRAME + _MARGIN + _GAP + _ROUNDED
        return QSize(240, _LINES * self._line_height() + around)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 60)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_lines()

    def show_code(self, code: str) -> None:
        """Show this from its beginning."""
        if code != self.toPlainText():
            self.setPlainText(code)
            self._fit_lines()

    def _fit_lines(self) -> None:
        """Only whole lines: half of one above the bar looks as if the bar lay over it."""
        line = self._line_height()
        for _ in range(_ROUNDS):
            margin = self.viewportMargins().bottom()
            room = self.viewport().height() + margin - _GAP - _ROUNDED
            below = _GAP + room % line if room >= line else 0
            if below == margin:
                return
            self.setViewportMargins(_MARGIN, _MARGIN, _MARGIN, below)

    def _line_height(self) -> int:
        """Of a line as it is laid out, which is rounded otherwise than the spacing of the font."""
        return max(1, round(self.blockBoundingRect(self.document().firstBlock()).height()))

    def _restyle(self) -> None:
        font = theme.current().font("mono")
        font.setFeature(QFont.Tag("calt"), 0)  # what is copied looks as it is written
        self.setFont(font)
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance("    "))
        self._highlighter.rehighlight()
        self._fit_lines()
