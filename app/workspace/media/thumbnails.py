"""Small pictures of files, made by a program of its own: a bad file may take it down, and nothing else."""

import asyncio
import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from app.contract.enums import PostType
from app.workspace.repair.workshop import COMMAND, PATIENCE_S, Bench

EDGE: Final = 480
"""The longest side of a small picture, in pixels: a tile of the grid at 200 %."""
_IDLE_S: Final = 10.0
"""How long the program waits for another file before it is ended."""


class Thumbnails:
    """Makes one picture at a time. For the event loop's thread.

    ``command`` starts a program that speaks as ``repair.worker`` does; the other two are in seconds.
    """

    def __init__(
        self, *, command: Sequence[str] = COMMAND, patience: float = PATIENCE_S, idle: float = _IDLE_S
    ) -> None:
        self._command, self._patience, self._idle = command, patience, idle
        self._turn = asyncio.Semaphore(1)
        self._bench: Bench | None = None
        self._end: asyncio.TimerHandle | None = None

    async def make(
        self, file: Path, post_type: PostType, edge: int = EDGE, cover_ms: int | None = None
    ) -> bytes | None:
        """Return a JPEG of an image, or of a moment of a video, with no side longer than ``edge``.

        None for a file that cannot be read, or that would take too much memory or time.
        """
        asked = {"do": "shrink", "path": str(file), "post_type": post_type.value}
        async with self._turn:
            said = await self._ask(asked | {"edge": edge, "cover_ms": cover_ms})
        made = (said or {}).get("done")
        return base64.b64decode(made) if made else None

    async def close(self) -> None:
        """End the program; it is started again when another picture is wanted."""
        if (bench := self._forget()) is not None:
            bench.stop()
            await asyncio.to_thread(bench.close)

    async def _ask(self, asked: dict[str, Any]) -> dict[str, Any] | None:
        if self._end is not None:
            self._end.cancel()
        self._bench = bench = self._bench or Bench(self._command, self._patience)
        try:
            return await asyncio.to_thread(bench.ask, asked)
        except asyncio.CancelledError:
            self._forget()
            bench.stop()
            # No task: it goes on when this one is cancelled once more, as all are at the end of the loop.
            await asyncio.wait([asyncio.get_running_loop().run_in_executor(None, bench.close)])
            raise
        finally:
            if self._bench is not None:
                self._end = asyncio.get_running_loop().call_later(self._idle, self._rest)

    def _rest(self) -> None:
        if (bench := self._forget()) is not None:
            asyncio.get_running_loop().run_in_executor(None, bench.close)

    def _forget(self) -> Bench | None:
        if self._end is not None:
            self._end.cancel()
        bench, self._bench, self._end = self._bench, None, None
        return bench
