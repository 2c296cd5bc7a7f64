"""The application and its server on loopback, with routes that skip FastAPI's request parsing."""

import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from inspect import iscoroutinefunction, signature
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import APIRouter
from fastapi.exception_handlers import http_exception_handler
from fastapi.routing import APIRoute
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from app.practice.console import Console
from app.practice.desk import Desk
from app.practice.faults import TRANSPORTS, HangUpProtocol
from app.practice.platforms import PLATFORMS
from app.practice.platforms.base import PlatformError
from app.practice.platforms.instagram import InstagramLogin
from app.practice.settings import Settings


def plain(router: APIRouter) -> Mount:
    """Return the router's paths below its prefix. Its functions take the request and path parameters."""
    prefix = len(router.prefix)
    routes = [route for route in router.routes if isinstance(route, APIRoute)]
    return Mount(router.prefix, routes=[_plain(route, route.path[prefix:]) for route in routes])


def _plain(route: APIRoute, path: str) -> Route:
    return Route(path, _endpoint(route.endpoint), methods=sorted(route.methods or ()), name=route.name)


def _endpoint(function: Callable[..., Any]) -> Callable[[Request], Any]:
    """Return the function for Starlette: with only the request, and in a thread unless it's async."""
    names = signature(function).parameters.keys()

    def wanted(request: Request) -> dict[str, Any]:
        return {name: request if name == "request" else request.path_params[name] for name in names}

    async def answer(request: Request) -> Response:
        response: Response = await function(**wanted(request))
        return response

    def answer_in_thread(request: Request) -> Response:
        response: Response = function(**wanted(request))
        return response

    return answer if iscoroutinefunction(function) else answer_in_thread


HOST = "127.0.0.1"
SERVER_HEADER = "Kalends-Practice (stand-in; nothing here reaches the real platform)"
_STATIC = Path(__file__).parent / "static"
_SHUTDOWN_S = 1


def create_app(settings: Settings) -> Starlette:
    """Return the practice platforms as an ASGI application; its lifespan closes the store.

    Raises:
        OSError: The data folder can't be created.
        sqlite3.Error: The database can't be opened or is damaged.
    """
    desk = Desk.open(settings)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[dict[str, Any]]:
        yield {TRANSPORTS: {}}
        desk.store.close()

    platforms = [platform(desk) for platform in PLATFORMS]
    return Starlette(
        routes=[
            Mount("/static", StaticFiles(directory=_STATIC), name="static"),
            *(plain(platform.router()) for platform in platforms),
            plain(InstagramLogin(desk).router()),
            plain(Console(desk, platforms).router()),
        ],
        # Prevent DNS rebinding: a web page must not read the ledger through its own host name.
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"])],
        exception_handlers={PlatformError: _answer_platform_error, HTTPException: _answer_http_error},
        lifespan=lifespan,
    )


class PracticeServer(uvicorn.Server):
    """uvicorn that announces when it's ready and doesn't identify itself."""

    def __init__(self, app: Starlette, on_ready: Callable[[], None]) -> None:
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
    """Return a listening socket on loopback; port 0 picks a free one.

    Raises:
        OSError: The port is in use or not allowed.
    """
    # asyncio only disables Nagle's algorithm (40 ms per response) if the protocol is given.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            # Allow a restart on the same port despite closed connections of the last run.
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
    """Print the ready line with the address on standard output."""
    line = {"event": "ready", "base_url": base_url(listener), "pid": os.getpid()}
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


async def _answer_http_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    return await http_exception_handler(request, error)


async def _answer_platform_error(_: Request, error: Exception) -> Response:
    if not isinstance(error, PlatformError):
        raise error
    return error.response
