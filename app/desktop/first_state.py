"""The saved last state of the calendar, shown before its workspace can be opened."""

import asyncio
from typing import TYPE_CHECKING

from shiboken6 import isValid

from app.desktop import aio
from app.desktop.shell.window import MainWindow
from app.workspace.homes.last import LastHome

if TYPE_CHECKING:
    from app.desktop.calendar import CalendarPane
    from app.desktop.shell.first_calendar import FirstCalendar
    from app.workspace.homes import Home
    from app.workspace.store.first import FirstRows


class FirstState:
    """Shows the last state of the home that was open last, until it's handed over or removed."""

    def __init__(self, window: MainWindow, home: LastHome | None) -> None:
        """Without a home, nothing is shown."""
        self._window = window
        self._home = home
        self._shown: FirstCalendar | None = None
        self.painted = asyncio.Event()
        """Set when a calendar is first painted."""
        self.tried = asyncio.Event()
        """Set when the last state is shown, or is missing."""

    @property
    def pane(self) -> "CalendarPane | None":
        """The calendar, while it shows the saved state."""
        return self._shown.pane if self._shown is not None else None

    async def show(self) -> None:
        """Show the calendar, before importing everything needed to change it."""
        try:
            await self._show()
        finally:
            self.tried.set()

    async def _show(self) -> None:
        home = self._home
        if home is None or self.painted.is_set() or not self._window.isVisible():
            return
        from app.workspace.last_state import LastState

        if not home.was_open_before or (state := await LastState.read(home.workspace)) is None:
            return
        from app.desktop.shell.first_calendar import FirstCalendar

        self._shown = FirstCalendar(self._window, state, home, self._window.zone)
        await self.note_painted(self._shown.pane)

    async def note_painted(self, calendar: "CalendarPane") -> None:
        """Wait until a calendar is painted, and set `painted`."""
        view = calendar.grid.view
        if isValid(view):  # it isn't if the calendar was closed before this task began
            await aio.painted(view.viewport())
        self.painted.set()

    def rows_of(self, home: "Home") -> "FirstRows | None":
        """Return the rows already read of a home's workspace."""
        return self._shown.rows_of(home) if self._shown is not None else None

    def hand_over(self, home: "Home") -> "FirstCalendar | None":
        """Return the calendar for the home that is open now; remove it if it's of another home."""
        if self._shown is not None and self._shown.rows_of(home) is None:
            self.leave()
        shown, self._shown = self._shown, None
        return shown

    def leave(self) -> None:
        """Remove the calendar from the window."""
        if self._shown is not None:
            self._shown = None
            self._window.clear_out()
