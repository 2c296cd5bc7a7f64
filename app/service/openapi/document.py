"""The OpenAPI document."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import BaseModel
from starlette.routing import BaseRoute

from app.service.openapi.errors import REQUEST_ID, error_response, error_schemas
from app.service.openapi.operations import Operation, operations
from app.service.openapi.schemas import Schemas, Use

VERSION: Final = "3.1.0"
SUCCESS: Final = "Success."
"""Description of a successful response that needs no explanation."""
_KEY: Final = "apiKey"
_JSON: Final = "application/json"


def describe(
    routes: Iterable[BaseRoute], prefix: str, *, title: str, version: str, description: str
) -> dict[str, Any]:
    """Return the document of everything below ``prefix``, the base of its paths."""
    found = operations(routes, prefix)
    # A path begins with a slash: where the base itself is an operation, its last part belongs to the paths.
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
        assert body is not None  # noqa: S101  asked for nowhere else
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
