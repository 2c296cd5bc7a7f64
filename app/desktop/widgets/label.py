"""Text that follows the theme: labels by role and tone, eliding labels, icons and dividers."""

from typing import Literal

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolTip, QWidget

from app.desktop.theme import theme
from app.desktop.theme.fonts import Role
from app.desktop.widgets.painting import draw_icon
from app.desktop.widgets.screen_reader import rename

Elision = Literal["end", "middle"]
_ELIDE = {"end": Qt.TextElideMode.ElideRight, "middle": Qt.TextElideMode.ElideMiddle}


class Label(QLabel):
    """A label in one of the app's fonts and colours; its text is always plain.

    Args:
        text: the text.
        role: the font, see `theme.fonts`.
        tone: the colour role.
        weight: a weight other than the role's.
        wrap: whether long text wraps.
        parent: the owner.
    """

    def __init__(
        self,
        text: str = "",
        role: Role = "text",
        tone: str = "text",
        *,
        weight: QFont.Weight | None = None,
        wrap: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._role, self._weight = role, weight
        self.setTextFormat(Qt.TextFormat.PlainText)  # before there is text to guess at
        self.setText(text)
        self.setWordWrap(wrap)
        self.setProperty("tone", tone)
        theme.follow(self._restyle)

    def heightForWidth(self, width: int) -> int:
        """Return the height at the width it may have; layouts offer more than that."""
        return super().heightForWidth(min(width, self.maximumWidth()))

    def tone(self) -> str:
        """Return the colour role."""
        return str(self.property("tone"))

    def set_tone(self, tone: str) -> None:
        """Change the colour role."""
        self.setProperty("tone", tone)
        self.style().unpolish(self)
        self.style().polish(self)
        self._restyle()  # Qt gave back the font of the text size at which the label was made

    def _restyle(self) -> None:
        theme.set_font(self, theme.current().font(self._role, self._weight))


class ElidedLabel(Label):
    """A one-line label that elides its text to the available width; the tooltip shows all of it."""

    def __init__(
        self,
        text: str = "",
        role: Role = "text",
        tone: str = "text",
        *,
        elide: Elision = "end",
        weight: QFont.Weight | None = None,
        parent: QWidget | None = None,
    ) -> None:
        self._elide = elide
        super().__init__(text, role, tone, weight=weight, parent=parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def shown_text(self) -> str:
        """Return the text as shown."""
        return QFontMetrics(self.font()).elidedText(self.text(), _ELIDE[self._elide], self.width())

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        return QSize(metrics.horizontalAdvance(self.text()) + 1, metrics.height())

    def minimumSizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        return QSize(min(self.sizeHint().width(), metrics.averageCharWidth() * 6), metrics.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(theme.current().color(self.tone() if self.isEnabled() else "text3"))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
        painter.drawText(self.rect(), flags, self.shown_text())

    def event(self, event: QEvent) -> bool:
        """Show the whole text as a tooltip. If it was set, screen readers would say the text twice."""
        if not isinstance(event, QHelpEvent) or event.type() != QEvent.Type.ToolTip or self.toolTip():
            return super().event(event)
        QToolTip.showText(event.globalPos(), "" if self.shown_text() == self.text() else self.text(), self)
        return True


class TailLabel(ElidedLabel):
    """A one-line label that elides the first part of its text, to keep the second one whole."""

    _tail = ""

    def show_parts(self, text: str, tail: str) -> None:
        """Show two parts with a dot between them; each may be empty."""
        self._tail = f" · {tail}" if text and tail else tail
        self.setText(f"{text}{self._tail}")

    def shown_text(self) -> str:
        metrics = QFontMetrics(self.font())
        room = max(0, self.width() - metrics.horizontalAdvance(self._tail))
        text = metrics.elidedText(self.text().removesuffix(self._tail), _ELIDE[self._elide], room)
        return f"{text}{self._tail}" if text else super().shown_text()


class IconLabel(QWidget):
    """A passive icon; give it a `name` if its meaning isn't in any text next to it."""

    def __init__(
        self, icon: str, color: str = "text2", size: int = 16, name: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._icon_name, self._color, self._size = icon, color, size
        rename(self, name)
        self.setToolTip(name)
        theme.follow(self._restyle)

    def set_icon(self, icon: str, color: str | None = None) -> None:
        """Change the icon, and optionally its colour."""
        self._icon_name, self._color = icon, color or self._color
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        draw_icon(QPainter(self), QRectF(self.rect()), self._icon_name, self._color)

    def _restyle(self) -> None:
        edge = theme.current().grown(self._size)
        self.setFixedSize(edge, edge)


class Divider(QWidget):
    """A line; `inner` ones are fainter."""

    def __init__(
        self,
        orientation: Qt.Orientation = Qt.Orientation.Horizontal,
        *,
        inner: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._color = "line2" if inner else "line"
        if orientation == Qt.Orientation.Horizontal:
            self.setFixedHeight(1)
        else:
            self.setFixedWidth(1)

    def paintEvent(self, _event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), theme.current().color(self._color))
