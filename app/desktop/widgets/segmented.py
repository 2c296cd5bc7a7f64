"""A segmented control, such as Month, Week, Day, Agenda."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QSizePolicy, QWidget
from shiboken6 import isValid

from app.desktop import motion
from app.desktop.motion import tokens
from app.desktop.theme import theme
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.focus import stop_at_checked
from app.desktop.widgets.painting import draw_icon, rounded, shows_focus
from app.desktop.widgets.screen_reader import spoken_as

_INSET = 3
_LIFT = 1
_PADDING, _LEAST_PADDING = 12, 8
"""Space on each side of a label, usually and where there's little room, in px."""


@spoken_as(QAccessible.Role.Grouping)
class Segmented(QWidget):
    """Exclusive choices in a track; arrow keys move between them.

    Args:
        options: (key, label) pairs in reading order; a label `icon:NAME:WORDS` shows that icon, named WORDS.
        name: the accessible name.
        parent: the owner.
    """

    selected = Signal(str)
    """The key that the person or `set_value` chose; only when it changed."""

    def __init__(self, options: Sequence[tuple[str, str]], name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._segments = {key: _Segment(label) for key, label in options}
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(_INSET, _INSET, _INSET, _INSET - _LIFT)
        row.setSpacing(0)
        for segment in self._segments.values():
            self._group.addButton(segment)
            row.addWidget(segment)
        self._shown: QRectF | None = None
        """Where the face of the choice is while it glides to it."""
        self._chosen = next(iter(self._segments.values()))
        self._chosen.setChecked(True)
        stop_at_checked(self._group.buttons())
        self._group.buttonToggled.connect(self._tell)

    def value(self) -> str:
        """Return the key of the current choice."""
        return next(key for key, segment in self._segments.items() if segment.isChecked())

    def set_value(self, key: str) -> None:
        """Set the current choice; raises KeyError if it isn't one of the options."""
        self._segments[key].setChecked(True)

    def show_wide(self, wide: bool) -> None:
        """Set whether there's the usual space around the labels, or less."""
        for segment in self._segments.values():
            segment.show_wide(wide)
        self.updateGeometry()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        radius = theme.current().metrics.radius
        rounded(painter, QRectF(self.rect()), radius, fill="sunken", line="line")
        self._paint_face(painter, self._shown or self._chosen.face())

    def _paint_face(self, painter: QPainter, rect: QRectF) -> None:
        """Draw the selected segment: raised by a shadow in light themes, outlined in dark ones."""
        rounded(painter, rect.translated(0, _LIFT), 5, fill="line")
        line, width = ("line", 1.0) if theme.current().tokens.dark else (None, 1.0)
        if shows_focus(self._chosen):
            line, width = "accent", 2.0
        rounded(painter, rect, 5, fill="surface", line=line, width=width)

    def _tell(self, button: QAbstractButton, checked: bool) -> None:
        if not checked or not isinstance(button, _Segment):
            return
        before, self._chosen = self._shown or self._chosen.face(), button
        self.update()
        stop_at_checked(self._group.buttons())
        self.selected.emit(self.value())
        if isValid(self) and self.isVisible():
            self._glide(before)

    def _glide(self, before: QRectF) -> None:
        """Move the highlight from the previous choice to the current one."""

        def step(progress: float) -> None:
            after = self._chosen.face()
            self._shown = QRectF(
                before.topLeft() + (after.topLeft() - before.topLeft()) * progress, after.size()
            )
            self._shown.setWidth(before.width() + (after.width() - before.width()) * progress)
            self.update()

        def end() -> None:
            self._shown = None
            self.update()

        motion.play(self, tokens.THUMB, step, end)


class _Segment(EnterPresses):
    def __init__(self, label: str) -> None:
        super().__init__()
        self._padding = _PADDING
        self._icon_name = ""
        if label.startswith("icon:"):
            _, self._icon_name, label = label.split(":", 2)
            self.shows_name = True
        self.setText(label)
        self.setCheckable(True)
        self.setAutoExclusive(True)  # by which a screen reader knows a choice of one
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        theme.follow(self._restyle)

    def show_wide(self, wide: bool) -> None:
        padding = _PADDING if wide else _LEAST_PADDING
        if padding != self._padding:
            self._padding = padding
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        content = theme.current().metrics.icon if self._icon_name else metrics.horizontalAdvance(self.text())
        padding = 7 if self._icon_name else self._padding
        return QSize(content + 2 * padding, theme.current().metrics.control - 2 * _INSET + _LIFT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        rect = QRectF(self.rect()).adjusted(0, 0, 0, -_LIFT)
        hot = self.isChecked() or self.underMouse()
        color = "text3" if not self.isEnabled() else "text" if hot else "text2"
        if self._icon_name:
            edge = theme.current().metrics.icon
            spot = QRectF(0, 0, edge, edge)
            spot.moveCenter(rect.center())
            draw_icon(painter, spot, self._icon_name, color)
            return
        painter.setPen(theme.current().color(color))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self.text())

    def face(self) -> QRectF:
        """Return the rectangle of its highlight in the track while it's selected."""
        return QRectF(self.geometry()).adjusted(0, 0, 0, -_LIFT)

    def _restyle(self) -> None:
        theme.set_font(self, theme.current().font("text", QFont.Weight.Medium))
        self.updateGeometry()
        self.update()
