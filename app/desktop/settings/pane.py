"""The settings pane: sections on the left, the selected one on the right."""

from functools import partial
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QFocusEvent, QFontMetrics, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QButtonGroup,
    QHBoxLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.desktop.commands import Command, CommandSet
from app.desktop.options import usual_data
from app.desktop.settings.about import AboutSection
from app.desktop.settings.background import BackgroundSection, NotificationsSection
from app.desktop.settings.calendars import CalendarsSection
from app.desktop.settings.data import DataSection
from app.desktop.settings.logs import LogsSection
from app.desktop.settings.looks import LooksSection
from app.desktop.settings.network import NetworkSection
from app.desktop.settings.rows import Section
from app.desktop.shell.rail import RailItem
from app.desktop.shell.window import MainWindow
from app.desktop.theme import theme
from app.desktop.widgets import FlowLayout, Label, Reflow, stop_at_checked
from app.desktop.widgets.screen_reader import spoken_as
from app.language import mid_sentence, tr
from app.workspace.homes import Home
from app.workspace.homes.visit import Visits
from app.workspace.login import login_item
from app.workspace.messages import Message
from app.workspace.workspace import Workspace

_GROUP: Final = tr("Settings")
_GAP: Final = 12
_BESIDE: Final = 84
"""What a line of the rail keeps free beside its words."""
_NAMES: Final = {
    "calendars": (tr("Calendars"), "server", tr("workspaces keys api key rename remove service")),
    "looks": (tr("Dates and appearance"), "sun", tr("time zone week theme dark light text size language")),
    "network": (tr("Network"), "globe", tr("proxy office internet password socks")),
    "notifications": (tr("Notifications"), "bell", tr("notify tell alerts sounds off")),
    "background": (tr("Background"), "power", tr("tray close quit login autostart start")),
    "data": (tr("Data and backup"), "download", tr("folder disk restore export zip")),
    "logs": (tr("Logs"), "list", tr("errors support diagnostics")),
    "about": (tr("About"), "info", tr("version license notices documents")),
}


@spoken_as(QAccessible.Role.Grouping)
class SettingsPane(QWidget):
    """All settings; changes apply immediately."""

    told = Signal(Message)
    refurnish_wanted = Signal()
    """Panes that show days must be rebuilt."""

    def __init__(self, window: MainWindow, workspace: Workspace, home: Home, visits: Visits) -> None:
        super().__init__()
        self.calendars = CalendarsSection(window, workspace, home, visits)
        self.looks, self.data = LooksSection(window), DataSection(visits.homes)
        self.network = NetworkSection(visits.network, home, visits.homes.folder(home))
        self.notifications = NotificationsSection(window.preferences)
        self.background = BackgroundSection(
            window.preferences, login_item(visits.homes.data, usual_data()), runs_here=home.is_embedded
        )
        self.logs, self.about = LogsSection(visits.homes), AboutSection()
        self._sections: dict[str, Section] = {
            "calendars": self.calendars,
            "looks": self.looks,
            "network": self.network,
            "notifications": self.notifications,
            "background": self.background,
            "data": self.data,
            "logs": self.logs,
            "about": self.about,
        }
        self.items = {name: RailItem(*_NAMES[name][:2]) for name in self._sections}
        self._group, self._stack, self._places = QButtonGroup(self), QStackedWidget(), QWidget()
        self._lay_out()
        self._connect()
        self.show_section("calendars")

    def show_section(self, name: str) -> None:
        """Select a section."""
        section = self._sections[name]
        self._stack.setCurrentWidget(section)
        self.items[name].setChecked(True)
        stop_at_checked(self.items.values())
        if self.isVisible():
            section.came_to_view()
            self._follow_by_focus(section)

    def _follow_by_focus(self, section: Section) -> None:
        """Keep the focus on the selected section: another one with focus would look selected, too."""
        focused = QApplication.focusWidget()
        if focused is not None and self.isAncestorOf(focused) and not section.isAncestorOf(focused):
            self.items[self.section()].setFocus()

    def place(self) -> tuple[str, str]:
        """The selected section and the name of its focused control; see `return_to`."""
        section = self.section()
        controls = vars(self._sections[section]).items()
        names = {one: name for name, one in controls if isinstance(one, QWidget)}
        around = QApplication.focusWidget()
        while around is not None and around not in names:
            around = around.parentWidget()
        return section, names.get(around, "") if around is not None else ""

    def return_to(self, section: str, control: str) -> None:
        """Select a section and focus its control, or the section's name if the control is gone."""
        self.show_section(section)
        found = vars(self._sections[section]).get(control)
        is_there = isinstance(found, QWidget) and found.isVisibleTo(self) and found.isEnabled()
        (found if isinstance(found, QWidget) and is_there else self.items[section]).setFocus()

    def section(self) -> str:
        """The name of the selected section."""
        return next(name for name, one in self._sections.items() if one is self._stack.currentWidget())

    def showEvent(self, event: QShowEvent) -> None:
        """Update the selected section."""
        super().showEvent(event)
        self._sections[self.section()].came_to_view()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Focus the list of sections, for arrow keys."""
        self.entry().setFocus(event.reason())

    def entry(self) -> QWidget:
        """Return the name of the selected section."""
        return self.items[self.section()]

    def _open(self, name: str) -> None:
        self.show_section(name)
        self.items[name].setFocus()

    def _connect(self) -> None:
        for name, item in self.items.items():
            self._group.addButton(item)
            item.toggled.connect(partial(self._toggled, name))
        for section in (self.calendars, self.network, self.background, self.data, self.logs, self.about):
            section.told.connect(self.told)
        self.looks.days_changed.connect(self.data.tell_unfinished)
        self.looks.days_changed.connect(self.refurnish_wanted)
        CommandSet(self, "settings").add(
            *(
                Command(
                    tr("Settings: {name}", name=mid_sentence(label)),
                    _GROUP,
                    partial(self._open, name),
                    icon=icon,
                    words=words,
                )
                for name, (label, icon, words) in _NAMES.items()
            )
        )

    def _toggled(self, name: str, checked: bool) -> None:
        if checked:
            self.show_section(name)

    def _lay_out(self) -> None:
        gutter = theme.current().metrics.gutter
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Settings"))
        head = QHBoxLayout()
        head.addStrut(theme.current().metrics.control)
        head.addWidget(Label(tr("Settings"), "title"))
        head.addStretch(1)
        places = FlowLayout(self._places, 0)
        for item in self.items.values():
            places.addWidget(item)
        for section in self._sections.values():
            self._stack.addWidget(section)
        body = Reflow((0, 1), gap=gutter)
        body.add(self._places, 0, 0)
        body.add(self._stack, 0, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(gutter, 12, gutter, 0)
        column.setSpacing(_GAP)
        column.addLayout(head)
        column.addWidget(body, 1)
        theme.follow(self._widen)

    def _widen(self) -> None:
        """Set the width that section names need at the current text size."""
        metrics, items = QFontMetrics(theme.current().font("strong")), self.items.values()
        words = max(metrics.horizontalAdvance(item.text()) for item in items) + _BESIDE
        widest = max(words, *(item.sizeHint().width() for item in items))
        for item in items:
            item.setFixedWidth(widest)
