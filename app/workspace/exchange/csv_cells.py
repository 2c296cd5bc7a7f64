"""Parses the accounts and times in a row's cells, and reports what is wrong with them. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from app.language import tr
from app.platforms.cards import CARDS, name_of
from app.workspace.accounts.account import Account
from app.workspace.clock import LAST_MOMENT
from app.workspace.exchange.csv_columns import Column, UnreadableError, proven_order, read_time
from app.workspace.time.wall import Landing, Reading, WallClock
from app.workspace.time.written import DayOrder, WrittenClock

_BETWEEN: Final = re.compile(r"[;,|\n]")
_POSTED_TO: Final = frozenset(key for key, card in CARDS.items() if card.posts is not None)
_SPELLINGS: Final = {other: key for key, card in CARDS.items() for other in card.other_names}
_SHOWN_MAX: Final = 60
_NEAR: Final = 0.75
"""Minimum similarity of a misspelled name, from 0 to 1."""
_NO_DATE: Final = tr("The date is missing. Enter it like 2026-11-25 14:30.")
_OTHER_ORDER: Final = tr(
    "“{cell}” has day and month in another order than chosen. Change the order, or this date."
)
_NO_TIME: Final = tr("The time is missing. Enter it like 14:30.")
_UTC: Final = WallClock(ZoneInfo("UTC"))


@dataclass(frozen=True, slots=True)
class Issue:
    """A message about a column that can be fixed; None for the whole row.

    If ``blocks`` is False, it's only a remark. ``fix`` is the probable correct content of the cell; "" if
    unknown.
    """

    column: Column | None
    text: str
    blocks: bool = True
    fix: str = ""


class UnknownAccountError(Exception):
    """No account or several accounts match a cell; the text is a message for the user.

    ``written`` is the misspelled part of the cell, ``meant`` what was probably meant; "" if unknown.
    """

    def __init__(self, text: str, written: str = "", meant: str = "") -> None:
        asked = tr("Did you mean {name}?", name=meant[:_SHOWN_MAX]) if meant else ""
        super().__init__(f"{text} {asked}".rstrip())
        self.written = written.strip()
        self.meant = meant


class _Named(NamedTuple):
    account: Account
    names: frozenset[str]


class AccountNames:
    """Finds accounts by handle, name, ``platform:handle``, identifier, or platform if it has just one."""

    def __init__(self, accounts: Iterable[Account]) -> None:
        self._all = [_Named(one, _names(one)) for one in accounts if one.platform.value in _POSTED_TO]

    def find(self, cell: str, platforms: str = "") -> list[Account]:
        """Return the accounts named in a cell, separated by commas or semicolons.

        With ``platforms``, only accounts of these platforms. For platforms with one account, the cell may be
        empty. Raises UnknownAccountError.
        """
        wanted = [_platform(part) for part in _parts(platforms)]
        if unknown := next((part for part in _parts(platforms) if not self._has(_platform(part))), None):
            text = tr("No “{platform}” account is connected.", platform=unknown.strip()[:_SHOWN_MAX])
            names = {platform: name_of(platform) for platform in _POSTED_TO}
            raise UnknownAccountError(text, unknown, _guess(_platform(unknown), names))
        if not cell.strip():
            return _once([self._only_one(platform) for platform in wanted])
        parts = [cell] if self._matching(cell, wanted) else _parts(cell)
        return _once([account for part in parts for account in self._account(part, wanted)])

    def _has(self, platform: str) -> bool:
        return any(named.account.platform.value == platform for named in self._all)

    def _only_one(self, platform: str) -> Account:
        there = [named.account for named in self._all if named.account.platform.value == platform]
        if len(there) != 1:
            name = name_of(there[0].platform)
            text = tr("{n} {platform} accounts are connected. Name one of them.", n=len(there), platform=name)
            raise UnknownAccountError(text)
        return there[0]

    def _account(self, part: str, wanted: Sequence[str]) -> list[Account]:
        found = self._matching(part, wanted)
        if not found and not wanted and self._has(_platform(part)):
            return [self._only_one(_platform(part))]
        if not found:
            text = tr("No connected account is named “{name}”.", name=part.strip()[:_SHOWN_MAX])
            raise UnknownAccountError(text, part, _guess(_plain(part), self._known(wanted)))
        platforms = {account.platform for account in found}
        if len(found) > 1 and not (wanted and len(platforms) == len(found)):
            example = f"{found[0].platform.value}:{_plain(part)[:_SHOWN_MAX]}"
            text = tr(
                "{n} accounts are named “{name}”. Put the platform first, for example “{example}”.",
                n=len(found),
                name=part.strip()[:_SHOWN_MAX],
                example=example,
            )
            raise UnknownAccountError(text)
        return found

    def _known(self, wanted: Sequence[str]) -> dict[str, str]:
        """Return the accepted names of accounts and their platforms, with the original spelling of each."""
        known: dict[str, str] = {}
        for account, _ in self._all:
            if wanted and account.platform.value not in wanted:
                continue
            known[account.platform.value] = name_of(account.platform)
            for name in (account.identifier, account.name, account.handle or ""):
                known |= {_plain(name): name, f"{account.platform.value}:{_plain(name)}": name}
        return {plain: name for plain, name in known.items() if name}

    def _matching(self, part: str, wanted: Sequence[str]) -> list[Account]:
        plain = _plain(part)
        return [
            named.account
            for named in self._all
            if plain in named.names and (not wanted or named.account.platform.value in wanted)
        ]


def _guess(plain: str, known: Mapping[str, str]) -> str:
    """Return the most similar known name in its original spelling; "" if none is similar."""
    others = (name for name in known if name != plain)
    near = get_close_matches(plain[:_SHOWN_MAX], others, n=1, cutoff=_NEAR)
    return known[near[0]] if near else ""


def _names(account: Account) -> frozenset[str]:
    own = {_plain(name) for name in (account.handle or "", account.name, account.identifier) if name}
    platform = account.platform.value
    return frozenset({*own, *(f"{platform}:{name}" for name in own), _plain(account.key)})


def _plain(name: str) -> str:
    head, colon, rest = " ".join(name.split()).casefold().partition(":")
    if colon and (platform := _platform(head)) in _POSTED_TO:
        return f"{platform}:{rest.strip().removeprefix('@')}"
    return " ".join(name.split()).casefold().removeprefix("@")


def _platform(name: str) -> str:
    plain = " ".join(name.split()).casefold()
    return _SPELLINGS.get(plain, plain)


def _parts(cell: str) -> list[str]:
    return [part for part in _BETWEEN.split(cell) if part.strip()]


def _once(accounts: Sequence[Account]) -> list[Account]:
    return list({account.key: account for account in accounts}.values())


class Instants:
    """Parses the times of many rows, with one cached clock per time zone."""

    def __init__(self, zone: str, order: DayOrder, now: int, *, own_column: bool) -> None:
        """``zone`` is the default for rows without one; ``own_column``: times are in a separate column."""
        self._zone = zone
        self._order = order
        self._now = now
        self._of_time = Column.TIME if own_column else Column.DATE
        self._clocks: dict[str, WallClock] = {}

    def read(self, day: str, time: str, zone: str) -> tuple[int | None, list[Issue]]:
        """Return the time in milliseconds since 1970 UTC, None if it can't be determined, and the issues."""
        if not day.strip():
            return None, [Issue(Column.DATE, _NO_DATE)]
        try:
            date, written = read_time(day, time, self._order)
        except UnreadableError as error:
            return None, [Issue(self._of_time if error.of_time else Column.DATE, str(error))]
        if proven_order(day) not in (None, self._order):
            return None, [Issue(Column.DATE, _OTHER_ORDER.format(cell=day.strip()[:_SHOWN_MAX]))]
        if written is None:
            return None, [Issue(self._of_time, _NO_TIME)]
        clock = self._clock(zone.strip() or self._zone)
        if clock is None:
            text = tr(
                "“{zone}” isn't a time zone. Enter it like Europe/Berlin.", zone=zone.strip()[:_SHOWN_MAX]
            )
            return None, [Issue(Column.ZONE, text)]
        landing = _landing(clock, date.toordinal(), written)
        return landing.at, [*_remarks(clock, landing, self._of_time), *self._limits(landing.at)]

    def _clock(self, name: str) -> WallClock | None:
        if (clock := self._clocks.get(name)) is None and (known := _zones().get(name.casefold())):
            clock = self._clocks[name] = WallClock(ZoneInfo(known))
        return clock

    def _limits(self, at: int) -> Iterator[Issue]:
        if at <= self._now:
            yield Issue(Column.DATE, tr("That time has passed."))
        if at > LAST_MOMENT:
            yield Issue(Column.DATE, tr("That date is too far in the future."))


def _landing(clock: WallClock, day: int, written: WrittenClock) -> Landing:
    if written.offset_ms is None:
        return clock.land(day, written.minute, written.second_ms)
    return Landing(_UTC.instant(day, written.minute, written.second_ms) - written.offset_ms)


@cache
def _zones() -> dict[str, str]:
    return {name.casefold(): name for name in available_timezones()}


def _remarks(clock: WallClock, landing: Landing, column: Column) -> Iterator[Issue]:
    if landing.reading is Reading.TWICE:
        said = tr("The clocks go back then, so this time happens twice. The first one is used.")
        yield Issue(column, said, blocks=False)
    elif landing.reading is Reading.SKIPPED:
        minute = clock.place(landing.at).minute
        shown = f"{minute // 60:02}:{minute % 60:02}"
        said = tr("The clocks go forward then, so this time doesn't exist. It becomes {time}.", time=shown)
        yield Issue(column, said, blocks=False)
