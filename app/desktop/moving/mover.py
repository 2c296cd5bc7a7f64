"""Moves a closed calendar, with a screen that covers the window, and opens it where it is afterwards."""

import asyncio
from collections.abc import Callable
from urllib.parse import urlsplit

from app.desktop.aio import TaskScope
from app.desktop.moving.screen import MoveScreen
from app.desktop.shell.window import MainWindow
from app.language import tr
from app.workspace.homes import Home
from app.workspace.homes.moving.messages import MoveProgress
from app.workspace.homes.moving.move import Move
from app.workspace.homes.moving.note import Direction, MoveNote, pending_move
from app.workspace.homes.visit import Visits
from app.workspace.messages import Message, Problem


class Mover:
    """One move at a time. ``opened`` opens the home when it has moved or stayed."""

    def __init__(self, window: MainWindow, visits: Visits, opened: Callable[[Home], object]) -> None:
        self._window, self._visits, self._opened = window, visits, opened
        self._scope = TaskScope(window, self._show)
        self._moving: asyncio.Task[None] | None = None
        self._cancelling: asyncio.Task[None] | None = None
        self.screen: MoveScreen | None = None

    async def continues(self, home: Home) -> bool:
        """Continue the move of a home, or its cancellation; return whether there is one."""
        note = await asyncio.to_thread(pending_move, self._visits.homes, home)
        if note is not None:
            self._begin(home, note, None)
        return note is not None

    def move(self, home: Home, note: MoveNote, key: str) -> None:
        """Move a closed home."""
        self._begin(home, note, key)

    def close(self) -> None:
        """Stop; the next start continues."""
        self._scope.close()

    def _begin(self, home: Home, note: MoveNote, key: str | None) -> None:
        self.screen = screen = MoveScreen(*_titles(home, note))
        move = self._visits.move(home)
        screen.continue_wanted.connect(lambda: self._start(move, note, key))
        screen.cancel_wanted.connect(lambda: self._stop(move, note))
        self._window.cover(screen)
        screen.cancel.setFocus()
        if note.is_cancelled:
            self._tell_ending(MoveProgress(tr("Cancelling the move")))
            self._stop(move, note)
        else:
            self._start(move, note, key)

    def _start(self, move: Move, note: MoveNote, key: str | None) -> None:
        if self._moving is None or self._moving.done():  # else its button was clicked twice
            self._moving = self._scope.start(self._run(move, note, key))

    def _stop(self, move: Move, note: MoveNote) -> None:
        if self._cancelling is None or self._cancelling.done():
            self._cancelling = self._scope.start(self._cancel(move, note))

    async def _run(self, move: Move, note: MoveNote, key: str | None) -> None:
        if key is not None and not await asyncio.to_thread(self._visits.is_moving, move.home):
            await move.begin(note, key)
        home = await move.run(self._tell)
        self._finish(home, _done(home))

    async def _cancel(self, move: Move, note: MoveNote) -> None:
        if self._moving is not None:
            self._moving.cancel()
            await asyncio.gather(self._moving, return_exceptions=True)
        if self.screen is None:  # it was complete just before
            return
        await move.cancel(self._tell_ending)
        if move.home.is_embedded is (note.direction is Direction.BACK):  # only its notes were left
            self._finish(move.home, _done(move.home))
            return
        text = tr("The move was cancelled. {name} is where it was.", name=move.home.name)
        self._finish(move.home, Message("info", text))

    def _finish(self, home: Home, message: Message) -> None:
        self._tell_ending(MoveProgress(tr("Opening the calendar")))
        self.screen = None
        self._opened(home)
        self._window.messages.tell(message)

    def _tell(self, progress: MoveProgress) -> None:
        if self.screen is not None:
            self.screen.show_progress(progress)

    def _tell_ending(self, progress: MoveProgress) -> None:
        if self.screen is not None:
            self.screen.show_ending(progress)

    def _show(self, problem: Problem) -> None:
        if self.screen is not None:
            self.screen.show_problem(problem)


def _titles(home: Home, note: MoveNote) -> tuple[str, str]:
    """Return the titles of a move that is running, and of one that has stopped."""
    if note.direction is Direction.BACK:
        return tr("Moving {name} to this computer", name=home.name), tr("The move to this computer stopped")
    host = urlsplit(note.base_url).netloc
    return tr("Moving {name} to {host}", name=home.name, host=host), tr(
        "The move to {host} stopped", host=host
    )


def _done(home: Home) -> Message:
    if home.is_embedded:
        text = tr("{name} is on this computer now. Posts are published while it's on.", name=home.name)
    else:
        host = urlsplit(home.base_url).netloc
        text = tr(
            "{name} is on {host} now, which publishes your posts. What was on this computer was kept.",
            name=home.name,
            host=host,
        )
    return Message("info", text)
