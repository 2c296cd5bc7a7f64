"""The columns of a table: guessed or selected meanings, and formats of dates and times. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import Enum
from types import MappingProxyType
from typing import Final

from app.language import tr
from app.workspace.exchange.csv_table import Table
from app.workspace.time.written import (
    TABLE_MONTHS,
    DayOrder,
    WrittenClock,
    WrittenDate,
    day_of,
    find_date,
    order_of,
    read_clock,
)

_NO_LETTER: Final = re.compile(r"[\W_]+")
_LOOKED_AT: Final = 200
RESULT_COLUMNS: Final = ("Result", "Reason")
"""Columns added to a table when its rows are exported with their results."""


class UnreadableError(Exception):
    """A time in a cell can't be parsed; the text is a message. ``of_time``: the time of day is the cause."""

    def __init__(self, text: str, *, of_time: bool = False) -> None:
        super().__init__(text)
        self.of_time = of_time


_WEEKDAY: Final = re.compile(r"([^\W\d_]{2,10})\.?,?\s+(?=\d|[^\W\d_]+\.?\s+\d{1,2}\D)")
_NO_DATE: Final = tr("“{cell}” isn't a date Kalends can read. Enter it like 2026-11-25.")
_NO_TIME: Final = tr("“{cell}” isn't a time Kalends can read. Enter it like 14:30.")
_SHOWN_MAX: Final = 40


def read_time(date_cell: str, time_cell: str, order: DayOrder) -> tuple[date, WrittenClock | None]:
    """Return the date and the time of day, each None if missing; the date's cell may contain both.

    Raises UnreadableError.
    """
    day, rest = _day(" ".join(date_cell.split()), order)
    time = " ".join((time_cell.strip() or rest).split())
    if not time:
        return day, None
    clock = read_clock(time)
    if clock is None or not (clock.mark or clock.after.lower().startswith(("a", "p"))):
        raise UnreadableError(_NO_TIME.format(cell=time[:_SHOWN_MAX]), of_time=True)
    return day, clock


def looks_like_time(cell: str) -> bool:
    """Whether a cell contains a date, in any order of day and month."""
    try:
        read_time(cell, "", DayOrder.DAY_FIRST)
    except UnreadableError:
        return False
    return True


def order_in(cells: Iterable[str]) -> DayOrder:
    """Return the order of day and month in a column of dates; if ambiguous, slashes are read as American."""
    slashes = 0
    for cell in cells:
        written = _numeric_date(cell)
        if written is None:
            continue
        if (order := proven_order(cell)) is not None:
            return order
        slashes += 1 if written.sign == "/" else -1
    return DayOrder.MONTH_FIRST if slashes > 0 else DayOrder.DAY_FIRST


def proven_order(cell: str) -> DayOrder | None:
    """Return the only possible order of the date in a cell; None if it can be read both ways."""
    return order_of(_without_weekday(" ".join(cell.split()))) if _numeric_date(cell) is not None else None


def _numeric_date(cell: str) -> WrittenDate | None:
    """Return the date in a cell if it's written in numbers and doesn't begin with the year."""
    plain = _without_weekday(" ".join(cell.split()))
    written = find_date(plain, DayOrder.DAY_FIRST, {})
    return None if written is None or written.year is None or plain[:4].isdigit() else written


def _without_weekday(cell: str) -> str:
    matched = _WEEKDAY.match(cell)
    is_weekday = matched is not None and matched[1].lower() not in TABLE_MONTHS
    return cell[matched.end() :] if matched is not None and is_weekday else cell


def _day(cell: str, order: DayOrder) -> tuple[date, str]:
    """Return the day, and the text after the date."""
    plain = _without_weekday(cell)
    written = find_date(plain, order, TABLE_MONTHS)
    if written is None or written.year is None or plain[written.end : written.end + 1].isdigit():
        raise UnreadableError(_NO_DATE.format(cell=cell[:_SHOWN_MAX]))
    if (day := day_of(written.year, written.month, written.day)) is None:
        raise UnreadableError(tr("“{cell}” isn't a real date.", cell=cell[:_SHOWN_MAX]))
    return day, plain[written.end :].lstrip("Tt, ")


class Column(Enum):
    """What a column can contain."""

    TEXT = "text"
    ACCOUNT = "account"
    PLATFORM = "platform"
    DATE = "date"
    TIME = "time"
    ZONE = "zone"
    TITLE = "title"
    MEDIA = "media"
    BOARD = "board"
    LINK = "link"
    BY_HAND = "by hand"
    ID = "id"


_NAMES: Final[Mapping[Column, tuple[str, ...]]] = MappingProxyType(
    # Most likely first: the names used by this program, by other schedulers, and in German.
    {
        Column.TEXT: (
            *(
                "text",
                "caption",
                "message",
                "post",
                "content",
                "body",
                "description",
                "copy",
                "tweet",
                "status",
            ),
            *("posttext", "postcontent", "postmessage", "inhalt", "beitrag", "nachricht", "beschreibung"),
        ),
        Column.ACCOUNT: (
            *("account", "accounts", "profile", "profiles", "channel", "channels", "page", "handle"),
            *("username", "socialaccount", "socialprofile", "konto", "konten", "profil", "kanal"),
        ),
        Column.PLATFORM: (
            "platform",
            "platforms",
            "network",
            "socialnetwork",
            "service",
            "plattform",
            "netzwerk",
        ),
        Column.DATE: (
            *("date", "datetime", "scheduledat", "when", "publishat", "publishdate", "scheduleddate"),
            *(
                "scheduledate",
                "postingdate",
                "postdate",
                "dateandtime",
                "timestamp",
                "scheduled",
                "scheduledtime",
            ),
            *(
                "publishtime",
                "postingtime",
                "publicationdate",
                "datum",
                "datumzeit",
                "datumunduhrzeit",
                "zeitpunkt",
            ),
        ),
        Column.TIME: ("time", "hour", "timeofday", "posttime", "scheduletime", "uhrzeit", "zeit"),
        Column.ZONE: ("zone", "timezone", "tz", "zeitzone"),
        Column.TITLE: ("title", "headline", "videotitle", "pintitle", "posttitle", "titel", "ueberschrift"),
        Column.MEDIA: (
            *("media", "image", "video", "file", "picture", "photo", "imageurl", "videourl", "mediaurl"),
            *(
                "mediaurls",
                "imageurls",
                "attachment",
                "asset",
                "filename",
                "mediafile",
                "datei",
                "bild",
                "medien",
            ),
        ),
        Column.BOARD: ("board", "boardname", "pinterestboard", "pinnwand"),
        Column.LINK: ("link", "pinlink", "pinterestlink", "destinationurl"),
        Column.BY_HAND: (
            *("byhand", "publishbyhand", "manual", "manually", "publishmanually", "reminder", "notifyme"),
            *("vonhand", "manuell", "erinnerung"),
        ),
        Column.ID: ("kalendspost",),
    }
)


@dataclass(frozen=True, slots=True)
class Choices:
    """The interpretation of a table.

    Attributes:
        columns: The index of each kind of column; missing ones aren't in the table.
        zone: The IANA name of the time zone for times without one.
        day_order: How dates such as 03/04/2026 are read.
        account_keys: The accounts for rows without one.
    """

    columns: Mapping[Column, int]
    zone: str
    day_order: DayOrder = DayOrder.DAY_FIRST
    account_keys: tuple[str, ...] = field(default=())


def with_proven_order(choices: Choices, table: Table) -> Choices:
    """Return remembered choices with the order of day and month that this table's own dates prove."""
    index = choices.columns.get(Column.DATE)
    proven = {proven_order(cell) for cell in table.column(index)} - {None} if index is not None else set()
    return replace(choices, day_order=proven.pop() or choices.day_order) if len(proven) == 1 else choices


def guess(table: Table, zone: str) -> Choices:
    """Guess the interpretation of a table from the names of its columns and the dates in them."""
    columns = columns_by_name(table.header)
    if Column.DATE not in columns and (found := _with_times(table, columns.values())) is not None:
        columns[Column.DATE] = found
    if Column.TEXT not in columns and (found := _longest(table, columns.values())) is not None:
        columns[Column.TEXT] = found
    dates = table.column(columns[Column.DATE]) if Column.DATE in columns else []
    return Choices(columns, zone, order_in(dates))


def columns_by_name(header: Sequence[str]) -> dict[Column, int]:
    """Return the columns with known names; each index is used at most once."""
    plain = [_NO_LETTER.sub("", name.casefold()) for name in header]
    found: dict[Column, int] = {}
    for column, names in _NAMES.items():
        for name in names:
            if name in plain and (index := plain.index(name)) not in found.values():
                found[column] = index
                break
    return found


def has_names(cells: Iterable[str]) -> bool:
    """Whether a first row is a header: it contains a known column name, or no time."""
    first = list(cells)
    return bool(columns_by_name(first)) or not any(looks_like_time(cell) for cell in first)


def header_id(header: Sequence[str]) -> str:
    """Return an ID shared by all tables with the same columns."""
    return "\x1f".join(name.casefold() for name in own_columns(header))


def own_columns(header: Sequence[str]) -> Sequence[str]:
    """Return the user's columns, without the result columns that an export appended."""
    count = len(RESULT_COLUMNS)
    while tuple(header[-count:]) == RESULT_COLUMNS:
        header = header[:-count]
    return header


def _with_times(table: Table, taken: Iterable[int]) -> int | None:
    """Return the column with the most times."""
    counts = {
        index: sum(looks_like_time(record.cells[index]) for record in table.records[:_LOOKED_AT])
        for index in range(len(own_columns(table.header)))
        if index not in taken
    }
    best = max(counts, key=counts.__getitem__, default=None)
    return best if best is not None and counts[best] else None


def _longest(table: Table, taken: Iterable[int]) -> int | None:
    """Return the column with the most characters."""
    sums = {
        index: sum(len(record.cells[index]) for record in table.records[:_LOOKED_AT])
        for index in range(len(own_columns(table.header)))
        if index not in taken
    }
    return max(sums, key=sums.__getitem__, default=None)
