"""The meaning of a table's columns: guessed from their names, changed by the user, remembered. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Final

from app.workspace.exchange.csv_table import Table
from app.workspace.exchange.csv_times import looks_like_time, order_in
from app.workspace.time.written import DayOrder

_NO_LETTER: Final = re.compile(r"[\W_]+")
_LOOKED_AT: Final = 200


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
    ID = "id"


_NAMES: Final[Mapping[Column, tuple[str, ...]]] = MappingProxyType(
    # In the order of likeliness; of this program, of other schedulers, and in German.
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
        Column.ID: ("kalendspost",),
    }
)


RESULT_COLUMNS: Final = ("Result", "Reason")
"""Columns added to a table when its rows are exported with their results."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The interpretation of a table.

    Attributes:
        columns: The index of each kind of column; missing ones aren't in the table.
        zone: The IANA name of the zone of times that name none.
        day_order: How dates such as 03/04/2026 are read.
        account_keys: The accounts of rows that name none.
    """

    columns: Mapping[Column, int]
    zone: str
    day_order: DayOrder = DayOrder.DAY_FIRST
    account_keys: tuple[str, ...] = field(default=())


def guess(table: Table, zone: str) -> Choices:
    """What the names of the columns, and the dates in them, say."""
    columns = columns_by_name(table.header)
    if Column.DATE not in columns and (found := _with_times(table, columns.values())) is not None:
        columns[Column.DATE] = found
    if Column.TEXT not in columns and (found := _longest(table, columns.values())) is not None:
        columns[Column.TEXT] = found
    dates = table.column(columns[Column.DATE]) if Column.DATE in columns else []
    return Choices(columns, zone, order_in(dates))


def columns_by_name(header: Sequence[str]) -> dict[Column, int]:
    """The columns whose names are known; each means one thing at most."""
    plain = [_NO_LETTER.sub("", name.casefold()) for name in header]
    found: dict[Column, int] = {}
    for column, names in _NAMES.items():
        for name in names:
            if name in plain and (index := plain.index(name)) not in found.values():
                found[column] = index
                break
    return found


def has_names(cells: Iterable[str]) -> bool:
    """Whether a first row names columns: one of the names is known, or none of its cells is a time."""
    first = list(cells)
    return bool(columns_by_name(first)) or not any(looks_like_time(cell) for cell in first)


def header_id(header: Sequence[str]) -> str:
    """What tables with the same columns have in common."""
    return "\x1f".join(name.casefold() for name in own_columns(header))


def own_columns(header: Sequence[str]) -> Sequence[str]:
    """The columns that a person made: those that tell what became of the rows were put behind them."""
    count = len(RESULT_COLUMNS)
    while tuple(header[-count:]) == RESULT_COLUMNS:
        header = header[:-count]
    return header


def _with_times(table: Table, taken: Iterable[int]) -> int | None:
    """The column in which most cells are times."""
    counts = {
        index: sum(looks_like_time(record.cells[index]) for record in table.records[:_LOOKED_AT])
        for index in range(len(own_columns(table.header)))
        if index not in taken
    }
    best = max(counts, key=counts.__getitem__, default=None)
    return best if best is not None and counts[best] else None


def _longest(table: Table, taken: Iterable[int]) -> int | None:
    """The column with the most letters."""
    sums = {
        index: sum(len(record.cells[index]) for record in table.records[:_LOOKED_AT])
        for index in range(len(own_columns(table.header)))
        if index not in taken
    }
    return max(sums, key=sums.__getitem__, default=None)
