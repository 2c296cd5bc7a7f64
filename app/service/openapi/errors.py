"""The error responses: one component per code, with its details."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from app.contract.enums import ErrorCode
from app.contract.errors import HTTP_STATUS

_WHEN: Final = MappingProxyType(
    {
        ErrorCode.VALIDATION_ERROR: "The body or the query is invalid; `details` names each field.",
        ErrorCode.UNAUTHORIZED: "The key is missing, malformed or expired, or the subscription is inactive.",
        ErrorCode.FORBIDDEN: "The key lacks the scope, a quota is used up, or a file isn't the account's.",
        ErrorCode.NOT_FOUND: "The object doesn't exist, or it belongs to another account.",
        ErrorCode.RATE_LIMITED: "Too many calls of this action; `details` says how long to wait.",
        ErrorCode.INTERNAL_ERROR: "The service failed. Retry, and quote the `request_id` when you report it.",
    }
)
_ISSUE: Final = {
    "type": "object",
    "required": ["field", "message", "type"],
    "properties": {name: {"type": "string"} for name in ("field", "message", "type")},
}
_DETAILS: Final = MappingProxyType(
    {
        ErrorCode.VALIDATION_ERROR: {
            "type": "object",
            "required": ["errors"],
            "properties": {"errors": {"type": "array", "items": _ISSUE}},
        },
        ErrorCode.RATE_LIMITED: {
            "type": "object",
            "required": ["retry_after_seconds"],
            "properties": {"retry_after_seconds": {"type": "number", "minimum": 0}},
        },
    }
)
_HEADERS: Final[Mapping[ErrorCode, dict[str, Any]]] = MappingProxyType(
    {
        ErrorCode.UNAUTHORIZED: {"WWW-Authenticate": {"schema": {"type": "string"}}},
        ErrorCode.RATE_LIMITED: {
            "Retry-After": {"description": "Time to wait, in whole seconds.", "schema": {"type": "string"}}
        },
    }
)
REQUEST_ID: Final = {"X-Request-Id": {"schema": {"type": "string"}}}
"""Header of every response."""


def error_schemas() -> dict[str, Any]:
    """Return the components by name."""
    return {_name(code): _schema(code) for code in ErrorCode}


def error_response(status: int, *alternatives: dict[str, Any]) -> dict[str, Any]:
    """Return the response object of a status; ``alternatives`` are other possible schemas of the body."""
    code = next(code for code, its_status in HTTP_STATUS.items() if its_status == status)
    reference = {"$ref": f"#/components/schemas/{_name(code)}"}
    return {
        "description": _WHEN[code],
        "headers": {**REQUEST_ID, **_HEADERS.get(code, {})},
        "content": {
            "application/json": {
                "schema": {"anyOf": [*alternatives, reference]} if alternatives else reference
            }
        },
    }


def _name(code: ErrorCode) -> str:
    return "".join(word.title() for word in code.value.removesuffix("_error").split("_")) + "Error"


def _schema(code: ErrorCode) -> dict[str, Any]:
    properties: dict[str, Any] = {"code": {"const": code.value}, "message": {"type": "string"}}
    required = ["code", "message"]
    if code in _DETAILS:
        properties["details"] = _DETAILS[code]
    if code is ErrorCode.RATE_LIMITED:
        required.append("details")
    return {
        "type": "object",
        "description": _WHEN[code],
        "required": ["error", "request_id"],
        "properties": {
            "error": {"type": "object", "required": required, "properties": properties},
            "request_id": {"type": "string"},
        },
    }
