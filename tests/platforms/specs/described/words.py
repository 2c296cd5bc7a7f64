"""How such a description is written."""

from collections.abc import Mapping
from typing import Any, Final

Schema = Mapping[str, Any]
TEXT: Final[Schema] = {"type": "string", "minLength": 1}
FLAG: Final[Schema] = {"type": "boolean"}
NUMBER: Final[Schema] = {"type": "integer", "minimum": 0}
BYTES: Final = "application/octet-stream"


def one_of(*words: str) -> Schema:
    return {"type": "string", "enum": list(words)}


def like(pattern: str) -> Schema:
    return {"type": "string", "pattern": f"^{pattern}$"}


def up_to(longest: int, shortest: int = 1) -> Schema:
    return {"type": "string", "minLength": shortest, "maxLength": longest}


def several(item: Schema, most: int) -> Schema:
    return {"type": "array", "items": item, "minItems": 1, "maxItems": most}


def record(*, optional: Mapping[str, Schema] | None = None, **needed: Schema) -> Schema:
    return {
        "type": "object",
        "properties": {**needed, **(optional or {})},
        "required": list(needed),
        "additionalProperties": False,
    }


def call(
    *,
    query: Mapping[str, Schema] | None = None,
    optional_query: Mapping[str, Schema] | None = None,
    headers: Mapping[str, Schema] | None = None,
    path: Mapping[str, Schema] | None = None,
    body: Mapping[str, Schema] | None = None,
    scopes: tuple[str, ...] | None = None,
) -> dict[str, Any]:
    """One operation; ``body`` is by content type, ``scopes`` those that the token needs."""
    places = (
        ("query", query, True),
        ("query", optional_query, False),
        ("header", headers, True),
        ("path", path, True),
    )
    parameters = [
        {"name": name, "in": place, "required": required, "schema": schema}
        for place, names, required in places
        for name, schema in (names or {}).items()
    ]
    operation: dict[str, Any] = {"parameters": parameters, "responses": {"default": {}}}
    if body is not None:
        content = {kind: {"schema": schema} for kind, schema in body.items()}
        operation["requestBody"] = {"content": content}
    if scopes is not None:
        operation["security"] = [{"token": list(scopes)}]
    return operation


def document(calls: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for name, call in calls.items():
        method, _, path = name.partition(" ")
        paths.setdefault(path, {})[method] = call
    return {"openapi": "3.0.3", "paths": paths, "components": {}}


def form(*kinds: Schema) -> Mapping[str, Schema]:
    return {"application/x-www-form-urlencoded": {"oneOf": list(kinds)}}


def grants(client: Mapping[str, Schema], *, verifier: bool) -> Mapping[str, Schema]:
    """The forms that a token endpoint takes."""
    proof = {"code_verifier": like(r"[\w.~-]{43,128}")} if verifier else {}
    code = record(grant_type=one_of("authorization_code"), code=TEXT, redirect_uri=TEXT, **client, **proof)
    return form(code, record(grant_type=one_of("refresh_token"), refresh_token=TEXT, **client))


SECRET_CLIENT: Final = {"client_id": TEXT, "client_secret": TEXT}
