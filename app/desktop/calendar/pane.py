"""The calendar pane: the grid and its controls, connected to a workspace."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from zoneinfo import ZoneInfo

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAccessible, QFocusEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.calendar.agenda import RowPainter
from app.desktop.calendar.card_words import CardWords
from app.desktop.calendar.commands import (
    calendar_commands,
    chosen_commands,
    filter_commands,
    menu_commands,
    move_commands,
)
from app.desktop.calendar.controller import Drops, MouseController
from app.desktop.calendar.day_sheet import DaySheet
from app.desktop.calendar.days import LocalDays, Span
from app.desktop.calendar.drag import Drag
from app.desktop.calendar.filter_bar import FilterBar
from app.desktop.calendar.filters import Batches, CalendarState, Filter, WordSearch
from app.desktop.calendar.grid import CalendarGrid
from app.desktop.calendar.keys import Keys
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.moves import Target, wished_time
from app.desktop.calendar.moving import moving_cards
from app.desktop.calendar.notice import Notice
from app.desktop.calendar.pictures import CardPictures
from app.desktop.calendar.placement import Composing
from app.desktop.calendar.planner import Planner, Samples
from app.desktop.calendar.results import CardResults
from app.desktop.calendar.sampled import SampledPlanner
from app.desktop.calendar.selection_bar import SelectionBar
from app.desktop.calendar.slots import FreeSlots, ToSlots
from app.desktop.calendar.toolbar import PageTurner, Toolbar
from app.desktop.cancelling import cancel, schedule_again
from app.desktop.commands import CommandSet
from app.desktop.warnings.wording import summary
from app.desktop.widgets.screen_reader import PausedAnnouncer, announce, spoken_as
from app.language import number, tr, trn
from app.workspace.accounts.account import Account
from app.workspace.changes import Changes
from app.workspace.clock import wall_clock
from app.workspace.messages import Message
from app.workspace.posts.planned import PlannedPost

_GUTTER = 20


@spoken_as(QAccessible.Role.Grouping)
class CalendarPane(QWidget):
    """Shows a workspace's posts, moves and cancels them, and emits signals for everything else."""

    newPostRequested = Signal(object, bool)  # noqa: N815  a signal of the pane's interface
    """The wanted time in ms since 1970 UTC, or None; and whether the user pointed at it.

    Otherwise the time is a suggestion: an unfinished post keeps its own.
    """
    dropped = Signal(object, object)
    """A Carried that was dropped, and the wanted time in ms since 1970 UTC, or None."""
    postOpened = Signal(str)  # noqa: N815
    postClicked = Signal(str)  # noqa: N815
    postsSelected = Signal(object)  # noqa: N815
    """The keys of the posts that the user selected; only one for a card that several posts share."""
    duplicateRequested = Signal(object)  # noqa: N815
    """The user wants copies of posts: their keys."""
    connectRequested = Signal()  # noqa: N815
    """The user wants to connect an account."""
    told = Signal(object)
    """A Message for the user."""
    changesRequested = Signal()  # noqa: N815
    """The user wants to see what was changed."""
    slotChosen = Signal(object, object)  # noqa: N815
    """The user wants a new post at a time (ms since 1970 UTC) for accounts, a tuple of keys."""
    slotsRequested = Signal()  # noqa: N815
    """The user wants to see and change the weekly posting times."""
    warningsRequested = Signal()  # noqa: N815
    """The user wants to see what will fail."""
    refreshRequested = Signal()  # noqa: N815
    """The user wants to sync again."""
    keyRequested = Signal()  # noqa: N815
    """The user wants to enter another API key."""
    stateChanged = Signal()  # noqa: N815
    """Span, filter or second zone changed: see `state`."""

    def __init__(
        self, workspace: Planner, zone: ZoneInfo, samples: Samples | None = None, *, groups_ideas: bool = True
    ) -> None:
        """Show a workspace's posts.

        ``samples`` is the sample week, which is offered while there are no accounts. ``groups_ideas`` shows
        the posts of one idea as one card.
        """
        super().__init__()
        workspace = SampledPlanner(workspace, samples) if samples is not None else workspace
        self._workspace, self._samples = workspace, samples
        self._days = LocalDays(zone)
        self._filter = Filter()
        self._words = WordSearch(self, workspace, self.told.emit)
        told = CardWords(workspace, self._days, wall_clock)
        self.model = PostListModel(self._days, told.describe, self)
        self.model.group_ideas(groups_ideas)
        self.filters = FilterBar()
        self.toolbar = Toolbar(self.filters)
        self._batches = Batches(self, workspace, self._days)
        self._at_risk: Mapping[str, object] = {}
        self._was_connected = self._is_pointing = self._is_composing = False
        self._slots = FreeSlots(workspace, self._days)
        self.to_slots = ToSlots(self, workspace, self._days, self.model.lead)
        self.pictures = CardPictures(self, workspace.media)
        self.results = CardResults(self, workspace.analytics)
        self.grid = self._make_grid()
        self.mouse = MouseController(self.grid.view, self.model, workspace)
        self.keys = Keys(self.grid.view, self.model, self._days, workspace, self.mouse.cancel)
        self.drops = Drops(self.grid.view, self._days, self._time_at)
        self._ground = QWidget()
        self.notice = self._make_notice(samples)
        self._counter = PausedAnnouncer(self.grid)
        self.selection_bar = SelectionBar(partial(move_commands, self), self.grid.view, self.grid)
        self._turner = PageTurner(self.toolbar)
        self._lay_out()
        self._connect_toolbar()
        self._connect_grid()
        self.commands = self._make_commands()
        stop = workspace.listen(self._changed)
        self.destroyed.connect(lambda _object=None: stop())
        self._changed(Changes(reset=True, accounts=True, undo=True))
        self._show_title()

    def show_span(self, span: Span, day: int | None = None) -> None:
        """Show the period of a span around a day (ordinal), or around the visible days."""
        self.keys.by_hours = span.columns is not None
        self.grid.show_span(span, self._day_to_keep(span) if day is None else day)
        self.toolbar.span.set_value(span.value)
        self._show_title()  # in the toolbar's words for this span
        self.stateChanged.emit()

    def choose_span(self, span: Span) -> None:
        """Show the period of a span around the visible days, and announce it."""
        self.show_span(span)
        self._announce_period()

    def _take_span(self, name: str) -> None:
        if Span(name) is not self.grid.span:  # else the toolbar only followed
            self.choose_span(Span(name))

    def turn(self, direction: int) -> None:
        """Show the next (1) or the previous (-1) period, and announce it."""
        self.grid.turn(direction)
        self._announce_period()

    def _announce_period(self) -> None:
        grid, first = self.grid, self.grid.shown_day
        count = sum(map(self.model.count_on, range(first, grid.span.turned(first, 1))))
        week = grid.week_number()
        parts = (
            tr("Week {n}", n=week) if week is not None else "",
            " ".join(filter(None, grid.title())),
            trn("{n} post", "{n} posts", count, n=number(count)),
        )
        announce(grid, ", ".join(filter(None, parts)))

    def group_ideas(self, on: bool) -> None:
        """Show the posts of one idea as one card, or each on its own."""
        with self._keeping_place():
            self.model.group_ideas(on)

    def state(self) -> CalendarState:
        """Return the state of the calendar to store."""
        return CalendarState.of(self.grid.span, self._filter, self.grid.second_zone)

    def restore(self, state: CalendarState) -> None:
        """Restore a stored state."""
        self.grid.set_second_zone(state.zone)
        self.filters.choose(state.filter)
        self.show_span(state.span, self._days.today())

    def reveal(self, keys: Iterable[str]) -> int:
        """Select posts and show the first future one; return how many there are.

        If a filter hides one of them, the filter is cleared.
        """
        wanted = [post for key in keys if (post := self._workspace.posts.get(key))]
        if any(self.model.get(post.key) is None for post in wanted):
            self.filters.clear()
        there = sorted((post.at, post.key) for post in wanted if self.model.get(post.key))
        if len(there) > 1:
            self._set_apart({key for _, key in there})
        if there:
            at, first = next((one for one in there if one[0] >= wall_clock()), there[-1])
            self.grid.view.selection.choose((key for _, key in there), first)
            day = self._days.place(at).day
            if not self.grid.shows(day):
                self.show_span(self.grid.span, day)
            self.grid.view.scrollTo(self.model.index(self.model.row_of(first)))
        self.grid.view.setFocus()
        return len(there)

    def show_samples(self, is_wanted: bool = True) -> None:
        """Show the sample week, or remove it."""
        if self._samples is None:
            return
        if is_wanted:
            self._samples.show(self._days.zone)
            announce(self.grid, tr("A sample week. It's never published."))
        else:
            self._samples.remove()
            announce(self.grid, tr("Samples removed"))
        self.reveal(post.key for post in self._samples.posts.all()[:1])

    def _set_apart(self, keys: set[str]) -> None:
        """Give posts separate cards if they share one with others, which aren't to be selected."""
        posts = (post for key in keys if (post := self.model.get(key)) is not None)
        self.model.set_apart(*(post for post in posts if not keys.issuperset(self.model.sharing(post.key))))

    def shows(self, key: str) -> bool:
        """Whether a post's day is visible."""
        post = self.model.get(key)
        return post is not None and self.grid.shows(self._days.place(post.at).day)

    def regions(self) -> list[QWidget]:
        """Return what F6 goes to in the pane: the toolbar, and the days with their notice."""
        return [self.toolbar, self._ground]

    def mark_day(self, at: int | None, count: int = 0) -> None:
        """Show where ``count`` posts are being written: a time in ms since 1970 UTC, or None."""
        self.grid.mark(None if at is None else Composing(self._days.place(at).day, at, count))
        if self._is_composing != (at is not None):
            self._is_composing = at is not None
            self._explain()

    def showEvent(self, event: QShowEvent) -> None:
        """Focus the days unless something else has the focus."""
        super().showEvent(event)
        if self.window().focusWidget() is None:
            self.grid.view.setFocus()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Pass the focus to the days."""
        del event
        self.entry().setFocus()

    def entry(self) -> QWidget:
        """Return the days."""
        return self.grid.view

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the controls that don't fit."""
        self.toolbar.fit(event.size().width() - 2 * _GUTTER)

    def _make_grid(self) -> CalendarGrid:
        return CalendarGrid(
            self.model,
            self._days,
            self._account,
            self._is_at_risk,
            self._slots,
            self.pictures.of,
            self.results.of,
        )

    def _make_notice(self, samples: Samples | None) -> Notice:
        """Put the days above a notice that would cover posts."""
        column = QVBoxLayout(self._ground)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.grid)
        notice = Notice(self._ground, samples)
        notice.unused_height = self.grid.unused_height
        self.grid.period_changed.connect(notice.place)
        notice.room_changed.connect(lambda height: column.setContentsMargins(0, 0, 0, height))
        return notice

    def _make_commands(self) -> CommandSet:
        commands, workspace = CommandSet(self, "calendar"), self._workspace
        commands.add(*calendar_commands(self, workspace), *self.keys.commands())
        commands.add_source(lambda: filter_commands(self.filters, workspace))
        self.grid.view.on_key = commands.press
        self.grid.view.offer = partial(menu_commands, self)
        return commands

    def _lay_out(self) -> None:
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # Tab continues with the first control
        self.setAccessibleName(tr("Calendar"))
        column = QVBoxLayout(self)
        column.setContentsMargins(_GUTTER, 12, _GUTTER, 16)
        column.setSpacing(8)
        column.addWidget(self.toolbar)
        column.addWidget(self._ground, 1)

    def _connect_toolbar(self) -> None:
        bar = self.toolbar
        bar.turned.connect(self.turn)
        bar.went_to_today.connect(self.go_to_today)
        bar.span_chosen.connect(self._take_span)
        bar.undone.connect(self._workspace.undo)
        bar.redone.connect(self._workspace.redo)
        bar.new_post.connect(self.request_new)
        bar.date_asked.connect(self.ask_for_date)
        bar.changes_asked.connect(self.changesRequested)
        bar.slots_asked.connect(self.slotsRequested)
        bar.printed.connect(self.print)
        bar.exported.connect(self.export)
        self.filters.changed.connect(self._set_filter)
        self._batches.counted.connect(self.filters.offer_batches)
        self._words.changed.connect(self._words_found)
        self.filters.warnings_asked.connect(self.warningsRequested)
        self.notice.wantedAll.connect(self.filters.clear)
        self.notice.wantedPost.connect(self.request_new)
        self.notice.wantedRefresh.connect(self.refreshRequested)
        self.notice.wantedAccount.connect(self.connectRequested)
        self.notice.wantedKey.connect(self.keyRequested)
        self.notice.wantedSamples.connect(self.show_samples)

    def _connect_grid(self) -> None:
        self.pictures.around = self.grid.posts_around
        self.pictures.arrived.connect(self.grid.repaint_cards)
        self.grid.view.scrolled.connect(self.pictures.look_again)
        self.results.around = self.grid.posts_around
        self.results.arrived.connect(self.grid.repaint_cards)
        self.grid.period_changed.connect(self._show_title)
        self.grid.zone_corner.clicked.connect(self.ask_for_zone)
        self.mouse.dropped.connect(self._workspace.move)
        self.mouse.refused.connect(self._tell_refusal)
        self.mouse.opened.connect(self.postOpened)
        self.mouse.clicked.connect(self.postClicked)
        self.mouse.emptied.connect(self._request_at)
        self.to_slots.begun.connect(self.slotChosen)
        self.to_slots.told.connect(self.told)
        for opened in (self.mouse.slot_opened, self.grid.slot_buttons.opened):
            opened.connect(lambda slot: self.slotChosen.emit(slot.at, slot.account_keys))
        self.mouse.more_opened.connect(self._show_day)
        self.mouse.dragged.connect(self._dragged)
        self.drops.dropped.connect(lambda found, target: self.dropped.emit(found, self._time_at(target)))
        self.drops.aimed.connect(self._show_aim)
        self.keys.moved.connect(self._workspace.move)
        self.keys.refused.connect(self._tell_refusal)
        self.keys.opened.connect(self.postOpened)
        self.keys.more_opened.connect(self._show_day)
        self.keys.cancelled.connect(self._cancel)
        self.keys.day_opened.connect(self._request_on)
        self.keys.duplicated.connect(self.duplicateRequested)
        self.keys.resumed.connect(self._schedule_again)
        self.keys.walked.connect(self.grid.show_day)
        selection, bar = self.grid.view.selection, self.selection_bar
        selection.changed.connect(self._show_selected)
        bar.duplicated.connect(self.keys.duplicate)
        bar.cancelled.connect(lambda: self._cancel(selection.keys))
        bar.cleared.connect(lambda: selection.choose((), selection.current))

    def point_at(self, keys: Iterable[str], current: str | None = None) -> None:
        """Select posts that a panel is about, without the bar that changes all of them."""
        self._is_pointing = True
        self.grid.view.selection.choose(keys, current)
        self._is_pointing = False

    def mark_opened(self, key: str) -> None:
        """Select only the card of a post that a panel shows."""
        selection, card = self.grid.view.selection, frozenset(self.model.sharing(key))
        if selection.keys != card:
            self.point_at([key], selection.current if selection.current in card else None)

    def _show_selected(self) -> None:
        """Show the bar for several cards that the user selected; the posts of one card count as one."""
        keys = self.grid.view.selection.keys if not self._is_pointing else frozenset()
        is_one_card = bool(keys) and keys == frozenset(self.model.sharing(next(iter(keys))))
        if self.selection_bar.show_count(count := 1 if is_one_card else len(keys)):
            self._counter.tell(trn("{n} post selected.", "{n} posts selected.", count))
        if not self._is_pointing:
            self.postsSelected.emit(frozenset(sorted(keys)[:1]) if is_one_card else keys)

    def _changed(self, changes: Changes) -> None:
        if changes.accounts:
            self.filters.show_accounts(list(self._workspace.accounts.values()))
            self.grid.refresh_accounts()
        if changes.reset:
            self._refill()
            self._batches.count()
        elif changes.posts or changes.removed:
            self._apply(changes)
        if changes.slots:
            self.grid.refresh_slots()
        if changes.warnings or changes.reset:
            self._show_warnings()
        if changes.undo:
            self.toolbar.show_undo(self._workspace.undo_label, self._workspace.redo_label)
        if changes.metrics or changes.published:
            self.results.read_again()
        self._explain()
        self._ask_for_pictures(changes)

    def _explain(self) -> None:
        is_empty = not self.model.rowCount()
        self.notice.explain(self._workspace, is_empty=is_empty, is_composing=self._is_composing)

    def _ask_for_pictures(self, changes: Changes) -> None:
        """Retry missing pictures when new files are known or the service is back."""
        was_connected, self._was_connected = self._was_connected, self._workspace.sync.connected
        if changes.catalogues or (self._was_connected and not was_connected):
            self.pictures.forget_missing()

    def _show_warnings(self) -> None:
        before, found = self._at_risk, self._workspace.warnings
        self._at_risk = found.by_key
        self.model.touch(before.keys() ^ found.by_key.keys())
        self.filters.show_warnings(summary(found))

    def _apply(self, changes: Changes) -> None:
        found = [post for key in changes.posts if (post := self._workspace.posts.get(key))]
        if changes.removed or any(post.batch_id for post in found):
            self._batches.count_later()
        self._words.look_again(self._filter.text)
        shown = self._filter.select(found, self._words.matching)
        hidden = {post.key for post in found} - {post.key for post in shown}
        with self._keeping_place(), moving_cards(self.grid.view, self.model, shown, self._account):
            self.model.apply(shown, [*changes.removed, *hidden])

    def _set_filter(self, filter_: Filter) -> None:
        self._filter = filter_
        self._slots.only = filter_.accounts
        self.stateChanged.emit()
        self._words.look_for(filter_.text)
        self._refill()
        self._explain()
        self._counter.tell(
            tr(
                "{n} of {total} posts",
                n=number(self.model.post_count),
                total=number(len(self._workspace.posts)),
            )
        )

    def _refill(self) -> None:
        with self._keeping_place():
            posts = self._workspace.posts
            self.model.reset(self._filter.select(posts, self._words.matching), posts.reader())

    @contextmanager
    def _keeping_place(self) -> Iterator[None]:
        """Keep the selection, and if the current post disappears, continue at its position."""
        selection = self.grid.view.selection
        chosen, current = selection.keys, self.model.get(selection.current or "")
        yield
        if is_gone := current is not None and self.model.get(current.key) is None:
            current = self.model.nearest(current)
        there = (key for key in chosen if self.model.get(key))
        selection.choose(there, current.key if current else None, is_near=is_gone)

    def _words_found(self) -> None:
        self._refill()
        self._explain()

    def _show_title(self) -> None:
        grid = self.grid
        self.toolbar.show_title(*grid.title(), grid.short_title(), grid.week_number())

    def _day_to_keep(self, span: Span) -> int:
        """The day to keep when the span changes: the current post's, or today's, if visible."""
        current = self.model.get(self.grid.view.selection.current or "")
        if current is not None and self.grid.shows(day := self._days.place(current.at).day):
            return day
        today = self._days.today()
        if span is not self.grid.span and self.grid.shows(today):
            return today
        return self.grid.shown_day

    def go_to_today(self) -> None:
        """Show the current period, and announce it."""
        self.grid.show_now()
        self.stateChanged.emit()
        self._announce_period()

    def print(self) -> None:
        """Ask for a printer and print the visible period."""
        from app.desktop.calendar.printing import CalendarPrint, Paper  # printing is rare

        paper = Paper(self.model, self._days, self._account, wall_clock())
        printing = CalendarPrint(paper, self.grid.span, self.grid.shown_day, self)
        printing.told.connect(self.told)
        printing.ask()

    def export(self) -> None:
        """Ask for a file and export the shown posts."""
        from app.desktop.calendar.printing import CalendarExport

        export = CalendarExport(self.model, self._account, self._workspace.texts, self._days.zone.key, self)
        export.told.connect(self.told)
        export.ask()

    def ask_for_date(self) -> None:
        """Let the user choose a day to go to."""
        from app.desktop.calendar.popovers import GoToDate

        asking = GoToDate(self._day_to_keep(self.grid.span), self, self.model.count_on)
        asking.chosen.connect(lambda day: self.show_span(self.grid.span, day))
        asking.open_below(self.toolbar.go_to)

    def ask_for_zone(self) -> None:
        """Let the user choose a second time zone."""
        from app.desktop.calendar.popovers import ChooseSecondZone

        asking = ChooseSecondZone(self._days.zone, self.grid.second_zone, self)
        asking.chosen.connect(self._set_second_zone)
        asking.open_below(self.grid.zone_corner)

    def _set_second_zone(self, zone: ZoneInfo | None) -> None:
        self.grid.set_second_zone(zone)
        self.stateChanged.emit()

    def request_new(self) -> None:
        """Request a new post, and suggest the focused day or half hour, or today."""
        selection, today = self.grid.view.selection, self._days.today()
        empty = self.keys.focused_target()
        if empty is not None and empty.minute is not None:
            self._request_on(empty)
            return
        current = self.model.get(selection.current or "")
        day = self._days.place(current.at).day if current else selection.day or today
        self._request_on(Target(max(day, today), None))

    def _request_on(self, target: Target) -> None:
        self.newPostRequested.emit(self._time_at(target), target.minute is not None)

    def _request_at(self, canvas: QPoint) -> None:
        target = self.grid.view.page.target(canvas.x(), canvas.y(), fine=False, keep_time=False)
        if target is not None:
            self.newPostRequested.emit(self._time_at(target), True)

    def _time_at(self, target: Target) -> int | None:
        return wished_time(self._days, wall_clock(), target)

    def _show_aim(self, target: Target | None) -> None:
        self.grid.ruler.show_drag(target.minute if target is not None else None)

    def _dragged(self, drag: Drag | None) -> None:
        viewport = self.grid.view.viewport()
        is_outside = drag is not None and not viewport.rect().contains(drag.pointer)
        self._turner.drag_at(viewport.mapToGlobal(drag.pointer) if drag and is_outside else None)
        self.selection_bar.step_aside(dragging=drag is not None)
        refused = drag is not None and drag.refusal is not None
        self.grid.ruler.show_drag(drag.minute if drag is not None else None, refused=refused)

    def _show_day(self, day: int) -> None:
        view = self.grid.view
        rows = RowPainter(view.page.cards)
        sheet = DaySheet(day, self.model, rows, wall_clock(), self.mouse, self)
        sheet.opened.connect(self.postOpened)
        sheet.chosen.connect(lambda keys, current: view.selection.choose(keys, current, is_near=not keys))
        self.pictures.arrived.connect(sheet.list.viewport().update)
        sheet.use(self.commands.press, partial(chosen_commands, self))
        place = view.day_place(day)
        place.moveTopLeft(view.viewport().mapTo(self, place.topLeft()))
        sheet.open_by(place, view.selection.current)

    def _cancel(self, keys: Iterable[str]) -> None:
        if told := cancel(self._workspace, keys, self._days.zone):
            self.told.emit(told)

    def _schedule_again(self, posts: Sequence[PlannedPost]) -> None:
        """Schedule cancelled posts again; a single past one opens to get a new time."""
        if len(posts) == 1 and posts[0].at <= wall_clock():
            self.postOpened.emit(posts[0].key)
        elif told := schedule_again(self._workspace, {post.key: post.at for post in posts}, self._days.zone):
            self.told.emit(told)

    def _tell_refusal(self, reason: str) -> None:
        self.told.emit(Message("warning", reason))

    def _is_at_risk(self, key: str) -> bool:
        return bool(self._at_risk) and not self._at_risk.keys().isdisjoint(self.model.sharing(key))

    def _account(self, key: str) -> Account | None:
        # Looked up each time, because the mapping is replaced when accounts change.
        return self._workspace.accounts.get(key)
