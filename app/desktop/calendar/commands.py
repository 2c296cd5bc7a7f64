"""The commands of the calendar, for the palette, the keyboard and its help."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Protocol

from PySide6.QtCore import SignalInstance

from app.contract.enums import PostStatus, PostType
from app.desktop.calendar.days import Span
from app.desktop.calendar.filter_bar import FilterBar
from app.desktop.calendar.filters import Filter
from app.desktop.calendar.grid import CalendarGrid
from app.desktop.calendar.keys import Keys
from app.desktop.calendar.planner import Planner
from app.desktop.calendar.slots import ToSlots
from app.desktop.commands import Command
from app.desktop.theme import icons
from app.desktop.warnings.wording import summary
from app.desktop.widgets import announce
from app.desktop.words import platform_name
from app.language import tr

_GROUP = tr("Calendar")
_FILTER = tr("Filter")
_ONLY_STATUS = {
    PostStatus.SCHEDULED: tr("Show only scheduled posts"),
    PostStatus.QUEUED: tr("Show only queued posts"),
    PostStatus.PROCESSING: tr("Show only posts being published"),
    PostStatus.POSTED: tr("Show only published posts"),
    PostStatus.FAILED: tr("Show only failed posts"),
    PostStatus.CANCELLED: tr("Show only cancelled posts"),
}
_ONLY_KIND = {
    PostType.TEXT: tr("Show only text posts"),
    PostType.IMAGE: tr("Show only image posts"),
    PostType.VIDEO: tr("Show only video posts"),
}
_SHOW_SPAN = {
    Span.MONTH: tr("Show month"),
    Span.WEEK: tr("Show week"),
    Span.DAY: tr("Show day"),
    Span.AGENDA: tr("Show agenda"),
}


class Actions(Protocol):
    """What the commands need from the calendar pane."""

    @property
    def grid(self) -> CalendarGrid: ...

    @property
    def keys(self) -> Keys: ...

    @property
    def to_slots(self) -> ToSlots: ...

    @property
    def filters(self) -> FilterBar: ...

    @property
    def changesRequested(self) -> SignalInstance: ...  # noqa: N802  a signal of the pane's interface

    @property
    def slotsRequested(self) -> SignalInstance: ...  # noqa: N802

    @property
    def warningsRequested(self) -> SignalInstance: ...  # noqa: N802

    def choose_span(self, span: Span) -> None: ...

    def turn(self, direction: int) -> None: ...

    def go_to_today(self) -> None: ...

    def ask_for_date(self) -> None: ...

    def ask_for_zone(self) -> None: ...

    def request_new(self) -> None: ...

    def print(self) -> None: ...

    def export(self) -> None: ...


def calendar_commands(pane: Actions, planner: Planner) -> list[Command]:
    """Return the commands of a pane except those for selected posts."""
    return [*_plans(pane, planner), *_checks(pane, planner), *_ways(pane), *_outward(pane)]


def filter_commands(bar: FilterBar, planner: Planner) -> Iterator[Command]:
    """Return the commands that filter by existing values."""

    def only(name: str, chosen: Filter, icon: str = "funnel") -> Command:
        return Command(name, _FILTER, partial(bar.choose, chosen), icon=icon, words=tr("filter"))

    shown = bar.filter
    yield Command(
        tr("Show everything"),
        _FILTER,
        bar.clear,
        icon="eye",
        words=tr("clear filter all accounts"),
        enabled=lambda: bar.filter.is_on,
    )
    for account in planner.accounts.values():
        alone = replace(shown, accounts=frozenset({account.key}))
        mark = icons.platform_icon(account.platform)
        platform = platform_name(account.platform)
        named = tr("Show only {account} on {platform}", account=account.name, platform=platform)
        yield only(named, alone, mark)
    for status, named in _ONLY_STATUS.items():
        yield only(named, replace(shown, statuses=frozenset({status})))
    for kind, named in _ONLY_KIND.items():
        yield only(named, replace(shown, kinds=frozenset({kind})))


def chosen_commands(pane: Actions) -> list[Command]:
    """Return the commands for the selected posts, for their menu."""
    return [_to_slots(pane), *pane.keys.actions()]


def move_commands(pane: Actions) -> list[Command]:
    """Return the commands that move the selected posts."""
    return [_to_slots(pane), *pane.keys.moving()]


def menu_commands(pane: Actions) -> list[Command]:
    """Return the commands for the menu of a card."""
    splitting = (command for command in pane.keys.splitting() if command.enabled())
    return [pane.keys.opening(), *splitting, *chosen_commands(pane)]


def _to_slots(pane: Actions) -> Command:
    return Command(
        tr("Move to the next free slot"),
        _GROUP,
        lambda: pane.keys.move_to(pane.to_slots.times(pane.keys.chosen())),
        focus_keys=("S",),
        icon="calendar-clock",
        words=tr("posting time queue reschedule"),
        enabled=lambda: bool(pane.keys.chosen()),
    )


def _plans(pane: Actions, planner: Planner) -> list[Command]:
    return [
        Command(
            tr("New post"),
            _GROUP,
            pane.request_new,
            keys=("Ctrl+N",),
            focus_keys=("N",),
            icon="plus",
            words=tr("create write plan schedule composer"),
        ),
        *_steps(pane, planner),
    ]


def _steps(pane: Actions, planner: Planner) -> list[Command]:
    def tell(what: str, step: str) -> None:
        if step:
            announce(pane.grid, f"{what}: {step}")

    return [
        Command(
            tr("Undo"),
            _GROUP,
            lambda: tell(tr("Undone"), undone(planner)),
            keys=("Ctrl+Z",),
            yields=True,
            icon="undo-2",
            words=tr("take back"),
            enabled=lambda: planner.undo_label is not None,
            detail=lambda: planner.undo_label or "",
        ),
        Command(
            tr("Redo"),
            _GROUP,
            lambda: tell(tr("Redone"), redone(planner)),
            keys=("Ctrl+Shift+Z", "Ctrl+Y"),
            yields=True,
            icon="redo-2",
            enabled=lambda: planner.redo_label is not None,
            detail=lambda: planner.redo_label or "",
        ),
        Command(
            tr("Changes…"),
            _GROUP,
            pane.changesRequested.emit,
            keys=("Ctrl+Shift+Y",),
            icon="history",
            words=tr("undo history steps"),
        ),
    ]


def undone(planner: Planner) -> str:
    """Undo the newest step and return its name; "" if that failed."""
    return _turned(planner, planner.undo, done=True)


def redone(planner: Planner) -> str:
    """Redo the last undone step and return its name; "" if that failed."""
    return _turned(planner, planner.redo, done=False)


def _turned(planner: Planner, turn: Callable[[], None], *, done: bool) -> str:
    before = {step.id for step in planner.history if step.done is done}
    turn()
    return next(
        (str(step.label) for step in planner.history if step.done is not done and step.id in before), ""
    )


def _checks(pane: Actions, planner: Planner) -> list[Command]:
    """Return the commands for posting times and for posts that will fail."""
    return [
        Command(
            tr("New post in the next free slot"),
            _GROUP,
            lambda: pane.to_slots.begin(pane.filters.filter.accounts),
            focus_keys=("Shift+N",),
            icon="calendar-plus",
            words=tr("posting time queue"),
        ),
        _to_slots(pane),
        Command(
            tr("Posting times…"),
            _GROUP,
            pane.slotsRequested.emit,
            icon="clock",
            words=tr("weekly slots schedule queue"),
        ),
        Command(
            tr("Before publishing…"),
            _GROUP,
            pane.warningsRequested.emit,
            focus_keys=("F",),
            icon="triangle-alert",
            words=tr("warnings problems check"),
            detail=lambda: summary(planner.warnings).text,
        ),
    ]


def _spans(pane: Actions) -> list[Command]:
    return [
        Command(
            name,
            _GROUP,
            partial(pane.choose_span, span),
            focus_keys=(span.value[0].upper(),),
            icon="list" if span is Span.AGENDA else "calendar-days",
            words=tr("view span"),
        )
        for span, name in _SHOW_SPAN.items()
    ]


def _ways(pane: Actions) -> list[Command]:
    return [
        *_spans(pane),
        Command(
            tr("Go to today"),
            _GROUP,
            pane.go_to_today,
            focus_keys=("T",),
            icon="calendar-check",
            words=tr("now"),
        ),
        Command(
            tr("Go to date…"),
            _GROUP,
            pane.ask_for_date,
            focus_keys=("G",),
            icon="calendar-days",
            words=tr("jump"),
        ),
        Command(
            tr("Previous period"),
            _GROUP,
            lambda: pane.turn(-1),
            focus_keys=("PgUp",),
            icon="chevron-left",
            words=tr("back earlier last month week day"),
        ),
        Command(
            tr("Next period"),
            _GROUP,
            lambda: pane.turn(1),
            focus_keys=("PgDown",),
            icon="chevron-right",
            words=tr("forward later month week day"),
        ),
        Command(
            tr("Second time zone…"), _GROUP, pane.ask_for_zone, icon="globe", words=tr("hours timezone ruler")
        ),
    ]


def _outward(pane: Actions) -> list[Command]:
    return [
        Command(
            tr("Print…"), _GROUP, pane.print, keys=("Ctrl+P",), icon="file-pen-line", words=tr("pdf paper")
        ),
        Command(
            tr("Export to a calendar file…"),
            _GROUP,
            pane.export,
            icon="download",
            words=tr("ics icalendar save"),
        ),
    ]
