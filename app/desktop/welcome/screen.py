"""The welcome screen: on this computer, or a service elsewhere; with practice accounts or without."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.theme import theme
from app.desktop.theme.growing import grow
from app.desktop.welcome.picture import WelcomePicture
from app.desktop.welcome.practice import PracticeChoice
from app.desktop.welcome.service_form import FieldName, ServiceForm
from app.desktop.welcome.trust import TrustPanel
from app.desktop.widgets import (
    ChoiceCard,
    Divider,
    IconLabel,
    Label,
    MessageStrip,
    primary,
    quiet,
    scrolled,
    secondary,
)
from app.language import tr
from app.workspace.messages import Problem

_FORM_WIDTH = 600
_FORM_WIDEST = 1_000
_FORM_LEAST = 680
_PICTURE_SHARE = 0.389
_TOP_SHARE = 0.231
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


class WelcomeScreen(QWidget):
    """Asks where the calendar shall live, and says how getting there goes. Nothing typed is ever lost."""

    start_here = Signal(bool)
    """Make a calendar on this computer; whether with practice accounts."""
    start_service = Signal(str, str)
    """Test the service with this address and key, both of the right shape, and open it."""
    trust_accepted = Signal()
    """The person says that the certificate that was shown is the right one."""
    back_wanted = Signal()
    """Go back to the calendar that was open before."""
    proxy_wanted = Signal()
    """The way to the service is to be set up."""
    cancelled = Signal()
    """The person gave up what was being tried, or does not trust the certificate."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("ground", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._picture = WelcomePicture()
        group = QButtonGroup(self)
        self.here = ChoiceCard(
            "laptop",
            tr("On this computer"),
            tr("No sign-up. Publishes from this computer and works offline."),
            group,
            tag=tr("Recommended"),
        )
        self.service = ChoiceCard(
            "server",
            tr("Connect to a service"),
            tr("For a team or your own server. You need its address and an API key."),
            group,
        )
        self.form = ServiceForm()
        self.service.set_body(self.form)
        self.practice = PracticeChoice()
        self.start = primary(tr("Start"), size="large")
        self.cancel = secondary(tr("Cancel"), size="large")
        self.back = quiet("", "chevron-left")
        self._divider = Divider(inner=True)
        self._lock, self._line = IconLabel("lock", "text3", 14), Label(_PROMISE, "card", "text3", wrap=True)
        self._strip: MessageStrip | None = None
        self._trust: TrustPanel | None = None
        self._problems = QVBoxLayout()
        self._lay_out()
        self._connect()
        self.here.set_checked(True)
        self.setFocusProxy(self.here.radio)

    def show_progress(self, text: str) -> None:
        """Say what is happening; the choices rest meanwhile, and Cancel gives it up."""
        self._clear()
        self._set_busy(True)
        self._line.setText(text if text.endswith((".", "…")) else f"{text}…")
        self._lock.set_icon("refresh-cw", "accent")
        self._lock.show()
        self._line.show()

    def show_problem(self, problem: Problem) -> None:
        """Say what went wrong, at the input it belongs to where there is one."""
        self._clear()
        self._set_busy(False)
        field = _FIELDS.get(problem.kind)
        if field is not None and self.service.is_checked():
            self.form.show_problem(problem.text, problem.details, field)
            return
        self._strip = strip = MessageStrip("error", problem.text, problem.details)
        strip.dismissed.connect(self._clear)
        self._say(strip)
        self.start.setFocus()

    def ask_trust(self, host: str, fingerprint: str, *, changed: bool = False) -> None:
        """Ask whether the certificate of `host` with this SHA-256 fingerprint is the right one.

        `changed`: another certificate of this host was trusted before.
        """
        self._clear()
        self._set_busy(True)
        self._show_foot(visible=False)
        self._trust = panel = TrustPanel(host, fingerprint, changed=changed)
        panel.accepted.connect(self._accept)
        panel.declined.connect(self._give_up)
        self.practice.hide()
        self._say(panel)
        panel.decline.setFocus()

    def offer_back(self, name: str) -> None:
        """Offer the way back to a calendar by its name."""
        self.back.setText(tr("Back to {calendar}", calendar=name))
        self.back.updateGeometry()
        self.back.show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc gives up what is being tried; Enter starts."""
        if event.key() == Qt.Key.Key_Escape and not self.here.isEnabled():
            self._give_up()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.start.isEnabled():
            self._begin()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Gives the picture its share, as long as the form has its room."""
        super().resizeEvent(event)
        wanted = round(self.width() * _PICTURE_SHARE)
        least = min(theme.current().grown(_FORM_LEAST), _FORM_WIDEST + 80)
        self._picture.setFixedWidth(max(0, min(wanted, self.width() - least)))
        self._place_form()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Places the form again when what it holds changed its size."""
        if watched is self._form and event.type() == QEvent.Type.LayoutRequest:
            self._place_form()
        return super().eventFilter(watched, event)

    def _begin(self) -> None:
        self._clear()
        if self.here.is_checked():
            self.start_here.emit(self.practice.is_checked())
        elif self.form.check():
            self.start_service.emit(*self.form.values())

    def _accept(self) -> None:
        self._clear()
        self.trust_accepted.emit()

    def _give_up(self) -> None:
        self._clear()
        self._set_busy(False)
        self.cancelled.emit()

    def _choose(self) -> None:
        here = self.here.is_checked()
        self.practice.set_available(here)
        self.start.setText(tr("Start") if here else tr("Test and start"))
        self.start.updateGeometry()
        self._clear()
        self._show_foot(visible=True)
        if not here:
            self.form.address.setFocus()

    def _clear(self) -> None:
        """Take away what was said."""
        for widget in (self._strip, self._trust):
            if widget is not None:
                self._problems.removeWidget(widget)
                widget.hide()
                widget.deleteLater()
        self._strip = self._trust = None
        self.practice.show()
        self.form.clear_problem()

    def _say(self, widget: QWidget) -> None:
        self._problems.addWidget(widget)
        widget.show()
        QTimer.singleShot(0, widget, lambda: self._area.ensureWidgetVisible(widget))

    def _set_busy(self, busy: bool) -> None:
        for widget in (self.here, self.service, self.back):
            widget.setEnabled(not busy)
        self.practice.set_available(not busy and self.here.is_checked(), explain=self.service.is_checked())
        self._show_foot(visible=True)
        self.start.setEnabled(not busy)
        self.cancel.setVisible(busy)
        if busy:
            self.cancel.setFocus()

    def _show_foot(self, *, visible: bool) -> None:
        self._lock.set_icon("lock", "text3")
        self._line.setText(_PROMISE)
        self._lock.setVisible(visible and self.here.is_checked())
        self._line.setVisible(visible and self.here.is_checked())
        self._divider.setVisible(visible)
        self.start.setVisible(visible)
        if not visible:
            self.cancel.hide()

    def _connect(self) -> None:
        self.here.toggled.connect(self._choose)
        self.start.clicked.connect(self._begin)
        self.cancel.clicked.connect(self._give_up)
        self.back.clicked.connect(self.back_wanted)
        self.form.proxy.clicked.connect(self.proxy_wanted)

    def _lay_out(self) -> None:
        self._form = QWidget()
        grow(self._form, QWidget.setFixedWidth, _FORM_WIDTH, _FORM_WIDEST)
        self._form.installEventFilter(self)
        column = self._column = QVBoxLayout(self._form)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.back.hide()
        column.addWidget(self.back, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(Label(tr("Where should your calendar live?"), "title"))
        column.addSpacing(4)
        later = tr("You can add the other one later and switch between them.")
        column.addWidget(Label(later, "text", "text2"))
        column.addSpacing(22)
        column.addWidget(self.here)
        column.addSpacing(12)
        column.addWidget(self.service)
        column.addSpacing(24)
        column.addWidget(self.practice)
        self._problems.setContentsMargins(0, 20, 0, 0)
        column.addLayout(self._problems)
        column.addSpacing(12)
        column.addWidget(self._divider)
        column.addSpacing(20)
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
        foot.addWidget(self.cancel)
        foot.addWidget(self.start)
        return foot

    def _place_form(self) -> None:
        """Put the form where the eye expects it, higher where it would not fit there."""
        spare = self.height() - self._column.totalHeightForWidth(_FORM_WIDTH) - _LEAST_MARGIN
        top = max(_LEAST_MARGIN, min(round(self.height() * _TOP_SHARE), spare))
        self._holder.setContentsMargins(24, top, 24, 0)
