"""Connected accounts: connecting Threads and reconnecting expired accounts."""

from types import MappingProxyType
from typing import Final

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response

from app.contract.companion import CompleteConnection, ConnectionStage
from app.contract.enums import ConnectionPlatform, ErrorCode
from app.service.accounts.sessions import Session
from app.service.api.errors import ApiError, from_pydantic
from app.service.integrations.overview import overview, set_up_of
from app.service.integrations.pages import page, path_of
from app.service.integrations.requests import nothing_here, origin_of, read_form, signed_in, site_of

_ENDS: Final = MappingProxyType(
    {
        ConnectionStage.CONNECTED.value: "The account is connected.",
        ConnectionStage.DENIED.value: (
            "You didn't allow access, so nothing was connected. You can start again at any time."
        ),
        ConnectionStage.FAILED.value: "That didn't work, so nothing was connected. Start again.",
    }
)


async def connect_threads(request: Request) -> Response:
    """Start a flow. A page links to the platform, because forms can only redirect to our own pages."""
    session = await signed_in(request)
    await read_form(request, session.token)
    threads, back = ConnectionPlatform.THREADS, f"{origin_of(request)}{path_of(request, '/accounts/back')}"
    try:
        started = await site_of(request).service.connections.flows.begin(session.account_id, threads, back)
    except ApiError as refusal:
        return await _refused(request, session, refusal)
    return _leave(request, session, threads, started.connect_url)


async def reconnect(request: Request) -> Response:
    """Start a flow that reconnects an expired account."""
    session = await signed_in(request)
    await read_form(request, session.token)
    connection_id = request.path_params["connection_id"]
    try:
        started = await site_of(request).service.connections.flows.reauthorize(
            session.account_id, connection_id
        )
    except ApiError as refusal:
        return await _refused(request, session, refusal)
    return _leave(request, session, started.account.platform, started.reauth_url)


async def come_back(request: Request) -> Response:
    """Handle the redirect from the platform. It's cross-site, so there is no session cookie."""
    stage = request.query_params.get("status", "")
    return _end(request, stage, _ENDS.get(stage, _ENDS[ConnectionStage.FAILED.value]))


async def complete(request: Request) -> Response:
    """Complete a flow with the final address of a browser that couldn't return by itself."""
    session = await signed_in(request)
    form = await read_form(request, session.token)
    address = form.get("address", "")
    try:
        checked = CompleteConnection(address=address).address
        outcome = await site_of(request).service.connections.flows.complete(session.account_id, checked)
    except (ValidationError, ApiError) as problem:
        refusal = from_pydantic(problem) if isinstance(problem, ValidationError) else problem
        values = {"error": f"The address {refusal.details[0].message}.", "address": address}
        return page(request, "complete.html", values, status=400, session=session)
    if outcome.choose_url is not None:
        values = {"words": outcome.message, "address": outcome.choose_url}
        return page(request, "choose.html", values, session=session)
    return _end(request, outcome.stage.value, outcome.message, session)


def _leave(request: Request, session: Session, platform: ConnectionPlatform, address: str) -> Response:
    values = {"set_up": set_up_of(request, platform), "leads_to": address, "address": ""}
    return page(request, "leave.html", values, session=session)


def _end(request: Request, stage: str, words: str, session: Session | None = None) -> Response:
    values = {"connected": stage == ConnectionStage.CONNECTED, "words": words}
    return page(request, "back.html", values, session=session)


async def _refused(request: Request, session: Session, refusal: ApiError) -> Response:
    if refusal.code is ErrorCode.NOT_FOUND:
        raise nothing_here()
    return await overview(request, session, error=refusal.message, status=400)
