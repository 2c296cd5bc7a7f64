"""Bodies of requests, read whole: never longer than asked for, and never waited for without an end."""

import asyncio
from typing import Final

from starlette.requests import Request

_BODY_S: Final = 30.0
"""How long a body may take where the server doesn't say, in seconds."""


class BodyTooLongError(Exception):
    """The body is longer than it may be."""


class BodyTooSlowError(Exception):
    """The body did not arrive in time; ``seconds`` is how long it had."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the body took more than {seconds:g} s")
        self.seconds = seconds


async def read_body(request: Request, bytes_max: int) -> bytes:
    """Read the whole body. Raises BodyTooLongError, BodyTooSlowError or ClientDisconnect."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > bytes_max:
        raise BodyTooLongError
    seconds: float = getattr(request.state, "body_seconds", _BODY_S)
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for chunk in request.stream():
                body += chunk
                if len(body) > bytes_max:
                    raise BodyTooLongError
    except TimeoutError:
        raise BodyTooSlowError(seconds) from None
    return bytes(body)
