"""What signed links lead to: the PUT of an upload, and the GET of a stored file. Neither needs a key."""

from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from app.contract.enums import ErrorCode
from app.contract.media import MediaImport
from app.service.api.context import ServiceDep
from app.service.api.envelope import answer
from app.service.api.errors import ApiError, not_found
from app.service.api.routing import Depends, Router
from app.service.media import rows
from app.service.media.showing import show
from app.service.media.signing import LINKS_PREFIX, UploadClaims, ViewClaims

router = Router(prefix=LINKS_PREFIX, include_in_schema=False)

Claims = TypeVar("Claims", bound=BaseModel)


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


@router.route(("GET", "HEAD"), "/{storage_path:path}")
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
