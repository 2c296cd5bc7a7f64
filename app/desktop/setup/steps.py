"""Numbered steps, one of them open at a time."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.desktop.theme import theme
from app.desktop.widgets import Divider
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import draw_icon, mirrored, rounded, shows_focus
from app.language import tr

_HEIGHT: Final = 44
_CIRCLE: Final = 22
_GAP: Final = 10
_CHEVRON: Final = 14


class _Header(EnterPresses):
    """A step's number or tick, its title, and whether it's open."""

    def __init__(self, number: int, title: str) -> None:
        super().__init__()
        self._number, self._is_done, self._is_open, self._has_failed = number, False, False, False
        self.setText(title)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.follow(self.updateGeometry)

    def show_state(self, *, is_open: bool, is_done: bool, has_failed: bool) -> None:
        """Show whether the step is open, and whether it's done or a check of it failed."""
        self._is_open, self._is_done, self._has_failed = is_open, is_done, has_failed
        done = tr("needs a look") if has_failed else tr("done") if is_done else ""
        name = tr("Step {number}: {title}", number=self._number, title=self.text())
        self.setAccessibleName(", ".join(filter(None, (name, done))))
        self.setAccessibleDescription(tr("expanded") if is_open else tr("collapsed"))
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(theme.current().font("strong"))
        words = metrics.horizontalAdvance(self.text())
        return QSize(words + _CIRCLE + _CHEVRON + 3 * _GAP, theme.current().grown(_HEIGHT))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, look = QPainter(self), theme.current()
        if shows_focus(self):
            rounded(painter, QRectF(self.rect()), look.metrics.radius, line="accent", width=2)
        edge, middle = look.grown(_CIRCLE), self.height() // 2
        circle = QRectF(mirrored(self, QRect(4, middle - edge // 2, edge, edge)))
        fill = "ok_soft" if self._is_done else "accent" if self._is_open else "sunken"
        fill = "bad_soft" if self._has_failed else fill
        rounded(painter, circle, edge / 2, fill=fill, line=None if self._is_open else "line")
        if self._has_failed:
            draw_icon(painter, circle.adjusted(4, 4, -4, -4), "triangle-alert", "bad")
        elif self._is_done:
            draw_icon(painter, circle.adjusted(4, 4, -4, -4), "check", "ok")
        else:
            painter.setFont(look.font("card", QFont.Weight.DemiBold))
            painter.setPen(look.color("on_accent" if self._is_open else "text2"))
            painter.drawText(circle, Qt.AlignmentFlag.AlignCenter, str(self._number))
        left, chevron = edge + _GAP + 4, look.grown(_CHEVRON)
        painter.setFont(look.font("strong"))
        painter.setPen(look.color("text"))
        area = mirrored(self, QRect(left, 0, self.width() - left - chevron - _GAP, self.height()))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
        painter.drawText(area, int(flags), self.text())
        place = mirrored(self, QRect(self.width() - chevron - 4, middle - chevron // 2, chevron, chevron))
        draw_icon(painter, QRectF(place), "chevron-down" if self._is_open else "chevron-right", "text2")


class Steps(QWidget):
    """Titles and bodies, in order; all are closed at first."""

    def __init__(self, steps: Sequence[tuple[str, QWidget]]) -> None:
        super().__init__()
        self.headers = [_Header(number, title) for number, (title, _) in enumerate(steps, 1)]
        self._bodies = [body for _, body in steps]
        self._done = [False] * len(steps)
        self._failed = [False] * len(steps)
        self._open = -1
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for place, (header, body) in enumerate(zip(self.headers, self._bodies, strict=True)):
            column.addWidget(Divider(inner=True))
            column.addWidget(header)
            column.addWidget(body)
            body.hide()
            header.clicked.connect(partial(self._toggle, place))
        self._show()

    @property
    def open_step(self) -> int:
        """The index of the open step; -1 for none."""
        return self._open

    def open(self, place: int) -> None:
        """Open a step and close the others; -1 closes all."""
        self._open = place
        self._show()

    def set_done(self, place: int, *, is_done: bool) -> None:
        """Show whether a step is done."""
        self._done[place] = is_done
        self._show()

    def set_failed(self, place: int, *, has_failed: bool) -> None:
        """Show whether a check of a step failed."""
        self._failed[place] = has_failed
        self._show()

    def has_failed(self, place: int) -> bool:
        """Whether a check of a step failed."""
        return self._failed[place]

    def _toggle(self, place: int) -> None:
        self.open(-1 if self._open == place else place)

    def _show(self) -> None:
        for place, (header, body) in enumerate(zip(self.headers, self._bodies, strict=True)):
            header.show_state(
                is_open=place == self._open, is_done=self._done[place], has_failed=self._failed[place]
            )
            body.setVisible(place == self._open)
