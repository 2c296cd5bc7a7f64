"""What signed links lead to: the PUT of an upload, and the GET of a stored file. Neither needs a key."""

import asyncio
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Generic, TypeVar

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ValidationError
from sqlalchemy import RowMapping
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from app.contract.enums import ErrorCode
from app.contract.errors import ErrorBody, ErrorEnvelope
from app.contract.media import MediaImport
from app.service.api.context import ServiceDep
from app.service.api.envelope import answer
from app.service.api.errors import ApiError, not_found
from app.service.media import rows
from app.service.media.signing import LINKS_PREFIX, UploadClaims, ViewClaims

router = APIRouter(prefix=LINKS_PREFIX, include_in_schema=False)

Claims = TypeVar("Claims", bound=BaseModel)

_ONE_RANGE = re.compile(r"bytes=(?P<first>\d{1,18})-(?P<last>\d{0,18})|bytes=-\d{1,18}", re.ASCII)
_LOOK_BUT_DO_NOTHING: Final = (
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox"
)


class _LinkQuery(Generic[Claims]):
    """A dependency that reads what a link claims; one that was cut or bent is no valid link."""

    def __init__(self, model: type[Claims]) -> None:
        self._model = model

    async def __call__(self, request: Request) -> Claims:
        try:
            return self._model.model_validate_strings(dict(request.query_params))
        except ValidationError:
            raise ApiError(ErrorCode.FORBIDDEN, "The link is not valid. Ask for a new one.") from None


@router.put("/{storage_path:path}", response_model=MediaImport)
async def receive_upload(
    service: ServiceDep,
    request: Request,
    storage_path: str,
    claims: Annotated[UploadClaims, Depends(_LinkQuery(UploadClaims))],
) -> Response:
    return answer(await service.media.uploads.receive(storage_path, claims, request))


@router.api_route("/{storage_path:path}", methods=["GET", "HEAD"])
async def show_file(
    service: ServiceDep,
    request: Request,
    storage_path: str,
    claims: Annotated[ViewClaims, Depends(_LinkQuery(ViewClaims))],
) -> Response:
    service.media.signer.check_view(storage_path, claims, service.clock())
    row = await service.database.read(lambda connection: rows.find(connection, storage_path))
    if row is None or row["expires_at"] is not None:
        raise not_found("media file")
    file = service.media.store.locate(storage_path)
    found = await asyncio.to_thread(_look_at, file)
    if found is None:
        raise not_found("media file")
    return _send(request, row, file, found)


def _send(request: Request, row: RowMapping, file: Path, found: os.stat_result) -> Response:
    asked = _ONE_RANGE.fullmatch(request.headers.get("range", "").replace(" ", ""))
    if asked is None or _is_backwards(asked):
        _forget_range(request)
    elif asked["first"] and int(asked["first"]) >= found.st_size:
        return _beyond(request, found.st_size)
    return _StoredFile(
        file,
        media_type=row["content_type"],
        filename=file.name,
        content_disposition_type="inline",
        stat_result=found,
        headers={"ETag": f'"{row["sha256"]}"', "Content-Security-Policy": _LOOK_BUT_DO_NOTHING},
    )


class _StoredFile(FileResponse):
    """A file in pieces large enough that threads cost little."""

    chunk_size = 256 * 1024


def _look_at(file: Path) -> os.stat_result | None:
    try:
        return file.stat()
    except FileNotFoundError:
        return None


def _is_backwards(asked: "re.Match[str]") -> bool:
    first, last = asked["first"], asked["last"]
    return bool(first and last) and int(last) < int(first)


def _forget_range(request: Request) -> None:
    """A range that is none is not looked at, as HTTP has it; several at once are answered with the whole."""
    headers = request.scope["headers"]
    request.scope["headers"] = [(name, value) for name, value in headers if name != b"range"]


def _beyond(request: Request, size: int) -> Response:
    reason = ErrorBody(code=ErrorCode.VALIDATION_ERROR, message=f"The file ends after {size} bytes.")
    headers: Mapping[str, str] = {"Content-Range": f"bytes */{size}"}
    return answer(ErrorEnvelope(error=reason, request_id=request.state.request_id), 416, headers)
