"""Fetching files by URL like platforms do, but only from this computer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import aiohttp

_TIMEOUT_S = 30
_PIECE = 256 * 1024
_HERE = frozenset({"127.0.0.1", "::1", "localhost"})


class PullError(Exception):
    """A file couldn't be fetched, with a sentence that says why."""


class TooLargeError(PullError):
    """A file is larger than the platform accepts."""


@asynccontextmanager
async def pulled(address: str, *, longest: int, kind: str) -> AsyncIterator[AsyncIterator[bytes]]:
    """Yield the bytes at a URL, without following redirects.

    Certificates aren't verified: servers on this computer are trusted, and the authority of a service under
    test isn't known.

    Args:
        address: http or https URL on this computer.
        longest: Maximum size in bytes.
        kind: Required prefix of the Content-Type.

    Raises:
        PullError: At the first bytes, or during the download.
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
