"""Requests for the pages: the signed-in user, cookies, forms, and rejections.

Both cookies are only sent to this host, over TLS, and not with cross-site requests. They contain random
tokens that mean nothing elsewhere. Forms are only read from our own pages in the same browser.
"""

import hashlib
import hmac
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from app.service.accounts.sessions import PasswordCheck, Session, find_session, tell_sight
from app.service.api.context import Service
from app.service.api.requests import BodyTooLongError, BodyTooSlowError, read_body

SESSION_COOKIE: Final = "__Host-kalends-session"
VISIT_COOKIE: Final = "__Host-kalends-visit"

_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)

FORM_BYTES_MAX: Final = 32 * 1024
_FIELDS_MAX = 20
_TYPE = "application/x-www-form-urlencoded"


class PageRefused(Exception):  # noqa: N818  a page for the user, not a programming error
    """A rejected request. ``words`` tell the user what happened and what to do."""

    def __init__(self, status: int, title: str, words: str) -> None:
        super().__init__(title)
        self.status = status
        self.title = title
        self.words = words


class SignInNeeded(Exception):  # noqa: N818  a redirect, not a programming error
    """The user isn't signed in. ``ended``: the session has ended."""

    def __init__(self, *, ended: bool) -> None:
        super().__init__("nobody is signed in")
        self.ended = ended


def nothing_here() -> PageRefused:
    return PageRefused(404, "Page not found", "Check the address. The page may have been removed.")


def unreadable() -> PageRefused:
    return PageRefused(400, "Incomplete request", "Go back, reload the page, and try again.")


def foreign() -> PageRefused:
    """Return the rejection of a form that isn't from a page of this browser."""
    return PageRefused(
        403,
        "This form has expired",
        "It was open too long, came from another page, or your browser blocks cookies. "
        "Open the page again and retry.",
    )


def wait_words(until: datetime, now: datetime) -> str:
    """Format a waiting time for users."""
    seconds = max(1, round((until - now).total_seconds()))
    if seconds < 90:
        return f"{seconds} seconds" if seconds > 1 else "1 second"
    return f"{round(seconds / 60)} minutes"


def read_cookie(request: Request, name: str) -> str | None:
    """Return the token in a cookie; None if it's missing or malformed."""
    value = request.cookies.get(name, "")
    return value if _TOKEN.fullmatch(value) else None


def set_cookie(response: Response, name: str, token: str) -> None:
    """Set a session cookie."""
    response.set_cookie(name, token, path="/", secure=True, httponly=True, samesite="strict")


def remove_cookie(response: Response, name: str) -> None:
    """Remove a cookie."""
    response.delete_cookie(name, path="/", secure=True, httponly=True, samesite="strict")


def form_token(cookie: str) -> str:
    """Return the token for the forms of a cookie's holder. Other sites can't know it."""
    return hmac.new(cookie.encode(), b"form", hashlib.sha256).hexdigest()


def origin_of(request: Request) -> str:
    """Return the origin that the browser used, such as ``https://127.0.0.1:8443``."""
    return f"{request.url.scheme}://{request.url.netloc}"


async def read_form(request: Request, cookie: str | None) -> dict[str, str]:
    """Return the fields of a form that was created for the holder of ``cookie``.

    Raises PageRefused: 403 for a form from elsewhere, 400 for an invalid form.
    """
    _require_own_origin(request)
    fields = _parse(await _read_bytes(request))
    if cookie is None or not hmac.compare_digest(
        fields.pop("form_token", "").encode(), form_token(cookie).encode()
    ):
        raise foreign()
    return fields


def _require_own_origin(request: Request) -> None:
    """Require that the form came from our own page. All browsers send the origin of a POST."""
    if request.headers.get("origin") != origin_of(request):
        raise foreign()
    if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise foreign()


async def _read_bytes(request: Request) -> bytes:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _TYPE:
        raise unreadable()
    try:
        return await read_body(request, FORM_BYTES_MAX)
    except (BodyTooLongError, BodyTooSlowError):
        raise unreadable() from None


def _parse(body: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_FIELDS_MAX
        )
    except ValueError:  # includes invalid ASCII and UTF-8
        raise unreadable() from None
    return dict(pairs)


@dataclass(frozen=True)
class Site:
    """The service behind the pages, and the password checker."""

    service: Service
    passwords: PasswordCheck


def site_of(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


async def signed_in(request: Request) -> Session:
    """Return the session of a request and extend it. Raises SignInNeeded."""
    service, token = site_of(request).service, read_cookie(request, SESSION_COOKIE)
    if token is None:
        raise SignInNeeded(ended=False)
    now = service.clock()
    session = await service.database.read(lambda rows: find_session(rows, token, now))
    if session is None:
        raise SignInNeeded(ended=True)
    if session.sight_is_news(now):
        service.database.submit(lambda rows: tell_sight(rows, token, now))
    return session
