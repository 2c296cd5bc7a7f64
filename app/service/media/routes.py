"""``/media``."""

from datetime import timedelta
from typing import Annotated

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from app.contract.enums import Action
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
from app.service.api.context import ServiceDep
from app.service.api.principal import calling
from app.service.api.requests import JsonBody, Query
from app.service.api.responses import answer, invalid
from app.service.api.routing import Depends, Router
from app.service.media import rows
from app.service.media.settings import expiry

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

    storage_path = await service.database.write(reserve)
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
    return answer(await service.media.imports.fetch(principal.account_id, body))


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
    result = await service.database.write(
        lambda opened: rows.delete_owned(opened, principal.account_id, storage_path)
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
