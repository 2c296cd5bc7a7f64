"""``/companion/v1/arrival`` and ``/companion/v1/departure``: moving accounts between services."""

from typing import Annotated, Final

from starlette.requests import Request
from starlette.responses import FileResponse, Response

from app.contract.limits import EXPORT_MANIFEST_MAX
from app.contract.moving import (
    Arrival,
    BeginDeparture,
    BeginImport,
    CancelArrival,
    Departure,
    ExportFile,
    ExportFileList,
    ExportFileQuery,
    OfferExport,
)
from app.service.api.context import FileMoverDep, MoverDep, ServiceDep
from app.service.api.requests import JsonBody, Query, ignore_range
from app.service.api.responses import answer, invalid
from app.service.api.routing import Depends, Router

router = Router(tag="moving")

_BODY_MAX: Final = 6 * EXPORT_MANIFEST_MAX
"""Maximum length of a body with a manifest, in bytes: JSON escapes a character with up to six."""


@router.put("/arrival", response_model=Arrival, responses={400: {}})
async def offer_export(
    service: ServiceDep,
    principal: MoverDep,
    body: Annotated[OfferExport, Depends(JsonBody(OfferExport, bytes_max=_BODY_MAX))],
) -> Response:
    """Offer the export of an account, or continue to send it. The account replaces that of the key.

    The account of the key must have no posts, files and connected accounts, or be the one that returns.
    """
    await service.confirm(principal.caller, even_moved=True)
    return answer(await service.moving.offer(principal.account_id, body.manifest))


@router.get("/arrival", response_model=Arrival, responses={400: {}, 404: {}})
async def get_arrival(service: ServiceDep, principal: MoverDep) -> Response:
    """Get how far the account is that is on its way here, and which files are missing.

    Returns 404 if there is none.
    """
    return answer(await service.moving.arrival(principal.account_id))


@router.put("/arrival/files/{name}", response_model=ExportFile, responses={400: {}, 404: {}})
async def send_export_file(
    request: Request, service: ServiceDep, principal: FileMoverDep, name: str
) -> Response:
    """Send a missing file of the export, with its `Content-Length`."""
    length = request.headers.get("content-length", "")
    if not (length.isascii() and length.isdecimal()):
        raise invalid("", "The request needs a Content-Length.", "length_missing")
    await service.moving.receive(principal.account_id, name, int(length), request.stream())
    return answer(ExportFile(name=name, size_bytes=int(length)))


@router.post("/arrival/import", response_model=Arrival, responses={400: {}, 404: {}})
async def begin_import(
    service: ServiceDep,
    principal: MoverDep,
    body: Annotated[BeginImport, Depends(JsonBody(BeginImport))],
) -> Response:
    """Import an export whose files have all arrived. Call again after an interruption to continue."""
    await service.confirm(principal.caller, even_moved=True)
    return answer(await service.moving.begin_import(principal.account_id, body.passphrase))


@router.post("/arrival/cancel", response_model=Arrival, responses={400: {}})
async def cancel_arrival(
    service: ServiceDep,
    principal: MoverDep,
    body: Annotated[CancelArrival, Depends(JsonBody(CancelArrival))],
) -> Response:
    """Refuse an export from now on, so that its account can safely be taken back where it came from.

    Returns 400 if the account has arrived.
    """
    await service.confirm(principal.caller, even_moved=True)
    return answer(await service.moving.cancel(principal.account_id, body))


@router.get("/departure", response_model=Departure, responses={400: {}})
async def get_departure(service: ServiceDep, principal: MoverDep) -> Response:
    """Get how far the account of the key is on its way from this service."""
    return answer(await service.moving.departure(principal.account_id))


@router.post("/departure", response_model=Departure, responses={400: {}})
async def begin_departure(
    service: ServiceDep,
    principal: MoverDep,
    body: Annotated[BeginDeparture, Depends(JsonBody(BeginDeparture))],
) -> Response:
    """Hand over the account of the key and write its export. Call again after an interruption to continue.

    From now on, nothing of the account is published here.
    """
    await service.confirm(principal.caller, even_moved=True)
    return answer(await service.moving.begin_departure(principal.account_id, body.passphrase))


@router.delete("/departure", response_model=Departure, responses={400: {}})
async def take_back_account(service: ServiceDep, principal: MoverDep) -> Response:
    """Serve the account here again. Only call this if no other service has it."""
    return answer(await service.moving.take_back(principal.account_id))


@router.get("/departure/files", response_model=ExportFileList, responses={400: {}})
async def list_export_files(
    service: ServiceDep,
    principal: MoverDep,
    query: Annotated[ExportFileQuery, Depends(Query(ExportFileQuery))],
) -> Response:
    """List the files of the export in the order of their names, those after a name."""
    return answer(await service.moving.files(principal.account_id, query.after))


@router.delete("/departure/files", response_model=Departure, responses={400: {}})
async def forget_export(service: ServiceDep, principal: MoverDep) -> Response:
    """Delete the files of an export that has arrived elsewhere. What the account left here stays."""
    return answer(await service.moving.forget(principal.account_id))


@router.get(
    "/departure/files/{name}",
    response_model=None,
    responses={200: {"content": {"application/octet-stream": {"schema": {"type": "string"}}}}, 400: {}},
)
async def get_export_file(
    request: Request, service: ServiceDep, principal: FileMoverDep, name: str
) -> Response:
    """Get a file of the export."""
    path = await service.moving.file(principal.account_id, name)
    ignore_range(request)  # parts would need responses that the API doesn't have
    return FileResponse(path, media_type="application/octet-stream", headers={"Accept-Ranges": "none"})
