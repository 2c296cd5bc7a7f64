"""Connected accounts: connecting Threads, and accounts whose access has ended once more."""

from types import MappingProxyType
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from app.contract.enums import ConnectionPlatform, ErrorCode
from app.service.accounts.sessions import Session
from app.service.api.errors import ApiError
from app.service.connections.ends import Stage
from app.service.connections.words import PLATFORM_NAMES
from app.service.integrations.context import signed_in, site_of
from app.service.integrations.forms import read_form
from app.service.integrations.overview import overview
from app.service.integrations.pages import page, path_of
from app.service.integrations.refusals import nothing_here

_ENDS: Final = MappingProxyType(
    {
        Stage.CONNECTED.value: ("Connected", "The account is connected."),
        Stage.DENIED.value: (
            "Not connected",
            "Access was not allowed, so nothing was connected. You can start again at any time.",
        ),
        Stage.FAILED.value: ("Not connected", "That did not work, so nothing was connected. Start again."),
    }
)


async def connect_threads(request: Request) -> Response:
    """Begins a flow. A page leads on to the platform: a form may only lead to pages of ours."""
    session = await signed_in(request)
    await read_form(request, session.token)
    threads = ConnectionPlatform.THREADS
    try:
        started = await site_of(request).service.flows.begin(
            session.account_id, threads, f"{_origin(request)}{path_of(request, '/accounts/back')}"
        )
    except ApiError as refusal:
        return await _refused(request, session, refusal, PLATFORM_NAMES[threads])
    values = {"platform": PLATFORM_NAMES[threads], "address": started.connect_url}
    return page(request, "leave.html", values, session=session)


async def reconnect(request: Request) -> Response:
    """Begins a flow that lets an account work again whose access has ended."""
    session = await signed_in(request)
    await read_form(request, session.token)
    connection_id = request.path_params["connection_id"]
    try:
        started = await site_of(request).service.flows.reauthorize(session.account_id, connection_id)
    except ApiError as refusal:
        return await _refused(request, session, refusal, "The account")
    platform = PLATFORM_NAMES[started.account.platform]
    values = {"platform": platform, "address": started.reauth_url}
    return page(request, "leave.html", values, session=session)


async def come_back(request: Request) -> Response:
    """Where the platform's page leads in the end. It comes from elsewhere, so no session is seen here."""
    title, words = _ENDS.get(request.query_params.get("status", ""), _ENDS[Stage.FAILED.value])
    connected = title == _ENDS[Stage.CONNECTED.value][0]
    return page(request, "back.html", {"title": title, "words": words, "connected": connected})


async def _refused(request: Request, session: Session, refusal: ApiError, what: str) -> Response:
    if refusal.code is ErrorCode.NOT_FOUND:
        raise nothing_here()
    reason = f"{what} {refusal.details[0].message}." if refusal.details else refusal.message
    return await overview(request, session, error=reason, status=400)


def _origin(request: Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc}"
