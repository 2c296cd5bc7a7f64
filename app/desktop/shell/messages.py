"""Messages to the user: strips that float at the bottom of the panes."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QAccessible, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.desktop import motion
from app.desktop.motion import tokens
from app.desktop.theme import theme
from app.desktop.widgets import MessageStrip, announce
from app.desktop.widgets.painting import rounded, shadow
from app.desktop.widgets.screen_reader import spoken_as
from app.language import tr, trn
from app.workspace.messages import Message, MessageAction

_WIDTH = 600
_LEAST = 280
"""Width that a strip needs for its text above its buttons."""

_SHADOW = 24
"""Space around the strips for their shadow."""

_FOOT = 16
_BETWEEN = 8
_MOST = 4
"""Maximum number of messages in view."""
_PERSISTENT_MOST = 20
"""Maximum number of persistent messages. The oldest ones beyond it are only counted."""
_CLOSED = "closed messages"
"""What the message is about that counts them."""
_INFO_STAYS_MS = 6_000
_LONG_STAYS_MS = 20_000
"""Duration of warnings that only answer the last action, and of information with a button, in ms."""

_MOVED = (QEvent.Type.Resize, QEvent.Type.Move)
_SHOWN = (QEvent.Type.Show, QEvent.Type.Hide)

ActionHandler = Callable[[MessageAction], None]


@spoken_as(QAccessible.Role.Grouping)
class MessageArea(QWidget):
    """Shows messages at the bottom of ``host``. Repeated ones are counted; information disappears by itself.

    Persistent messages are at the bottom, and never removed for newer ones. ``keep_free`` is called with
    their height, so that they cover nothing.
    """

    def __init__(self, host: QWidget, keep_free: Callable[[int], None] = lambda _height: None) -> None:
        super().__init__(host.parentWidget() or host)  # in a stack, screen readers only see pages
        self.setAccessibleName(tr("Messages"))
        self._host, self._keep_free = host, keep_free
        self._on_action: ActionHandler | None = None
        self._shown: dict[Message, MessageStrip] = {}
        self._closed = 0
        """Number of messages that were closed because there were too many."""
        self._bars: tuple[QWidget, ...] = ()
        self._in_view = ""
        self.has_news = False
        """Whether a message came that hasn't had the focus yet."""
        self._before: QWidget | None = None
        """The widget that had the focus before a message got it."""
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(_SHADOW, _SHADOW, _SHADOW, _FOOT)
        self._column.setSpacing(_BETWEEN)
        host.installEventFilter(self)
        self.hide()

    def tell(self, message: Message) -> None:
        """Show a message as the newest of the persistent ones, or of those that disappear."""
        action = message.action.label if message.action else ""
        way = tr("Press F6 for {action}.", action=action) if action else ""
        told = f"{message.text} {way}".rstrip()
        if message.about and message.about == self._in_view:
            announce(self._host, message.text, urgent=message.kind == "error")
            return
        if (earlier := self._same(message)) is not None:
            strip = self._shown[earlier]
            strip.fold(message.details)
            if (stays_ms := _stays_ms(message)) is not None:
                self._remove_later(earlier, strip, stays_ms)
            if strip.isHidden():
                self._shown[earlier] = self._shown.pop(earlier)  # now the newest, and so in view
                self._fit()
            announce(strip, told, urgent=message.kind == "error")
            return
        self._withdraw(message.about)
        self._make_room_for(message)
        other = message.other.label if message.other else ""
        strip = MessageStrip(
            message.kind, message.text, message.details, action, other, dismiss=message.dismiss
        )
        strip.dismissed.connect(lambda: self._remove(message))
        strip.acted.connect(lambda: self._act(message, message.action))
        strip.other_acted.connect(lambda: self._act(message, message.other))
        self._shown[message] = strip
        self.has_news = True
        stays_ms = _stays_ms(message)
        self._column.insertWidget(-1 if stays_ms is None else self._column.count() - self._staying(), strip)
        announce(strip, told, urgent=message.kind == "error")
        if stays_ms is not None:
            self._remove_later(message, strip, stays_ms)
        self._fit()
        self._raise_strip(strip)

    def set_in_view(self, about: str) -> None:
        """Hide messages about a problem that a panel shows; new ones are only announced. "" for none."""
        self._in_view = about
        self._withdraw(about)

    @property
    def is_offering(self) -> bool:
        """Whether a message that goes by itself has a button, such as "Undo"."""
        return any(_is_offer(message) for message in self._shown)

    def focus_newest(self) -> None:
        """Focus the first button of the newest message, which stays while it has the focus."""
        self.has_news = False
        strip = next(reversed(self._shown.values()), None)
        if strip is not None and (way := strip.ways()):
            if not self._has_focus(self):
                self._before = QApplication.focusWidget()
            way[0].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def set_handler(self, on_action: ActionHandler | None) -> None:
        """Set the handler of the messages' buttons; without one, they do nothing and the messages stay."""
        self._on_action = on_action

    def clear(self) -> None:
        """Remove all messages."""
        self._closed = 0
        for message in list(self._shown):
            self._remove(message)

    def stay_above(self, *bars: QWidget) -> None:
        """Don't cover these bars at the bottom of the host's panes. They replace earlier ones.

        What is outside their ``contentsRect()`` is shadow.
        """
        self._bars = bars
        for bar in bars:
            bar.installEventFilter(self)
        self._fit()

    def texts(self) -> list[str]:
        """Return the texts of the current messages, oldest first."""
        return [message.text for message in self._shown]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay at the bottom of the host, above the bars that float there."""
        if event.type() in _MOVED or (watched is not self._host and event.type() in _SHOWN):
            self._fit()
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        """Adjust the size when a strip shows its details."""
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return handled

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close a message on Esc, and return the focus."""
        held = next((message for message, strip in self._shown.items() if self._has_focus(strip)), None)
        if event.key() == Qt.Key.Key_Escape and held is not None:
            self._remove(held)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint a shadow and an opaque background below the strips."""
        painter = QPainter(self)
        for strip in (one for one in self._shown.values() if not one.isHidden()):
            _paint_below(painter, QRectF(strip.geometry()))

    def _raise_strip(self, strip: MessageStrip) -> None:
        """Slide a new message up into its place."""
        parent = self.parentWidget()
        if parent is None or parent is self._host or not (motion.answers() and self._host.isVisible()):
            return
        self._column.activate()
        area = strip.geometry().adjusted(-_FOOT, -_FOOT, _FOOT, _FOOT).translated(self.pos())
        ground = self._host.grab(area.translated(-self._host.pos()))
        piece = motion.picture_of(strip, _FOOT, _paint_below)
        motion.slide(parent, area, tokens.TOAST, ground, piece, QPoint(0, tokens.TOAST_PX))

    def _act(self, message: Message, action: MessageAction | None) -> None:
        if self._on_action is not None:
            self._remove(message)
            if action is not None:
                self._on_action(action)

    def _same(self, message: Message) -> Message | None:
        """Return an earlier message that differs at most in its details, which may contain a request ID."""
        return next((one for one in self._shown if _bare(one) == _bare(message)), None)

    def _make_room_for(self, message: Message) -> None:
        """Remove surplus messages; an offer only goes for another offer."""
        if _stays_ms(message) is None:
            self._count_surplus(message)
        plain = [one for one in self._shown if _stays_ms(one) is not None and one.action is None]
        surplus = plain[: max(0, len(self._shown) - _MOST + 1)]
        if _is_offer(message):
            surplus += list(filter(_is_offer, self._shown))[: 1 - _MOST]
        for one in surplus:
            self._remove(one)

    def _count_surplus(self, message: Message) -> None:
        """Close the oldest message about nothing in particular if too many persistent ones are open."""
        persistent = [one for one in self._shown if _stays_ms(one) is None and one.about != _CLOSED]
        oldest = next((one for one in persistent if not (one.about or one.other)), None)
        if message.about == _CLOSED or oldest is None or len(persistent) < _PERSISTENT_MOST:
            return
        self._remove(oldest)
        self._closed += 1
        text = trn(
            "{n} older message was closed because there were too many.",
            "{n} older messages were closed because there were too many.",
            self._closed,
        )
        self.tell(Message("warning", text, about=_CLOSED))

    def _withdraw(self, about: str) -> None:
        """Remove the messages about a problem."""
        for message in [one for one in self._shown if about and one.about == about]:
            self._remove(message)

    def _remove(self, message: Message) -> None:
        if message not in self._shown:
            return
        strip = self._shown.pop(message)
        if self._has_focus(strip) and self._before is not None and isValid(self._before):
            self._before.setFocus(Qt.FocusReason.OtherFocusReason)
        self.has_news = self.has_news and bool(self._shown)
        self._column.removeWidget(strip)
        strip.hide()
        strip.deleteLater()
        self._fit()

    def _remove_later(self, message: Message, strip: MessageStrip, stays_ms: int) -> None:
        """Remove a message a while after it was last told, but not while it has the focus or the pointer."""
        times = strip.count()

        def remove() -> None:
            if self._shown.get(message) is not strip or strip.count() != times:
                return
            if self._has_focus(strip) or strip.underMouse():
                self._remove_later(message, strip, stays_ms)
            else:
                self._remove(message)

        QTimer.singleShot(stays_ms, strip, remove)

    def _make_room(self) -> None:
        """Hide the oldest persistent messages while there are too many; they return as others are closed."""
        strips = [strip for message, strip in self._shown.items() if _stays_ms(message) is None]
        number = max(0, len(self._shown) - _MOST)
        surplus = [strip for strip in strips[:-1] if not self._has_focus(strip)][:number]  # not the newest
        for strip in self._shown.values():
            strip.setVisible(strip not in surplus)

    def _staying(self) -> int:
        """Return the number of persistent strips in the column."""
        return sum(
            _stays_ms(message) is None and self._column.indexOf(strip) >= 0
            for message, strip in self._shown.items()
        )

    def _height_of_staying(self, width: int) -> int:
        """Return the height of the persistent messages at a width, or 0."""
        staying = [
            strip
            for message, strip in self._shown.items()
            if _stays_ms(message) is None and not strip.isHidden()
        ]
        heights = [
            strip.heightForWidth(width) if strip.hasHeightForWidth() else strip.sizeHint().height()
            for strip in staying
        ]
        return sum(heights) + self._column.spacing() * len(heights) + _FOOT if heights else 0

    @staticmethod
    def _has_focus(part: QWidget) -> bool:
        return part.isAncestorOf(QApplication.focusWidget() or part.window())

    def _fit(self) -> None:
        self._make_room()
        self.setVisible(bool(self._shown))
        room = self._room()
        width = min(theme.current().grown(_WIDTH), room.width() - 24) + 2 * _SHADOW
        height = (
            self._column.heightForWidth(width)
            if self._column.hasHeightForWidth()
            else self.sizeHint().height()
        )
        staying = self._height_of_staying(width - 2 * _SHADOW)
        lift = min(self._lift(room), max(0, room.height() - height))
        self._keep_free(height - _SHADOW if staying and lift else staying)
        corner = room.bottomLeft() + QPoint((room.width() - width) // 2, 1 - height)
        self.setGeometry(QRect(corner - QPoint(0, 0 if staying else lift), QSize(width, height)))
        self.raise_()

    def _lift(self, room: QRect) -> int:
        """Return how far messages rise so that they cover no bar; 0 without one.

        Persistent messages don't: the pane ends above them, and so do its bars.
        """
        parent = self.parentWidget()
        if parent is None or parent is self._host:
            return 0
        seen = [bar for bar in self._bars if isValid(bar) and bar.isVisible()]
        tops = [bar.mapTo(parent, bar.contentsRect().topLeft()).y() for bar in seen]
        return max((room.bottom() + 1 - top - _FOOT + _BETWEEN for top in tops), default=0)

    def _room(self) -> QRect:
        """Return the area of the host; up to the window's edge if a panel leaves too little of it."""
        parent = self.parentWidget()
        if parent is None or parent is self._host:
            return self._host.rect()
        room = self._host.geometry()
        if room.width() < theme.current().grown(_LEAST):
            edge = QRect(room.left(), room.top(), parent.width() - room.left(), room.height())
            mirrored = QRect(0, room.top(), room.right() + 1, room.height())
            return mirrored if self.layoutDirection() is Qt.LayoutDirection.RightToLeft else edge
        return room


def _paint_below(painter: QPainter, strip: QRectF) -> None:
    """Paint the shadow and the background of a strip."""
    radius = theme.current().metrics.radius
    shadow(painter, strip, radius)
    rounded(painter, strip, radius, fill="surface")


def _bare(message: Message) -> Message:
    """Return a message without its details, but with a sign that it has some."""
    return replace(message, details="details" if message.details else "")


def _is_offer(message: Message) -> bool:
    """Whether a message offers something for a while, such as to undo; it isn't removed for others."""
    return message.action is not None and _stays_ms(message) is not None


def _stays_ms(message: Message) -> int | None:
    """Return how long a message is shown, in ms; None if it stays until it's closed or solved."""
    if message.other is not None:
        return None
    if message.kind == "info":
        return _LONG_STAYS_MS if message.action else _INFO_STAYS_MS
    return None if message.action or message.details or message.about else _LONG_STAYS_MS
