"""Connections that close without a response, so that a client can't know whether its call was accepted."""

import asyncio
from typing import Any

from fastapi.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol

# Key in the lifespan state: open transports by client address.
TRANSPORTS = "transports"


class HangUpProtocol(AutoHTTPProtocol):  # type: ignore[misc,valid-type]  # the class depends on installed packages
    """HTTP/1.1 protocol that lets a response close its own connection."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self.app_state[TRANSPORTS][self.client] = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self.app_state[TRANSPORTS].pop(self.client, None)
        super().connection_lost(exc)


class Withheld(Response):
    """Holds the connection until the client gives up or for ``hold_s``, then closes it without a response."""

    def __init__(self, hold_s: float) -> None:
        super().__init__()
        self._hold_s = hold_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        try:
            async with asyncio.timeout(self._hold_s):
                await _gone(receive)
        except TimeoutError:
            _hang_up(scope)
            await _gone(receive)
        except asyncio.CancelledError:
            # A shutdown must not send a response either.
            _hang_up(scope)
            raise


def _hang_up(scope: Scope) -> None:
    transports: dict[Any, asyncio.Transport] = scope["state"][TRANSPORTS]
    transport = transports.get(tuple(scope["client"]))
    if transport is not None:
        transport.abort()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
