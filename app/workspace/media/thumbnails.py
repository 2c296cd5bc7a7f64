"""Thumbnails, made by a helper process, so that a bad file can only crash that process."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from app.contract.enums import PostType
from app.media.helper import BACKGROUND_COMMAND, PATIENCE_S, Helper, HelperError
from app.media.protocol import Line

EDGE: Final = 480
"""Longest side of a thumbnail in pixels: a tile of the grid at 200 %."""
_IDLE_S: Final = 10.0
"""Idle time before the process is ended, in s."""


class Thumbnails:
    """Makes one thumbnail at a time. For the event loop's thread.

    ``command`` starts a process with the protocol of `app.media.worker`; the other two are in s.
    """

    def __init__(
        self,
        *,
        command: Sequence[str] = BACKGROUND_COMMAND,
        patience: float = PATIENCE_S,
        idle: float = _IDLE_S,
    ) -> None:
        self._command, self._patience, self._idle = command, patience, idle
        self._turn = asyncio.Semaphore(1)
        self._helper: Helper | None = None
        self._end: asyncio.TimerHandle | None = None

    async def make(
        self, file: Path, post_type: PostType, edge: int = EDGE, cover_ms: int | None = None
    ) -> bytes | None:
        """Return a JPEG of an image, or of a moment of a video, with no side longer than ``edge``.

        None for a file that can't be read, or would need too much memory or time.
        """
        asked = {"do": "thumbnail", "path": str(file), "post_type": post_type.value}
        async with self._turn:
            return await self._ask(asked | {"edge": edge, "cover_ms": cover_ms})

    async def close(self) -> None:
        """End the process; it's started again for the next thumbnail."""
        if (helper := self._forget()) is not None:
            helper.stop()
            await asyncio.to_thread(helper.close)

    async def _ask(self, asked: Line) -> bytes | None:
        if self._end is not None:
            self._end.cancel()
        self._helper = helper = self._helper or Helper(self._command, self._patience)
        try:
            _, picture = await asyncio.to_thread(helper.ask, asked)
        except HelperError:
            return None
        except asyncio.CancelledError:
            self._forget()
            helper.stop()
            # Not a task: it must go on if this one is cancelled again, as all are at the end of the loop.
            await asyncio.wait([asyncio.get_running_loop().run_in_executor(None, helper.close)])
            raise
        else:
            return picture or None
        finally:
            if self._helper is not None:
                self._end = asyncio.get_running_loop().call_later(self._idle, self._rest)

    def _rest(self) -> None:
        if (helper := self._forget()) is not None:
            asyncio.get_running_loop().run_in_executor(None, helper.close)

    def _forget(self) -> Helper | None:
        if self._end is not None:
            self._end.cancel()
        helper, self._helper, self._end = self._helper, None, None
        return helper
