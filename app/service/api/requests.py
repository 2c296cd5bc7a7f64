"""Parsing requests strictly by the contract's models: bodies, queries and ids."""

import asyncio
import re
from typing import Final, Generic, TypeVar
from urllib.parse import parse_qsl
from uuid import UUID

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from app.contract.json_values import TooManyValuesError, require_few_values
from app.service.api.responses import from_pydantic, invalid, not_found

_BODY_S: Final = 30.0
"""Default time limit for receiving a body, in seconds."""

BODY_BYTES_MAX: Final = 1024 * 1024
"""Default maximum length of a JSON body, in bytes."""
_VALUES_MAX: Final = 5_000
"""Maximum number of values in a body. A bulk call has 391; parsing a million blocks all other requests."""
_SHORT: Final = 64 * 1024
"""Maximum length of a body parsed on the event loop, in bytes."""

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)

Model = TypeVar("Model", bound=BaseModel)


class BodyTooLongError(Exception):
    """The body is too long."""


class BodyTooSlowError(Exception):
    """The body didn't arrive within ``seconds``."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the body took more than {seconds:g} s")
        self.seconds = seconds


async def read_body(request: Request, bytes_max: int) -> bytes:
    """Read the whole body. Raises BodyTooLongError, BodyTooSlowError or ClientDisconnect."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > bytes_max:
        raise BodyTooLongError
    seconds: float = getattr(request.state, "body_seconds", _BODY_S)
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for chunk in request.stream():
                body += chunk
                if len(body) > bytes_max:
                    raise BodyTooLongError
    except TimeoutError:
        raise BodyTooSlowError(seconds) from None
    return bytes(body)


class JsonBody(Generic[Model]):
    """A dependency that parses the JSON body as a model; the API description finds the model here.

    Raises ApiError naming each invalid field, or invalid JSON.
    """

    def __init__(self, model: type[Model], *, required: bool = True, bytes_max: int = BODY_BYTES_MAX) -> None:
        """If ``required`` is False, an empty body counts as ``{}``."""
        self.model = model
        self.required = required
        self.bytes_max = bytes_max

    async def __call__(self, request: Request) -> Model:
        body = await _read(request, self.bytes_max)
        if not body.strip():
            if self.required:
                raise invalid("", "The request needs a JSON body.", "json_missing")
            return self.model.model_validate({})
        _require_json(request)
        if len(body) <= _SHORT:
            return self._parse(body)
        return await asyncio.to_thread(self._parse, body)

    def _parse(self, body: bytes) -> Model:
        try:
            require_few_values(body, _VALUES_MAX)
            return self.model.model_validate_json(body)
        except TooManyValuesError:
            message = f"The request body has more than {_VALUES_MAX} values."
            raise invalid("", message, "too_many_values") from None
        except ValidationError as error:
            raise from_pydantic(error) from None


class Query(Generic[Model]):
    """A dependency that parses the query as a model; the API description finds the model here.

    The last value of a repeated key counts. Raises ApiError.
    """

    def __init__(self, model: type[Model]) -> None:
        self.model = model

    async def __call__(self, request: Request) -> Model:
        given = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
        try:
            return self.model.model_validate_strings(dict(given))
        except ValidationError as error:
            raise from_pydantic(error) from None


class PathId:
    """A dependency that parses an id in the path. Raises ApiError (404) if it isn't a UUID."""

    def __init__(self, name: str, what: str) -> None:
        """``name`` is the path's parameter, ``what`` the object's name in the error."""
        self.name = name
        self.what = what

    async def __call__(self, request: Request) -> UUID:
        value: str = request.path_params[self.name]
        if not _UUID.fullmatch(value):
            raise not_found(self.what)
        return UUID(value)


def _require_json(request: Request) -> None:
    """Accept a body without a content type as JSON, but no other type."""
    declared = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if declared and declared != "application/json" and not declared.endswith("+json"):
        raise invalid("", "The request body must be JSON: send Content-Type: application/json.", "not_json")


async def _read(request: Request, bytes_max: int) -> bytes:
    try:
        return await read_body(request, bytes_max)
    except BodyTooLongError:
        raise invalid("", f"The request body is longer than {bytes_max} bytes.", "body_too_long") from None
    except BodyTooSlowError as slow:
        message = f"The request body didn't arrive within {slow.seconds:g} seconds. Send it again."
        raise invalid("", message, "body_too_slow") from None


def ignore_range(request: Request) -> None:
    """Have a file sent as a whole, whatever part of it the request asks for."""
    headers = request.scope["headers"]
    request.scope["headers"] = [(name, value) for name, value in headers if name != b"range"]
