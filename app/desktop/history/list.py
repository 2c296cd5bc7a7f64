"""The list of published content: rows and column headers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from PySide6.QtCore import QModelIndex, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem, QWidget

from app.contract.history import ContentRecord
from app.desktop.commands import CommandSet
from app.desktop.history.model import ENTRY, IS_HEADING, SECTION, Entry, HistoryModel, Lookup, Section
from app.desktop.history.wording import count, file_icon, headline, is_failed, says_more, status_words
from app.desktop.kit.row_delegate import CENTER, END, TRAILING, ActingRow, Index, Row, RowAction, width_of
from app.desktop.kit.row_pictures import RowPictures
from app.desktop.theme import icons, theme
from app.desktop.widgets import RowList
from app.desktop.widgets.painting import rounded
from app.desktop.words import clock, platform_name
from app.language import sentence_start, tr, weekday_short
from app.workspace.analytics.counts import Scale

INSET: Final = 16
PICTURE: Final = 40
BAR_HEIGHT: Final = 5
_TIME: Final = 50
_GAP: Final = 12
_TITLE_LEAST: Final = 170
NAMES: Final = {"views": tr("Views"), "likes": tr("Likes"), "comments": tr("Comments")}
_NUMBERS: Final = (("views", 56), ("likes", 50), ("comments", 50))
"""Their least widths; the names above them may need more."""
_BAR: Final = 80
_BEFORE_END: Final = 4
_FIRST_TO_GO: Final = ("bar", "comments", "likes", "time", "views")
"""What a narrow list leaves out, in this order; the panel and the screen reader still have it."""
OPEN_PAGE: Final = "page"
"""The button that opens the post on its platform."""
_HEIGHT: Final = 52
_GLYPH: Final = 12
_GLYPH_GAP: Final = 6
_LEAST_BAR: Final = 3
"""Pixels that show of any bar."""
_HEAD: Final = 34
_OPENS: Final = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})


@dataclass(frozen=True, slots=True)
class Columns:
    """The boxes of a row's parts, from left to right; None for columns that don't fit.

    Boxes of numbers and of the bar are as high as the row.
    """

    time: QRect | None
    picture: QRect
    title: QRect
    bar: QRect | None
    numbers: dict[str, QRect]


def name_font() -> QFont:
    """Return the font of the column headers."""
    return theme.current().font("card", QFont.Weight.Medium)


def columns(area: QRect) -> Columns:
    """Return the columns of a row, or of the header."""
    look = theme.current()
    widths = {"time": look.grown(_TIME), "bar": look.grown(_BAR)}
    metrics = QFontMetrics(name_font())
    for name, width in _NUMBERS:
        widths[name] = max(look.grown(width), metrics.horizontalAdvance(NAMES[name]) + 1)
    picture, end = look.grown(PICTURE), width_of(1)
    room = area.width() - INSET - picture - _GAP - end - _BEFORE_END - look.grown(_TITLE_LEAST)
    for name in _FIRST_TO_GO:
        if sum(width + _GAP for width in widths.values()) > room:
            del widths[name]

    right = area.right() + 1 - end - _BEFORE_END
    numbers = {}
    for name, _ in reversed(_NUMBERS):
        if name in widths:
            numbers[name] = QRect(right - widths[name], area.top(), widths[name], area.height())
            right -= widths[name] + _GAP
    bar = None
    if "bar" in widths:
        bar = QRect(right - widths["bar"], area.center().y() - BAR_HEIGHT // 2, widths["bar"], BAR_HEIGHT)
        right -= widths["bar"] + _GAP
    left = area.left() + INSET
    moment = None
    if "time" in widths:
        moment = QRect(left, area.top(), widths["time"], area.height())
        left += widths["time"] + _GAP
    tile = QRect(left, area.center().y() - picture // 2 + 1, picture, picture)
    left += picture + _GAP
    return Columns(moment, tile, QRect(left, area.top(), right - left, area.height()), bar, numbers)


class RecordRow(ActingRow):
    """Paints time, picture, title, account, metrics and the link to the page; or a day's heading."""

    def __init__(self, view: QAbstractItemView, lookup: Lookup, pictures: RowPictures) -> None:
        super().__init__(view)
        self._lookup, self._pictures = lookup, pictures
        self.scale = Scale()
        """What the bars are measured against."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        # Headings are as high as rows: a list whose rows all have one height scrolls however long it is.
        return QSize(200, _HEIGHT + 2 * (theme.current().metrics.line - 18))

    def actions(self, index: Index) -> Sequence[RowAction]:
        """Return the button that opens the post's page, if there is one."""
        entry: Entry | None = index.data(ENTRY)
        if entry is None or not self._lookup.has_page(entry.record):
            return ()
        platform = platform_name(entry.record.platform.value)
        return (RowAction(OPEN_PAGE, "external-link", tr("Open on {platform}", platform=platform)),)

    def paint_row(self, row: Row, index: Index) -> None:
        """Paint a heading or a record; placeholder bars until the record is loaded."""
        section: Section = index.data(SECTION)
        if index.data(IS_HEADING):
            _paint_heading(row, section)
            return
        is_first = bool(index.model().index(index.row() - 1, 0).data(IS_HEADING))
        row.has_focus = row.has_focus and self.shows_focus
        row.band(line=not is_first)
        entry: Entry | None = index.data(ENTRY)
        places = columns(row.area)
        if entry is None:
            _paint_unread(row, places)
            return
        self._paint_record(row, self._widened(places, entry), entry.record, section)
        self._paint_result(row, places, entry)
        self.paint_actions(row, index, "text2" if row.is_hovered or row.is_selected else "text3")

    def _widened(self, places: Columns, entry: Entry) -> Columns:
        """Extend the title to where the bar would be, for a record without bar and status."""
        counts = self.scale.reported(entry.record.platform.value, entry.counts)
        if places.bar is None or says_more(entry.record) or counts.views is not None:
            return places
        return replace(
            places, title=places.title.adjusted(0, 0, places.bar.right() - places.title.right(), 0)
        )

    def _paint_record(self, row: Row, places: Columns, record: ContentRecord, section: Section) -> None:
        look, lookup, moment = theme.current(), self._lookup, self._lookup.moment(record)
        if places.time is not None:
            when = clock(moment) if section.is_one_day else _day_words(moment)
            row.write(places.time, when, look.font("clock"), "text2")
        ratio = row.painter.device().devicePixelRatio()
        picture = self._pictures.of(lookup.file(record), ratio)
        row.tile(places.picture, picture, file_icon(record))
        line, box = look.metrics.line, places.title
        top = box.center().y() - line + 1
        title = QRect(box.left(), top, box.width(), line)
        row.write(title, headline(record), look.font("strong"), "text")
        edge = look.grown(_GLYPH)
        glyph = QRect(box.left(), top + line + (line - edge) // 2, edge, edge)
        account, platform = lookup.account(record), record.platform.value
        color = look.tokens.account(account.color_index) if account is not None else "text2"
        row.icon(glyph, icons.platform_icon(platform), color)
        left = edge + _GLYPH_GAP
        status = status_words(record) if places.bar is None and says_more(record) else ""
        facts = " · ".join(
            filter(None, (lookup.account_name(record), lookup.surprising_source(record), status))
        )
        row.write(title.adjusted(left, line, 0, line), facts, look.font("card"), "text2")

    def _paint_result(self, row: Row, places: Columns, entry: Entry) -> None:
        record, look = entry.record, theme.current()
        counts = self.scale.reported(record.platform.value, entry.counts)
        if places.bar is not None:
            if says_more(record):
                _paint_status(row, places.bar, record)
            elif counts.views is not None:
                self._paint_bar(row, places.bar, counts.views)
        for name, box in places.numbers.items():
            value, is_main = getattr(counts, name), name == "views"
            font = look.font("clock", QFont.Weight.DemiBold if is_main else None)
            color = "text3" if value is None else "text" if is_main else "text2"
            row.write(box, count(value), font, color, side=TRAILING)

    def _paint_bar(self, row: Row, box: QRect, views: int) -> None:
        radius, share = box.height() / 2, min(1.0, views / max(1, self.scale.views))
        rounded(row.painter, QRectF(row.place(box)), radius, fill="data1")
        if views:
            filled = QRect(box.left(), box.top(), max(_LEAST_BAR, round(box.width() * share)), box.height())
            rounded(row.painter, QRectF(row.place(filled)), radius, fill="text2")


def _paint_heading(row: Row, section: Section) -> None:
    look, area = theme.current(), row.area
    line = QRect(area.left() + INSET, area.bottom() - look.metrics.line - 9, 0, look.metrics.line)
    strong = look.font("strong")
    width = QFontMetrics(strong).horizontalAdvance(section.title) + 1
    line.setWidth(min(width, area.width() - 2 * INSET))
    row.write(line, section.title, strong, "rubric" if section.is_today else "text")
    rest = QRect(line.right() + 9, line.top(), area.right() - line.right() - 9 - INSET, line.height())
    row.write(rest, section.detail, look.font("card"), "text2")


def _paint_unread(row: Row, places: Columns) -> None:
    rounded(row.painter, QRectF(row.place(places.picture)), 5, fill="line2")
    box = places.title
    for top, height, share in ((-13, 9, 0.6), (5, 7, 0.35)):
        bar = QRect(box.left(), box.center().y() + top, round(box.width() * share), height)
        rounded(row.painter, QRectF(row.place(bar)), height / 2, fill="line2")


def _paint_status(row: Row, room: QRect, record: ContentRecord) -> None:
    """Paint the status instead of the bar."""
    font = theme.current().font("small", QFont.Weight.Medium)
    metrics = QFontMetrics(font)
    shown = metrics.elidedText(sentence_start(status_words(record)), END, room.width() - 16)
    box = row.middle(room.left(), metrics.horizontalAdvance(shown) + 16, metrics.height() + 4)
    tone = "bad" if is_failed(record) else "warn"
    rounded(row.painter, QRectF(row.place(box)), box.height() / 2, fill=f"{tone}_soft")
    row.write(box, shown, font, tone, side=CENTER)


def _day_words(moment: datetime) -> str:
    return tr("{weekday} {day}", weekday=weekday_short(moment), day=moment.day)


class ColumnNames(QWidget):
    """The column headers; screen readers read them with each number.

    ``section`` is the title of the first visible rows, once their own heading has scrolled away.
    """

    def __init__(self, parent: QWidget, section: Callable[[], str]) -> None:
        super().__init__(parent)
        self._section = section

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, look = QPainter(self), theme.current()
        places = columns(self.rect())
        painter.setFont(name_font())
        painter.setPen(look.color("text2"))
        middle = Qt.AlignmentFlag.AlignVCenter
        leading = middle | Qt.AlignmentFlag.AlignLeading
        painter.drawText(self._place(places.title), leading, tr("Post"))
        room = QRect(INSET, 0, places.title.left() - INSET - 4, self.height())
        shown = painter.fontMetrics().elidedText(self._section(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(self._place(room), leading, shown)
        for name, box in places.numbers.items():
            painter.drawText(self._place(box), middle | Qt.AlignmentFlag.AlignTrailing, NAMES[name])
        line = QRectF(0, self.height() - 1, self.width(), 1)
        painter.fillRect(line, look.color("line"))

    def _place(self, box: QRect) -> QRect:
        return QStyle.visualRect(self.layoutDirection(), self.rect(), box)


class RecordList(RowList):
    """Rows with headings. Enter opens the post, the menu key shows other actions."""

    opened = Signal()
    menu_wanted = Signal(object)
    """Where a menu is wanted, a QPoint on the screen."""

    def __init__(self, model: HistoryModel) -> None:
        self._names: ColumnNames | None = None  # Qt asks for the geometry before there are any
        super().__init__(model, tr("Published posts, newest first"))
        self._model = model
        self.commands = CommandSet(self, "history")
        self._names = ColumnNames(self, self._scrolled_section)
        self.verticalScrollBar().valueChanged.connect(self._names.update)
        model.modelReset.connect(self._names.update)
        self.setMouseTracking(True)
        theme.follow(self._make_room)

    def choose(self, row: int) -> None:
        """Select a row; for a heading, the next row."""
        while row < self._model.rowCount() and self._model.is_heading(row):
            row += 1
        if row < self._model.rowCount():
            self.setCurrentIndex(self._model.index(row))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle Enter and shortcuts; Qt handles the arrow keys."""
        if self.commands.press(event):
            return
        if event.key() in _OPENS and self.currentIndex().isValid():
            self.opened.emit()
            return
        super().keyPressEvent(event)

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Let Home go to the first record, because the first row is a heading."""
        if action == QAbstractItemView.CursorAction.MoveHome and self._model.rowCount() > 1:
            self.scrollToTop()
            return self._model.index(1)
        return super().moveCursor(action, modifiers)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Request the menu of the selected row."""
        index = self.currentIndex()
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            index = self.indexAt(event.pos())
        if index.isValid() and not self._model.is_heading(index.row()):
            self.setCurrentIndex(index)
            is_by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
            below = self.viewport().mapToGlobal(self.visualRect(index).center())
            self.menu_wanted.emit(event.globalPos() if is_by_mouse else below)

    def updateGeometries(self) -> None:
        """Keep the headers above the rows, excluding the scroll bar."""
        super().updateGeometries()
        if self._names is not None:
            area, height = self.viewport().geometry(), theme.current().grown(_HEAD)
            self._names.setGeometry(area.left(), area.top() - height, area.width(), height)

    def _scrolled_section(self) -> str:
        """Return the title of the first visible row's section; empty while its heading is visible."""
        row = self.indexAt(QPoint(1, 1)).row()
        return "" if row < 0 or self._model.is_heading(row) else self._model.section(row).title

    def _make_room(self) -> None:
        self.setViewportMargins(0, theme.current().grown(_HEAD), 0, 0)
        self.doItemsLayout()
