"""The main window: welcome screen, or rail, panes, side panel and status line."""

from zoneinfo import ZoneInfo

from PySide6.QtCore import QByteArray, QEvent, QSettings, Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from app.desktop.shell.failure import FailureScreen
from app.desktop.shell.messages import MessageArea
from app.desktop.shell.rail import Destination, Rail
from app.desktop.shell.status import StatusLine
from app.desktop.theme import icons, theme

DESTINATIONS = (
    Destination("calendar", "Calendar", "calendar-days"),
    Destination("drafts", "Drafts", "file-pen-line"),
    Destination("media", "Media", "image"),
    Destination("connections", "Connections", "plug"),
    Destination("history", "History", "history"),
    Destination("usage", "Usage", "gauge"),
    Destination("webhooks", "Webhooks", "webhook"),
)
TEXT_SIZES = (90, 100, 115, 130, 150)
"""How large text may be, in percent."""

_USUAL_TEXT = 100
_MODES: dict[str, theme.Mode] = {"system": "system", "light": "light", "dark": "dark"}
_SMALLEST = (1024, 640)
_USUAL = (1280, 800)


class MainWindow(QMainWindow):
    """One window; ``cover`` shows a whole-window screen, ``furnish`` the panes of a workspace."""

    activated = Signal(bool)
    """Whether the person is at this window."""
    home_menu_requested = Signal()
    """The person wants another calendar."""

    def __init__(self, settings: QSettings, zone: ZoneInfo) -> None:
        super().__init__()
        self._settings = settings
        self._text_size = _USUAL_TEXT
        self.setWindowTitle("Kalends")
        self.setWindowIcon(icons.app_icon())
        self.setMinimumSize(*_SMALLEST)
        self.resize(*_USUAL)
        self._screens = QStackedWidget()
        self.setCentralWidget(self._screens)
        self._house = QWidget()
        self._panes = QStackedWidget()
        self._panes.setProperty("ground", "bg")
        self._panes.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._names: dict[str, QWidget] = {}
        self._side: QWidget | None = None
        self.rail = Rail(DESTINATIONS)
        self.status = StatusLine(zone)
        self._middle = QHBoxLayout()
        self._lay_out()
        self.messages = MessageArea(self._panes)
        self.rail.chosen.connect(self.go)
        self.rail.header.clicked.connect(self.home_menu_requested)
        self.rail.appearance_chosen.connect(self.set_appearance)
        self._restore()
        self.setFocus()  # of no button, until there is a pane to give it to

    def cover(self, screen: QWidget) -> None:
        """Shows a screen that takes the whole window, such as the welcome."""
        self._screens.addWidget(screen)
        self._screens.setCurrentWidget(screen)

    def cover_failure(self, text: str, details: str) -> FailureScreen:
        """Shows that the calendar could not be opened, and returns the screen with its ways on."""
        screen = FailureScreen(text, details)
        self.cover(screen)
        return screen

    def uncover(self) -> None:
        """Takes whole-window screens away."""
        self._screens.setCurrentWidget(self._house)
        while self._screens.count() > 1:
            if (cover := self._screens.widget(1)) is not None:
                self._screens.removeWidget(cover)
                cover.deleteLater()

    def furnish(self, panes: dict[str, QWidget], name: str, place: str) -> None:
        """Shows the rail and the given panes, by destination; ``name`` and ``place`` are the calendar's."""
        self.rail.header.set_home(name, place)
        self.rail.set_open(open_=True)
        for destination, pane in panes.items():
            self._names[destination] = pane
            self._panes.addWidget(pane)
        self.uncover()

    def clear_out(self) -> None:
        """Takes the panes of a workspace away."""
        self.close_side()
        for pane in self._names.values():
            self._panes.removeWidget(pane)
            pane.deleteLater()
        self._names.clear()
        self.status.set_workspace(None)
        self.rail.set_open(open_=False)

    def go(self, destination: str) -> None:
        """Opens a pane and gives it the focus."""
        pane = self._names[destination]
        self._panes.setCurrentWidget(pane)
        self.rail.select(destination)
        pane.setFocus(Qt.FocusReason.OtherFocusReason)

    def open_side(self, panel: QWidget) -> None:
        """Puts a panel at the right edge, in place of the one that may be there."""
        self.close_side()
        self._side = panel
        self._middle.addWidget(panel)
        panel.show()

    def close_side(self) -> None:
        """Takes the side panel away."""
        if self._side is not None:
            self._middle.removeWidget(self._side)
            self._side.hide()
            self._side.deleteLater()
            self._side = None

    @property
    def side(self) -> QWidget | None:
        """The panel at the right edge, if any."""
        return self._side

    def set_appearance(self, mode: str) -> None:
        """Puts system, light or dark into force and remembers it."""
        known = _MODES.get(mode, "system")
        app = QApplication.instance()
        if isinstance(app, QApplication):
            theme.apply(app, known, self._text_size / 100)
        self._settings.setValue("appearance", known)
        self.rail.set_appearance(known)

    @property
    def text_size(self) -> int:
        """How large text is, in percent."""
        return self._text_size

    def change_text_size(self, step: int) -> None:
        """Makes all text larger (1) or smaller (-1) by a step, or as it usually is (0), and remembers it."""
        place = TEXT_SIZES.index(self._text_size) + step
        self._text_size = TEXT_SIZES[min(max(place, 0), len(TEXT_SIZES) - 1)] if step else _USUAL_TEXT
        self._settings.setValue("text_size", self._text_size)
        self.set_appearance(str(self._settings.value("appearance", "system")))

    def remember(self, name: str, value: str) -> None:
        """Keeps something about how the window is set up, under a name."""
        self._settings.setValue(name, value)

    def recall(self, name: str) -> object:
        """What was kept under a name; None for nothing."""
        return self._settings.value(name)

    def changeEvent(self, event: QEvent) -> None:
        """Tells when the window comes to the front or goes behind others."""
        if event.type() == QEvent.Type.ActivationChange:
            self.activated.emit(self.isActiveWindow())
        super().changeEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remembers where the window was."""
        self._settings.setValue("geometry", self.saveGeometry())
        self._settings.sync()
        super().closeEvent(event)

    def _lay_out(self) -> None:
        self._middle.setContentsMargins(0, 0, 0, 0)
        self._middle.setSpacing(0)
        self._middle.addWidget(self.rail)
        self._middle.addWidget(self._panes, 1)
        column = QVBoxLayout(self._house)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._middle, 1)
        column.addWidget(self.status)
        self._screens.addWidget(self._house)

    def _restore(self) -> None:
        kept = str(self._settings.value("text_size", _USUAL_TEXT))
        self._text_size = int(kept) if kept in map(str, TEXT_SIZES) else _USUAL_TEXT
        geometry = self._settings.value("geometry")
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)
        self.set_appearance(str(self._settings.value("appearance", "system")))
