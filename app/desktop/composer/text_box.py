"""The editor of a post's text, with a counter for each platform."""

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.desktop.composer.editor import PostEditor
from app.desktop.composer.highlighter import Highlighter
from app.desktop.theme import theme
from app.desktop.widgets import Divider, IconButton
from app.desktop.widgets.painting import draw_icon, rounded
from app.desktop.words import platform_name
from app.language import tr
from app.workspace.editing.lengths import Count

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
