"""Fetching files from addresses, as platforms do; but from this computer alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import aiohttp

_TIMEOUT_S = 30
_PIECE = 256 * 1024
_HERE = frozenset({"127.0.0.1", "::1", "localhost"})


class PullError(Exception):
    """A file that could not be fetched, with a sentence that says why."""


class TooLargeError(PullError):
    """A file that is larger than the platform takes."""


@asynccontextmanager
async def pulled(address: str, *, longest: int, kind: str) -> AsyncIterator[AsyncIterator[bytes]]:
    """The bytes at an address, without following it elsewhere.

    A certificate of this computer is not checked: who answers here needs no proof, and the authority of a
    service that is tried out is known to nobody.

    Args:
        address: http or https, on this computer.
        longest: Bytes that are taken at most.
        kind: What the answer's Content-Type must begin with.

    Raises:
        PullError: With the first bytes, or while they come.
    """
    if urlsplit(address).hostname not in _HERE:
        raise PullError("The practice platforms fetch files from this computer alone.")
    timeout = aiohttp.ClientTimeout(total=_TIMEOUT_S)
    connector = aiohttp.TCPConnector(ssl=False)
    headers = {"User-Agent": "Kalends-Practice", "Accept-Encoding": "identity"}
    try:
        async with (
            aiohttp.ClientSession(connector=connector, timeout=timeout, headers=headers) as session,
            session.get(address, allow_redirects=False) as answer,
        ):
            if answer.status != 200:
                raise PullError(f"The address answered {answer.status}.")
            if not answer.content_type.startswith(kind):
                raise PullError(f"The address shows {answer.content_type}.")
            if (answer.content_length or 0) > longest:
                raise TooLargeError(f"The file is larger than {longest} bytes.")
            yield _limited(answer.content.iter_chunked(_PIECE), longest)
    except (TimeoutError, aiohttp.ClientError, OSError, ValueError) as error:
        raise PullError(f"The address could not be fetched ({type(error).__name__}).") from error


async def _limited(chunks: AsyncIterator[bytes], longest: int) -> AsyncIterator[bytes]:
    received = 0
    async for chunk in chunks:
        received += len(chunk)
        if received > longest:
            raise TooLargeError(f"The file is larger than {longest} bytes.")
        yield chunk
