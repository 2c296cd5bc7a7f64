"""The list of subscriptions."""

from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.contract.webhooks import WebhookSubscription
from app.desktop.theme import theme
from app.desktop.webhooks.wording import address, health, spoken
from app.desktop.widgets import RowList
from app.desktop.widgets.painting import rounded
from app.language import tr

Index = QModelIndex | QPersistentModelIndex

WEBHOOK: Final = Qt.ItemDataRole.UserRole
"""The WebhookSubscription."""
_INSET: Final = 16
_TEXT: Final = 34
_DOT: Final = 8
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading


class SubscriptionModel(QAbstractListModel):
    """The subscriptions, newest first."""

    def __init__(self, zone: ZoneInfo) -> None:
        super().__init__()
        self.webhooks: tuple[WebhookSubscription, ...] = ()
        self._zone = zone

    def show(self, webhooks: tuple[WebhookSubscription, ...]) -> None:
        """Lists these from now on; where they are the same ones, only what changed of them."""
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
        """The row of a subscription, -1 where it is not listed."""
        return next((row for row, one in enumerate(self.webhooks) if one.id == webhook_id), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's signature
        return 0 if parent.isValid() else len(self.webhooks)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The subscription, its address, and everything that the row shows."""
        webhook = self.webhook(index.row())
        if webhook is None or role == WEBHOOK:
            return webhook
        if role == Qt.ItemDataRole.DisplayRole:
            return address(webhook.url)
        if role == Qt.ItemDataRole.ToolTipRole:
            return webhook.url
        return spoken(webhook, self._zone) if role == Qt.ItemDataRole.AccessibleTextRole else None


class SubscriptionRow(QStyledItemDelegate):
    """A dot, the address, its health, and its events."""

    def __init__(self, parent: QWidget, zone: ZoneInfo) -> None:
        super().__init__(parent)
        self._zone = zone

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(200, 84 + 3 * (theme.current().metrics.line - 18))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        webhook: WebhookSubscription | None = index.data(WEBHOOK)
        if webhook is None:
            return
        area: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, option, area)
        tone, words = health(webhook, self._zone)
        line = QRect(area.left() + _TEXT, area.top() + 11, area.width() - _TEXT - _INSET, 18)
        self._paint_dot(painter, option, QRect(area.left() + _INSET, line.center().y() - 3, _DOT, _DOT), tone)
        look = theme.current()
        name_ink = "text" if webhook.active else "text2"
        middle, end = Qt.TextElideMode.ElideMiddle, Qt.TextElideMode.ElideRight
        events = "  ".join(webhook.events)
        for text, font, ink, elision in (
            (address(webhook.url), look.font("text", QFont.Weight.DemiBold), name_ink, middle),
            (words, look.font("card"), "text2" if tone in ("ok", "text3") else tone, end),
            (events, look.font("small"), "text3", end),
        ):
            line.setHeight(look.metrics.line)
            painter.setFont(font)
            painter.setPen(look.color(ink))
            shown = QFontMetrics(font).elidedText(text, elision, line.width())
            painter.drawText(QStyle.visualRect(option.direction, area, line), _LEFT, shown)
            line.translate(0, look.metrics.line + 3)
        painter.restore()

    @staticmethod
    def _paint_ground(painter: QPainter, option: QStyleOptionViewItem, area: QRect) -> None:
        look, state = theme.current(), option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, look.color("accent_soft"))
            edge = QStyle.visualRect(option.direction, area, QRect(area.left(), area.top(), 3, area.height()))
            painter.fillRect(edge, look.color("accent"))
        if state & QStyle.StateFlag.State_HasFocus:
            rounded(painter, QRectF(area).adjusted(3, 2, -2, -3), 5, line="accent", width=look.metrics.ring)
        painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), look.color("line2"))

    @staticmethod
    def _paint_dot(painter: QPainter, option: QStyleOptionViewItem, box: QRect, tone: str) -> None:
        """A ring where it is off, so that colour is not all that tells."""
        place, color = (
            QRectF(QStyle.visualRect(option.direction, option.rect, box)),
            theme.current().color(tone),
        )
        if tone == "bad":
            painter.setPen(QPen(color, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(place.adjusted(1, 1, -1, -1))
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawEllipse(place)


class SubscriptionList(RowList):
    """Arrows walk; Del asks whether one shall go."""

    removed = Signal()

    def __init__(self, model: SubscriptionModel, zone: ZoneInfo) -> None:
        super().__init__(model, tr("Webhooks, newest first"))
        self.setItemDelegate(SubscriptionRow(self, zone))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Takes Del; arrows are Qt's."""
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.currentIndex().isValid():
            self.removed.emit()
            return
        super().keyPressEvent(event)
