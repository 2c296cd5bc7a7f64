"""Endpoints and their routes: what each declares, for its callers and for the description of the API.

An endpoint is a coroutine function. Each of its parameters is the request, text out of the path, or what a
dependency gives, in the order of the signature. Starlette finds the route; nothing else reads the request.
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

Call = TypeVar("Call", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Depends:
    """Where a parameter comes from: `Annotated[Principal, Depends(admit)]`.

    Attributes:
        call: A function, a coroutine function, or an object with such a `__call__`. Its parameters are
            declared as those of an endpoint are.
    """

    call: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Declaration:
    """What an endpoint says of itself.

    Attributes:
        methods: HTTP methods.
        tag: The group that it is listed in.
        response_model: The model of its answer.
        status_code: The status of success.
        responses: Further answers by status, with `model`, `description` or `content`.
        headers: Names and meanings of the headers that it reads beside the key.
        include_in_schema: Whether the description of the API names it.
    """

    methods: frozenset[str]
    tag: str = ""
    response_model: type[BaseModel] | None = None
    status_code: int = HTTPStatus.OK
    responses: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    include_in_schema: bool = True


class Endpoint(Route):
    """A route to one endpoint, which answers nothing but the methods that it declares."""

    def __init__(self, path: str, call: Callable[..., Any], declared: Declaration) -> None:
        """Raises TypeError for a parameter that comes from nowhere."""
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
        """Everything that its parameters depend on, also indirectly."""
        for parameter in self._parameters:
            yield from parameter.dependencies()


class Router:
    """Collects the endpoints of a module; `under` makes routes of them."""

    def __init__(self, *, prefix: str = "", tag: str = "", include_in_schema: bool = True) -> None:
        """`prefix` goes before the path of each of them."""
        self._prefix = prefix
        self._tag = tag
        self._include_in_schema = include_in_schema
        self._endpoints: list[tuple[str, Callable[..., Any], Declaration]] = []

    def under(self, prefix: str = "") -> list[Endpoint]:
        """The routes, in the order in which they were declared."""
        return [Endpoint(f"{prefix}{path}", call, declared) for path, call, declared in self._endpoints]

    def add(self, methods: Collection[str], path: str, call: Callable[..., Any], **more: Any) -> None:
        """Add an endpoint; `more` is what a `Declaration` takes."""
        more = {"include_in_schema": self._include_in_schema, **more}
        declared = Declaration(frozenset(methods), self._tag, **more)
        self._endpoints.append((f"{self._prefix}{path}", call, declared))

    def route(self, methods: Collection[str], path: str, **more: Any) -> Callable[[Call], Call]:
        """Decorate the endpoint of a path; `more` is what a `Declaration` takes."""

        def declare(call: Call) -> Call:
            self.add(methods, path, call, **more)
            return call

        return declare

    def get(self, path: str, **more: Any) -> Callable[[Call], Call]:
        """Decorate what answers GET."""
        return self.route(("GET",), path, **more)

    def post(self, path: str, **more: Any) -> Callable[[Call], Call]:
        """Decorate what answers POST."""
        return self.route(("POST",), path, **more)

    def put(self, path: str, **more: Any) -> Callable[[Call], Call]:
        """Decorate what answers PUT."""
        return self.route(("PUT",), path, **more)

    def patch(self, path: str, **more: Any) -> Callable[[Call], Call]:
        """Decorate what answers PATCH."""
        return self.route(("PATCH",), path, **more)

    def delete(self, path: str, **more: Any) -> Callable[[Call], Call]:
        """Decorate what answers DELETE."""
        return self.route(("DELETE",), path, **more)


@dataclass(frozen=True, slots=True)
class _Parameter:
    """One parameter of an endpoint or a dependency.

    Attributes:
        take: Gives its value, or an awaitable of it.
        waits: Whether that is an awaitable.
        call: The dependency; None where it is read off the request.
        inner: The parameters of that dependency.
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
