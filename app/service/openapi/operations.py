"""Operations: a route's requests and responses, read from its declaration and dependencies."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel
from starlette.routing import BaseRoute

from app.service.api.principal import Calling, admit_to_companion
from app.service.api.requests import JsonBody, PathId, Query
from app.service.api.routing import Endpoint


@dataclass(frozen=True)
class Operation:
    """A method on a path.

    Attributes:
        path: Path below the prefix, with parameters in braces.
        name: Name of its function, unique in the API.
        summary: What it does, in a sentence.
        body: Model of the JSON body; None if it has none.
        query: Model of the query; None if it has none.
        ids: Path parameters that are UUIDs.
        answer: Model of the response.
        status: Status of success.
        responses: Other declared responses, by status.
        headers: Names and descriptions of headers it reads, except the key.
        admitted: Whether it needs an API key.
    """

    method: str
    path: str
    name: str
    tag: str
    summary: str
    description: str
    body: JsonBody[BaseModel] | None
    query: type[BaseModel] | None
    ids: frozenset[str]
    answer: type[BaseModel] | None
    status: int
    responses: Mapping[int, Mapping[str, Any]]
    headers: Mapping[str, str]
    admitted: bool

    @property
    def parameters(self) -> list[str]:
        """The names in braces in the path."""
        return [part[1:-1] for part in self.path.split("/") if part.startswith("{")]

    @property
    def error_statuses(self) -> frozenset[int]:
        """Every possible error status."""
        found: set[int] = {HTTPStatus.INTERNAL_SERVER_ERROR}
        if self.body is not None or self.query is not None:
            found.add(HTTPStatus.BAD_REQUEST)
        if self.admitted:
            found |= {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS}
        if self.parameters:
            found.add(HTTPStatus.NOT_FOUND)
        found |= {status for status in self.responses if status >= HTTPStatus.BAD_REQUEST}
        return frozenset(found)


def operations(routes: Iterable[BaseRoute], prefix: str) -> list[Operation]:
    """Return the operations below a prefix, in the order of their routes."""
    return [
        _operation(route, method, prefix)
        for route in routes
        if isinstance(route, Endpoint) and route.include_in_schema
        if route.path == prefix or route.path.startswith(f"{prefix}/")
        for method in sorted(route.declared.methods)
    ]


def _operation(route: Endpoint, method: str, prefix: str) -> Operation:
    calls, declared = list(route.dependencies()), route.declared
    summary, _, description = (route.endpoint.__doc__ or "").partition("\n\n")
    return Operation(
        method=method.lower(),
        path=route.path_format.removeprefix(prefix),
        name=route.name,
        tag=declared.tag,
        summary=" ".join(summary.split()),
        description=" ".join(description.split()),
        body=next((call for call in calls if isinstance(call, JsonBody)), None),
        query=next((call.model for call in calls if isinstance(call, Query)), None),
        ids=frozenset(call.name for call in calls if isinstance(call, PathId)),
        answer=declared.response_model,
        status=declared.status_code,
        responses=declared.responses,
        headers=declared.headers,
        admitted=any(isinstance(call, Calling) or call is admit_to_companion for call in calls),
    )
