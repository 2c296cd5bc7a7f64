"""The welcome screen: start on this computer, try it with practice accounts, or connect to a service."""

from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.kit.way import Way
from app.desktop.theme import theme
from app.desktop.theme.theme import grow
from app.desktop.welcome.picture import WelcomePicture
from app.desktop.welcome.service_form import FieldName, ServiceForm, TrustPanel
from app.desktop.widgets import (
    IconLabel,
    Label,
    LinkButton,
    MessageStrip,
    quiet,
    scrolled,
    secondary,
)
from app.desktop.widgets.screen_reader import spoken_as
from app.language import tr
from app.workspace.messages import Problem

_FORM_WIDTH = 500
_FORM_WIDEST = 840
_FORM_LEAST = 560
_PICTURE_SHARE = 0.444
_PICTURE_LEAST = 340
_TOP_SHARE = 0.27
_LEAST_MARGIN = 24
_PROMISE = tr("Nothing leaves this computer until you connect an account.")
_FIELDS: dict[str, FieldName] = {
    "key_refused": "key",
    "address": "address",
    "certificate": "address",
    "not_understood": "address",
    "timeout": "address",
    "unreachable": "address",
}
"""The input that a kind of problem belongs to."""


@spoken_as(QAccessible.Role.Grouping)
class WelcomeScreen(QWidget):
    """Asks how to start, and shows progress and problems. Input is never lost."""

    start_here = Signal(bool)
    """Create a calendar on this computer; whether with practice accounts."""
    start_service = Signal(str, str)
    """Test the service with this address and key, both of the right shape, and open it."""
    trust_accepted = Signal()
    """The user trusts the certificate."""
    back_wanted = Signal()
    """The user wants the calendar back that was open before."""
    proxy_wanted = Signal()
    """The user wants to set up a proxy."""
    restore_wanted = Signal()
    """The user wants to start with a backup."""
    cancelled = Signal()
    """The user gave up, or doesn't trust the certificate."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("ground", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._picture = WelcomePicture()
        self.here = Way(
            "laptop",
            tr("On this computer"),
            tr("Free, no sign-up. Your data stays here."),
            label=tr("Start"),
        )
        self.practice = Way(
            "flask-conical",
            tr("Just try it"),
            tr("Two stand-in accounts. Nothing reaches a real platform."),
            is_practice=True,
        )
        self.service = Way(
            "server",
            tr("Connect to a service"),
            tr("Your team's server. You need its address and a key."),
        )
        self.form = ServiceForm()
        self.service.set_body(self.form)
        self._tried = self.here
        self.cancel = secondary(tr("Cancel"))
        self.restore = LinkButton(tr("Restore a backup…"))
        self.restore.hide()
        self.back = quiet("", "chevron-left")
        self._lock, self._line = IconLabel("lock", "text3", 14), Label(_PROMISE, "card", "text3", wrap=True)
        self._strip: MessageStrip | None = None
        self._trust: TrustPanel | None = None
        self._is_first = False
        """Whether it's known that there's no calendar yet."""
        self._problems = QVBoxLayout()
        self._lay_out()
        self._connect()
        theme.notifier().changed.connect(self._share_width)
        self.setFocusProxy(self.here)

    def show_progress(self, text: str) -> None:
        """Show what is happening, with everything disabled but Cancel."""
        self._clear()
        self._set_busy(True)
        self._line.setText(text if text.endswith((".", "…")) else f"{text}…")
        self._lock.set_icon("refresh-cw", "accent")

    def show_problem(self, problem: Problem) -> None:
        """Show a problem, next to the input it concerns if any."""
        self._clear()
        self._set_busy(False)
        field = _FIELDS.get(problem.kind)
        if field is not None and self._tried is self.service:
            self.form.show_problem(problem.text, problem.details, field)
            return
        self._strip = strip = MessageStrip("error", problem.text, problem.details)
        strip.dismissed.connect(self._clear)
        self._say(strip)
        self._tried.setFocus()

    def ask_trust(self, host: str, fingerprint: str, *, changed: bool = False) -> None:
        """Ask whether to trust the certificate of `host` with this SHA-256 fingerprint.

        `changed`: another certificate of this host was trusted before.
        """
        self._clear()
        self._set_busy(True)
        self._show_foot(visible=False)
        for way in (self.here, self.practice):  # so that nothing has to move up
            way.hide()
        self._trust = panel = TrustPanel(host, fingerprint, changed=changed)
        panel.accepted.connect(self._accept)
        panel.declined.connect(self._give_up)
        self._say(panel)
        panel.decline.setFocus()

    def offer_backup(self) -> None:
        """Offer to start with a backup. Only where there's no calendar: it would replace all of them."""
        self._is_first = True
        self._show_foot(visible=True)

    def offer_back(self, name: str) -> None:
        """Offer to return to a calendar."""
        self.back.setText(tr("Back to {calendar}", calendar=name))
        self.back.updateGeometry()
        self.back.show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Esc cancel the current attempt."""
        if event.key() == Qt.Key.Key_Escape and not self.here.isEnabled():
            self._give_up()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def _share_width(self) -> None:
        """Give the picture its share of the width, if the form has enough."""
        wanted = round(self.width() * _PICTURE_SHARE)
        least = min(theme.current().grown(_FORM_LEAST), _FORM_WIDEST + 80)
        width = min(wanted, self.width() - least)
        self._picture.setVisible(width >= _PICTURE_LEAST)  # the slogan would break within words
        self._picture.setFixedWidth(max(0, width))
        self._place_form()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Place the form again after its content has changed size."""
        if watched is self._form and event.type() == QEvent.Type.LayoutRequest:
            self._place_form()
        return super().eventFilter(watched, event)

    def _begin_here(self, way: Way) -> None:
        self._clear()
        self._tried = way
        self.service.set_open(False)
        self.here.set_usual(True)
        self.start_here.emit(way is self.practice)

    def _begin_service(self) -> None:
        self._clear()
        self._tried = self.service
        if self.form.check():
            self.start_service.emit(*self.form.values())

    def _toggle_service(self) -> None:
        self._clear()
        self.service.set_open(not self.service.is_open)
        self.here.set_usual(not self.service.is_open)
        self._show_foot(visible=not self.service.is_open)
        if self.service.is_open:
            self.form.address.setFocus()
            QTimer.singleShot(0, self.form, lambda: self._area.ensureWidgetVisible(self.form))

    def _accept(self) -> None:
        self._clear()
        self.trust_accepted.emit()

    def _give_up(self) -> None:
        self._clear()
        self._set_busy(False)
        self.cancelled.emit()

    def _clear(self) -> None:
        """Remove messages and questions."""
        for widget in (self._strip, self._trust):
            if widget is not None:
                self._problems.removeWidget(widget)
                widget.hide()
                widget.deleteLater()
        self._strip = self._trust = None
        for way in (self.here, self.practice):
            way.show()
        self.form.clear_problem()

    def _say(self, widget: QWidget) -> None:
        self._problems.addWidget(widget)
        widget.show()
        QTimer.singleShot(0, widget, lambda: self._area.ensureWidgetVisible(widget))

    def _set_busy(self, busy: bool) -> None:
        for widget in (self.here, self.practice, self.service, self.back):
            widget.setEnabled(not busy)
        # With a service, the promise isn't true.
        self._show_foot(visible=busy or not self.service.is_open)
        self.restore.setVisible(not busy and self._is_first and not self.service.is_open)
        self.cancel.setVisible(busy)
        if busy:
            self.cancel.setFocus()

    def _show_foot(self, *, visible: bool) -> None:
        self._lock.set_icon("lock", "text3")
        self._line.setText(_PROMISE)
        self._lock.setVisible(visible)
        self._line.setVisible(visible)
        self.restore.setVisible(visible and self._is_first)
        if not visible:
            self.cancel.hide()

    def _connect(self) -> None:
        for way in (self.here, self.practice):
            way.clicked.connect(partial(self._begin_here, way))
        self.service.clicked.connect(self._toggle_service)
        self.form.submitted.connect(self._begin_service)
        self.cancel.clicked.connect(self._give_up)
        self.back.clicked.connect(self.back_wanted)
        self.form.proxy.clicked.connect(self.proxy_wanted)
        self.restore.clicked.connect(self.restore_wanted)

    def _lay_out(self) -> None:
        self._form = QWidget()
        grow(self._form, QWidget.setFixedWidth, _FORM_WIDTH, _FORM_WIDEST)
        self._form.installEventFilter(self)
        column = self._column = QVBoxLayout(self._form)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.back.hide()
        column.addWidget(self.back, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(Label(tr("How do you want to start?"), "hero"))
        column.addSpacing(4)
        later = tr("You can change this later and keep several calendars.")
        column.addWidget(Label(later, "text", "text2", wrap=True))
        column.addSpacing(22)
        ways = QVBoxLayout()
        ways.setSpacing(10)
        for way in (self.here, self.practice, self.service):
            ways.addWidget(way)
        column.addLayout(ways)
        self._problems.setContentsMargins(0, 12, 0, 0)
        column.addLayout(self._problems)
        column.addSpacing(12)
        column.addLayout(self._foot())
        column.addStretch(1)
        holder = QWidget()
        self._holder = QVBoxLayout(holder)
        self._holder.addWidget(self._form, 1, Qt.AlignmentFlag.AlignHCenter)
        self._area = scrolled(holder)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._picture)
        row.addWidget(self._area, 1)

    def _foot(self) -> QHBoxLayout:
        self.cancel.hide()
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self._lock)
        foot.addWidget(self._line, 1)
        foot.addStretch(0)
        foot.addWidget(self.restore)
        foot.addWidget(self.cancel)
        return foot

    def _place_form(self) -> None:
        """Put the form at the optical centre, or higher if it wouldn't fit there."""
        needed = self._column.totalHeightForWidth(self._form.width())
        self._form.setMinimumHeight(needed)  # the layout around it asks for its height at a larger width
        spare = self.height() - needed - _LEAST_MARGIN
        top = max(_LEAST_MARGIN, min(round(self.height() * _TOP_SHARE), spare))
        self._holder.setContentsMargins(24, top, 24, 0)
