"""What can be done on the calendar, for the palette, the keyboard and its help."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from app.desktop.calendar.filter_bar import FilterBar
from app.desktop.calendar.filters import KIND_NAMES, STATUS_NAMES, Filter
from app.desktop.calendar.planner import Planner
from app.desktop.calendar.spans import Span
from app.desktop.commands import Command
from app.desktop.theme import icons
from app.desktop.warnings.wording import summary
from app.desktop.widgets import announce
from app.desktop.words import platform_name

if TYPE_CHECKING:
    from app.desktop.calendar.pane import CalendarPane

_GROUP = "Calendar"
_FILTER = "Filter"


def calendar_commands(pane: "CalendarPane", planner: Planner) -> list[Command]:
    """The commands of a pane but for those of chosen posts."""
    return [*_plans(pane, planner), *_checks(pane, planner), *_ways(pane), *_outward(pane)]


def filter_commands(bar: FilterBar, planner: Planner) -> Iterator[Command]:
    """What can be shown alone now."""

    def only(name: str, chosen: Filter, icon: str = "funnel") -> Command:
        return Command(f"Show only {name}", _FILTER, partial(bar.choose, chosen), icon=icon, words="filter")

    shown = bar.filter
    yield Command(
        "Show everything",
        _FILTER,
        bar.clear,
        icon="eye",
        words="clear filter all accounts",
        enabled=lambda: bar.filter.is_on,
    )
    for account in planner.accounts.values():
        alone = replace(shown, accounts=frozenset({account.key}))
        mark = icons.platform_icon(account.platform)
        yield only(f"{account.name} on {platform_name(account.platform)}", alone, mark)
    for status, name in STATUS_NAMES.items():
        yield only(f"posts that are {name.lower()}", replace(shown, statuses=frozenset({status})))
    for kind, name in KIND_NAMES.items():
        yield only(f"posts of the kind {name.lower()}", replace(shown, kinds=frozenset({kind})))


def chosen_commands(pane: "CalendarPane") -> list[Command]:
    """What can be done with the chosen posts, for their menu."""
    return [_to_slots(pane), *pane.keys.actions()]


def _to_slots(pane: "CalendarPane") -> Command:
    return Command(
        "Move to the next free slot",
        _GROUP,
        lambda: pane.to_slots.move(pane.keys.chosen()),
        focus_keys=("S",),
        icon="calendar-clock",
        words="posting time queue reschedule",
        enabled=lambda: bool(pane.keys.chosen()),
    )


def _plans(pane: "CalendarPane", planner: Planner) -> list[Command]:
    return [
        Command(
            "New post",
            _GROUP,
            pane.request_new,
            keys=("Ctrl+N",),
            focus_keys=("N",),
            icon="plus",
            words="create write plan schedule composer",
        ),
        *_steps(pane, planner),
    ]


def _steps(pane: "CalendarPane", planner: Planner) -> list[Command]:
    def tell(what: str, step: str | None, run: Callable[[], None]) -> None:
        run()
        announce(pane, f"{what}: {step}")

    return [
        Command(
            "Undo",
            _GROUP,
            lambda: tell("Undone", planner.undo_label, planner.undo),
            keys=("Ctrl+Z",),
            icon="undo-2",
            words="take back",
            enabled=lambda: planner.undo_label is not None,
            detail=lambda: planner.undo_label or "",
        ),
        Command(
            "Redo",
            _GROUP,
            lambda: tell("Done again", planner.redo_label, planner.redo),
            keys=("Ctrl+Shift+Z",),
            icon="redo-2",
            enabled=lambda: planner.redo_label is not None,
            detail=lambda: planner.redo_label or "",
        ),
        Command(
            "Changes…",
            _GROUP,
            pane.changesRequested.emit,
            keys=("Ctrl+Y",),
            icon="history",
            words="undo history steps",
        ),
    ]


def _checks(pane: "CalendarPane", planner: Planner) -> list[Command]:
    """Posting times, and what will fail."""
    return [
        Command(
            "New post in the next free slot",
            _GROUP,
            lambda: pane.to_slots.begin(pane.filters.filter.accounts),
            focus_keys=("Shift+N",),
            icon="calendar-plus",
            words="posting time queue",
        ),
        _to_slots(pane),
        Command(
            "Posting times…",
            _GROUP,
            pane.slotsRequested.emit,
            icon="clock",
            words="weekly slots schedule queue",
        ),
        Command(
            "What will fail…",
            _GROUP,
            pane.warningsRequested.emit,
            focus_keys=("F",),
            icon="triangle-alert",
            words="warnings problems check",
            detail=lambda: summary(planner.warnings),
        ),
    ]


def _ways(pane: "CalendarPane") -> list[Command]:
    spans = [
        Command(
            f"Show {span.value}",
            _GROUP,
            partial(pane.show_span, span),
            focus_keys=(span.value[0].upper(),),
            icon="list" if span is Span.AGENDA else "calendar-days",
            words="view span",
        )
        for span in Span
    ]
    return [
        *spans,
        Command(
            "Go to today", _GROUP, pane.go_to_today, focus_keys=("T",), icon="calendar-check", words="now"
        ),
        Command(
            "Go to date…", _GROUP, pane.ask_for_date, focus_keys=("G",), icon="calendar-days", words="jump"
        ),
        Command(
            "Previous period",
            _GROUP,
            lambda: pane.grid.turn(-1),
            focus_keys=("PgUp",),
            icon="chevron-left",
            words="back earlier last month week day",
        ),
        Command(
            "Next period",
            _GROUP,
            lambda: pane.grid.turn(1),
            focus_keys=("PgDown",),
            icon="chevron-right",
            words="forward later month week day",
        ),
        Command("Second time zone…", _GROUP, pane.ask_for_zone, icon="globe", words="hours timezone ruler"),
    ]


def _outward(pane: "CalendarPane") -> list[Command]:
    return [
        Command("Print…", _GROUP, pane.print, keys=("Ctrl+P",), icon="file-pen-line", words="pdf paper"),
        Command(
            "Export to a calendar file…", _GROUP, pane.export, icon="download", words="ics icalendar save"
        ),
    ]
