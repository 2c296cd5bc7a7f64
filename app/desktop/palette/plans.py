"""Reads a text typed with a time, in one line: "friday 15:00 Our song is out"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.moves import Target, wished_time
from app.desktop.dates import looks_like_day, read_date, read_short_weekday
from app.language import trc
from app.workspace.clock import LAST_MOMENT
from app.workspace.time.written import read_clock

_MOST_WORDS: Final = 6
"""Maximum number of words of a time: "on 3 March at 3 pm"."""

_AT = frozenset({"at", "@", trc("before a time that is typed", "at")})
_ON = frozenset({"on", trc("before a day that is typed", "on")})
_OCLOCK = trc("after a time that is typed", "h").lower()
_AROUND = " ,;:-\N{EN DASH}\N{EM DASH}"


@dataclass(frozen=True, slots=True)
class Plan:
    """A text and when to publish it.

    ``minute`` of the day is None if only a day was typed, ``day`` if only a time was.
    """

    text: str
    day: date | None = None
    minute: int | None = None


def read_plan(typed: str, today: date) -> Plan | None:
    """Return the typed post, with dates relative to ``today``; None without a time or a text.

    The time is before or after the text, or its day is before and its clock time after.
    """
    words = typed.split()
    plan = Plan(typed)
    for from_behind in (False, True):
        plan, words = _taken(plan, words, today, from_behind=from_behind)
    text = _text(words)
    return replace(plan, text=text) if text and (plan.day, plan.minute) != (None, None) else None


def _text(words: Sequence[str]) -> str:
    """Return the text without what separates it from the time. A "-20 %" stays complete."""
    parted = [not word.strip(_AROUND) for word in words]
    first = next((place for place, parts in enumerate(parted) if not parts), len(words))
    last = next((place for place in range(len(words), first, -1) if not parted[place - 1]), first)
    return " ".join(words[first:last]).rstrip(",;")


def planned_time(days: LocalDays, now: int, plan: Plan) -> int | None:
    """Return when to publish, as a Unix time in ms like ``now``; None for a time in the past.

    A day alone means its morning; a clock time alone means its next occurrence.
    """
    today = days.place(now).day
    day = today if plan.day is None else plan.day.toordinal()
    if plan.minute is None:
        return wished_time(days, now, Target(day, None))
    at = days.land(day, plan.minute).at
    if at <= now and plan.day is None:
        at = days.land(day + 1, plan.minute).at
    return at if now < at <= LAST_MOMENT else None


def _taken(plan: Plan, words: list[str], today: date, *, from_behind: bool) -> tuple[Plan, list[str]]:
    """Return the plan with the time read from the longest beginning or end, and the remaining words."""
    for count in range(min(_MOST_WORDS, len(words)), 0, -1):
        part = words[-count:] if from_behind else words[:count]
        found = _moment([word.lower().strip(_AROUND) for word in part], today)
        if found is None or _is_said_twice(plan, found):
            continue
        rest = words[:-count] if from_behind else words[count:]
        return replace(plan, day=plan.day or found.day, minute=_first(plan.minute, found.minute)), rest
    return plan, words


def _moment(words: Sequence[str], today: date) -> Plan | None:
    """Read words that are only a day, a time, or both in either order."""
    for first, second in _halves(words):
        for for_day, for_clock in ((first, second), (second, first)):
            minute = _minute(for_clock) if for_clock else None
            day = _day(for_day, today, with_clock=minute is not None) if for_day else None
            if (day is not None) == bool(for_day) and (minute is not None) == bool(for_clock):
                return Plan("", day, minute)
    return None


def _halves(words: Sequence[str]) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    return ((words[:cut], words[cut:]) for cut in range(1, len(words) + 1))


def _is_said_twice(plan: Plan, found: Plan) -> bool:
    return (plan.day is not None and found.day is not None) or None not in (plan.minute, found.minute)


def _first(one: int | None, other: int | None) -> int | None:
    return other if one is None else one


def _day(words: Sequence[str], today: date, *, with_clock: bool) -> date | None:
    """Return a day, unless the words may be part of the text: "sun" alone can be the sun."""
    text = " ".join(words[1:] if words[0] in _ON else words)
    if looks_like_day(text):
        return read_date(text, today)
    return read_short_weekday(text, today) if with_clock else None


def _minute(words: Sequence[str]) -> int | None:
    """Return the minute of the day. A plain number is not a time."""
    is_announced = words[0] in _AT
    text = " ".join(words[1:] if is_announced else words).removeprefix("@")
    clock = read_clock(text) or read_clock(f"{text.removesuffix(_OCLOCK).rstrip()} h")
    if clock is None or clock.second_ms or clock.offset_ms is not None:
        return None
    is_clear = is_announced or clock.after or clock.mark in (":", "h") or words[0][0] == "@"
    return clock.minute if is_clear else None
