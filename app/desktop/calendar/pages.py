"""Makes the pages of a calendar and keeps them: one for each way to show days."""

from collections.abc import Callable
from datetime import date

from PySide6.QtCore import QSize

from app.desktop.calendar.agenda import AgendaPage
from app.desktop.calendar.agenda_geometry import agenda_geometry
from app.desktop.calendar.agenda_rows import RowPainter
from app.desktop.calendar.cards import CardPainter, FindAccount, FindPicture, IsAtRisk, never, no_picture
from app.desktop.calendar.composing import Composing
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.free_slots import FreeSlots
from app.desktop.calendar.geometry import Geometry, anchor_near, hours_geometry, month_geometry
from app.desktop.calendar.hours import HoursPage
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.month import MonthPage
from app.desktop.calendar.page import Page
from app.desktop.calendar.spans import Span
from app.workspace.posts.planned import PlannedPost

_NARROWEST = 70


class Pages:
    """The pages of one model. Each is kept, with its pictures, until size, theme or day ask for another."""

    def __init__(
        self,
        model: PostListModel,
        days: LocalDays,
        find_account: FindAccount,
        is_at_risk: IsAtRisk = never,
        slots: FreeSlots | None = None,
        find_picture: FindPicture = no_picture,
    ) -> None:
        self._model = model
        self._days = days
        self._find_account = find_account
        self._is_at_risk = is_at_risk
        self._slots = slots
        self._find_picture = find_picture
        self._kept: dict[Span, Page] = {}
        self._composing: Composing | None = None
        self.restyle()

    def restyle(self) -> None:
        """Accounts or the theme look different now."""
        self._cards = CardPainter(self._days, self._find_account, self._is_at_risk, self._find_picture)
        self._rows = RowPainter(self._cards, self._find_account)

    def page(self, span: Span, day: int, size: QSize) -> Page:
        """The page of a span for a viewport of a size; ``day`` is the first of the period that shows."""
        page = self._page(span, day, max(_NARROWEST, size.width()), size.height())
        if isinstance(page, MonthPage):
            shown = date.fromordinal(day)
            page.month = (shown.year, shown.month)
        page.composing = self._composing
        return page

    def mark(self, composing: Composing | None) -> None:
        """Shows posts that are being written on their day, or no longer."""
        before, self._composing = self._composing, composing
        touched = {one.day for one in (before, composing) if one is not None}
        for page in self._kept.values() if composing != before else ():
            page.composing = composing
            page.cells.drop(touched)

    def forget_days(self, days: set[int]) -> None:
        """Also a page that does not show must know what changes."""
        for page in self._kept.values():
            page.cells.drop(days)

    def forget_card(self, post: PlannedPost) -> None:
        """A card looks different now, and stays where it is."""
        for page in self._kept.values():
            page.cells.drop_card(self._days.day_of(post.at), post.key)

    def forget_all(self) -> None:
        """Every day may look different now."""
        for page in self._kept.values():
            page.cells.clear()

    def _page(self, span: Span, day: int, width: int, height: int) -> Page:
        model, days, cards = self._model, self._days, self._cards
        today = days.today()
        anchor = anchor_near(day, today)
        if span is Span.MONTH:
            month = month_geometry(width, height, anchor, cards.scale)
            return self._kept_or(span, month, lambda: MonthPage(model, days, cards, month))
        if span is Span.AGENDA:
            agenda = agenda_geometry(width, self._days_with_posts(), self._count, today, cards.scale)
            return self._kept_or(span, agenda, lambda: AgendaPage(model, days, cards, self._rows, agenda))
        hours = hours_geometry(width, span.columns or 1, anchor, cards.scale)
        return self._kept_or(span, hours, lambda: HoursPage(model, days, cards, hours, self._slots))

    def _kept_or(self, span: Span, geometry: Geometry, make: Callable[[], Page]) -> Page:
        kept = self._kept.get(span)
        is_same = kept is not None and kept.geometry == geometry and kept.cards is self._cards
        if kept is None or not is_same or kept.today != self._days.today():
            if kept is not None:
                kept.cells.clear()  # the page is in a cycle: megabytes would wait for the collector
            kept = self._kept[span] = make()
        return kept

    def _days_with_posts(self) -> list[int]:
        days = self._model.days()
        return days if self._composing is None else sorted({*days, self._composing.day})

    def _count(self, day: int) -> int:
        """How many rows a day needs."""
        new = self._composing is not None and self._composing.day == day and self._composing.count > 0
        return len(self._model.on_day(day)) + new
