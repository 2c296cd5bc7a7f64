"""The lock on the data folder, which only one app can use at a time."""

import asyncio
from pathlib import Path

from filelock import FileLock, Timeout

from app.desktop.shell.window import MainWindow
from app.language import tr


class FolderLock:
    """Locks the folder; if that fails, shows why in the window."""

    def __init__(self, data: Path, lock: FileLock, window: MainWindow) -> None:
        """`lock` may already be held."""
        self._data = data
        self._lock = lock
        self._window = window

    def take(self) -> bool:
        """Make this the only app on the folder; return False if another one has it. Raises OSError."""
        (self._data / "logs").mkdir(parents=True, exist_ok=True)
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            return False
        return True

    async def take_patiently(self, stop: asyncio.Event) -> bool | None:
        """Lock the folder; while it isn't writable, show why. Return None if the user gives up."""
        while True:
            try:
                return self.take()
            except OSError as error:
                again = self.say_unwritable(error)
            waits = [asyncio.create_task(each.wait()) for each in (stop, again)]
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for wait in waits:
                wait.cancel()
            if stop.is_set():
                return None
            self._window.uncover()

    def release(self) -> None:
        """Let other apps use the folder."""
        self._lock.release(force=True)

    def say_unwritable(self, error: OSError) -> asyncio.Event:
        """Show why nothing can be opened; the returned event is set to try again."""
        from app.workspace import foreign_texts

        text = tr(
            "Kalends keeps your posts in {folder}, but can't write there: {why}. Allow writing or free some "
            "space, then try again.",
            folder=self._data,
            why=foreign_texts.why(error),
        )
        title = tr("Can't write to the data folder")
        screen = self._window.cover_failure(text, str(error), title, has_other=False)
        again = asyncio.Event()
        screen.retry.connect(again.set)
        self._window.show()
        return again
