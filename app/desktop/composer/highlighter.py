"""How an editor marks parts of its text: hashtags stand out, words that nobody knows are underlined."""

import regex
from PySide6.QtGui import QFont, QSyntaxHighlighter, QTextCharFormat
from PySide6.QtWidgets import QPlainTextEdit

from app.desktop.theme import theme
from app.workspace.spelling.words import Word, words_of

_HASHTAG = regex.compile(r"(?<![\w&/])#\w+")


class Highlighter(QSyntaxHighlighter):
    """``unknown`` words are marked, but the one that is being written."""

    def __init__(self, editor: QPlainTextEdit) -> None:
        super().__init__(editor.document())
        self._editor = editor
        self._unknown: frozenset[str] = frozenset()
        self._written = -1
        self._hashtag, self._misspelt = QTextCharFormat(), QTextCharFormat()
        self._hashtag.setFontWeight(QFont.Weight.DemiBold)
        self._misspelt.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SpellCheckUnderline)
        theme.follow(self._restyle)

    @property
    def unknown(self) -> frozenset[str]:
        """The words that are marked."""
        return self._unknown

    def mark(self, unknown: frozenset[str], written: int) -> None:
        """Mark words; not the one that ends at ``written``, a position of the cursor, or -1."""
        if (unknown, written) != (self._unknown, self._written):
            self._unknown, self._written = unknown, written
            self.rehighlight()

    def marked(self) -> list[tuple[int, int, str]]:
        """Return begin, end (as cursors count) and text of every word that is marked."""
        text = self._editor.toPlainText()
        return [one for word in words_of(text) if (one := self._place(text, word, 0))]

    def highlightBlock(self, text: str) -> None:  # noqa: N802 - Qt's
        for found in _HASHTAG.finditer(text):
            self.setFormat(units(text[: found.start()]), units(found[0]), self._hashtag)
        begin = self.currentBlock().position()
        for word in words_of(text) if self._unknown else ():
            if place := self._place(text, word, begin):
                self.setFormat(place[0] - begin, place[1] - place[0], self._misspelt)

    def _place(self, text: str, word: Word, begin: int) -> tuple[int, int, str] | None:
        if word.text not in self._unknown:
            return None
        start = begin + units(text[: word.start])
        end = start + units(word.text)
        return (start, end, word.text) if end != self._written else None

    def _restyle(self) -> None:
        self._misspelt.setUnderlineColor(theme.current().color("bad"))
        self.rehighlight()


def units(text: str) -> int:
    """Return how long a text is for Qt, which counts in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
