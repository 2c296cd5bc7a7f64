"""A post that uses a file, as a line that leads to it."""

from datetime import datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from app.desktop import words
from app.desktop.calendar.looks import STATUS_WORDS, look_of
from app.desktop.theme import icons, theme
from app.desktop.widgets.enter import EnterPresses
from app.desktop.widgets.painting import draw_icon, rounded, shows_focus
from app.language import tr
from app.workspace.clock import wall_clock
from app.workspace.posts.planned import PlannedPost

_ICON = 14
_TEXT = 26


class UseRow(EnterPresses):
    """Platform, first words, and when; ``tint`` is the account's colour."""

    def __init__(self, post: PlannedPost, tint: str, zone: ZoneInfo) -> None:
        super().__init__()
        moment = datetime.fromtimestamp(post.at / 1_000, zone)
        status = STATUS_WORDS[look_of(post, wall_clock())]
        self.key = post.key
        self._tint = tint
        self._icon = f"brand:{post.platform}" if str(post.platform) in icons.BRANDS else "hash"
        self._title = post.headline or tr("No text")
        self._facts = f"{words.day(moment)}, {words.clock(moment)} · {status}"
        self.setAccessibleName(f"{self._title}, {words.platform_name(post.platform)}, {self._facts}")
        self.setToolTip(self._title)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        lines = sum(QFontMetrics(theme.current().font(role)).height() for role in ("card", "small"))
        return QSize(200, lines + 14)

    def paintEvent(self, _event: QPaintEvent) -> None:
        look, painter = theme.current(), QPainter(self)
        box = QRectF(self.rect())
        if shows_focus(self):
            rounded(painter, box, look.metrics.radius_card, line="accent", width=2)
        elif self.underMouse():
            rounded(painter, box, look.metrics.radius_card, fill="line2")
        draw_icon(painter, QRectF(4, box.center().y() - _ICON / 2, _ICON, _ICON), self._icon, self._tint)
        draw_icon(painter, QRectF(box.right() - 20, box.center().y() - 7, 14, 14), "chevron-right", "text3")
        line = box.adjusted(_TEXT, 6, -24, 0)
        for font, color, told in (
            (look.font("card", QFont.Weight.Medium), "text", self._title),
            (look.font("small"), "text3", self._facts),
        ):
            painter.setFont(font)
            painter.setPen(look.color(color))
            line.setHeight(painter.fontMetrics().height())
            elided = painter.fontMetrics().elidedText(told, Qt.TextElideMode.ElideRight, int(line.width()))
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, elided)
            line.translate(0, line.height() + 1)
