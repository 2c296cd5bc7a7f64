"""The toolbar: the shown period, navigation, the filter, the view, and the button for a new post."""

from collections.abc import Callable
from functools import lru_cache, partial
from math import ceil

from PySide6.QtCore import QObject, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QFont, QFontMetrics, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.desktop.calendar.days import SPAN_NAMES, Span
from app.desktop.calendar.filter_bar import FilterBar
from app.desktop.theme import theme
from app.desktop.widgets import IconButton, Label, Menu, Segmented, SpringPress, primary, secondary
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import mirrored, rounded, shows_focus
from app.desktop.widgets.screen_reader import spoken_as
from app.desktop.widgets.text import TextFitter
from app.language import tr

_GAP = 4
_LEAST = 15
"""Smallest size of the title, in pixels, at any text size: it only gets that small as the last part left."""


_TURNS = {
    Span.MONTH: (tr("Previous month"), tr("Next month")),
    Span.WEEK: (tr("Previous week"), tr("Next week")),
    Span.DAY: (tr("Previous day"), tr("Next day")),
    Span.AGENDA: (tr("Previous week"), tr("Next week")),
}
"""Names of the two buttons that turn the page."""


class PeriodTitle(EnterPresses):
    """The shown period; a click asks for a date.

    It keeps the width of the widest period since it began, so that its neighbours don't move. Its size is
    fixed, too, because a widget of variable size causes a new layout of the whole window.
    """

    def __init__(self) -> None:
        super().__init__()
        self._name = self._year = self._short = ""
        self._shows_year = self._is_in_full = True
        self._room = 0
        self._fonts = _fonts()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setToolTip(tr("Go to date (G)"))
        theme.follow(self._restyle)

    def show_period(self, name: str, year: str, short: str, *, begins: bool) -> bool:
        """Show a period; return whether its width changed. ``begins``: the kind of period changed."""
        self._name, self._year, self._short = name, year, short
        self.setText(f"{name} {year}".strip())
        self.setAccessibleName(tr("{period}, go to date", period=self.text()))
        return self._take_room(0 if begins else self._room)

    def show_year(self, shown: bool) -> None:
        """Show or omit the year."""
        if shown != self._shows_year:
            self._shows_year = shown
            self._take_room(0)

    def show_in_full(self, shown: bool) -> None:
        """Show the name with its usual or with short words."""
        if shown != self._is_in_full:
            self._is_in_full = shown
            self._take_room(0)

    def shrink(self, by: int, least: int) -> None:
        """Reduce the font size, at most to ``least``, until the title is narrower by a number of pixels."""
        most = max(1, self.width() - by)
        bold, plain = self._fonts
        while sum(_width(text, font) for text, font, _ in self._parts()) > most and bold.pixelSize() > least:
            bold, plain = QFont(bold), QFont(plain)
            for font in (bold, plain):
                font.setPixelSize(font.pixelSize() - 1)
            self._fonts = bold, plain
        self._take_room(0)

    def restore(self) -> None:
        """Set the font size to that of titles."""
        if self._fonts != _fonts():
            self._fonts = _fonts()
            self._take_room(0)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, area = QPainter(self), self.rect()
        if shows_focus(self):
            rounded(painter, area.toRectF(), theme.current().metrics.radius_card, line="accent", width=2)
        for text, font, role in self._parts():
            fitter, width = _fitter(font), _width(text, font)
            painter.setPen(theme.current().color("accent" if self.underMouse() else role))
            place = mirrored(self, area.adjusted(0, 0, width - area.width(), 0))
            fitter.write(painter, place.x(), fitter.middle(place.y(), place.height()), text)
            area = area.adjusted(width + _GAP, 0, 0, 0)

    def _parts(self) -> list[tuple[str, QFont, str]]:
        bold, plain = self._fonts
        words = self._name if self._is_in_full else self._short
        name, year = (words, bold, "text"), (self._year, plain, "text3")
        return [name, year] if self._year and self._shows_year else [name]

    def _take_room(self, least: int) -> bool:
        before = self.size()
        widths = [_width(text, font) for text, font, _ in self._parts()]
        self._room = max(least, sum(widths) + _GAP * (len(widths) - 1))
        line = ceil(QFontMetricsF(self._fonts[0]).height())
        self.setFixedSize(self._room, max(theme.current().metrics.control, line))
        self.update()
        return self.size() != before

    def _restyle(self) -> None:
        self._fonts = _fonts()
        theme.set_font(self, self._fonts[0])
        self._take_room(0)


def _fonts() -> tuple[QFont, QFont]:
    """Return the fonts of the name and of the year."""
    look = theme.current()
    return look.font("title"), look.font("title", QFont.Weight.Normal)


@lru_cache(maxsize=256)
def _width(text: str, font: QFont) -> int:
    return ceil(QFontMetricsF(font).horizontalAdvance(text))


@lru_cache(maxsize=16)
def _fitter(font: QFont) -> TextFitter:
    return TextFitter(font)


_TURN_AFTER_MS = 600
_BEFORE_WEEK = 6
_NARROWEST = 256
"""Width that is left in the smallest window next to the widest panel, in px."""
_BESIDE_A_PANEL = 760
"""Below this width, a panel where posts are started, such as the composer, is open next to it."""


@spoken_as(QAccessible.Role.ToolBar)
class Toolbar(QWidget):
    """Title, arrows, today, the filter, the span, and the one primary action."""

    turned = Signal(int)
    went_to_today = Signal()
    span_chosen = Signal(str)
    undone = Signal()
    redone = Signal()
    new_post = Signal()
    date_asked = Signal()
    """The user wants to go to a date."""
    printed = Signal()
    exported = Signal()
    table_import_asked = Signal()
    table_export_asked = Signal()
    changes_asked = Signal()
    """The user wants to see what was changed."""
    slots_asked = Signal()
    """The user wants to see the weekly posting times."""

    def __init__(self, filters: FilterBar) -> None:
        super().__init__()
        self.setAccessibleName(tr("Toolbar"))
        self._filters = filters
        self._title = self.go_to = PeriodTitle()
        self._undo: str | None = None
        self._redo: str | None = None
        self._titled = ""
        """The span whose periods the title has named last."""
        self._week = Label("", "card", "text3")
        self._week.setContentsMargins(_BEFORE_WEEK, 0, 0, 0)
        self.back = IconButton("chevron-left", "", key="PgUp")
        self.forward = IconButton("chevron-right", "", key="PgDown")
        self.more = IconButton("ellipsis", tr("More"))
        self.span = Segmented([(span.value, SPAN_NAMES[span]) for span in Span], tr("Calendar view"))
        self._room = _NARROWEST
        self._row = QHBoxLayout(self)
        self._today = secondary(tr("Today"))
        self._new = primary(tr("New post"), icon="plus")
        self._lay_out()
        self.back.clicked.connect(lambda: self.turned.emit(-1))
        self.forward.clicked.connect(lambda: self.turned.emit(1))
        self._today.clicked.connect(self.went_to_today)
        for arrow in (self.back, self.forward):
            SpringPress(arrow, again=True)
        self.span.selected.connect(self.span_chosen)
        filters.resized.connect(self._refit)
        self._new.clicked.connect(self.new_post)
        self.go_to.clicked.connect(self.date_asked)
        self.more.clicked.connect(self._show_more)
        theme.notifier().changed.connect(self._refit)

    def show_title(self, name: str, year: str, short: str, week: int | None) -> None:
        """Show a period's name, or its ``short`` one where that has no room."""
        begins, self._titled = self._titled != self.span.value(), self.span.value()
        back, forward = _TURNS[Span(self._titled)]
        self.back.set_name(back)
        self.forward.set_name(forward)
        takes_other_room = self._title.show_period(name, year, short, begins=begins)
        self._week.setText(tr("Week {number}", number=week) if week is not None else "")
        if takes_other_room or begins:
            self._refit()

    def show_undo(self, undo: str | None, redo: str | None) -> None:
        """Set the labels of what can be undone and redone; None for nothing."""
        self._undo, self._redo = undo, redo

    def minimumSizeHint(self) -> QSize:
        """Return a small size, because whatever doesn't fit is omitted."""
        return QSize(_NARROWEST, super().minimumSizeHint().height())

    def fit(self, width: int) -> None:
        """Omit what doesn't fit into a width; buttons that are omitted are in the menu."""
        self._room = width
        self._title.restore()
        for widget in (self.span, self.back, self.forward):
            widget.show()
        for show in (*self._by_worth(), *self._needed()):
            show(True)
        self._leave_out()

    def _refit(self) -> None:
        self._reserve_week()
        self.fit(self._room)

    def _reserve_week(self) -> None:
        """Reserve the same width for all week numbers."""
        look = theme.current()
        metrics = QFontMetrics(look.font("card"))
        words = metrics.horizontalAdvance(tr("Week {number}", number="00"))
        width = _BEFORE_WEEK + words + 2 if self._week.text() else 0
        self._week.setFixedSize(width, look.metrics.control)

    def _by_worth(self) -> list[Callable[[bool], None]]:
        """Return what shows or hides optional parts, the least important first."""
        new = self._new.setVisible
        less, more = ([new], []) if self._room < _BESIDE_A_PANEL else ([], [new])
        bar = self._filters
        return [
            self._week.setVisible,
            bar.show_many,
            bar.show_in_full,
            *less,
            bar.show_label,
            bar.show_in_words,
            bar.show_stack,
            self._title.show_year,
            self._today.setVisible,
            *more,
        ]

    def _needed(self) -> list[Callable[[bool], None]]:
        """Return what shortens parts that stay longer than the views, the least important first."""
        bar = self._filters
        return [self.span.show_wide, bar.show_clearing, bar.show_names, self._title.show_in_full]

    def _leave_out(self) -> None:
        """Hide one part after the other until the rest fits, then use the space that is left."""
        hidden: list[Callable[[bool], None]] = []
        for show in self._by_worth():
            if self._beyond() <= 0:
                break
            show(False)
            hidden.append(show)
        self._shrink_title(theme.current().grown(_LEAST))
        for show in self._needed():
            show(self._beyond() <= 0)
            hidden.append(show)
        self.span.setVisible(self._beyond() <= 0)
        fits = self._beyond() <= 0
        for arrow in (self.back, self.forward):  # next to a wide panel in a small window
            arrow.setVisible(fits)
        self._title.restore()  # it may fit without what was left out after it was shrunk
        self._shrink_title(_LEAST)
        self._use_rest(hidden)

    def _use_rest(self, hidden: list[Callable[[bool], None]]) -> None:
        """Show again what fits where a wider part is hidden, the most important first."""
        for show in reversed(hidden):
            show(True)
            if self._beyond() > 0:
                show(False)

    def _shrink_title(self, least: int) -> None:
        if (beyond := self._beyond()) > 0:
            self._title.shrink(beyond, least)

    def _beyond(self) -> int:
        """Return by how many pixels the row is too wide."""
        self._row.invalidate()
        return self._row.sizeHint().width() - self._room

    def arrow_at(self, point: QPoint) -> int:
        """-1 or 1 when a global point is over an arrow, else 0."""
        for button, direction in ((self.back, -1), (self.forward, 1)):
            if button.rect().contains(button.mapFromGlobal(point)):
                return direction
        return 0

    def _lay_out(self) -> None:
        row = self._row
        row.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self._title)
        row.addSpacing(8)
        turning = (self.back, self._today, self.forward)
        # Days run from left to right in every language, and so do the arrows.
        is_mirrored = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        for widget in reversed(turning) if is_mirrored else turning:
            row.addWidget(widget)
        row.addWidget(self._week)
        row.addStretch(1)
        row.addWidget(self._filters)
        row.addSpacing(4)
        row.addWidget(self.span)
        row.addWidget(self.more)
        row.addSpacing(2)
        row.addWidget(self._new)

    def _show_more(self) -> None:
        menu = Menu(self.more)
        self._add_omitted(menu)
        undo, redo = self._undo, self._redo
        name = tr("Undo: {step}", step=undo) if undo else tr("Nothing to undo")
        menu.add(name, self.undone.emit, shortcut="Ctrl+Z", enabled=bool(undo))
        name = tr("Redo: {step}", step=redo) if redo else tr("Nothing to redo")
        menu.add(name, self.redone.emit, shortcut="Ctrl+Shift+Z", enabled=bool(redo))
        menu.add(tr("Changes…"), self.changes_asked.emit, shortcut="Ctrl+Shift+Y")
        menu.add(tr("Posting times…"), self.slots_asked.emit)
        menu.addSeparator()
        menu.add(tr("Print…"), self.printed.emit)
        menu.add(tr("Export to a calendar file…"), self.exported.emit)
        menu.addSeparator()
        menu.add(tr("Import posts from CSV…"), self.table_import_asked.emit, shortcut="Ctrl+Shift+I")
        menu.add(tr("Export posts as CSV…"), self.table_export_asked.emit)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.more.mapToGlobal(QPoint(0, self.more.height() + 4)))

    def _add_omitted(self, menu: Menu) -> None:
        """Add the buttons that don't fit."""
        if self._new.isHidden():
            menu.add(self._new.text(), self.new_post.emit, icon="plus", shortcut="N")
        if self._today.isHidden():
            menu.add(self._today.text(), self.went_to_today.emit, shortcut="T")
        for arrow, direction, key in ((self.back, -1, "PgUp"), (self.forward, 1, "PgDown")):
            if arrow.isHidden():
                menu.add(arrow.accessibleName(), partial(self.turned.emit, direction), shortcut=key)
        for span in Span if self.span.isHidden() else ():
            shows = partial(self.span_chosen.emit, span.value)
            is_other = span.value != self.span.value()
            menu.add(SPAN_NAMES[span], shows, shortcut=span.value[0].upper(), enabled=is_other)
        if not menu.isEmpty():
            menu.addSeparator()


class PageTurner(QObject):
    """Turns the page while a drag rests on an arrow."""

    def __init__(self, toolbar: Toolbar) -> None:
        super().__init__(toolbar)
        self._toolbar = toolbar
        self._direction = 0
        self._timer = QTimer(self, interval=_TURN_AFTER_MS)
        self._timer.timeout.connect(lambda: toolbar.turned.emit(self._direction))

    def drag_at(self, point: QPoint | None) -> None:
        """Follow a drag's global point; None when it has ended."""
        direction = self._toolbar.arrow_at(point) if point is not None else 0
        if direction == self._direction:
            return
        self._direction = direction
        if direction:
            self._timer.start()
        else:
            self._timer.stop()
