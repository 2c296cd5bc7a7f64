"""The OpenAPI document, with the operations read from the routes' declarations, and its own route."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any, Final

from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from app.contract.limits import API_PREFIX, COMPANION_PREFIX
from app.service.api.context import Calling, admit_file, admit_mover, admit_to_companion
from app.service.api.requests import JsonBody, PathId, Query
from app.service.api.routing import Endpoint, Router
from app.service.openapi.schemas import REQUEST_ID, Schemas, Use, error_response, error_schemas

VERSION: Final = "3.1.0"
SUCCESS: Final = "Success."
"""Description of a successful response that needs no explanation."""
_KEY: Final = "apiKey"
_JSON: Final = "application/json"


_ADMITTING: Final = (admit_to_companion, admit_mover, admit_file)


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
        admitted=any(isinstance(call, Calling) or call in _ADMITTING for call in calls),
    )


def describe(
    routes: Iterable[BaseRoute], prefix: str, *, title: str, version: str, description: str
) -> dict[str, Any]:
    """Return the document of everything below ``prefix``, the base of its paths."""
    found = operations(routes, prefix)
    # Paths start with a slash: if the base itself is an operation, its last segment becomes part of the
    # paths.
    server, _, rest = prefix.rpartition("/") if any(not one.path for one in found) else (prefix, "", "")
    schemas = Schemas(_uses(found))
    paths: dict[str, Any] = {}
    for operation in found:
        described = _Describer(operation, schemas).operation(found)
        path = f"/{rest}{operation.path}" if rest else operation.path
        paths.setdefault(path, {})[operation.method] = described
    return {
        "openapi": VERSION,
        "info": {"title": title, "version": version, "description": description},
        "servers": [{"url": server}],
        "security": [{_KEY: []}],
        "tags": [{"name": tag} for tag in dict.fromkeys(operation.tag for operation in found)],
        "paths": paths,
        "components": {
            "securitySchemes": {_KEY: {"type": "http", "scheme": "bearer", "bearerFormat": "stp_rest_"}},
            "schemas": dict(sorted({**schemas.components, **error_schemas()}.items())),
        },
    }


def _uses(found: Iterable[Operation]) -> list[Use]:
    uses: list[Use] = []
    for operation in found:
        if operation.body is not None:
            uses.append((operation.body.model, "validation"))
        uses += [(model, "serialization") for model in (operation.answer, *_declared(operation)) if model]
    return uses


def _declared(operation: Operation) -> list[type[BaseModel]]:
    """Return the models of other responses that the route declares."""
    return [response["model"] for response in operation.responses.values() if "model" in response]


class _Describer:
    """Describes one operation."""

    def __init__(self, operation: Operation, schemas: Schemas) -> None:
        self._operation = operation
        self._schemas = schemas

    def operation(self, everything: list[Operation]) -> dict[str, Any]:
        operation = self._operation
        described: dict[str, Any] = {
            "operationId": operation.name,
            "tags": [operation.tag],
            "summary": operation.summary,
        }
        if operation.description:
            described["description"] = operation.description
        if not operation.admitted:
            described["security"] = []
        if parameters := [*self._path_parameters(), *self._query_parameters(), *self._headers()]:
            described["parameters"] = parameters
        if operation.body is not None:
            described["requestBody"] = self._body()
        described["responses"] = self._responses(links_from(operation, everything))
        return described

    def _path_parameters(self) -> list[dict[str, Any]]:
        uuid = {"type": "string", "format": "uuid"}
        return [
            {
                "name": name,
                "in": "path",
                "required": True,
                "schema": uuid if name in self._operation.ids else {"type": "string", "minLength": 1},
            }
            for name in self._operation.parameters
        ]

    def _query_parameters(self) -> list[dict[str, Any]]:
        if self._operation.query is None:
            return []
        return [
            {"name": name, "in": "query", "required": required, "schema": schema}
            for name, schema, required in self._schemas.properties(self._operation.query)
        ]

    def _headers(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "in": "header", "description": meaning, "schema": {"type": "string"}}
            for name, meaning in self._operation.headers.items()
        ]

    def _body(self) -> dict[str, Any]:
        body = self._operation.body
        assert body is not None  # noqa: S101  only called for operations with a body
        schema = self._schemas.reference(body.model, "validation")
        return {"required": body.required, "content": {_JSON: {"schema": schema}}}

    def _responses(self, links: dict[str, Any]) -> dict[str, Any]:
        operation = self._operation
        successes = {operation.status: self._success(SUCCESS, operation.answer)}
        for status, response in operation.responses.items():
            if status < 400:
                model = response.get("model", operation.answer)
                success = self._success(response.get("description", SUCCESS), model)
                successes[status] = success | _own_content(response)
        if links:
            for success in successes.values():
                success["links"] = links
        errors = {status: self._error(status) for status in operation.error_statuses}
        return {str(status): response for status, response in sorted({**successes, **errors}.items())}

    def _success(self, description: str, model: type[BaseModel] | None) -> dict[str, Any]:
        success: dict[str, Any] = {"description": description, "headers": REQUEST_ID}
        if model is not None:
            success["content"] = {_JSON: {"schema": self._schemas.reference(model, "serialization")}}
        return success

    def _error(self, status: int) -> dict[str, Any]:
        model = self._operation.responses.get(status, {}).get("model")
        return error_response(status, *([self._schemas.reference(model, "serialization")] if model else []))


def _own_content(response: Mapping[str, Any]) -> dict[str, Any]:
    """Return the route's own description of the body, for responses that aren't JSON."""
    return {"content": response["content"]} if "content" in response else {}


def links_from(source: Operation, everything: Iterable[Operation]) -> dict[str, Any]:
    """Return the links of an operation whose response contains IDs."""
    found = {}
    for target in everything:
        values = {name: _value_of(name, source, target) for name in target.parameters}
        from_the_answer = any((value or "").startswith("$response") for value in values.values())
        if target is not source and from_the_answer and all(values.values()):
            found[target.name] = {"operationId": target.name, "parameters": values}
    return found


def _value_of(name: str, source: Operation, target: Operation) -> str | None:
    """Return where ``source`` contains the value of a path parameter; None if it doesn't."""
    fields = source.answer.model_fields if source.answer else {}
    collection = target.path.partition(f"/{{{name}}}")[0]
    if name in source.parameters:
        return f"$request.path.{name}"
    if name in fields:
        return f"$response.body#/{name}"
    if source.path == collection and "id" in fields:
        return "$response.body#/id"
    if source.path == collection and "data" in fields:
        return "$response.body#/data/0/id"
    return None


router = Router(include_in_schema=False)

API_VERSION: Final = "1"
_TITLES: Final = {API_PREFIX: "Kalends", COMPANION_PREFIX: "Kalends companion"}
_DESCRIPTIONS: Final = {
    API_PREFIX: "Schedule, publish and measure social posts. Every call needs an API key as a bearer token.",
    COMPANION_PREFIX: "What the Kalends app needs beyond the specification, with the same keys and errors.",
}


def description(routes: Iterable[BaseRoute], prefix: str) -> dict[str, Any]:
    """Return the OpenAPI document of the API or the companion API."""
    return describe(
        routes, prefix, title=_TITLES[prefix], version=API_VERSION, description=_DESCRIPTIONS[prefix]
    )


@cache
def _written(app: Starlette, prefix: str) -> bytes:
    return json.dumps(description(app.routes, prefix), ensure_ascii=False).encode()


@router.get("/openapi.json")
async def get_description(request: Request) -> Response:
    prefix = request.url.path.removesuffix("/openapi.json")
    return Response(_written(request.app, prefix), media_type="application/json")
