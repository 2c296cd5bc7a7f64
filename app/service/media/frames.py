"""Pictures of moments of stored videos, made by a program of their own that sees nothing but the video."""

import asyncio
import contextlib
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import structlog

from app.children import SOURCE, child_command, helper_environment
from app.service.media.framing import BYTES_MAX, PIECE_MAX
from app.service.media.stores import MediaStore, Place

_log = structlog.get_logger(__name__)

_PATIENCE: Final = timedelta(seconds=20)
"""How long one picture may take."""
_AT_ONCE: Final = 2


class _BadAnswerError(Exception):
    """The program said what it must not say, or ended early."""


class Frames:
    """Makes them, wherever the videos lie. ``command`` starts the program, which takes size and moment."""

    def __init__(
        self,
        store: MediaStore,
        *,
        command: Sequence[str] = child_command("app.service.media.framing"),
        patience: timedelta = _PATIENCE,
    ) -> None:
        self._store = store
        self._command = command
        self._patience = patience
        self._room = asyncio.Semaphore(_AT_ONCE)

    async def picture(self, place: Place, size: int, ms: int) -> bytes | None:
        """What a video of ``size`` bytes shows at a moment, as a JPEG of at most 2 MB.

        None for a video that cannot be read, or not now.
        """
        async with self._room:
            try:
                async with asyncio.timeout(self._patience.total_seconds()):
                    return await self._made(place, size, ms)
            except (OSError, _BadAnswerError) as error:  # TimeoutError is one of the former
                _log.warning("no picture could be made of a video", reason=type(error).__name__)
                return None

    async def _made(self, place: Place, size: int, ms: int) -> bytes | None:
        pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        arguments = *self._command, str(size), str(ms)
        process = await asyncio.create_subprocess_exec(
            *arguments, cwd=SOURCE, env=helper_environment(), stdin=pipe, stdout=pipe, stderr=nothing
        )
        assert process.stdin is not None  # noqa: S101  it was started with pipes
        assert process.stdout is not None  # noqa: S101
        try:
            return await self._converse(process.stdout, process.stdin, place)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.communicate()

    async def _converse(
        self, said: asyncio.StreamReader, heard: asyncio.StreamWriter, place: Place
    ) -> bytes | None:
        """Hands over what is asked for until the picture comes."""
        while True:
            match (await said.readline()).split():
                case [b"read", first, size] if first.isdigit() and size.isdigit():
                    heard.write(await self._piece(place, int(first), int(size)))
                    await heard.drain()
                case [b"picture", size] if size.isdigit() and int(size) <= BYTES_MAX:
                    return await _exactly(said, int(size)) or None
                case _:
                    raise _BadAnswerError

    async def _piece(self, place: Place, first: int, size: int) -> bytes:
        if not 0 < size <= PIECE_MAX:
            raise _BadAnswerError
        async with self._store.open_at(place, first, size) as chunks:
            return b"".join([chunk async for chunk in chunks])


async def _exactly(said: asyncio.StreamReader, size: int) -> bytes:
    try:
        return await said.readexactly(size)
    except asyncio.IncompleteReadError as error:
        raise _BadAnswerError from error
