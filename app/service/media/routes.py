"""``/media``, and the targets of signed links: PUT for uploads, GET for stored files."""

import asyncio
import contextlib
import os
import re
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Final, Generic, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ValidationError
from sqlalchemy import Connection, RowMapping
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse

from app.contract.enums import Action, ErrorCode
from app.contract.errors import ErrorBody, ErrorEnvelope
from app.contract.limits import UPLOAD_URL_LIFETIME
from app.contract.media import (
    AttachFromUrl,
    MediaDeleteResult,
    MediaImport,
    MediaView,
    MediaViewQuery,
    RequestUploadUrl,
    UploadUrl,
)
from app.contract.media_kinds import KINDS, MediaKind, kind_of
from app.service.accounts.accounts import Principal
from app.service.api.context import ServiceDep, calling
from app.service.api.requests import JsonBody, Query, ignore_range
from app.service.api.responses import ApiError, answer, invalid, not_found
from app.service.api.routing import Depends, Router
from app.service.media import rows
from app.service.media.settings import LINKS_PREFIX, UploadClaims, ViewClaims, expiry
from app.service.media.stores import Chunks, MediaStore, Place, name_of, place_of

router = Router(prefix="/media", tag="media")


@router.post("/upload-url", response_model=UploadUrl, status_code=200)
async def request_upload_url(
    service: ServiceDep,
    request: Request,
    principal: Annotated[Principal, Depends(calling(Action.MEDIA_UPLOAD_URL))],
    body: Annotated[RequestUploadUrl, Depends(JsonBody(RequestUploadUrl))],
) -> Response:
    """Get a signed URL to PUT the file's bytes to."""
    kind = _kind_taken(body.content_type)
    now = service.clock()
    expires_at = expiry(now, UPLOAD_URL_LIFETIME)

    def reserve(connection: Connection) -> str:
        rows.require_room(connection, principal.account_id, body.size_bytes, now)
        longest = rows.file_bytes_max(connection, principal.account_id)
        if body.size_bytes > longest:
            raise invalid(
                "size_bytes", f"must be at most {longest}, the plan's limit for one file", "too_large"
            )
        return rows.reserve(
            connection,
            principal.account_id,
            body.filename,
            kind,
            body.size_bytes,
            now=now,
            expires_at=expires_at,
        )

    storage_path = await service.write(principal.caller, reserve)
    upload_url, token = service.media.signer.upload(
        _origin(request), storage_path, expires_at, body.size_bytes, kind.content_type
    )
    return answer(
        UploadUrl(
            upload_url=upload_url,
            storage_path=storage_path,
            token=token,
            expires_in_seconds=int(UPLOAD_URL_LIFETIME.total_seconds()),
        )
    )


@router.post("/attach-from-url", response_model=MediaImport, status_code=200)
async def attach_from_url(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.MEDIA_ATTACH))],
    body: Annotated[AttachFromUrl, Depends(JsonBody(AttachFromUrl))],
) -> Response:
    """Import an image or a video from a public URL."""
    return answer(await service.media.imports.fetch(principal.caller, body))


@router.get("/{storage_path:path}", response_model=MediaView, status_code=200)
async def view_media(
    service: ServiceDep,
    request: Request,
    principal: Annotated[Principal, Depends(calling(Action.MEDIA_VIEW))],
    storage_path: str,
    query: Annotated[MediaViewQuery, Depends(Query(MediaViewQuery))],
) -> Response:
    """Get a signed URL to view a file."""
    row = await service.database.read(
        lambda opened: rows.find_stored(opened, principal.account_id, storage_path)
    )
    lifetime = timedelta(seconds=query.expires_in_seconds)
    url = await service.media.addresses.view(row, _origin(request), lifetime)
    return answer(MediaView(view_url=url, expires_in_seconds=query.expires_in_seconds))


@router.delete("/{storage_path:path}", response_model=MediaDeleteResult, status_code=200)
async def delete_media(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.MEDIA_DELETE))],
    storage_path: str,
) -> Response:
    """Delete a file, unless a pending post needs it."""
    result = await service.write(
        principal.caller, lambda opened: rows.delete_owned(opened, principal.account_id, storage_path)
    )
    if result.deleted:
        service.media.uploads.give_up(storage_path)
        await rows.discard(service.media.store, storage_path)
    return answer(result)


def _kind_taken(content_type: str) -> MediaKind:
    kind = kind_of(content_type)
    if kind is None:
        taken = ", ".join(kind.content_type for kind in KINDS)
        raise invalid("content_type", f"must be one of: {taken}", "unsupported")
    return kind


def _origin(request: Request) -> str:
    """Return the origin under which the caller reached the service."""
    return str(request.base_url).rstrip("/")


links = Router(prefix=LINKS_PREFIX, include_in_schema=False)

Claims = TypeVar("Claims", bound=BaseModel)


class _LinkQuery(Generic[Claims]):
    """A dependency that parses a link's query. Raises ApiError (403) for a truncated or altered link."""

    def __init__(self, model: type[Claims]) -> None:
        self._model = model

    async def __call__(self, request: Request) -> Claims:
        try:
            return self._model.model_validate_strings(dict(request.query_params))
        except ValidationError:
            raise ApiError(ErrorCode.FORBIDDEN, "The link isn't valid. Request a new one.") from None


@links.put("/{storage_path:path}", response_model=MediaImport)
async def receive_upload(
    service: ServiceDep,
    request: Request,
    storage_path: str,
    claims: Annotated[UploadClaims, Depends(_LinkQuery(UploadClaims))],
) -> Response:
    return answer(await service.media.uploads.receive(storage_path, claims, request))


@links.route(("GET", "HEAD"), "/{storage_path:path}")
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
    return await show(request, row, service.media.store)


_ONE_RANGE = re.compile(r"bytes=(?P<first>\d{1,18})-(?P<last>\d{0,18})|bytes=-(?P<size>\d{1,18})", re.ASCII)
_LOOK_BUT_DO_NOTHING: Final = (
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox"
)


async def show(request: Request, row: RowMapping, store: MediaStore) -> Response:
    """Return the response for a stored file's row. Raises ApiError (404) if its bytes are gone."""
    place = place_of(row)
    file = store.file(place)
    if file is None:
        return await _pass_on(request, row, store, place)
    found = await asyncio.to_thread(_look_at, file)
    if found is None:
        await asyncio.to_thread(store.take_back, place)
        found = await asyncio.to_thread(_look_at, file)
    if found is None:
        raise not_found("media file")
    return _send(request, row, file, found)


def _send(request: Request, row: RowMapping, file: Path, found: os.stat_result) -> Response:
    asked = _asked(request)
    if asked is None:
        ignore_range(request)  # as HTTP requires if it's invalid; several ranges get the whole file
    elif _is_beyond(asked, found.st_size):
        return _beyond(request, found.st_size)
    return _StoredFile(
        file,
        media_type=row["content_type"],
        stat_result=found,
        headers=_headers(row),
    )


class _StoredFile(FileResponse):
    """A file response with chunks large enough to keep thread overhead low."""

    chunk_size = 256 * 1024


async def _pass_on(request: Request, row: RowMapping, store: MediaStore, place: Place) -> Response:
    """Serve a file from remote storage to clients that aren't redirected there."""
    total, status, first, end = int(row["size_bytes"]), 200, 0, int(row["size_bytes"])
    headers = _headers(row)
    asked = _asked(request)
    if asked is not None and request.headers.get("if-range", headers["ETag"]) == headers["ETag"]:
        if _is_beyond(asked, total):
            return _beyond(request, total)
        status, (first, end) = 206, _span(asked, total)
        headers["Content-Range"] = f"bytes {first}-{end - 1}/{total}"
    headers["Accept-Ranges"] = "bytes"
    headers["Content-Length"] = str(end - first)
    if request.method == "HEAD":
        return Response(status_code=status, headers=headers, media_type=row["content_type"])
    stack = contextlib.AsyncExitStack()
    try:
        chunks = await stack.enter_async_context(store.open_at(place, first, end - first))
    except FileNotFoundError:
        raise not_found("media file") from None
    return StreamingResponse(_until_closed(chunks, stack), status, headers, row["content_type"])


async def _until_closed(chunks: Chunks, stack: contextlib.AsyncExitStack) -> Chunks:
    async with stack:
        async for chunk in chunks:
            yield chunk


def _headers(row: RowMapping) -> dict[str, str]:
    return {
        "ETag": f'"{row["sha256"]}"',
        "Content-Security-Policy": _LOOK_BUT_DO_NOTHING,
        "Content-Disposition": f"inline; filename*=utf-8''{quote(name_of(row))}",
    }


def _look_at(file: Path) -> os.stat_result | None:
    try:
        return file.stat()
    except FileNotFoundError:
        return None


def _asked(request: Request) -> "re.Match[str] | None":
    """Return the requested range, if there is exactly one and it is valid."""
    asked = _ONE_RANGE.fullmatch(request.headers.get("range", "").replace(" ", ""))
    if asked is None:
        return None
    is_backwards = asked["first"] and asked["last"] and int(asked["last"]) < int(asked["first"])
    return None if is_backwards else asked


def _is_beyond(asked: "re.Match[str]", total: int) -> bool:
    """Whether the range contains nothing of the file, such as the last 0 bytes (RFC 9110, 14.1.2)."""
    if asked["size"]:
        return int(asked["size"]) == 0
    return int(asked["first"]) >= total


def _span(asked: "re.Match[str]", total: int) -> tuple[int, int]:
    """Return the first byte, and the byte after the last."""
    if asked["size"]:
        return max(0, total - int(asked["size"])), total
    return int(asked["first"]), min(total, int(asked["last"]) + 1) if asked["last"] else total


def _beyond(request: Request, size: int) -> Response:
    reason = ErrorBody(code=ErrorCode.VALIDATION_ERROR, message=f"The file ends after {size} bytes.")
    headers: Mapping[str, str] = {"Content-Range": f"bytes */{size}"}
    return answer(ErrorEnvelope(error=reason, request_id=request.state.request_id), 416, headers)
