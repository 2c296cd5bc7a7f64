"""The main window: the welcome screen, or sidebar, panes, side panel and status line."""

from collections.abc import Callable
from pathlib import Path
from zoneinfo import ZoneInfo

from PySide6.QtCore import QByteArray, QEvent, QMargins, QPoint, QSettings, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QResizeEvent, QWindow
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from app.desktop import motion, week
from app.desktop.commands import Command, CommandSet
from app.desktop.local_time import use_zone
from app.desktop.shell.failure import FailureScreen
from app.desktop.shell.messages import MessageArea
from app.desktop.shell.rail import Destination, Rail
from app.desktop.shell.regions import PaneArea, Regions, sliding_in, sliding_out
from app.desktop.shell.status import StatusLine
from app.desktop.theme import icons, theme
from app.desktop.widgets import SidePanel
from app.desktop.widgets.focus import enter
from app.desktop.widgets.screen_reader import WindowInterface, spoken_by
from app.language import city, tr
from app.workspace.messages import Message, MessageAction
from app.workspace.preferences import TEXT_SIZES, Preferences

_RESULTS, _SET_UP = tr("Results"), tr("Set up")
DESTINATIONS = (
    Destination("calendar", tr("Calendar"), "calendar-days"),
    Destination("drafts", tr("Drafts"), "file-pen-line"),
    Destination("media", tr("Media"), "image"),
    Destination("analytics", tr("Analytics"), "chart-line", _RESULTS),
    Destination("history", tr("History"), "history", _RESULTS),
    Destination("connections", tr("Connections"), "plug", _SET_UP),
    Destination("usage", tr("Usage"), "gauge", _SET_UP),
    Destination("webhooks", tr("Webhooks"), "webhook", _SET_UP),
    Destination("settings", tr("Settings"), "settings", is_at_foot=True),
)
_USUAL_TEXT = 100
_MODES: dict[str, theme.Mode] = {
    "system": "system",
    "light": "light",
    "dark": "dark",
    "contrast": "contrast",
}
_MOTIONS: dict[str, motion.Mode] = {"system": "system", "on": "on", "off": "off"}
_SMALLEST = (1024, 640)
_USUAL = (1280, 800)
_BESIDE_A_PANEL = 360
"""Minimum width of a pane between a panel and a sidebar with words, in px at 100 %."""
_ASSUMED_FRAME = QMargins(4, 36, 4, 4)
"""Space reserved for the window manager's frame, until it's known."""

FOLLOW_COMPUTER = "follow_computer"
"""The verb of a message that changes to this computer's zone; its subject is the zone's key."""


@spoken_by(WindowInterface)
class MainWindow(QMainWindow):
    """One window; ``cover`` shows a whole-window screen, ``furnish`` the panes of a workspace."""

    activated = Signal(bool)
    """Whether this window is active."""
    home_menu_requested = Signal()
    """The user wants another calendar."""
    restart_wanted = Signal()
    """The user wants to restart into a newer version."""
    grouping_changed = Signal(bool)
    """Whether the calendar now shows the posts of one idea as one card."""
    appearance_changed = Signal()
    """Theme or text size changed."""

    def __init__(self, settings: QSettings, zone: ZoneInfo) -> None:
        """``settings`` are in the data folder; ``zone`` is this computer's."""
        super().__init__()
        self._settings, self.preferences = settings, Preferences(settings)
        self.system_zone = zone
        self.read_zone: Callable[[], ZoneInfo] = lambda: self.system_zone
        """Reads this computer's zone, which changes when it travels."""
        self._offered_zone = ""
        self._text_size = _USUAL_TEXT
        self.may_close: Callable[[], bool] = lambda: True
        """Called before the window closes; returning False keeps it open."""
        self.ask_to_quit: Callable[[], object] = self.close
        """Called on Ctrl+Q."""
        self.setWindowTitle("Kalends")
        self.setWindowIcon(icons.app_icon())
        self.setMinimumSize(*_SMALLEST)
        self.resize(*_USUAL)
        self._fitted = QSize()
        self._screens = QStackedWidget()
        self.setCentralWidget(self._screens)
        self._furnished = QWidget()
        self._place = PaneArea()
        self._panes = self._place.stack
        self._names: dict[str, QWidget] = {}
        self._build: Callable[[str], QWidget | None] = self._names.__getitem__
        self._side: QWidget | None = None
        self._before_side: QWidget | None = None
        """The widget that had the focus before a panel got it."""
        self.rail = Rail(DESTINATIONS)
        self.status = StatusLine(self.zone)
        self._middle = QHBoxLayout()
        self._lay_out()
        self.messages = MessageArea(self._place, self._place.keep_free)
        self._regions = Regions(self.rail, self.messages, self.status)
        self.rail.chosen.connect(self.go)
        self.rail.header.clicked.connect(self.home_menu_requested)
        self.rail.next_post_shown.connect(self.status.set_next_elsewhere)
        self._add_commands()
        self._restore()
        self.setFocus()  # not on a button, until a pane can take the focus

    def cover(self, screen: QWidget) -> None:
        """Show a screen that takes the whole window, such as the welcome screen."""
        self._screens.addWidget(screen)
        self._screens.setCurrentWidget(screen)

    def cover_failure(
        self, text: str, details: str, title: str = "", *, has_other: bool = True, before: str = ""
    ) -> FailureScreen:
        """Show that the calendar couldn't be opened; return the screen with its buttons."""
        screen = FailureScreen(text, details, title, has_other=has_other, before=before)
        self.cover(screen)
        return screen

    def uncover(self) -> None:
        """Remove whole-window screens."""
        self._screens.setCurrentWidget(self._furnished)
        while self._screens.count() > 1:
            if (cover := self._screens.widget(1)) is not None:
                self._screens.removeWidget(cover)
                cover.deleteLater()

    def furnish(self, build: Callable[[str], QWidget | None], name: str, place: str) -> None:
        """Show the sidebar; ``name`` and ``place`` are the calendar's.

        ``build`` creates the pane of a destination that is opened before it was added; if it returns None,
        the current pane stays.
        """
        self._build = build
        self.rail.header.set_home(name, place)
        self.rail.set_open(open_=True)
        self.uncover()

    def add(self, destination: str, pane: QWidget) -> None:
        """Add the pane of a destination."""
        self._names[destination] = pane
        self._place.add(pane)

    def clear_out(self) -> None:
        """Remove the panes of a workspace."""
        self.close_side()
        for pane in self._names.values():
            self._panes.removeWidget(pane)
            pane.deleteLater()
        self._names.clear()
        self.status.set_workspace(None)
        self.rail.next_post.clear()
        self.rail.set_open(open_=False)

    @property
    def is_asking(self) -> bool:
        """Whether a sheet, menu or dialog is open, or a message offers for a while to undo something."""
        from app.desktop.widgets import Sheet

        has_sheet = any(not sheet.isHidden() for sheet in self.findChildren(Sheet))
        dialog = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        return has_sheet or dialog is not None or self.messages.is_offering

    def dismiss_sheets(self) -> None:
        """Close all sheets, menus and file dialogs, for example because their calendar is closed."""
        from app.desktop.file_dialogs import dismiss_dialogs
        from app.desktop.widgets import Sheet

        while sheets := [sheet for sheet in self.findChildren(Sheet) if not sheet.isHidden()]:
            sheets[-1].dismiss()  # may present another one
        for menu in self.findChildren(QMenu):
            if menu.isVisible():
                menu.close()
        dismiss_dialogs(self)

    def go(self, destination: str) -> None:
        """Open a pane and focus it."""
        if (pane := self._names.get(destination) or self._build(destination)) is None:
            return
        self._place.show_pane(pane)
        self.rail.select(destination)

    def go_to_region(self, step: int) -> None:
        """Focus the next region of the window (1), or the previous one (-1)."""
        self._regions.go(step, self._panes.currentWidget(), self._side)

    def open_side(self, panel: QWidget) -> None:
        """Show a panel at the right edge, replacing the current one."""
        focused = QApplication.focusWidget()
        if self._side is None or focused is None or not self._side.isAncestorOf(focused):
            self._before_side = focused
        if self._side is not None:
            self._remove_side(self._side)
            self._add_side(panel)
            return
        with sliding_in(self._furnished, self._middle, panel):
            self._add_side(panel)

    def close_side(self) -> None:
        """Close the side panel; focus in it returns to where it was, or else to the pane."""
        if self._side is None:
            return
        with sliding_out(self._furnished, self._side):
            if self._remove_side(self._side):
                self._return_focus()

    def _add_side(self, panel: QWidget) -> None:
        self._side = panel
        self._fit_rail()
        self._middle.addWidget(panel)
        panel.show()
        self.messages.set_in_view(panel.about if isinstance(panel, SidePanel) else "")

    def _remove_side(self, panel: QWidget) -> bool:
        """Remove the side panel; return whether it had the focus."""
        focused = QApplication.focusWidget()
        had_focus = focused is not None and panel.isAncestorOf(focused)
        self._middle.removeWidget(panel)
        panel.hide()
        panel.deleteLater()
        self._side = None
        self._fit_rail()
        self.messages.set_in_view("")
        return had_focus

    def _fit_rail(self) -> None:
        """Show only icons in the sidebar while a panel would leave the pane too little room."""
        side = self._side.minimumWidth() if self._side is not None else 0
        room = self.width() - self.rail.usual_width - side
        self.rail.set_narrow(bool(side) and room < theme.current().grown(_BESIDE_A_PANEL))

    def _return_focus(self) -> None:
        before, pane = self._before_side, self._panes.currentWidget()
        if before is not None and isValid(before) and before.isVisible() and before.isEnabled():
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        elif pane is not None:
            enter(pane)

    @property
    def side(self) -> QWidget | None:
        """The panel at the right edge, if any."""
        return self._side

    def set_appearance(self, mode: str) -> None:
        """Apply and save the appearance: system, light or dark."""
        known = _MODES.get(mode, "system")
        app = QApplication.instance()
        if isinstance(app, QApplication):
            theme.apply(app, known, self._text_size / 100)
            self._fit_rail()
        self.preferences.appearance = known
        self.appearance_changed.emit()

    @property
    def appearance(self) -> theme.Mode:
        """The current appearance: system, light or dark."""
        return _MODES[self.preferences.appearance]

    @property
    def motion_mode(self) -> motion.Mode:
        """Whether to animate: like the system, always, or never."""
        return motion.mode()

    def set_motion(self, mode: str) -> None:
        """Apply and save whether to animate."""
        self.preferences.motion = mode
        motion.choose(_MOTIONS[self.preferences.motion])

    @property
    def text_size(self) -> int:
        """The text size, in percent."""
        return self._text_size

    def change_text_size(self, step: int) -> None:
        """Make all text larger (1) or smaller (-1) by a step, or reset it (0), and save the size."""
        place = TEXT_SIZES.index(self._text_size) + step
        self._text_size = TEXT_SIZES[min(max(place, 0), len(TEXT_SIZES) - 1)] if step else _USUAL_TEXT
        self.preferences.text_size = self._text_size
        self.set_appearance(self.appearance)

    @property
    def data(self) -> Path:
        """The data folder."""
        return Path(self._settings.fileName()).parent

    @property
    def zone(self) -> ZoneInfo:
        """The zone of the calendar: the selected one if this computer knows it, otherwise the computer's."""
        try:
            return ZoneInfo(self.preferences.zone or self.system_zone.key)
        except (KeyError, ValueError):
            return self.system_zone

    def choose_zone(self, zone: ZoneInfo | None) -> None:
        """Set the zone for the panes built next; None to follow this computer's."""
        self.preferences.zone = zone.key if zone is not None else ""
        use_zone(self.zone)
        self.status.set_zone(self.zone)

    def follow_computer(self, key: str) -> None:
        """Use the zone in which this computer is now, for the panes built next."""
        self.system_zone = ZoneInfo(key)
        self.choose_zone(None)

    def _offer_zone(self) -> None:
        """Offer the zone of a computer that has travelled, once."""
        try:
            here = self.read_zone()
        except (LookupError, ValueError, OSError):  # the system's settings may be changing
            return
        if not self.follows_system_zone:
            self.system_zone = here
        elif here.key not in (self.system_zone.key, self._offered_zone):
            text = tr(
                "This computer is now in the time zone of {here}. Kalends still uses that of {before}.",
                here=city(here),
                before=city(self.system_zone),
            )
            action = MessageAction(tr("Use the new time zone"), FOLLOW_COMPUTER, here.key)
            self.messages.tell(Message("warning", text, action=action, about="time zone"))
            self._offered_zone = here.key

    @property
    def follows_system_zone(self) -> bool:
        """Whether no zone was selected."""
        return not self.preferences.zone

    def choose_first_weekday(self, weekday: int) -> None:
        """Set the first day of the week, 0 for Monday, for the panes built next."""
        week.begin_on(weekday)
        self.preferences.first_weekday = week.first_weekday()

    def group_ideas(self, on: bool) -> None:
        """Show the posts of one idea as one card of the calendar, or each on a separate card."""
        self.preferences.groups_ideas = on
        self.grouping_changed.emit(on)

    def come_forward(self) -> None:
        """Show the window in front of all others, even if minimised or hidden."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def _add_commands(self) -> None:
        CommandSet(self).add(
            Command(
                tr("Quit Kalends"),
                tr("General"),
                self._quit,
                keys=("Ctrl+Q",),
                icon="power",
                words=tr("exit end close"),
            )
        )

    def _quit(self) -> None:
        """Do what Ctrl+Q does."""
        self.ask_to_quit()

    def changeEvent(self, event: QEvent) -> None:
        """Emit `activated` when the window becomes active or inactive."""
        if event.type() == QEvent.Type.ActivationChange:
            if self.size() == self._fitted:  # the size wasn't changed by the user
                self._fit_screen()
            self.activated.emit(self.isActiveWindow())
            if self.isActiveWindow() and self._names:
                self._offer_zone()
        super().changeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show or hide the words of the sidebar."""
        self._fit_rail()
        super().resizeEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save the geometry of the window."""
        self._settings.setValue("geometry", self.saveGeometry())
        self._settings.sync()
        if not self.may_close():
            event.ignore()
            return
        super().closeEvent(event)

    def _lay_out(self) -> None:
        self._middle.setContentsMargins(0, 0, 0, 0)
        self._middle.setSpacing(0)
        self._middle.addWidget(self.rail)
        self._middle.addWidget(self._place, 1)
        column = QVBoxLayout(self._furnished)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._middle, 1)
        column.addWidget(self.status)
        self._screens.addWidget(self._furnished)

    def _fit_screen(self) -> None:
        """Keep the window with its frame within the available area of the screen."""
        if self.isMaximized() or self.isFullScreen():
            return
        room = self.screen().availableGeometry()
        handle: QWindow | None = self.windowHandle()  # None before the window is first shown
        frame = handle.frameMargins() if handle is not None else QMargins()
        frame = _ASSUMED_FRAME if frame.isNull() else frame
        inner = room.marginsRemoved(frame)
        self.resize(self.size().boundedTo(inner.size()).expandedTo(self.minimumSize()))
        self._fitted = self.size()
        if self.testAttribute(Qt.WidgetAttribute.WA_Moved):
            farthest = inner.bottomRight() - QPoint(self.width() - 1, self.height() - 1)
            at = self.geometry().topLeft()
            x = max(inner.left(), min(at.x(), farthest.x()))
            y = max(inner.top(), min(at.y(), farthest.y()))
            self.move(QPoint(x, y) - QPoint(frame.left(), frame.top()))

    def _restore(self) -> None:
        self._text_size = self.preferences.text_size
        geometry = self._settings.value("geometry")
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)
        self._fit_screen()
        week.begin_on(self.preferences.first_weekday)
        use_zone(self.zone)
        motion.choose(_MOTIONS[self.preferences.motion])
        self.set_appearance(self.appearance)
