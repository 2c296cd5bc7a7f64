"""A sheet: a modal panel over the dimmed window. It's part of the window, not a dialog."""

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPixmap,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAccessibleWidget,
    QApplication,
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from app.desktop import motion
from app.desktop.motion import tokens
from app.desktop.theme import theme
from app.desktop.widgets.focus import tab_stops
from app.desktop.widgets.painting import rounded, shadow
from app.desktop.widgets.screen_reader import announce, spoken_by

_MARGIN = 24
_FOOT = 20
_RADIUS = 12
_SHADOW = 48
"""Room around the panel for its shadow."""


class _Panel(QWidget):
    """The opaque background of a sheet's content: typing in it doesn't repaint the dimmed window."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        shape = QPainterPath()
        inside = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        shape.addRoundedRect(inside, _RADIUS - 1, _RADIUS - 1)
        self.setMask(QRegion(shape.toFillPolygon().toPolygon()))

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(event.rect(), theme.current().color("raised"))


class _Modal(QAccessibleWidget):
    """A dialog that keeps the focus."""

    def __init__(self, sheet: QWidget) -> None:
        super().__init__(sheet, QAccessible.Role.Dialog)

    def state(self) -> QAccessible.State:
        state = super().state()
        state.modal = True
        return state


@spoken_by(_Modal)
class Sheet(QWidget):
    """Covers and dims the window of `host`, blocks mouse, keyboard and shortcuts, and shows a panel.

    Fill `layout_` (a column without margins) and call `present`. Nothing blocks: `closed` is emitted at the
    end.

    Args:
        host: any widget of the window to cover.
        name: the accessible name.
        width: of the panel, in logical pixels; less in a narrow window.
        dismissible: whether Esc and a click outside close it.
        closes_beside: whether a click outside does; not if that would lose input or cancel work.
        top: where the panel begins, as a share of the window's free height; 0.5 is the middle.
        kept: whether it's only hidden when dismissed, to be presented again.
    """

    closed = Signal()
    covers_window = True
    """Screen readers find nothing else in its window; see `WindowInterface`."""

    def __init__(
        self,
        host: QWidget,
        name: str,
        width: int = 520,
        *,
        dismissible: bool = True,
        closes_beside: bool = True,
        top: float = 0.5,
        kept: bool = False,
    ) -> None:
        super().__init__(host.window())
        self._window = host.window()
        self._width, self._dismissible, self._top, self._kept = width, dismissible, top, kept
        self._closes_beside = closes_beside
        self._before: QWidget | None = None
        self._arrival: motion.Run | None = None
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.panel = _Panel(self)
        self.layout_ = QVBoxLayout(self.panel)
        self.layout_.setContentsMargins(0, 0, 0, 0)
        self.layout_.setSpacing(0)
        self.hide()
        self._window.installEventFilter(self)

    def present(self, focus: QWidget | None = None) -> None:
        """Show the sheet with the focus on `focus`, or on itself: Tab then reaches its first control."""
        self._before = self._window.focusWidget()  # also while a dialog of the system has the focus still
        below = self._window_picture()
        self._fit()
        self.show()
        self.raise_()
        (focus or self).setFocus(Qt.FocusReason.OtherFocusReason)
        announce(self, f"{self.accessibleName()}. {self.accessibleDescription()}".removesuffix(". "))
        if below is not None:
            self._arrival = self._grow_panel(tokens.SHEET, below, self._panel_picture())

    @property
    def gives_back_to(self) -> QWidget | None:
        """Set what gets the focus when the sheet closes, in case widgets below are recreated meanwhile."""
        return self._before if self._before is not None and isValid(self._before) else None

    @gives_back_to.setter
    def gives_back_to(self, widget: QWidget) -> None:
        self._before = widget

    def set_dismissible(self, is_dismissible: bool) -> None:
        """Set whether Esc and a click outside close it."""
        self._dismissible = is_dismissible

    def dismiss(self) -> None:
        """Close the sheet, restore the focus, and emit `closed`; it's deleted unless kept."""
        if self.isHidden():
            return
        if self._arrival is not None:
            self._arrival.finish()
        panel = self._panel_picture() if motion.answers() and self.isVisible() else None
        self.hide()
        if (before := self.gives_back_to) is not None and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        self._before = None
        if panel is not None and (below := self._window_picture()) is not None:
            self._grow_panel(tokens.SHEET_CLOSES, below, panel, leaves=True)
        self.closed.emit()
        if not self._kept:
            self.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._fit()
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # the window's shortcuts rest while the sheet is open
            return True
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._dismissible:
            with motion.still():
                self.dismiss()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        beside = not self.panel.geometry().contains(event.position().toPoint())
        if beside and self._dismissible and self._closes_beside:
            self.dismiss()

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: N802 - Qt's
        """Keep Tab inside the sheet."""
        controls = list(tab_stops(self.panel))
        if not controls:
            return True
        focused = QApplication.focusWidget()
        step = 1 if forward else -1
        start = controls.index(focused) if focused in controls else (-1 if forward else 0)
        reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
        controls[(start + step) % len(controls)].setFocus(reason)
        return True

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.current().color("scrim"))
        _paint_frame(painter, QRectF(self.panel.geometry()))

    def _window_picture(self) -> QPixmap | None:
        """Return a picture of the window without the sheet; None without motion."""
        return self._window.grab() if motion.answers() and self._window.isVisible() else None

    def _panel_picture(self) -> QPixmap:
        return motion.picture_of(self.panel, _SHADOW, _paint_frame)

    def _grow_panel(
        self, timing: tokens.Timing, below: QPixmap, panel: QPixmap, *, leaves: bool = False
    ) -> motion.Run | None:
        """Dim the window while the panel grows into place, or the reverse."""
        scrim, area = theme.current().color("scrim"), self._window.rect()
        place = self.panel.geometry().adjusted(-_SHADOW, -_SHADOW, _SHADOW, _SHADOW)
        dark = scrim.alphaF()

        def paint(painter: QPainter, progress: float) -> None:
            share = 1 - progress if leaves else progress
            scrim.setAlphaF(dark * share)
            painter.drawPixmap(0, 0, below)
            painter.fillRect(area, scrim)
            painter.setOpacity(share)
            scale, middle = tokens.SHEET_SCALE + (1 - tokens.SHEET_SCALE) * share, QRectF(place).center()
            painter.translate(middle)
            painter.scale(scale, scale)
            painter.translate(-middle)
            painter.drawPixmap(place.topLeft(), panel)

        return motion.cover(self._window, area, timing, paint)

    def _fit(self) -> None:
        self.setGeometry(self._window.rect())
        width = min(round(self._width * theme.current().scale), self.width() - 2 * _MARGIN)
        wanted = self.layout_.totalHeightForWidth(width) if self.layout_.hasHeightForWidth() else -1
        height = wanted if wanted > 0 else self.panel.sizeHint().height()
        height = min(max(height, self.panel.minimumHeight()), self.height() - 2 * _MARGIN)
        place = QRect((self.width() - width) // 2, round((self.height() - height) * self._top), width, height)
        if place != self.panel.geometry():
            self.panel.setGeometry(place)
            self.update()


def _paint_frame(painter: QPainter, panel: QRectF) -> None:
    shadow(painter, panel, _RADIUS)
    rounded(painter, panel, _RADIUS, fill="raised", line="line")


class _Body(QScrollArea):
    """As high as its content, as far as the window has room for it."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._content = content
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)
        self.setWidget(content)
        content.setAutoFillBackground(False)
        policy = self.sizePolicy()
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def sizeHint(self) -> QSize:
        return self._content.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(self._content.minimumSizeHint().width(), 0)

    def heightForWidth(self, width: int) -> int:
        height = self._content.heightForWidth(width)
        return height if height > 0 else self._content.sizeHint().height()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Pass a changed height of the content on to the sheet."""
        if watched is self._content and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)


def sheet_body(content: QWidget) -> QScrollArea:
    """Return the body of a sheet, which scrolls in a low window while the footer stays."""
    return _Body(content)


def sheet_foot(*buttons: QWidget) -> QHBoxLayout:
    """Return the footer of a sheet, with its buttons at the end."""
    foot = QHBoxLayout()
    foot.setContentsMargins(_FOOT, 12, _FOOT, 12)
    foot.setSpacing(8)
    foot.addStretch(1)
    for button in buttons:
        foot.addWidget(button)
    return foot
