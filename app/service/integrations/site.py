"""The application below ``/integrations``: its pages, signing in and out, and error pages."""

from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Self
from uuid import UUID

from sqlalchemy import Connection, exists, select
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.contract.limits import INTEGRATIONS_PATH
from app.service.accounts.accounts import KeyRefusedError
from app.service.accounts.sessions import (
    LockedOutError,
    PasswordCheck,
    Subject,
    begin_try,
    close_session,
    fold,
    forgive,
    new_token,
    open_session,
    use_link,
)
from app.service.api.context import Service
from app.service.integrations import overview
from app.service.integrations.overview import show
from app.service.integrations.pages import (
    GUARDS,
    SESSION_COOKIE,
    VISIT_COOKIE,
    PageRefused,
    SignInNeeded,
    Site,
    get_asset,
    go,
    nothing_here,
    page,
    read_cookie,
    read_form,
    remove_cookie,
    set_cookie,
    site_of,
    wait_words,
)
from app.service.store.tables import passwords

_WRONG = "Wrong login name or password. Check both and try again."
_LINK_USED = "This link was already used or is older than 10 minutes. Create a new one."


async def show_sign_in(request: Request) -> Response:
    """Show the ways to sign in. A link needs a button press, so that previews don't use it up."""
    return await _page(request, link=request.query_params.get("link"))


async def by_link(request: Request) -> Response:
    """Use up a link and start a session."""
    form = await read_form(request, read_cookie(request, VISIT_COOKIE))
    service, now = site_of(request).service, site_of(request).service.clock()
    admission = await service.database.write(lambda rows: use_link(rows, form.get("link", ""), now))
    if admission is None:
        return await _page(request, error=_LINK_USED, status=403)
    return await _begin_session(request, admission.account_id, admission.created_by)


async def by_password(request: Request) -> Response:
    """Check a password and start a session. Repeated failures cause waits, also for unknown names."""
    form = await read_form(request, read_cookie(request, VISIT_COOKIE))
    site, login = site_of(request), form.get("login", "")
    attempt, now = _Try.of(request, login), site.service.clock()
    try:
        account_id, password_hash = await site.service.database.write(lambda rows: attempt.begin(rows, now))
    except LockedOutError as locked:
        return await _locked_out(request, login, locked.until, now)
    if not await site.passwords.fits(form.get("password", ""), password_hash) or account_id is None:
        return await _page(request, error=_WRONG, login=login, status=403)
    await site.service.database.write(attempt.forgive)
    return await _begin_session(request, account_id)


async def sign_out(request: Request) -> Response:
    """End the session, also in the database."""
    token = read_cookie(request, SESSION_COOKIE)
    await read_form(request, token)
    await site_of(request).service.database.write(lambda rows: close_session(rows, token or ""))
    answer = go(request, "/sign-in?note=signed-out")
    remove_cookie(answer, SESSION_COOKIE)
    return answer


@dataclass(frozen=True, slots=True)
class _Try:
    """An attempt to sign in with a password."""

    login: str
    name: Subject
    address: Subject

    @classmethod
    def of(cls, request: Request, login: str) -> Self:
        host = request.client.host if request.client else ""
        return cls(fold(login), Subject.login(fold(login)), Subject.address(host))

    def begin(self, rows: Connection, now: datetime) -> tuple[UUID | None, str | None]:
        """Count the attempt; return the account and its password hash. Raises LockedOutError."""
        begin_try(rows, (self.name, self.address), now)
        found = rows.execute(
            select(passwords.c.account_id, passwords.c.password_hash).where(passwords.c.login == self.login)
        ).one_or_none()
        return (found.account_id, found.password_hash) if found else (None, None)

    def forgive(self, rows: Connection) -> None:
        forgive(rows, self.name, self.address)


async def _begin_session(request: Request, account_id: UUID, created_by: UUID | None = None) -> Response:
    """Start a session with a new token, regardless of the browser's current one."""
    service, before = site_of(request).service, read_cookie(request, SESSION_COOKIE)
    now = service.clock()

    def work(rows: Connection) -> str:
        if before is not None:
            close_session(rows, before)
        return open_session(rows, account_id, now, created_by=created_by)

    token = await service.database.write(work)
    answer = go(request)
    set_cookie(answer, SESSION_COOKIE, token)
    remove_cookie(answer, VISIT_COOKIE)
    return answer


async def _locked_out(request: Request, login: str, until: datetime, now: datetime) -> Response:
    words = f"Too many attempts. Wait {wait_words(until, now)}, or use a one-time link."
    answer = await _page(request, error=words, login=login, status=429)
    answer.headers["Retry-After"] = str(ceil((until - now).total_seconds()))
    return answer


async def _page(
    request: Request,
    *,
    link: str | None = None,
    error: str | None = None,
    login: str = "",
    status: int = 200,
) -> Response:
    known = read_cookie(request, VISIT_COOKIE)
    visit = known or new_token()
    values = {
        "link": link,
        "error": error,
        "login": login,
        "has_passwords": await site_of(request).service.database.read(_has_passwords),
    }
    answer = page(request, "sign_in.html", values, status=status, cookie=visit)
    if known is None:
        set_cookie(answer, VISIT_COOKIE, visit)
    return answer


def _has_passwords(rows: Connection) -> bool:
    return bool(rows.scalar(select(exists(select(passwords.c.account_id)))))


_ROUTES = (
    ("", show, "GET"),
    ("/", show, "GET"),
    ("/sign-in", show_sign_in, "GET"),
    ("/sign-in/link", by_link, "POST"),
    ("/sign-in/password", by_password, "POST"),
    ("/sign-out", sign_out, "POST"),
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
            KeyRefusedError: _session_ended,
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


async def _session_ended(request: Request, _error: Exception) -> Response:
    """Handle writes after the account was handed over, or the key that created the session was revoked."""
    return await _to_sign_in(request, SignInNeeded(ended=True))


async def _no_such_page(request: Request, _error: Exception) -> Response:
    return await _refused(request, nothing_here())


async def _broken(request: Request, _error: Exception) -> Response:
    words = f"Try again. If it keeps happening, report request {request.state.request_id} to the operator."
    return await _refused(request, PageRefused(500, "Something went wrong in the service", words))
