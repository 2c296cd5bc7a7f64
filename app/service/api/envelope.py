"""Responses: JSON of the contract's models, and the error envelope."""

from collections.abc import Mapping

from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app.contract.enums import ErrorCode
from app.contract.errors import HTTP_STATUS, ErrorBody, ErrorEnvelope
from app.service.api.errors import ApiError


def answer(body: BaseModel, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a JSON response, serialized directly by pydantic."""
    return Response(body.model_dump_json(), status, headers, "application/json")


def error_answer(request_id: str, error: ApiError) -> Response:
    """Return an error in its envelope, with the status for its code."""
    reason = ErrorBody(code=error.code, message=error.message, details=error.wire_details())
    envelope = ErrorEnvelope(error=reason, request_id=request_id)
    return answer(envelope, HTTP_STATUS[error.code], error.headers())


async def refused(request: Request, error: Exception) -> Response:
    """Handle an ApiError."""
    assert isinstance(error, ApiError)  # noqa: S101  registered for nothing else
    return error_answer(request.state.request_id, error)


async def no_such_route(request: Request, error: Exception) -> Response:
    """Handle the router's exceptions: unknown paths and methods."""
    assert isinstance(error, HTTPException)  # noqa: S101  registered for nothing else
    nothing_here = ApiError(ErrorCode.NOT_FOUND, "There is nothing at this path for this method.")
    return error_answer(request.state.request_id, nothing_here)
