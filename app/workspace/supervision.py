"""Keeps the parts of a workspace running, even if one fails unexpectedly."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from app.language import tr
from app.workspace.core import Core
from app.workspace.messages import Message

_TOLD_FROM: Final = 3
"""Failures of one part before the user gets a message."""
_STEADY_S: Final = 600.0
"""How long a part must have run for its earlier failures to be forgotten."""

_log = logging.getLogger(__name__)

Run = Callable[[], Awaitable[None]]


class Supervisor:
    """Runs parts until ``stop``. A failing part is restarted after a delay that grows with each failure."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, parts: Iterable[Run]) -> None:
        loop = asyncio.get_running_loop()
        self._tasks += [loop.create_task(self._keep_running(run)) for run in parts]

    async def stop(self) -> None:
        """Cancel all parts and wait for their end."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _keep_running(self, run: Run) -> None:
        loop, pace, failures = asyncio.get_running_loop(), self._core.pace, 0
        while True:
            began = loop.time()
            try:
                return await run()
            except Exception as error:  # noqa: BLE001  whatever it is, it must not be the end
                _log.error("a part of the workspace stopped", exc_info=error)
                failures = 1 if loop.time() - began >= _STEADY_S else failures + 1
                if failures == _TOLD_FROM:
                    self._tell(error)
            await asyncio.sleep(min(pace.backoff_max, pace.backoff * 2.0 ** min(failures - 1, 16)))

    def _tell(self, error: Exception) -> None:
        text = tr(
            "Part of Kalends keeps failing, so what you see may be out of date. "
            "Restart Kalends; your changes are saved."
        )
        self._core.messages.tell(Message("error", text, repr(error)))
