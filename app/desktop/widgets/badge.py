"""Small marks: counts, states, practice tags, and filter chips."""

from typing import Literal

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QStyle, QWidget

from app.desktop.theme import theme
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import draw_icon, rounded, shows_focus
from app.desktop.widgets.screen_reader import PopupInterface, spoken_by
from app.language import number, tr

BadgeTone = Literal["neutral", "bad"]
TagTone = Literal["neutral", "ok", "warn", "bad"]


class _Mark(QWidget):
    """A short text in a small shape."""

    _padding = 7
    _height = 18

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self.setAccessibleName(text)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.follow(self._restyle)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        height = max(self._height, metrics.height() + 2)
        return QSize(max(height, metrics.horizontalAdvance(self._text) + 2 * self._padding), height)

    def set_text(self, text: str) -> None:
        """Change the text."""
        self._text = text
        self.setAccessibleName(text)
        self._restyle()

    def _write(self, painter: QPainter, color: str) -> None:
        painter.setPen(theme.current().color(color))
        painter.drawText(QRectF(self.rect()), Qt.AlignmentFlag.AlignCenter, self._text)

    def _restyle(self) -> None:
        theme.set_font(self, self._own_font())
        self.updateGeometry()
        self.update()

    def _own_font(self) -> QFont:
        return theme.current().font("small", QFont.Weight.DemiBold)


class Badge(_Mark):
    """A count, hidden at zero; "bad" draws attention, "neutral" is for information."""

    _padding = 5

    def __init__(self, count: int = 0, tone: BadgeTone = "neutral", parent: QWidget | None = None) -> None:
        self._tone = tone
        super().__init__("", parent)
        self.set_count(count)

    def set_count(self, count: int) -> None:
        """Change the count."""
        self.set_text(number(count))
        self.setVisible(count > 0)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._tone == "bad":
            rounded(painter, QRectF(self.rect()), self.height() / 2, fill="bad_soft")
        self._write(painter, "bad" if self._tone == "bad" else "text2")

    def _own_font(self) -> QFont:
        weight = QFont.Weight.DemiBold if self._tone == "bad" else QFont.Weight.Medium
        return theme.current().font("small", weight)


class Tag(_Mark):
    """A state in a word ("active") as a tinted pill, or a neutral remark ("Recommended") in a frame."""

    def __init__(self, text: str, tone: TagTone = "neutral", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._tone = tone

    def set_tone(self, tone: TagTone) -> None:
        """Change the state's colour."""
        self._tone = tone
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._tone == "neutral":
            rounded(painter, QRectF(self.rect()), 4, fill="sunken", line="line")
            self._write(painter, "text2")
            return
        rounded(painter, QRectF(self.rect()), self.height() / 2, fill=f"{self._tone}_soft")
        self._write(painter, self._tone)


class PracticeTag(_Mark):
    """The dashed tag of practice accounts and their posts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("PRACTICE"), parent)
        self.setToolTip(tr("A stand-in account: nothing reaches a real platform"))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        rounded(painter, QRectF(self.rect()), 4, line="text3", dashed=True)
        self._write(painter, "text2")

    def _own_font(self) -> QFont:
        font = theme.current().font("small", QFont.Weight.DemiBold)
        font.setPixelSize(max(1, font.pixelSize() - 1))
        font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 106)
        return font


Tone = Literal["neutral", "warn", "bad"]

_PADDING, _GAP, _ICON = 10, 6, 12


class Chip(EnterPresses):
    """A pill, 26 px high; tinted in the accent while checked.

    Args:
        text: the label.
        icon: name of an icon, or "".
        checkable: whether a click toggles it.
        tone: "neutral", or "warn" and "bad" for notices.
        like_button: as high as a button and with its corners, for a row of buttons; neutral without a frame.
        parent: the owner.
    """

    def __init__(
        self,
        text: str,
        icon: str = "",
        *,
        checkable: bool = True,
        tone: Tone = "neutral",
        like_button: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icon_name, self._icon_color, self._tone = icon, "", tone
        self._is_like_button = like_button
        self.setText(text)
        self.setCheckable(checkable)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.follow(self._restyle)

    def set_icon(self, name: str, color: str = "") -> None:
        """Change the icon ("" for none), in a colour role or `#RRGGBB` instead of the label's colour."""
        self._icon_name, self._icon_color = name, color
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        width = QFontMetrics(self.font()).horizontalAdvance(self.text()) + 2 * _PADDING
        if self._icon_name:
            width += theme.current().grown(_ICON) + (_GAP if self.text() else 0)
        metrics = theme.current().metrics
        return QSize(width, metrics.control if self._is_like_button else metrics.chip)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        rect = QRectF(self.rect())
        fill, line, color = self._look()
        ring = shows_focus(self)
        rounded(
            painter,
            rect,
            theme.current().metrics.radius if self._is_like_button else rect.height() / 2,
            fill=fill,
            line="accent" if ring else line,
            width=2 if ring else 1,
        )
        x = _PADDING
        if self._icon_name:
            edge = theme.current().grown(_ICON)
            spot = self._place(x, edge)
            draw_icon(painter, _square(spot), self._icon_name, self._icon_color or color)
            x += edge + _GAP
        painter.setPen(theme.current().color(color))
        label = self._place(x, self.width() - x - _PADDING + 1)
        metrics = QFontMetrics(self.font())
        shown = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, int(label.width()))
        painter.drawText(label, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading, shown)

    def _look(self) -> tuple[str | None, str | None, str]:
        """Return the roles of fill, line and label."""
        if not self.isEnabled():
            return "sunken", "line", "text3"
        if self.isChecked():
            return "accent_soft", "accent", "accent"
        if self._tone != "neutral":
            return f"{self._tone}_soft", f"{self._tone}_line", self._tone
        is_touched = self.isDown() or self.underMouse()
        if self._is_like_button:
            return ("sunken" if is_touched else None), None, "text2"
        return ("sunken" if is_touched else "surface"), "line", "text2"

    def _place(self, x: int, width: int) -> QRectF:
        area = QRect(x, 0, width, self.height())
        return QRectF(QStyle.visualRect(self.layoutDirection(), self.rect(), area))

    def _restyle(self) -> None:
        theme.set_font(self, theme.current().font("card"))
        self.updateGeometry()
        self.update()


@spoken_by(PopupInterface)
class PopupChip(Chip):
    """A pill that opens a menu or a panel; checked while something in it is selected."""


def _square(area: QRectF) -> QRectF:
    half = min(area.width(), area.height()) / 2
    corner = QPointF(half, half)
    return QRectF(area.center() - corner, area.center() + corner)
