"""Routes without FastAPI's request parsing, which takes longer than most calls here."""

from collections.abc import Callable
from inspect import iscoroutinefunction, signature
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route


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
