"""The list of subscriptions."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID
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
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPen
from PySide6.QtWidgets import (
    QStyleOptionViewItem,
    QWidget,
)

from app.contract.webhooks import WebhookSubscription
from app.desktop.kit.row_delegate import CENTER, END, MIDDLE, Index, Row, RowDelegate
from app.desktop.theme import theme
from app.desktop.webhooks.wording import address, spoken, standing
from app.desktop.widgets import RowList
from app.desktop.widgets.painting import rounded
from app.language import tr

WEBHOOK: Final = Qt.ItemDataRole.UserRole
"""The WebhookSubscription."""
_INSET: Final = 16
_TEXT: Final = 34
_DOT: Final = 8
_APART: Final = 3
_AIR: Final = 12
"""Padding of a framed text, left and right together."""
_BESIDE: Final = 4


class SubscriptionModel(QAbstractListModel):
    """The subscriptions, newest first."""

    def __init__(self, zone: ZoneInfo) -> None:
        super().__init__()
        self.webhooks: tuple[WebhookSubscription, ...] = ()
        self._zone = zone

    def show(self, webhooks: tuple[WebhookSubscription, ...]) -> None:
        """Show these subscriptions; if they are the same ones, update only changed rows."""
        if [one.id for one in webhooks] == [one.id for one in self.webhooks]:
            self.webhooks = webhooks
            if webhooks:
                self.dataChanged.emit(self.index(0), self.index(len(webhooks) - 1))
            return
        self.beginResetModel()
        self.webhooks = webhooks
        self.endResetModel()

    def webhook(self, row: int) -> WebhookSubscription | None:
        return self.webhooks[row] if 0 <= row < len(self.webhooks) else None

    def row_of(self, webhook_id: UUID | None) -> int:
        """Return the row of a subscription, -1 if it is not listed."""
        return next((row for row, one in enumerate(self.webhooks) if one.id == webhook_id), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's signature
        return 0 if parent.isValid() else len(self.webhooks)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the subscription, its URL, or everything that the row shows."""
        webhook = self.webhook(index.row())
        if webhook is None or role == WEBHOOK:
            return webhook
        if role == Qt.ItemDataRole.DisplayRole:
            return address(webhook.url)
        if role == Qt.ItemDataRole.ToolTipRole:
            return webhook.url
        return spoken(webhook, self._zone) if role == Qt.ItemDataRole.AccessibleTextRole else None


class SubscriptionRow(RowDelegate):
    """Paints a dot, the URL, the health, and the events."""

    def __init__(self, parent: QWidget, zone: ZoneInfo) -> None:
        super().__init__(parent)
        self._zone = zone

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the size, with another line if the time of the health needs one."""
        line, webhook = theme.current().metrics.line, index.data(WEBHOOK)
        lines = len(self._lines(webhook)) if webhook is not None else 2
        return QSize(200, 30 + line + lines * (line + _APART) - _APART)

    def paint_row(self, row: Row, index: Index) -> None:
        """Paint one row."""
        webhook: WebhookSubscription | None = index.data(WEBHOOK)
        if webhook is None:
            return
        area, height = row.area, theme.current().metrics.line
        self._paint_ground(row)
        line = QRect(area.left() + _TEXT, area.top() + 11, area.width() - _TEXT - _INSET, height)
        tone = standing(webhook, self._zone)[0]
        self._paint_dot(row, QRect(area.left() + _INSET, line.center().y() - 3, _DOT, _DOT), tone)
        for text, font, ink, elision in self._lines(webhook):
            row.write(line, text, font, ink, elide=elision)
            line.translate(0, height + _APART)
        self._paint_events(row, line.translated(0, 1), webhook.events)

    def _lines(self, webhook: WebhookSubscription) -> list[tuple[str, QFont, str, Qt.TextElideMode]]:
        """Return the lines with font, color and elision: URL, health, and time."""
        look = theme.current()
        name, card = look.font("text", QFont.Weight.DemiBold), look.font("card")
        tone, words, since = standing(webhook, self._zone)
        ink = "text2" if tone in ("ok", "text3") else tone
        named = "text" if webhook.active else "text2"
        lines = [(address(webhook.url), name, named, MIDDLE), (words, card, ink, END)]
        return [*lines, (since, card, "text3", END)] if since else lines

    @staticmethod
    def _paint_events(row: Row, line: QRect, events: Sequence[str]) -> None:
        """Paint each event in a frame, and the number of events without room."""
        font, left = theme.current().font("small"), line.left()
        for words in shown_events(events, line.width()):
            box = QRect(left, line.top(), min(_framed(words), line.right() + 1 - left), line.height())
            rounded(row.painter, QRectF(row.place(box)), 4, fill="surface", line="line")
            row.write(box.adjusted(_AIR // 2, 0, -_AIR // 2, 0), words, font, "text2", side=CENTER)
            left += box.width() + _BESIDE

    @staticmethod
    def _paint_ground(row: Row) -> None:
        area, ring = row.area, theme.current().metrics.ring
        if row.is_selected:
            row.fill(area, "accent_soft")
            row.fill(QRect(area.left(), area.top(), 3, area.height()), "accent")
        if row.has_focus:
            rounded(row.painter, QRectF(area).adjusted(3, 2, -2, -3), 5, line="accent", width=ring)
        row.fill(QRect(area.left(), area.bottom(), area.width(), 1), "line2")

    @staticmethod
    def _paint_dot(row: Row, box: QRect, tone: str) -> None:
        """Paint a ring instead of a dot if it is disabled, because color alone is not enough."""
        place, color, painter = QRectF(row.place(box)), theme.current().color(tone), row.painter
        if tone == "bad":
            painter.setPen(QPen(color, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(place.adjusted(1, 1, -1, -1))
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawEllipse(place)


def shown_events(events: Sequence[str], width: int) -> list[str]:
    """Return the first events that fit a line, at least one, and ``+2`` for the others."""
    for count in range(len(events), 0, -1):
        left = len(events) - count
        words = [*events[:count], *([f"+{left}"] if left else [])]
        if count == 1 or sum(map(_framed, words)) + _BESIDE * (len(words) - 1) <= width:
            return words
    return []


def _framed(words: str) -> int:
    """Return the width of a framed text."""
    return QFontMetrics(theme.current().font("small")).horizontalAdvance(words) + 2 + _AIR


class SubscriptionList(RowList):
    """A list of webhooks. Del asks whether to delete the current one."""

    removed = Signal()

    def __init__(self, model: SubscriptionModel, zone: ZoneInfo) -> None:
        super().__init__(model, tr("Webhooks, newest first"))
        self.setItemDelegate(SubscriptionRow(self, zone))
        self.setUniformItemSizes(False)  # few rows, and a disabled one has another line

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle Del."""
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.currentIndex().isValid():
            self.removed.emit()
            return
        super().keyPressEvent(event)
