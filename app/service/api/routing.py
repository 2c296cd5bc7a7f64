"""Endpoints and their routes, with declarations for the API description.

An endpoint is a coroutine function. Each parameter is the request, text from the path, or the result of a
dependency, evaluated in the order of the signature.
"""

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any, Final, TypeVar, get_args, get_origin

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, compile_path
from starlette.types import Receive, Scope, Send

Call = TypeVar("Call", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Depends:
    """The source of a parameter: `Annotated[Principal, Depends(admit)]`.

    Attributes:
        call: A function, a coroutine function, or an object with such a `__call__`. Its parameters are
            declared like those of an endpoint.
    """

    call: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Declaration:
    """An endpoint's declaration.

    Attributes:
        methods: HTTP methods.
        tag: The group it is listed in.
        response_model: The model of its response.
        status_code: The status of success.
        responses: Other responses by status, with `model`, `description` or `content`.
        headers: Request headers it reads in addition to the key, with descriptions.
        include_in_schema: Whether the API description includes it.
    """

    methods: frozenset[str]
    tag: str = ""
    response_model: type[BaseModel] | None = None
    status_code: int = HTTPStatus.OK
    responses: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    include_in_schema: bool = True


class PatternRoute(Route):
    """A route that tells the middleware its pattern, which unlike the path contains no IDs."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope.setdefault("state", {})["route"] = self.path
        await super().handle(scope, receive, send)


class Endpoint(PatternRoute):
    """A route to one endpoint, for the methods it declares only."""

    def __init__(self, path: str, call: Callable[..., Any], declared: Declaration) -> None:
        """Raises TypeError for a parameter without a source."""
        names = compile_path(path)[2]
        self.declared: Final = declared
        self._parameters = tuple(_parameters(call, names))
        super().__init__(
            path,
            partial(_answer, call, self._parameters),
            name=call.__name__,
            include_in_schema=declared.include_in_schema,
        )
        self.endpoint = call
        self.methods = set(declared.methods)  # Starlette adds HEAD to GET

    def dependencies(self) -> Iterator[Callable[..., Any]]:
        """All dependencies of its parameters, including indirect ones."""
        for parameter in self._parameters:
            yield from parameter.dependencies()


class Router:
    """Collects the endpoints of a module; `under` turns them into routes."""

    def __init__(self, *, prefix: str = "", tag: str = "", include_in_schema: bool = True) -> None:
        """`prefix` is prepended to every path."""
        self._prefix = prefix
        self._tag = tag
        self._include_in_schema = include_in_schema
        self._endpoints: list[tuple[str, Callable[..., Any], Declaration]] = []

    def under(self, prefix: str = "") -> list[Endpoint]:
        """Return the routes, in the order of declaration."""
        return [Endpoint(f"{prefix}{path}", call, declared) for path, call, declared in self._endpoints]

    def add(self, methods: Collection[str], path: str, call: Callable[..., Any], **more: Any) -> None:
        """Add an endpoint; `more` are fields of its `Declaration`."""
        more = {"include_in_schema": self._include_in_schema, **more}
        declared = Declaration(frozenset(methods), self._tag, **more)
        self._endpoints.append((f"{self._prefix}{path}", call, declared))

    def route(self, methods: Collection[str], path: str, **more: Any) -> Callable[[Call], Call]:
        """Decorate an endpoint; `more` are fields of its `Declaration`."""

        def declare(call: Call) -> Call:
            self.add(methods, path, call, **more)
            return call

        return declare

    def get(self, path: str, **more: Any) -> Callable[[Call], Call]:
        """Decorate an endpoint for GET."""
        return self.route(("GET",), path, **more)

    def post(self, path: str, **more: Any) -> Callable[[Call], Call]:
        """Decorate an endpoint for POST."""
        return self.route(("POST",), path, **more)

    def put(self, path: str, **more: Any) -> Callable[[Call], Call]:
        """Decorate an endpoint for PUT."""
        return self.route(("PUT",), path, **more)

    def patch(self, path: str, **more: Any) -> Callable[[Call], Call]:
        """Decorate an endpoint for PATCH."""
        return self.route(("PATCH",), path, **more)

    def delete(self, path: str, **more: Any) -> Callable[[Call], Call]:
        """Decorate an endpoint for DELETE."""
        return self.route(("DELETE",), path, **more)


@dataclass(frozen=True, slots=True)
class _Parameter:
    """One parameter of an endpoint or a dependency.

    Attributes:
        take: Returns its value, or an awaitable.
        waits: Whether it is an awaitable.
        call: The dependency; None if the value comes directly from the request.
        inner: The dependency's parameters.
    """

    name: str
    take: Callable[[Request], Any]
    waits: bool = False
    call: Callable[..., Any] | None = None
    inner: "Sequence[_Parameter]" = ()

    def dependencies(self) -> Iterator[Callable[..., Any]]:
        if self.call is not None:
            yield self.call
        for parameter in self.inner:
            yield from parameter.dependencies()


async def _answer(call: Callable[..., Any], parameters: Sequence[_Parameter], request: Request) -> Response:
    response: Response = await call(**await _values(parameters, request))
    return response


async def _values(parameters: Sequence[_Parameter], request: Request) -> dict[str, Any]:
    values = {}
    for one in parameters:
        value = one.take(request)
        values[one.name] = await value if one.waits else value
    return values


def _parameters(call: Callable[..., Any], path: Collection[str]) -> Iterator[_Parameter]:
    for name, parameter in inspect.signature(call, eval_str=True).parameters.items():
        yield _parameter(name, parameter.annotation, path)


def _parameter(name: str, annotation: Any, path: Collection[str]) -> _Parameter:
    if annotation is Request:
        return _Parameter(name, lambda request: request)
    if annotation is str and name in path:
        return _Parameter(name, lambda request: request.path_params[name])
    more = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    for depends in more:
        if isinstance(depends, Depends):
            return _dependency(name, depends.call, tuple(_parameters(depends.call, path)))
    raise TypeError(f"{name} comes neither from the path nor from a dependency")


def _dependency(name: str, call: Callable[..., Any], inner: Sequence[_Parameter]) -> _Parameter:
    is_coroutine = inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(type(call).__call__)
    if len(inner) == 1 and not inner[0].waits:
        [only] = inner
        return _Parameter(
            name, lambda request: call(**{only.name: only.take(request)}), is_coroutine, call, inner
        )

    async def take(request: Request) -> Any:
        value = call(**await _values(inner, request))
        return await value if is_coroutine else value

    return _Parameter(name, take, True, call, inner)
