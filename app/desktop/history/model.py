"""Published content as rows under headings; rows load when visible, with their posts, accounts and files."""

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from operator import neg
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from app.contract.enums import CreatedVia
from app.contract.history import ContentRecord
from app.desktop import week
from app.desktop.history.wording import headline, page_of, spoken, via_words
from app.desktop.words import date_short, day, handle, month_year, platform_name
from app.language import month_name, tr, trc, weekday_name
from app.platforms.cards import is_by_hand
from app.workspace.accounts.account import Account
from app.workspace.analytics.counts import Counts
from app.workspace.clock import to_millis
from app.workspace.posts.planned import PlannedPost
from app.workspace.published import Found
from app.workspace.workspace import Workspace

_DAY: Final = timedelta(days=1)
_WEEK: Final = timedelta(days=7)
ENTRY: Final = Qt.ItemDataRole.UserRole
"""The Entry of a row; None for a heading, and until it was read."""
SECTION: Final = Qt.ItemDataRole.UserRole + 1
"""The Section that a row belongs to."""
IS_HEADING: Final = Qt.ItemDataRole.UserRole + 2
PIECE: Final = 100
"""Records that are read together."""
_KEPT: Final = 40
"""Pieces kept in memory."""
Index = QModelIndex | QPersistentModelIndex
BY_USER: Final = tr("by you")


class Answer(NamedTuple):
    """What the service says about published content: its page, "" if unknown, and whether by the user."""

    page: str
    by_user: bool = False


class Lookup:
    """Returns what is in memory, so that rows can use it while painting."""

    def __init__(self, workspace: Workspace, zone: ZoneInfo) -> None:
        self._workspace, self._zone = workspace, zone

    def post(self, record: ContentRecord) -> PlannedPost | None:
        """Return the post that content came from; None if it isn't in the calendar."""
        key = self._workspace.published.post_key(record)
        return self._workspace.posts.get(key) if key is not None else None

    def account(self, record: ContentRecord) -> Account | None:
        """Return the account that published content; None if it isn't connected."""
        post = self.post(record)
        return self._workspace.accounts.get(post.account_key) if post is not None else None

    def account_name(self, record: ContentRecord) -> str:
        """Return who published content: ``Okafor Studio``, or the platform."""
        account, platform = self.account(record), record.platform.value
        if account is None:
            return platform_name(platform)
        return account.name or handle(account.handle, platform) or platform_name(platform)

    def file(self, record: ContentRecord) -> str:
        """Return the storage path of a post's file; empty for none.

        Only files of the library: a media URL in a record comes from outside and is never fetched.
        """
        post = self.post(record)
        return post.media if post is not None else ""

    def source(self, record: ContentRecord) -> str:
        """Return ``via MCP`` and so on, ``by you`` if published by hand; empty for posts of this app."""
        post = self.post(record)
        if is_by_hand(record.platform) or (post is not None and post.by_hand):
            return BY_USER
        return "" if self._workspace.published.is_own(record) else via_words(record)

    def surprising_source(self, record: ContentRecord) -> str:
        """Return the source if it's informative: not that a post of this calendar came through the API.

        Kalends itself uses the API, and doesn't recognise its own posts from another computer by their keys.
        """
        is_usual = record.created_via is CreatedVia.REST and self.post(record) is not None
        return "" if is_usual else self.source(record)

    def has_page(self, record: ContentRecord) -> bool:
        """Whether the page is known, or the service can return it."""
        workspace = self._workspace
        can_ask = workspace.sync.connected and workspace.tells_attempts and self.post(record) is not None
        return can_ask or bool(self.page(record))

    async def find_page(self, record: ContentRecord) -> str:
        """Ask the service for a post's page, which is more reliable than deriving it. Raises Problem."""
        return (await self.ask(record)).page

    async def ask(self, record: ContentRecord) -> Answer:
        """Ask the service how a post was published. Raises Problem."""
        post = self.post(record)
        if post is None:
            return Answer(self.page(record))
        detail = await self._workspace.detail(post.key)
        return Answer(detail.page or self.page(record), by_user=detail.is_finished_by_user)

    def page(self, record: ContentRecord) -> str:
        """Return the public page of content; empty if it can't be derived from the ID."""
        return page_of(record, practice=self._workspace.practice)

    def moment(self, record: ContentRecord) -> datetime:
        """Return when content was published, in the calendar's zone."""
        return record.created_at.astimezone(self._zone)


class Section(NamedTuple):
    """A heading and the position of its records.

    Attributes:
        first: Index of its first record among all, newest first.
        title: ``Today``, ``Friday``, ``Last week``, ``October 2025``.
        detail: Its days: ``Fri 20 Nov``, ``9 to 15 Nov`` as a range; empty for months.
        is_today: Whether it contains today's records.
        is_one_day: Whether its rows show times instead of days.
    """

    first: int
    title: str
    detail: str = ""
    is_today: bool = False
    is_one_day: bool = True


def sections(moments: Sequence[int], now: datetime) -> list[Section]:
    """Return the headings for times in ms since 1970 UTC, newest first.

    Days are those of the zone of ``now``. Future times count as today.
    """
    zone, today = _zone(now), now.date()
    found: list[Section] = []
    first = 0
    while first < len(moments):
        newest = datetime.fromtimestamp(moments[first] / 1_000, zone).date()
        section, begins = _section(first, min(newest, today), today)
        found.append(section)
        start = to_millis(datetime.combine(begins, time(), zone))
        # The newest is in any case: a clock change may have taken the midnight it is compared with.
        first = max(first + 1, bisect_right(moments, -start, lo=first, key=neg))
    return found


def next_day(now: datetime) -> datetime:
    """Return the next midnight in the zone of ``now``, when headings change."""
    return datetime.combine(now.date() + _DAY, time(), _zone(now))


def _zone(now: datetime) -> ZoneInfo:
    zone = now.tzinfo
    assert isinstance(zone, ZoneInfo)  # noqa: S101  of the calendar
    return zone


def _section(first: int, newest: date, today: date) -> tuple[Section, date]:
    """Return a section, and its first day."""
    this_week = date.fromordinal(week.first_of(today.toordinal()))
    last_week = this_week - _WEEK
    if newest == today:
        return Section(first, tr("Today"), day(today), is_today=True), today
    if newest == today - _DAY:
        return Section(first, tr("Yesterday"), day(newest)), newest
    if newest >= this_week:
        return Section(first, weekday_name(newest), date_short(newest)), newest
    if newest >= last_week:
        days = _range(last_week, this_week - _DAY)
        return Section(first, tr("Last week"), days, is_one_day=False), last_week
    return Section(first, _month(newest, today), is_one_day=False), newest.replace(day=1)


def _month(newest: date, today: date) -> str:
    if newest.year != today.year:
        return month_year(newest)
    if newest.month == today.month:
        return tr("Earlier in {month}", month=month_name(newest))
    return month_name(newest)


def _range(first: date, last: date) -> str:
    is_same = first.month == last.month
    begins = trc("day of a month", "{day}", day=first.day) if is_same else date_short(first)
    return f"{begins} – {date_short(last)}"  # noqa: RUF001  a range


class Entry(NamedTuple):
    """The content of a row."""

    record: ContentRecord
    counts: Counts


class HistoryModel(QAbstractListModel):
    """Lists records under their headings, and loads them in pages."""

    wanted = Signal(int)
    """The number of a piece that is visible and wasn't read."""

    def __init__(self, lookup: Lookup) -> None:
        super().__init__()
        self._lookup = lookup
        self.places: Sequence[int] = ()
        """Of all records, newest first."""
        self.sections: Sequence[Section] = ()
        self._rows: list[int] = []
        """Of each row, the number of its record; of a heading, minus one and the number of its section."""
        self._pieces: OrderedDict[int, list[Entry | None]] = OrderedDict()
        self._asked: set[int] = set()

    def show(self, found: Found, sections: Sequence[Section]) -> None:
        """Set the listed records."""
        self.beginResetModel()
        self.places, self.sections = found.places, sections
        self._rows = []
        ends = [*(section.first for section in sections[1:]), len(found.places)]
        for number, section in enumerate(sections):
            self._rows.append(-1 - number)
            self._rows += range(section.first, ends[number])
        self._pieces.clear()
        self._asked.clear()
        self.endResetModel()

    def places_of(self, piece: int) -> Sequence[int]:
        """Return the indexes of a page of records."""
        return self.places[piece * PIECE : (piece + 1) * PIECE]

    def take(
        self,
        piece: int,
        places: Sequence[int],
        found: Mapping[int, ContentRecord],
        counts: Mapping[int, Counts],
    ) -> None:
        """Store loaded records, unless the list has changed since."""
        if list(places) != list(self.places_of(piece)):
            return
        self._asked.discard(piece)
        self._pieces[piece] = [
            Entry(found[place], counts.get(place, Counts())) if place in found else None for place in places
        ]
        while len(self._pieces) > _KEPT:
            self._pieces.popitem(last=False)
        first = piece * PIECE
        rows = self._row_at(first), self._row_at(first + len(places) - 1)
        self.dataChanged.emit(self.index(rows[0]), self.index(rows[1]))

    def give_up(self, piece: int) -> None:
        """Request a page that failed to load again once it's visible."""
        self._asked.discard(piece)

    def pieces(self) -> list[int]:
        """Return the numbers of the loaded pages."""
        return list(self._pieces)

    def entry(self, row: int) -> Entry | None:
        """Return a row's content, requesting it if it isn't loaded; None for headings."""
        number = self._rows[row] if 0 <= row < len(self._rows) else -1
        if number < 0:
            return None
        piece = number // PIECE
        if (kept := self._pieces.get(piece)) is not None:
            self._pieces.move_to_end(piece)
            return kept[number % PIECE]
        if piece not in self._asked:
            self._asked.add(piece)
            self.wanted.emit(piece)
        return None

    def record(self, row: int) -> ContentRecord | None:
        """Return a row's record, like ``entry``."""
        entry = self.entry(row)
        return entry.record if entry is not None else None

    def place(self, row: int) -> int | None:
        """Return the index of a row's record; None for headings."""
        number = self._rows[row] if 0 <= row < len(self._rows) else -1
        return self.places[number] if number >= 0 else None

    def row_of(self, place: int) -> int:
        """Return the row of a record's index; -1 if it isn't listed."""
        try:
            return self._row_at(self.places.index(place))
        except ValueError:
            return -1

    def row_of_section(self, number: int) -> int:
        """Return the row of a heading, by its section's number."""
        return self.sections[number].first + number

    def is_heading(self, row: int) -> bool:
        """Whether a row is a heading."""
        return self._rows[row] < 0

    def section(self, row: int) -> Section:
        """Return the section of a row."""
        number = self._rows[row]
        if number < 0:
            return self.sections[-1 - number]
        return next(one for one in reversed(self.sections) if one.first <= number)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's signature
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Headings can't be selected, and the arrow keys skip them."""
        if self.is_heading(index.row()):
            return Qt.ItemFlag.ItemNeverHasChildren
        return super().flags(index) | Qt.ItemFlag.ItemNeverHasChildren

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a row's content, and its description."""
        row = index.row()
        if role == IS_HEADING:
            return self.is_heading(row)
        if role == SECTION:
            return self.section(row)
        if role == ENTRY:
            return self.entry(row)
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        if self.is_heading(row):
            section = self.section(row)
            return ", ".join(filter(None, (section.title, section.detail)))
        entry = self.entry(row)
        if entry is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return headline(entry.record)
        return self._spoken(entry)

    def _spoken(self, entry: Entry) -> str:
        record, lookup = entry.record, self._lookup
        return spoken(
            record,
            entry.counts,
            lookup.account_name(record),
            lookup.moment(record),
            lookup.surprising_source(record),
        )

    def _row_at(self, number: int) -> int:
        """Return the row of a record's index, counting the headings above it."""
        return number + sum(section.first <= number for section in self.sections)
