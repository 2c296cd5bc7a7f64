"""Read-only code in monospace, with syntax highlighting."""

import re
from collections.abc import Iterator
from typing import Final

from PySide6.QtCore import QSize
from PySide6.QtGui import QFont, QResizeEvent, QSyntaxHighlighter, QTextCharFormat
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from app.desktop.theme import theme

_QUOTE: Final = re.compile(r"[\"']")
_BODIES: Final = {
    '"': re.compile(r'(?:[^"\\]|\\.)*+"'),
    "'": re.compile(r"(?:[^'\\]|\\.)*+'"),
}
_COLON: Final = re.compile(r"\s*+:")
_COMMENT: Final = re.compile(r"(?:#|//(?!\w)).*$")
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
        for start, end, ink in _differences(text) if shows_differences else highlights(text):
            look = QTextCharFormat()
            look.setForeground(theme.current().color(ink))
            self.setFormat(start, end - start, look)


def highlights(line: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and colour of the strings, keys and the comment of a line."""
    at, quotes = 0, set(_BODIES)
    while found := _QUOTE.search(line, at):
        at = found.end()
        if found[0] not in quotes:
            continue
        if body := _BODIES[found[0]].match(line, at):
            at = body.end()
            yield found.start(), at, "text" if found[0] == '"' and _COLON.match(line, at) else "ok"
        else:  # nor does any later one end, and looking again each time would take quadratic time
            quotes.remove(found[0])
    if comment := _COMMENT.search(line):
        yield comment.start(), comment.end(), "text3"


def _differences(line: str) -> Iterator[tuple[int, int, str]]:
    for pattern, ink in _DIFFERENCES:
        if pattern.match(line):
            yield 0, len(line), ink


class Code(QPlainTextEdit):
    """Read-only; text can be selected by keyboard. ``shows_differences``: lines begin with + and -."""

    def __init__(self, name: str, *, shows_differences: bool = False) -> None:
        super().__init__()
        self.shows_differences = shows_differences
        self.setReadOnly(True)
        self.setProperty("code", True)  # a fainter outline than fields have
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
        theme.set_font(self, font)
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance("    "))
        self._highlighter.rehighlight()
        self._fit_lines()
