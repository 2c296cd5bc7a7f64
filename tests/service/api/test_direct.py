"""Direct routes take what our endpoints declare, and say so when something else is declared."""

from collections.abc import Callable
from typing import Annotated, Any

import pytest
from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app.service.api.context import ServiceDep
from app.service.api.direct import DirectRoute


async def plain(request: Request) -> str:
    return request.method


async def nested(request: Request, method: Annotated[str, Depends(plain)]) -> str:
    return f"{request.url}{method}"


async def asks_for_a_header(request: Request, given: Annotated[str, Depends(plain)], page: int) -> str:
    return f"{request.url}{given}{page}"


async def by_query(service: ServiceDep, page: int) -> Response:
    return Response(f"{service}{page}")


async def by_request(request: Request) -> Response:
    return Response(request.method)


async def by_nested(value: Annotated[str, Depends(nested)]) -> Response:
    return Response(value)


async def by_header(value: Annotated[str, Depends(asks_for_a_header)]) -> Response:
    return Response(value)


@pytest.mark.parametrize("endpoint", [by_query, by_request, by_nested, by_header])
def test_what_it_would_have_to_read_itself_is_refused_when_it_is_added(endpoint: Callable[..., Any]) -> None:
    with pytest.raises(TypeError):
        APIRouter(route_class=DirectRoute).get("/nothing")(endpoint)
