"""Reading requests: bodies, queries and ids, strictly by the contract's models."""

import re
from typing import Final, TypeVar
from uuid import UUID

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from app.service.api.errors import ApiError, from_pydantic, invalid, not_found

BODY_BYTES_MAX: Final = 1024 * 1024
"""Longest JSON body that is read, in bytes."""

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)

Model = TypeVar("Model", bound=BaseModel)


async def read_body(request: Request, model: type[Model]) -> Model:
    """The JSON body as the model. Raises ApiError naming each field that is wrong, or what is no JSON."""
    body = await _read_bytes(request)
    if not body.strip():
        raise invalid("", "The request needs a JSON body.", "json_missing")
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise from_pydantic(error) from None


def read_query(request: Request, model: type[Model]) -> Model:
    """The query as the model: empty values count as left out, of a repeated key the last value counts."""
    given = {name: value for name, value in request.query_params.items() if value}
    try:
        return model.model_validate_strings(given)
    except ValidationError as error:
        raise from_pydantic(error) from None


def path_id(value: str, what: str) -> UUID:
    """An id out of a path; what is no UUID names nothing. Raises ApiError."""
    if not _UUID.fullmatch(value):
        raise not_found(what)
    return UUID(value)


async def _read_bytes(request: Request) -> bytes:
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > BODY_BYTES_MAX:
        raise _too_long()
    chunks, size = [], 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > BODY_BYTES_MAX:
            raise _too_long()
        chunks.append(chunk)
    return b"".join(chunks)


def _too_long() -> ApiError:
    return invalid("", f"The request body is longer than {BODY_BYTES_MAX} bytes.", "body_too_long")
