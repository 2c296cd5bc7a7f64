"""Closing a TLS connection immediately, whatever its state."""

import asyncio
import ssl
from pathlib import Path

import pytest

from app.network import abort
from tests.service.outbound.network import certificates


@pytest.mark.parametrize("closed", range(4))
@pytest.mark.parametrize("other_side_ends", [False, True])
async def test_a_connection_can_be_ended_whatever_was_done_to_it(
    tmp_path: Path, closed: int, other_side_ends: bool
) -> None:
    context, authority = certificates(tmp_path, "127.0.0.1")
    ended = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if other_side_ends:
            abort(writer.transport)
        await asyncio.gather(reader.read(), return_exceptions=True)
        abort(writer.transport)
        ended.set()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    port = server.sockets[0].getsockname()[1]
    trust = ssl.create_default_context(cafile=str(authority))
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trust)
    if other_side_ends:
        await asyncio.gather(reader.read(), return_exceptions=True)
    for _ in range(closed):
        writer.transport.close()
    abort(writer.transport)
    abort(writer.transport)
    await ended.wait()
    server.close()
