"""The calendar as it was kept, which shows before its workspace can be opened."""

import asyncio
from typing import TYPE_CHECKING

from app.desktop import aio
from app.desktop.shell.window import MainWindow
from app.workspace.homes.last import LastHome

if TYPE_CHECKING:
    from app.desktop.calendar import CalendarPane
    from app.desktop.shell.first_calendar import FirstCalendar
    from app.workspace.homes import Home
    from app.workspace.store.first import FirstRows


class FirstState:
    """Shows the last state of the home that was open last, until it is handed over or left."""

    def __init__(self, window: MainWindow, home: LastHome | None) -> None:
        """Without a home there is nothing to show."""
        self._window = window
        self._home = home
        self._shown: FirstCalendar | None = None
        self.painted = asyncio.Event()
        """Set once a calendar was painted for the first time."""
        self.tried = asyncio.Event()
        """Set once the last state is shown, or found to be missing."""

    @property
    def pane(self) -> "CalendarPane | None":
        """The calendar while it is the one that was kept."""
        return self._shown.pane if self._shown is not None else None

    async def show(self) -> None:
        """Show the calendar, before everything is imported that can change it."""
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
        """Wait until a calendar was painted, and remember it."""
        await aio.painted(calendar.grid.view.viewport())
        self.painted.set()

    def rows_of(self, home: "Home") -> "FirstRows | None":
        """What was read of a home's workspace already."""
        return self._shown.rows_of(home) if self._shown is not None else None

    def hand_over(self, home: "Home") -> "FirstCalendar | None":
        """Give the calendar to the home that is open now; one of another home is left."""
        if self._shown is not None and self._shown.rows_of(home) is None:
            self.leave()
        shown, self._shown = self._shown, None
        return shown

    def leave(self) -> None:
        """Take the calendar out of the window."""
        if self._shown is not None:
            self._shown = None
            self._window.clear_out()
