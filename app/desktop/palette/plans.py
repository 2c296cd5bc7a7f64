"""Reads a post that somebody typed with its time, in one line: "friday 15:00 Our song is out"."""

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
"""The longest a time gets: "on 3 March at 3 pm"."""

_AT = frozenset({"at", "@", trc("before a time that is typed", "at")})
_ON = frozenset({"on", trc("before a day that is typed", "on")})
_OCLOCK = trc("after a time that is typed", "h").lower()
_AROUND = " ,;:-\N{EN DASH}\N{EM DASH}"


@dataclass(frozen=True, slots=True)
class Plan:
    """A text with the time at which it shall go out.

    ``minute`` of the day is None when only a day was typed, ``day`` when only a time was.
    """

    text: str
    day: date | None = None
    minute: int | None = None


def read_plan(typed: str, today: date) -> Plan | None:
    """The post that is meant, seen from ``today``; None where no time or no text is typed.

    The time stands before the text or behind it, or its day before and its clock behind.
    """
    words = typed.split()
    plan = Plan(typed)
    for from_behind in (False, True):
        plan, words = _taken(plan, words, today, from_behind=from_behind)
    text = _text(words)
    return replace(plan, text=text) if text and (plan.day, plan.minute) != (None, None) else None


def _text(words: Sequence[str]) -> str:
    """The words as they were typed, without what only parted them from the time: a "-20 %" stays one."""
    parted = [not word.strip(_AROUND) for word in words]
    first = next((place for place, parts in enumerate(parted) if not parts), len(words))
    last = next((place for place in range(len(words), first, -1) if not parted[place - 1]), first)
    return " ".join(words[first:last]).rstrip(",;")


def planned_time(days: LocalDays, now: int, plan: Plan) -> int | None:
    """When a plan is meant, in milliseconds since 1970 UTC as ``now`` is; None for a time that is over.

    A day alone means its morning, a clock alone when it says so next.
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
    """The plan with what the longest beginning, or end, of the words says of its time; and the others."""
    for count in range(min(_MOST_WORDS, len(words)), 0, -1):
        part = words[-count:] if from_behind else words[:count]
        found = _moment([word.lower().strip(_AROUND) for word in part], today)
        if found is None or _is_said_twice(plan, found):
            continue
        rest = words[:-count] if from_behind else words[count:]
        return replace(plan, day=plan.day or found.day, minute=_first(plan.minute, found.minute)), rest
    return plan, words


def _moment(words: Sequence[str], today: date) -> Plan | None:
    """What words say that are a day, a time, or both in either order, and nothing else."""
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
    """A day that cannot be taken for the text: the sun may shine, but not at 15:00."""
    text = " ".join(words[1:] if words[0] in _ON else words)
    if looks_like_day(text):
        return read_date(text, today)
    return read_short_weekday(text, today) if with_clock else None


def _minute(words: Sequence[str]) -> int | None:
    """The minute of the day; a number alone is none."""
    is_announced = words[0] in _AT
    text = " ".join(words[1:] if is_announced else words).removeprefix("@")
    clock = read_clock(text) or read_clock(f"{text.removesuffix(_OCLOCK).rstrip()} h")
    if clock is None or clock.second_ms or clock.offset_ms is not None:
        return None
    is_clear = is_announced or clock.after or clock.mark in (":", "h") or words[0][0] == "@"
    return clock.minute if is_clear else None
