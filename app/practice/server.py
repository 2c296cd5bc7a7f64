"""The application, and the server that runs it on loopback."""

import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.middleware.trustedhost import TrustedHostMiddleware
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles

from app.practice.console import Console
from app.practice.desk import Desk
from app.practice.hangup import TRANSPORTS, HangUpProtocol
from app.practice.platforms import PLATFORMS
from app.practice.platforms.base import PlatformError
from app.practice.settings import Settings

HOST = "127.0.0.1"
SERVER_HEADER = "Kalends-Practice (stand-in; nothing here reaches the real platform)"
_STATIC = Path(__file__).parent / "static"
_SHUTDOWN_S = 1


def create_app(settings: Settings) -> FastAPI:
    """The practice platforms as an ASGI application; its lifespan closes the store.

    Raises:
        OSError: The data folder cannot be made.
        sqlite3.Error: The database cannot be opened or is damaged.
    """
    desk = Desk.open(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[dict[str, Any]]:
        yield {TRANSPORTS: {}}
        desk.store.close()

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    # A page elsewhere must not read the ledger by a host name that it points at this machine.
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"])
    app.add_exception_handler(PlatformError, _answer_platform_error)
    platforms = [platform(desk) for platform in PLATFORMS]
    app.include_router(Console(desk, platforms).router())
    for platform in platforms:
        app.include_router(platform.router())
    app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    return app


class PracticeServer(uvicorn.Server):
    """uvicorn that says when it answers and never with what it logs."""

    def __init__(self, app: FastAPI, on_ready: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=HangUpProtocol,
                ws="none",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                headers=[("Server", SERVER_HEADER)],
                timeout_graceful_shutdown=_SHUTDOWN_S,
            )
        )
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            self._on_ready()


def bind(port: int) -> socket.socket:
    """A listening socket on loopback; port 0 takes a free one.

    Raises:
        OSError: The port is taken or not allowed.
    """
    # asyncio switches off Nagle's delay (40 ms an answer) only where the protocol is named.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            # A restart on the same port must not wait for the last run's closed connections.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener


def base_url(listener: socket.socket) -> str:
    return f"http://{HOST}:{listener.getsockname()[1]}"


def say_ready(listener: socket.socket) -> None:
    """The ready line on stdout, by which whoever started the program knows its address."""
    line = {"event": "ready", "base_url": base_url(listener), "pid": os.getpid()}
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


async def _answer_platform_error(_: Request, error: Exception) -> Response:
    if not isinstance(error, PlatformError):
        raise error
    return error.response
