"""The log of deliveries. More pages are loaded while scrolling."""

from typing import Any, Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QStyle,
    QStyleOptionViewItem,
    QWidget,
)

from app.contract.pagination import Page
from app.contract.webhooks import WebhookDelivery
from app.desktop.kit.row_delegate import CENTER, LEADING, MIDDLE, TRAILING, Index, Row, RowDelegate
from app.desktop.theme import theme
from app.desktop.theme.fonts import Role
from app.desktop.webhooks.wording import attempt, delivery_spoken, latency, status, when
from app.desktop.widgets import RowList
from app.desktop.widgets.painting import rounded
from app.language import tr
from app.workspace.foreign_texts import in_own_language

DELIVERY: Final = Qt.ItemDataRole.UserRole
"""The WebhookDelivery."""
_INSET: Final = 16
_GAP: Final = 12
_WIDTHS: Final = (148, 150, 66, 66, 78, 0)
_EVENT, _ATTEMPT, _STATUS, _LATENCY, _EVENT_ID = 1, 2, 3, 4, 5
_LEAST_ID: Final = 40
_HEADS: Final = (
    (tr("Time"), LEADING),
    (tr("Event"), LEADING),
    (tr("Attempt"), TRAILING),
    (tr("Status"), LEADING),
    (tr("Latency"), TRAILING),
    (tr("Event ID"), LEADING),
)


class DeliveryModel(QAbstractListModel):
    """``known`` are all deliveries read, newest first; the rows are those that match the filter."""

    more_wanted = Signal()
    """The view is near the end of the rows, and the service has more."""

    def __init__(self, zone: ZoneInfo) -> None:
        super().__init__()
        self.known: list[WebhookDelivery] = []
        self.cursor: str | None = None
        self._rows: list[WebhookDelivery] = []
        self._zone = zone
        self._only_failed = False
        self._is_asking = False

    def clear(self) -> None:
        """Remove all deliveries."""
        self.known, self.cursor, self._is_asking = [], None, False
        self._arrange()

    def take_first(self, page: Page[WebhookDelivery]) -> None:
        """Add the newest page. Older deliveries stay if the page overlaps them."""
        fresh = {one.id for one in page.data}
        rest = [one for one in self.known if one.id not in fresh]
        meets = len(rest) < len(self.known)
        before, self._is_asking = self.known, False
        if not meets or page.next_cursor is None:
            rest, self.cursor = [], page.next_cursor
        self.known = [*page.data, *rest]
        if self.known != before:
            self._arrange()

    def take_more(self, page: Page[WebhookDelivery]) -> None:
        """Add the next page."""
        self._is_asking, self.cursor = False, page.next_cursor
        there = {one.id for one in self.known}
        fresh = [one for one in page.data if one.id not in there]
        self.known += fresh
        shown = list(filter(self._fits, fresh))
        if shown:
            end = len(self._rows)
            self.beginInsertRows(QModelIndex(), end, end + len(shown) - 1)
            self._rows += shown
            self.endInsertRows()

    def give_up(self) -> None:
        """Note that the next page failed. It is requested again when the end is reached again."""
        self._is_asking = False

    def show_failed(self, *, only: bool) -> None:
        """Set whether only failed deliveries show."""
        self._only_failed = only
        self._arrange()

    def delivery(self, row: int) -> WebhookDelivery | None:
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def row_of(self, wanted: WebhookDelivery | None) -> int:
        """Return the row of a delivery, -1 if it does not show."""
        if wanted is None:
            return -1
        return next((row for row, one in enumerate(self._rows) if one.id == wanted.id), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's signature
        return 0 if parent.isValid() else len(self._rows)

    def canFetchMore(self, _parent: Index) -> bool:  # noqa: N802  Qt's
        return self.cursor is not None and not self._is_asking

    def fetchMore(self, _parent: Index) -> None:  # noqa: N802  Qt's
        """Request the next page. The view calls this near the end."""
        self._is_asking = True
        self.more_wanted.emit()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the delivery, its event, or everything that the row shows."""
        delivery = self.delivery(index.row())
        if delivery is None or role == DELIVERY:
            return delivery
        if role == Qt.ItemDataRole.DisplayRole:
            return delivery.event_type
        if role == Qt.ItemDataRole.ToolTipRole:
            return in_own_language(delivery.error_message or "") or None
        return delivery_spoken(delivery, self._zone) if role == Qt.ItemDataRole.AccessibleTextRole else None

    def _arrange(self) -> None:
        self.beginResetModel()
        self._rows = list(filter(self._fits, self.known))
        self.endResetModel()

    def _fits(self, delivery: WebhookDelivery) -> bool:
        return not self._only_failed or delivery.delivered_at is None


def columns(width: int) -> list[QRect | None]:
    """Return the places of the six columns in a row, without heights.

    Columns that a narrow row leaves out are None, because the panel or the status has the same: first the
    ID, then the latency, then the attempt.
    """
    scale = theme.current().scale
    widths = [round(part * scale) for part in _WIDTHS]
    given = {_EVENT_ID}
    for least in (_LATENCY, _ATTEMPT):
        if _room(width, widths, given) < 0:
            given.add(least)
    widths[_EVENT] += min(0, _room(width, widths, given))
    if _room(width, widths, given) >= _LEAST_ID * scale:
        widths[_EVENT_ID] = _room(width, widths, given) - _GAP
        given = set()
    x, boxes = _INSET, []
    for column, part in enumerate(widths):
        boxes.append(None if column in given else QRect(x, 0, part, 0))
        x += 0 if column in given else part + _GAP
    return boxes


def _room(width: int, widths: list[int], given: set[int]) -> int:
    """Return the width left by the columns that are not ``given`` up."""
    kept = [part for column, part in enumerate(widths) if column not in given]
    return width - 2 * _INSET - sum(kept) - _GAP * (len(kept) - 1)


class DeliveryRow(RowDelegate):
    """Paints time, event, attempt, status, latency and event ID."""

    def __init__(self, parent: QWidget, zone: ZoneInfo) -> None:
        super().__init__(parent)
        self._zone = zone

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(300, round(30 * theme.current().scale))

    def paint_row(self, row: Row, index: Index) -> None:
        """Paint one row."""
        delivery: WebhookDelivery | None = index.data(DELIVERY)
        if delivery is None:
            return
        look, area = theme.current(), row.area
        if row.is_selected:
            row.fill(area, "accent_soft")
        if row.has_focus:
            ring = QRectF(area).adjusted(3, 1, -3, -2)
            rounded(row.painter, ring, 5, line="accent", width=look.metrics.ring)
        row.fill(QRect(area.left(), area.bottom(), area.width(), 1), "line2")
        tone, word = status(delivery)
        cells: tuple[tuple[str, Role, str, Qt.AlignmentFlag], ...] = (
            (_upper(when(delivery.created_at, self._zone, seconds=True)), "clock", "text", LEADING),
            (delivery.event_type, "card", "text", LEADING),
            (attempt(delivery), "clock", "text2", TRAILING),
            ("", "clock", tone, LEADING),
            (latency(delivery.latency_ms), "clock", "text2", TRAILING),
            (delivery.event_id, "mono", "text3", LEADING),
        )
        for column, box in enumerate(columns(area.width())):
            if box is None:
                continue
            place = QRect(area.left() + box.left(), area.top(), box.width(), area.height())
            words, role, ink, side = cells[column]
            if column == _STATUS:
                _paint_status(row, place, tone, word)
            else:
                row.write(place, words, look.font(role), ink, side=side, elide=MIDDLE)


class DeliveryHead(QWidget):
    """The names of the columns."""

    def __init__(self) -> None:
        super().__init__()
        theme.follow(self._fit)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the names above their columns."""
        look, painter = theme.current(), QPainter(self)
        painter.setFont(look.font("card"))
        painter.setPen(look.color("text3"))
        for (name, alignment), box in zip(_HEADS, columns(self.width()), strict=True):
            if box is not None:
                box.setHeight(self.height())
                place = QStyle.visualRect(self.layoutDirection(), self.rect(), box)
                painter.drawText(place, alignment, name)
        painter.fillRect(0, self.height() - 1, self.width(), 1, look.color("line2"))

    def _fit(self) -> None:
        self.setFixedHeight(QFontMetrics(theme.current().font("card")).height() + 10)


class DeliveryList(RowList):
    """A list of deliveries. R replays the current one."""

    replayed = Signal()

    def __init__(self, model: DeliveryModel, zone: ZoneInfo) -> None:
        super().__init__(model, tr("Deliveries, newest first"))
        self.setItemDelegate(DeliveryRow(self, zone))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle R."""
        if event.key() == Qt.Key.Key_R and self.currentIndex().isValid():
            self.replayed.emit()
            return
        super().keyPressEvent(event)


def _paint_status(row: Row, place: QRect, tone: str, word: str) -> None:
    font = theme.current().font("small", QFont.Weight.DemiBold)
    metrics = QFontMetrics(font)
    width, height = max(34, metrics.horizontalAdvance(word) + 14), metrics.height() + 4
    box = row.middle(place.left(), min(width, place.width()), height)
    rounded(row.painter, QRectF(row.place(box)), height / 2, fill=f"{tone}_soft")
    row.write(box, word, font, tone, side=CENTER)


def _upper(words: str) -> str:
    return words[:1].upper() + words[1:]
