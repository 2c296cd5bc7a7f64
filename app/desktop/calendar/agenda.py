"""The agenda: days below each other with their posts in rows, and free days between them."""

from collections.abc import Sequence
from datetime import date

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QFont, QPainter

from app.desktop import words
from app.desktop.calendar import moves
from app.desktop.calendar.agenda_geometry import DAY_COLUMN, AgendaGeometry, place_in_agenda
from app.desktop.calendar.agenda_rows import RowPainter
from app.desktop.calendar.cards import CardPainter
from app.desktop.calendar.day_names import date_name, weekday_name
from app.desktop.calendar.days import MINUTES_PER_DAY, LocalDays
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.moves import Target
from app.desktop.calendar.page import Page
from app.desktop.calendar.placement import Box, CardStyle, DayLayout
from app.desktop.theme import theme
from app.desktop.widgets.painting import rounded
from app.language import trn
from app.workspace.posts.planned import PlannedPost

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_HEAD = 32
_MARGIN = 16


class AgendaPage(Page):
    """Rows of posts; a day may be longer than the screen, so rows are painted one by one."""

    def __init__(
        self,
        model: PostListModel,
        days: LocalDays,
        cards: CardPainter,
        rows: RowPainter,
        geometry: AgendaGeometry,
    ) -> None:
        super().__init__(model, days, cards)
        self._rows = rows
        self._geometry = geometry

    @property
    def geometry(self) -> AgendaGeometry:
        return self._geometry

    def arrange(self, posts: Sequence[PlannedPost], day: int) -> DayLayout:
        del day
        scale = self.cards.scale
        return place_in_agenda(posts, int(self._geometry.width / scale)).scaled(scale)

    def ground(self, day: int) -> str:
        return "bg" if day < self.today else "surface"

    def prefetches(self) -> bool:
        """Nothing is kept that could be painted ahead."""
        return False

    def paint_cards(self, painter: QPainter, day: int, cell: QRect, area: QRect) -> None:
        """Paints the date, and of the rows those that are asked for."""
        self._paint_date(painter, day, cell)
        layout = self.cells.layout(day)
        for card in layout.cards:
            box = card.box.moved(cell.x(), cell.y())
            if box.y < area.bottom() + 1 and area.top() < box.y + box.height:
                self.paint_card(painter, card.post, box, card.style)
        if layout.new is not None:
            self.cards.paint_new(painter, layout.new.post, layout.new.box.moved(cell.x(), cell.y()))

    def paint_card(
        self, painter: QPainter, post: PlannedPost, box: Box, style: CardStyle, *, timed: bool = True
    ) -> None:
        """Paints a row, always with its time: it stays while a row is carried."""
        del style, timed
        self._rows.paint(painter, post, box, self.now)

    def time_line(self, post: PlannedPost, box: Box, style: CardStyle) -> None:
        """Nothing: rows have it."""

    def target(self, x: int, y: int, *, fine: bool, keep_time: bool) -> Target | None:
        """The day at a point; the time of day always stays."""
        del fine, keep_time
        day = self._geometry.day_at(x, y)
        return None if day is None else Target(day, None)

    def time_height(self, pointer: int, grip: int) -> int:
        """The pointer tells the day."""
        del grip
        return pointer

    def moves(self, posts: list[PlannedPost], grabbed: PlannedPost, target: Target) -> moves.Landings:
        return moves.by_days(self.days, posts, target.day - self.days.day_of(grabbed.at))

    def _paint_date(self, painter: QPainter, day: int, cell: QRect) -> None:
        date_, look = date.fromordinal(day), theme.current()
        grown = look.grown
        head = QRectF(cell.x() + _MARGIN, cell.y() + 4, grown(DAY_COLUMN) - 2 * _MARGIN, grown(_HEAD))
        if cell.height() < head.height() + 4:
            head = QRectF(head.x(), cell.y(), head.width(), cell.height())
        painter.setFont(look.font("card", QFont.Weight.Medium))
        painter.setPen(self.color("text3" if day < self.today else "text2"))
        painter.drawText(head, _LEFT, weekday_name(day))
        self._paint_number(painter, date_, head.adjusted(grown(38), 0, 0, 0), is_today=day == self.today)
        self._paint_facts(painter, day, head.translated(0, grown(22)), cell)

    def _paint_number(self, painter: QPainter, date_: date, place: QRectF, *, is_today: bool) -> None:
        painter.setFont(theme.current().font("text", QFont.Weight.DemiBold))
        text = date_name(date_.toordinal())
        if is_today:
            width = painter.fontMetrics().horizontalAdvance(text) + 16
            height = theme.current().grown(22)
            pill = QRectF(place.x() - 8, place.center().y() - height / 2, width, height)
            rounded(painter, pill, height / 2, fill="rubric")
        role = "on_rubric" if is_today else "text3" if date_.toordinal() < self.today else "text"
        painter.setPen(self.color(role))
        painter.drawText(place, _LEFT, text)

    def _paint_facts(self, painter: QPainter, day: int, place: QRectF, cell: QRect) -> None:
        """The number of posts, where there is room for it below the date."""
        count = len(self.model.on_day(day))
        minutes = self.days.length_minutes(day)
        facts = [trn("{n} post", "{n} posts", count)] if count > 1 else []
        facts += [words.hours(minutes)] if minutes != MINUTES_PER_DAY else []
        if facts and place.bottom() <= cell.bottom():
            painter.setFont(self.cards.small.font)
            painter.setPen(self.color("text3"))
            painter.drawText(place, _LEFT, " · ".join(facts))
