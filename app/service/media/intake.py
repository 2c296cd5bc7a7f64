"""Taking in bytes: looked at first, then written in threads while the next ones arrive; memory stays flat."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from typing import Final

BATCH_BYTES: Final = 1024 * 1024
"""Bytes that are handed to a thread at a time; two such batches are in memory at most."""


async def peek(chunks: AsyncIterator[bytes], size: int) -> tuple[bytes, AsyncIterator[bytes]]:
    """The first ``size`` bytes, fewer where there are no more, and the whole stream from its beginning."""
    head = bytearray()
    async for chunk in chunks:
        head += chunk
        if len(head) >= size:
            break

    async def whole() -> AsyncIterator[bytes]:
        yield bytes(head)
        async for chunk in chunks:
            yield chunk

    return bytes(head[:size]), whole()


async def pour(
    chunks: AsyncIterator[bytes], write: Callable[[bytes | bytearray], None], threads: Executor
) -> None:
    """Passes all bytes to a blocking ``write``, in order and one call at a time; raises what it raises."""
    loop = asyncio.get_running_loop()
    batch = bytearray()
    writing = loop.create_future()
    writing.set_result(None)
    try:
        async for chunk in chunks:
            batch += chunk
            if len(batch) >= BATCH_BYTES:
                await writing
                writing = loop.run_in_executor(threads, write, batch)
                batch = bytearray()
        await writing
        writing = loop.run_in_executor(threads, write, batch)
        await writing
    finally:
        # Nobody closes the file while a thread still writes.
        await asyncio.gather(writing, return_exceptions=True)
