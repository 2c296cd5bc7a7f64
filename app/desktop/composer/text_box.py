"""The box in which a post's text is written, with a counter for each platform."""

from typing import Final

import regex
from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QImage,
    QPainter,
    QPaintEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from app.desktop.carried import TEXT_MAX, Carried, read, writable
from app.desktop.theme import theme
from app.desktop.widgets import Divider, IconButton
from app.desktop.widgets.painting import draw_icon, rounded
from app.desktop.widgets.redo import redo_pressed
from app.desktop.words import platform_name
from app.language import tr
from app.workspace.editing.lengths import Count
from app.workspace.spelling.words import Word, words_of

_LINE_ENDS: Final = str.maketrans(dict.fromkeys("\u2028\u2029\ufdd0\ufdd1", "\n"))
"""What Qt parts lines by."""


class PostEditor(QPlainTextEdit):
    """Takes words as plain text; hands files and pictures on."""

    carried = Signal(object)
    """A Carried with files, or with keys of stored ones."""
    pictured = Signal(QImage)
    """A picture that has no file, such as a part of the screen."""
    refused = Signal(int)
    """So many characters were pasted that every key would be waited for: they are no post."""
    menu_asked = Signal(QPoint, int)
    """Where on the screen, and at which position in the text."""

    def toPlainText(self) -> str:  # noqa: N802  Qt's
        """Return what is written; Qt's own would make every no-break space one that breaks."""
        return self.document().toRawText().translate(_LINE_ENDS)

    def event(self, event: QEvent) -> bool:
        """Takes Ctrl+Y for itself."""
        return redo_pressed(self, event) or super().event(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Asks for the menu of the word below the pointer, or at the cursor when a key asked."""
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            below = self.cursorRect().bottomLeft()
            self.menu_asked.emit(self.viewport().mapToGlobal(below), self.textCursor().selectionStart())
        else:
            self.menu_asked.emit(event.globalPos(), self.cursorForPosition(event.pos()).position())

    def canInsertFromMimeData(self, source: QMimeData) -> bool:  # noqa: N802  Qt's
        return bool(read(source)) or source.hasImage() or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:  # noqa: N802  Qt's
        if found := attachable(source):
            self.carried.emit(found)
        elif source.hasText():  # tables are copied with a picture of themselves: the words are meant
            self._insert(source.text())
        elif source.hasImage():
            self.pictured.emit(QImage(source.imageData()))
        else:
            self.insertPlainText(read(source).text)

    def _insert(self, text: str) -> None:
        if len(text) > TEXT_MAX:
            self.refused.emit(len(text))
            return
        self.insertPlainText(writable(text))
        self.ensureCursorVisible()


def attachable(source: QMimeData) -> Carried | None:
    """Return the files that are carried, or None."""
    found = read(source)
    return found if found.files or found.media else None


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


_LEAST, _MOST = 135, 300
_GLYPH = 12
_FOOT = 34
_INSET, _MARGIN = 12, 4


class TextBox(QFrame):
    """A framed editor; the counters stand below its text."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.editor = PostEditor()
        self.editor.setProperty("bare", True)
        self.editor.setAccessibleName(tr("Post text"))
        self.editor.setPlaceholderText(tr("What do you want to say?"))
        self.editor.setTabChangesFocus(True)
        self.editor.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        # Qt takes every line for 8 px wider than its words, the two margins that a text usually has: with
        # other margins it would scroll sideways.
        self.editor.document().setDocumentMargin(_MARGIN)
        self.counters = Counters()
        self.emoji = IconButton("smile", tr("Emoji (Ctrl+.)"), size="small")
        self.earlier = IconButton("history", tr("Earlier texts"), size="small")
        self.saved = IconButton("hash", tr("Saved texts and hashtags"), size="small")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.highlighter = Highlighter(self.editor)
        column = QVBoxLayout(self)
        column.setContentsMargins(_INSET - _MARGIN, _INSET - _MARGIN, _INSET - _MARGIN, 0)
        column.setSpacing(0)
        column.addWidget(self.editor)
        column.addSpacing(8 - _MARGIN)
        line, foot = QHBoxLayout(), QHBoxLayout()
        for row in (line, foot):
            row.setContentsMargins(_MARGIN, 0, _MARGIN, 0)
        line.addWidget(Divider(inner=True))
        column.addLayout(line)
        foot.setSpacing(2)
        foot.addWidget(self.emoji)
        foot.addWidget(self.saved)
        foot.addWidget(self.earlier)
        foot.addWidget(self.counters, 1)
        column.addLayout(foot)
        self.editor.textChanged.connect(self.changed)
        self.editor.document().documentLayout().documentSizeChanged.connect(self._grow)
        self.editor.installEventFilter(self)
        self._grow()

    def text(self) -> str:
        """Return what is written."""
        return self.editor.toPlainText()

    def set_text(self, text: str) -> None:
        """Replace what is written, without a notice."""
        self.editor.blockSignals(True)
        self.editor.setPlainText(text)
        self.editor.moveCursor(self.editor.textCursor().MoveOperation.End)
        self.editor.blockSignals(False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Draws the frame of the focus, and grows with the lines that a new width makes."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        elif event.type() == QEvent.Type.Resize:
            self._grow()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        focused = self.editor.hasFocus()
        radius = theme.current().metrics.radius
        rounded(
            QPainter(self), QRectF(self.rect()), radius, fill="surface", line="accent" if focused else "line"
        )

    def _grow(self) -> None:
        line = QFontMetrics(self.editor.font()).lineSpacing()
        lines = self.editor.document().documentLayout().documentSize().height()
        self.editor.setFixedHeight(max(_LEAST, min(_MOST, round(lines * line) + 8)) + 2 * _MARGIN)


class Counters(QWidget):
    """Platform glyphs with used and allowed length, least room at the left; what is over is in bad."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._counts: list[Count] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.follow(self.updateGeometry)

    def set_counts(self, found: list[Count]) -> None:
        """Show other counts."""
        self._counts = found
        words = ", ".join(f"{platform_name(count.platform)} {count}" for count in found)
        self.setAccessibleName(words)
        self.setToolTip(words)
        self.update()

    def shown(self) -> list[Count]:
        """Return the counts that fit, in their order."""
        room, fitting = self.width(), []
        for count in self._counts:
            room -= self._width(count)
            if room < 0:
                break
            fitting.append(count)
        return fitting

    def sizeHint(self) -> QSize:
        return QSize(120, max(_FOOT, QFontMetrics(theme.current().font("small")).height() + 16))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        fitting = self.shown()
        x = self.width() - sum(map(self._width, fitting)) + 10
        for count in fitting:
            color = "bad" if count.room < 0 else "text3"
            painter.setFont(_font(count))
            painter.setPen(theme.current().color(color))
            draw_icon(
                painter,
                QRectF(x, (self.height() - _GLYPH) / 2, _GLYPH, _GLYPH),
                f"brand:{count.platform}",
                color,
            )
            words = QRectF(x + _GLYPH + 4, 0, self._width(count), self.height())
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, str(count))
            x += self._width(count)

    def _width(self, count: Count) -> int:
        return QFontMetrics(_font(count)).horizontalAdvance(str(count)) + _GLYPH + 4 + 10


def _font(count: Count) -> QFont:
    return theme.current().font("small", QFont.Weight.DemiBold if count.room < 0 else None)
