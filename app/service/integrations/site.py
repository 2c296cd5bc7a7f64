"""The application below ``/integrations``: its pages, including error pages."""

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.contract.limits import INTEGRATIONS_PATH
from app.service.accounts.sessions import PasswordCheck
from app.service.api.context import Service
from app.service.integrations import overview, sign_in
from app.service.integrations.overview import show
from app.service.integrations.pages import (
    GUARDS,
    PageRefused,
    SignInNeeded,
    Site,
    get_asset,
    go,
    nothing_here,
    page,
)

_ROUTES = (
    ("", show, "GET"),
    ("/", show, "GET"),
    ("/sign-in", sign_in.show, "GET"),
    ("/sign-in/link", sign_in.by_link, "POST"),
    ("/sign-in/password", sign_in.by_password, "POST"),
    ("/sign-out", sign_in.sign_out, "POST"),
    ("/keys", overview.create, "POST"),
    ("/keys/{key_id:uuid}/revoke", overview.confirm_revocation, "GET"),
    ("/keys/{key_id:uuid}/revoke", overview.revoke, "POST"),
    ("/accounts/threads", overview.connect_threads, "POST"),
    ("/accounts/{connection_id:uuid}/reconnect", overview.reconnect, "POST"),
    ("/accounts/complete", overview.complete, "POST"),
    ("/accounts/back", overview.come_back, "GET"),
    ("/static/{name}", get_asset, "GET"),
)


def create_site(service: Service) -> ASGIApp:
    """Return the application. Its routes are complete paths."""
    site = Starlette(
        routes=[
            Route(INTEGRATIONS_PATH + path, endpoint, methods=[method]) for path, endpoint, method in _ROUTES
        ],
        exception_handlers={
            PageRefused: _refused,
            SignInNeeded: _to_sign_in,
            HTTPException: _no_such_page,
            Exception: _broken,
        },
    )
    site.router.redirect_slashes = False
    site.state.site = Site(service, PasswordCheck())
    return _Guarded(site)


class _Guarded:
    """Adds the security headers to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(GUARDS)
            await send(message)

        await self._app(scope, receive, send_guarded)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, PageRefused)  # noqa: S101  registered for nothing else
    return page(request, "refused.html", {"title": error.title, "words": error.words}, status=error.status)


async def _to_sign_in(request: Request, error: Exception) -> Response:
    assert isinstance(error, SignInNeeded)  # noqa: S101  registered for nothing else
    return go(request, "/sign-in?note=ended" if error.ended else "/sign-in")


async def _no_such_page(request: Request, _error: Exception) -> Response:
    return await _refused(request, nothing_here())


async def _broken(request: Request, _error: Exception) -> Response:
    words = f"Try again. If it keeps happening, report request {request.state.request_id} to the operator."
    return await _refused(request, PageRefused(500, "Something went wrong in the service", words))
