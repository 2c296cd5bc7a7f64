"""Endpoints take what their signatures declare, and a declaration of anything else is refused."""

from collections.abc import Callable
from typing import Annotated, Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from app.service.api.routing import Depends, Router


async def method_of(request: Request) -> str:
    return request.method


def length_of(request: Request) -> int:
    return len(request.url.path)


async def nested(
    method: Annotated[str, Depends(method_of)], length: Annotated[int, Depends(length_of)]
) -> str:
    return f"{method} {length}"


class Suffix:
    """A dependency with settings of its own, like the reader of a query."""

    def __init__(self, text: str) -> None:
        self.text = text

    async def __call__(self, request: Request) -> str:
        return f"{request.url.path}{self.text}"


async def of_nothing(_request: Request, page: int) -> str:
    return str(page)


async def unannotated(request) -> Response:  # type: ignore[no-untyped-def]
    return Response(request.method)


async def by_number(page: int) -> Response:
    return Response(str(page))


async def by_name(name: str) -> Response:
    return Response(name)


async def by_lost_dependency(value: Annotated[str, Depends(of_nothing)]) -> Response:
    return Response(value)


@pytest.mark.parametrize("endpoint", [unannotated, by_number, by_name, by_lost_dependency])
def test_a_parameter_that_comes_from_nowhere_is_refused(endpoint: Callable[..., Any]) -> None:
    router = Router()
    router.get("/nothing")(endpoint)

    with pytest.raises(TypeError):
        router.under()


def _client() -> httpx.AsyncClient:
    router = Router(prefix="/things")

    @router.get("/{name}/{rest:path}")
    async def show(
        name: str,
        request: Request,
        rest: str,
        both: Annotated[str, Depends(nested)],
        ended: Annotated[str, Depends(Suffix("!"))],
    ) -> Response:
        return Response(f"{name} {rest} {request.method} {both} {ended}")

    @router.post("")
    async def make(length: Annotated[int, Depends(length_of)]) -> Response:
        return Response(str(length), 201)

    app = Starlette(routes=router.under("/api"))
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://service")


async def test_values_come_from_the_path_the_request_and_dependencies() -> None:
    async with _client() as client:
        answer = await client.get("/api/things/one/two/three")

    assert answer.text == "one two/three GET GET 25 /api/things/one/two/three!"


async def test_a_prefix_alone_is_a_path() -> None:
    async with _client() as client:
        answer = await client.post("/api/things")

    assert (answer.status_code, answer.text) == (201, "11")


async def test_no_method_is_answered_that_is_not_declared() -> None:
    """A HEAD that is answered like a GET would use up the link that brings a browser back."""
    async with _client() as client:
        answer = await client.head("/api/things/one/two")

    assert answer.status_code == 405


def test_what_an_endpoint_depends_on_is_listed_with_what_that_depends_on() -> None:
    router = Router()

    @router.get("/")
    async def show(both: Annotated[str, Depends(nested)]) -> Response:
        return Response(both)

    [route] = router.under()

    assert list(route.dependencies()) == [nested, method_of, length_of]
