"""Highlights hashtags, unknown words, and text beyond the limit."""

from PySide6.QtGui import QSyntaxHighlighter, QTextCharFormat
from PySide6.QtWidgets import QTextEdit

from app.desktop.kit.hashtag import HASHTAG
from app.desktop.theme import theme
from app.workspace.spelling import Word, words_of


class Highlighter(QSyntaxHighlighter):
    """Marks hashtags, ``unknown`` words except the one being typed, and text beyond the limit."""

    def __init__(self, editor: QTextEdit) -> None:
        super().__init__(editor.document())
        self._editor = editor
        self._unknown: frozenset[str] = frozenset()
        self._written = -1
        self._fitting: int | None = None
        self._hashtag, self._misspelt, self._over = QTextCharFormat(), QTextCharFormat(), QTextCharFormat()
        self._misspelt.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SpellCheckUnderline)
        theme.follow(self._restyle)

    @property
    def unknown(self) -> frozenset[str]:
        """The marked words."""
        return self._unknown

    @property
    def too_long(self) -> str:
        """The text beyond the limit."""
        text = self._editor.toPlainText()
        return "" if self._fitting is None else text[characters(text, self._fitting) :]

    def mark(self, unknown: frozenset[str], written: int) -> None:
        """Mark words, except the one that ends at the cursor position ``written`` (-1 for none)."""
        if (unknown, written) != (self._unknown, self._written):
            self._unknown, self._written = unknown, written
            self.rehighlight()

    def mark_from(self, fitting: int | None) -> None:
        """Mark the text from ``fitting`` as too long, a cursor position; None for nothing."""
        before, self._fitting = self._fitting, fitting
        if fitting == before:
            return
        document = self.document()
        known = [one for one in (before, fitting) if one is not None]
        block = document.findBlock(min(known))  # what lies before looks as it did
        while block.isValid():
            self.rehighlightBlock(block)
            block = block.next()

    def marked(self) -> list[tuple[int, int, str]]:
        """Return start, end (cursor positions) and text of every marked word."""
        text = self._editor.toPlainText()
        return [one for word in words_of(text) if (one := self._place(text, word, 0))]

    def highlightBlock(self, text: str) -> None:  # noqa: N802 - Qt's
        begin = self.currentBlock().position()
        if self._fitting is not None:
            start = max(0, self._fitting - begin)
            self.setFormat(start, max(0, units(text) - start), self._over)
        for found in HASHTAG.finditer(text):
            start = begin + units(text[: found.start()])
            self._format(start, start + units(found[0]), self._hashtag)
        for word in words_of(text) if self._unknown else ():
            if place := self._place(text, word, begin):
                self._format(place[0], place[1], self._misspelt)

    def _format(self, start: int, end: int, look: QTextCharFormat) -> None:
        """Add a format to a range of the block, in cursor positions."""
        begin = self.currentBlock().position()
        for at in range(start - begin, end - begin):
            merged = QTextCharFormat(self.format(at))
            merged.merge(look)
            self.setFormat(at, 1, merged)

    def _place(self, text: str, word: Word, begin: int) -> tuple[int, int, str] | None:
        if word.text not in self._unknown:
            return None
        start = begin + units(text[: word.start])
        end = start + units(word.text)
        return (start, end, word.text) if end != self._written else None

    def _restyle(self) -> None:
        colors = theme.current()
        self._misspelt.setUnderlineColor(colors.color("bad"))
        self._hashtag.setForeground(colors.color("accent"))
        self._over.setBackground(colors.color("bad_soft"))
        self.rehighlight()


def units(text: str) -> int:
    """Return the length of a text in Qt's unit, UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def characters(text: str, position: int) -> int:
    """Return the index in a text for a Qt position in UTF-16 code units."""
    packed = text.encode("utf-16-le", "surrogatepass")[: 2 * position]
    return len(packed.decode("utf-16-le", "replace"))
