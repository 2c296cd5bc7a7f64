"""Settings that change while a process runs."""

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Final

import structlog

from app.service.logs import configure_logs
from app.service.problems import CommandProblem
from app.service.settings import Settings, read_settings

_log = structlog.get_logger(__name__)

LIVE: Final = frozenset({"log_level", "access_log", "limits"})
"""Settings that take effect without a restart."""


class Reloader:
    """Reads the settings again on SIGHUP, as a worker of the process.

    A program in a terminal isn't told: there, SIGHUP means that the terminal was closed. Windows has no such
    signal.
    """

    def __init__(self, file: Path, current: Settings, follow: Sequence[Callable[[Settings], None]]) -> None:
        """Listen to the signal from now on, on the running event loop.

        ``follow`` are called with settings that were read again.
        """
        self._file = file
        self._current = current
        self._follow = follow
        self._called = asyncio.Event()
        self._stopped = False
        self._listen()

    async def run(self) -> None:
        """Wait for signals until ``stop``."""
        while True:
            await self._called.wait()
            self._called.clear()
            if self._stopped:
                return
            await self._reload()

    async def stop(self) -> None:
        """Ignore further signals."""
        self._stopped = True
        self._called.set()

    def _listen(self) -> None:
        hang_up = getattr(signal, "SIGHUP", None)
        if hang_up is None or (sys.stdin is not None and sys.stdin.isatty()):
            return
        loop = asyncio.get_running_loop()

        def call(_number: int, _frame: FrameType | None) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._called.set)

        signal.signal(hang_up, call)

    async def _reload(self) -> None:
        try:
            new = await asyncio.to_thread(read_settings, self._file)
        except CommandProblem as problem:
            _log.error("the settings stay as they are", reason=str(problem))
            return
        configure_logs(new.log_level)
        for follow in self._follow:
            follow(new)
        changed = {
            name for name in Settings.model_fields if getattr(new, name) != getattr(self._current, name)
        }
        _log.warning(
            "the settings were read again",
            changed=sorted(changed & LIVE),
            needing_a_restart=sorted(changed - LIVE),
        )
        live = {name: getattr(new, name) for name in LIVE}
        self._current = self._current.model_copy(update=live)
