"""The calendar in its last state, shown before its workspace is open."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QWidget

from app.desktop.calendar import CalendarPane
from app.desktop.calendar.filters import CalendarState
from app.desktop.shell.window import MainWindow
from app.language import tr
from app.workspace.homes.last import LastHome
from app.workspace.last_state import LastState
from app.workspace.store.first import FirstRows

if TYPE_CHECKING:
    from app.workspace.homes import Home
    from app.workspace.workspace import Workspace


class FirstCalendar:
    """Shows the calendar of a home, and queues requests to the window until `hand_over`."""

    def __init__(self, window: MainWindow, state: LastState, home: LastHome, zone: ZoneInfo) -> None:
        self._home_id = home.id
        self._state = state
        self.pane = CalendarPane(state, zone, groups_ideas=window.preferences.groups_ideas)
        self.pane.restore(CalendarState.read(window.preferences.calendar_state(home.id)))
        self._window = window
        self._wanted: str | None = None
        self._asked: list[tuple[SignalInstance, tuple[object, ...]]] = []
        self._deaf: list[Callable[[], object]] = []
        for signal in self._signals():
            self._remember(signal)
        place = tr("On this computer") if home.is_embedded else home.base_url.removeprefix("https://")
        window.furnish(self._want, home.name, place)
        window.add("calendar", self.pane)
        window.rail.next_post.show_posts_of(state, zone)
        window.go("calendar")

    def rows_of(self, home: "Home") -> FirstRows | None:
        """Return the rows already read of a home's workspace; None for another home."""
        return self._state.rows if str(home.id) == self._home_id else None

    def hand_over(self, workspace: "Workspace") -> None:
        """Continue with the workspace, in a furnished window, and process the queued requests."""
        for end in self._deaf:
            end()
        self._state.go_on_with(workspace)
        if self._wanted is not None:
            self._window.go(self._wanted)
        for signal, values in self._asked:
            signal.emit(*values)

    def _signals(self) -> tuple[SignalInstance, ...]:
        """Return the calendar's requests to the rest of the app."""
        pane, bar = self.pane, self.pane.toolbar
        return (
            pane.newPostRequested,
            pane.dropped,
            pane.postOpened,
            pane.connectRequested,
            pane.told,
            pane.changesRequested,
            pane.slotChosen,
            pane.slotsRequested,
            pane.warningsRequested,
            pane.refreshRequested,
            pane.keyRequested,
            bar.table_import_asked,
            bar.table_export_asked,
        )

    def _remember(self, signal: SignalInstance) -> None:
        def remember(*values: object) -> None:
            self._asked.append((signal, values))

        self._deaf.append(partial(signal.disconnect, signal.connect(remember)))

    def _want(self, destination: str) -> QWidget | None:
        self._wanted = destination
        return None
