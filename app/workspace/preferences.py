"""The user's preferences on this computer, for all calendars.

Read before the first paint, so without pydantic, which takes longer to import than the calendar.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import time
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from app.workspace.notices.notice import NoticeKind

T = TypeVar("T")

WEEK_STARTS: Final = (0, 5, 6)
"""First days of the week to choose from: Monday, Saturday, Sunday."""
TEXT_SIZES: Final = (90, 100, 110, 125, 150, 175, 200)
"""Text sizes to choose from, in percent."""
APPEARANCES: Final = ("system", "light", "dark", "contrast")
MOTIONS: Final = ("system", "on", "off")
_RECENT_MAX: Final = 5


class Store(Protocol):
    """Stores values by name, like QSettings."""

    def value(self, name: str, /) -> object:
        """Return the stored value, or None."""

    def setValue(self, name: str, value: str, /) -> None:  # noqa: N802  Qt's
        """Store a value."""


class Preference(Generic[T]):
    """One value of ``Preferences``, stored as text under a name; unreadable text means the default."""

    def __init__(
        self, name: str, usual: T, read: Callable[[str], T], write: Callable[[T], str] = str
    ) -> None:
        """``read`` raises ValueError for text that isn't a value."""
        self._name, self._usual, self._read, self._write = name, usual, read, write

    def __get__(self, owner: "Preferences", _kind: object = None) -> T:
        kept = owner.store.value(self._name)
        try:
            return self._usual if kept is None else self._read(str(kept))
        except ValueError:
            return self._usual

    def __set__(self, owner: "Preferences", value: T) -> None:
        owner.store.setValue(self._name, self._write(value))


@dataclass(frozen=True, slots=True)
class QuietHours:
    """Hours of the day in which notifications wait, often across midnight; two equal times mean none."""

    is_on: bool = False
    begin: time = time(22)
    end: time = time(8)

    def include(self, now: time) -> bool:
        """Return whether a time of the day is in them."""
        if not self.is_on:
            return False
        begin, end = self.begin, self.end
        return begin <= now < end if begin <= end else now >= begin or now < end


def _read_switch(text: str) -> bool:
    if text not in ("on", "off"):
        raise ValueError(text)
    return text == "on"


def _write_switch(on: bool | None) -> str:
    return "on" if on else "off"


def _switch(name: str, *, usual: bool) -> Preference[bool]:
    return Preference(name, usual, _read_switch, _write_switch)


def _one_of(values: Iterable[T]) -> Callable[[str], T]:
    by_text = {str(value): value for value in values}

    def read(text: str) -> T:
        if text not in by_text:
            raise ValueError(text)
        return by_text[text]

    return read


def _read_names(text: str) -> tuple[str, ...]:
    try:
        found = json.loads(text)
    except RecursionError as error:
        raise ValueError(text) from error
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise ValueError(text)
    return tuple(found[:_RECENT_MAX])


def _write_time(moment: time) -> str:
    return moment.isoformat("minutes")


class Preferences:
    """Each attribute reads from the store and writes to it."""

    language = Preference("language", "", str)
    """Code of the language that the app speaks; empty to follow the system."""
    zone = Preference("zone", "", str)
    """Key of the calendar's zone; empty for the computer's."""
    first_weekday = Preference("first_weekday", WEEK_STARTS[0], _one_of(WEEK_STARTS))
    """0 for Monday."""
    appearance = Preference("appearance", "system", _one_of(APPEARANCES))
    motion = Preference("motion", "system", _one_of(MOTIONS))
    """Whether things move."""
    groups_ideas = _switch("group_ideas", usual=True)
    """Whether the calendar shows the posts of one idea as one card."""
    text_size = Preference("text_size", 100, _one_of(TEXT_SIZES))
    """In percent."""
    checks_updates = _switch("updates/check", usual=False)
    keeps_publishing: Preference[bool | None] = Preference(
        "background/keep", None, _read_switch, _write_switch
    )
    """Whether the app continues publishing when its window is closed; None until asked."""
    was_asked_about_login = _switch("background/login_asked", usual=False)
    """Whether the user was asked about starting the app at login."""
    notifies = _switch("notices/all", usual=True)
    """Whether there are notifications at all."""
    recent_commands: Preference[tuple[str, ...]] = Preference("palette/recent", (), _read_names, json.dumps)
    """Names of the recently used commands, newest first."""
    _is_quiet = _switch("notices/quiet", usual=False)
    _quiet_begin = Preference("notices/quiet_begin", QuietHours().begin, time.fromisoformat, _write_time)
    _quiet_end = Preference("notices/quiet_end", QuietHours().end, time.fromisoformat, _write_time)

    def __init__(self, store: Store) -> None:
        self.store = store

    @property
    def quiet_hours(self) -> QuietHours:
        """When notifications wait; off until chosen."""
        return QuietHours(self._is_quiet, self._quiet_begin, self._quiet_end)

    @quiet_hours.setter
    def quiet_hours(self, hours: QuietHours) -> None:
        self._is_quiet, self._quiet_begin, self._quiet_end = hours.is_on, hours.begin, hours.end

    def has_chosen(self, kind: "NoticeKind") -> bool:
        """Return whether notifications of a kind are wanted, while there are any."""
        return self.store.value(f"notices/{kind.value}") != _write_switch(on=False)

    def choose(self, kind: "NoticeKind", *, on: bool) -> None:
        """Turn notifications of a kind on or off."""
        self.store.setValue(f"notices/{kind.value}", _write_switch(on))

    def wants(self, kind: "NoticeKind") -> bool:
        """Return whether notifications of a kind are sent now."""
        return self.notifies and self.has_chosen(kind)

    def use_command(self, name: str) -> None:
        """Put a command in front of those that were used last."""
        others = tuple(one for one in self.recent_commands if one != name)
        self.recent_commands = (name, *others)[:_RECENT_MAX]

    def calendar_state(self, home_id: str) -> object:
        """Return a calendar's stored state, for ``CalendarState.read``."""
        return self.store.value(f"calendar/{home_id}")

    def keep_calendar_state(self, home_id: str, written: str) -> None:
        """Store a calendar's state."""
        self.store.setValue(f"calendar/{home_id}", written)
