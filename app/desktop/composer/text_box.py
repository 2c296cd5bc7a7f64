"""The text box, which grows with its text and marks what is too long."""

from typing import Final

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QImage,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlockFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QTextEdit, QVBoxLayout, QWidget

from app.desktop.carried import TEXT_MAX, Carried, read, writable
from app.desktop.composer.highlighter import Highlighter, units
from app.desktop.theme import theme
from app.desktop.widgets import Divider, IconButton
from app.desktop.widgets.inputs import redo_pressed
from app.desktop.widgets.painting import draw_icon, insets, rounded
from app.desktop.words import platform_name
from app.language import number, tr
from app.workspace.editing.lengths import Count

_LINE_ENDS: Final = str.maketrans(dict.fromkeys("\u2028\u2029\ufdd0\ufdd1", "\n"))
"""What Qt parts lines by."""


_TEXT_SIZE: Final = 14
_LINE_PERCENT: Final = 124.0
"""Of the typeface's own line, which is 17 px at that size: 21 px from line to line."""


class PostEditor(QTextEdit):
    """Accepts text as plain text; passes on files and pictures.

    Qt's plain text editor has no line height, so this is the rich text editor without formatting.
    """

    carried = Signal(object)
    """A Carried with files, or with keys of stored ones."""
    pictured = Signal(QImage)
    """A picture that has no file, such as a part of the screen."""
    refused = Signal(int)
    """So many characters were pasted that every key would be waited for: they are no post."""
    menu_asked = Signal(QPoint, int)
    """Where on the screen, and at which position in the text."""

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptRichText(False)
        theme.follow(self._restyle)

    def setPlainText(self, text: str) -> None:  # noqa: N802  Qt's
        """Replace the text, with the right line height."""
        super().setPlainText(text)
        self._space_lines()

    def toPlainText(self) -> str:  # noqa: N802  Qt's
        """Return the text; Qt's own method would replace non-breaking spaces."""
        return self.document().toRawText().translate(_LINE_ENDS)

    def event(self, event: QEvent) -> bool:
        """Handle Ctrl+Y."""
        return redo_pressed(self, event) or super().event(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Request the menu of the word below the pointer, or at the cursor if a key was pressed."""
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

    def _space_lines(self) -> None:
        """Set the line height, which new lines inherit from the previous one."""
        document, spacing = self.document(), QTextBlockFormat()
        spacing.setLineHeight(_LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        document.setUndoRedoEnabled(False)  # it is nothing that a person could take back
        cursor = QTextCursor(document)
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.mergeBlockFormat(spacing)
        document.setUndoRedoEnabled(True)
        document.setModified(False)

    def _restyle(self) -> None:
        font = theme.current().font("text")
        font.setPixelSize(theme.current().grown(_TEXT_SIZE))
        for widget in (self, self.viewport()):  # which keeps its own for the placeholder
            theme.set_font(widget, font)


def attachable(source: QMimeData) -> Carried | None:
    """Return the files in the data, or None."""
    found = read(source)
    return found if found.files or found.media else None


_LEAST, _LEAST_ABOVE, _MOST = 96, 50, 16_000
"""Beyond any post: Qt paints no widget that is taller than 32,767 px."""
_GLYPH = 12
_FOOT = 36
_INSET, _MARGIN = 14, 4


class TextBox(QFrame):
    """A framed editor as high as its text: the panel around it scrolls, the editor never does.

    The text's file is below it, tools and counters at the bottom.
    """

    changed = Signal()
    cursor_moved = Signal()
    """The cursor is at another place of the box: one types there, so it should be in view."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.editor = PostEditor()
        self.editor.setProperty("bare", True)
        self.editor.setAccessibleName(tr("Post text"))
        self.editor.setPlaceholderText(tr("What do you want to say?"))
        self.editor.setTabChangesFocus(True)
        self.editor.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.editor.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.editor.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.editor.document().setDocumentMargin(_MARGIN)
        self.counters = Counters()
        self.picture = IconButton("image-plus", "", size="small", key="Ctrl+O")
        self.emoji = IconButton("smile", tr("Emoji"), size="small", key="Ctrl+E")
        self.earlier = IconButton("history", tr("Earlier texts"), size="small")
        self.saved = IconButton("hash", tr("Saved texts and hashtags"), size="small")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.highlighter = Highlighter(self.editor)
        self._parts: list[QWidget] = []
        self._inside, self._tools = QVBoxLayout(), (self.picture, self.emoji, self.saved, self.earlier)
        self._lay_out()
        self.editor.textChanged.connect(self.changed)
        self.editor.cursorPositionChanged.connect(self.cursor_moved)
        self.editor.document().documentLayout().documentSizeChanged.connect(self._grow)
        self.editor.installEventFilter(self)
        self._grow()

    def text(self) -> str:
        """Return the text."""
        return self.editor.toPlainText()

    def set_text(self, text: str) -> None:
        """Replace the text without emitting signals."""
        self.editor.blockSignals(True)
        self.editor.setPlainText(text)
        self.editor.moveCursor(self.editor.textCursor().MoveOperation.End)
        self.editor.blockSignals(False)

    def go_to(self, index: int) -> None:
        """Move the cursor to an index of the text."""
        cursor = self.editor.textCursor()
        cursor.setPosition(units(self.text()[:index]))
        self.editor.setTextCursor(cursor)
        self.editor.setFocus()

    def mark_from(self, index: int) -> None:
        """Mark the text from an index as too long; its length for nothing."""
        text = self.text()
        self.highlighter.mark_from(units(text[:index]) if index < len(text) else None)

    def add_inside(self, widget: QWidget) -> None:
        """Put a widget between text and footer, which scrolls with the text."""
        self._inside.addWidget(widget)
        self._parts.append(widget)
        widget.installEventFilter(self)
        for tool in self._tools:  # which come after it by Tab, too
            tool.raise_()

    def cursor_area(self) -> QRect:
        """Return the rectangle of the cursor in this box."""
        area = self.editor.cursorRect()
        return QRect(self.editor.viewport().mapTo(self, area.topLeft()), area.size())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Draw the focus frame, and adapt the height when a new width changes the lines."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        elif event.type() in (QEvent.Type.Resize, QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self._grow()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Report a new line to those that follow the cursor."""
        super().resizeEvent(event)
        if self.editor.hasFocus():
            self.cursor_moved.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        focused, painter, area = self.editor.hasFocus(), QPainter(self), QRectF(self.rect())
        radius = theme.current().metrics.radius
        rounded(painter, area, radius, fill="surface", line="accent" if focused else "line_strong")

    def _grow(self) -> None:
        written = self.editor.document().documentLayout().documentSize().height()
        has_parts = any(not part.isHidden() for part in self._parts)
        least = theme.current().grown(_LEAST_ABOVE if has_parts else _LEAST)
        self.editor.setFixedHeight(max(least, min(_MOST, round(written))))

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, _INSET - _MARGIN, 0, 0)
        column.setSpacing(0)
        text, foot = QHBoxLayout(), QHBoxLayout()
        text.setContentsMargins(_INSET - _MARGIN, 0, _INSET - _MARGIN, 8 - _MARGIN)
        text.addWidget(self.editor)
        column.addLayout(text)
        self._inside.setContentsMargins(_INSET, 0, _INSET, 0)
        self._inside.setSpacing(8)
        column.addLayout(self._inside)
        line = QHBoxLayout()
        line.setContentsMargins(1, 0, 1, 0)
        line.addWidget(Divider(inner=True))
        column.addLayout(line)
        foot.setContentsMargins(insets(_INSET - 6, 0, _INSET, 0))
        foot.setSpacing(2)
        for tool in self._tools:
            foot.addWidget(tool)
        foot.addWidget(self.counters, 1)
        column.addLayout(foot)


class Counters(QWidget):
    """The remaining characters of platforms close to their limit, lowest first; negative ones in red."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._counts: list[Count] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.follow(self.updateGeometry)

    def set_counts(self, found: list[Count]) -> None:
        """Show the counts close to their limits; the others are in name and tooltip."""
        self._counts = [count for count in found if count.is_close]
        words = ", ".join(f"{platform_name(count.platform)} {count}" for count in found)
        self.setAccessibleName(words)
        self.setToolTip(words)
        self.update()

    def shown(self) -> list[Count]:
        """Return the counts that fit, in order."""
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
            color = "bad" if count.room < 0 else "text2"
            painter.setFont(_font(count))
            painter.setPen(theme.current().color(color))
            edge = theme.current().grown(_GLYPH)
            spot = QRectF(x, (self.height() - edge) / 2, edge, edge)
            draw_icon(painter, spot, f"brand:{count.platform}", color)
            words = QRectF(x + edge + 6, 0, self._width(count), self.height())
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, left(count))
            x += self._width(count)

    def _width(self, count: Count) -> int:
        glyph = theme.current().grown(_GLYPH)
        return QFontMetrics(_font(count)).horizontalAdvance(left(count)) + glyph + 6 + 10


def left(count: Count) -> str:
    """Return the remaining length, with a true minus sign if the text is too long."""
    return number(count.room).replace("-", "\u2212")  # a true minus is as wide as the plus


def _font(count: Count) -> QFont:
    return theme.current().font("card", QFont.Weight.DemiBold if count.room < 0 else None)
