"""Pages: templates, assets and security headers; and their requests: session, cookies and forms."""

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.contract.base import format_timestamp
from app.contract.enums import ConnectionPlatform
from app.contract.limits import INTEGRATIONS_PATH
from app.service.accounts.sessions import PasswordCheck, Session, find_session, tell_sight
from app.service.api.context import Service
from app.service.api.requests import BodyTooLongError, BodyTooSlowError, read_body

if TYPE_CHECKING:
    from jinja2 import Environment

# Both cookies are only sent to this host, over TLS, and not with cross-site requests. They contain random
# tokens that mean nothing elsewhere. Forms are only read from our own pages in the same browser.
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


_STATIC = Path(__file__).parent / "static"
_CACHED: Final = MappingProxyType({"Cache-Control": "private, max-age=86400"})
_FILES: Final[Mapping[str, tuple[str | Path, str]]] = MappingProxyType(
    {
        "style.css": (_STATIC / "style.css", "text/css; charset=utf-8"),
        "mark.svg": ("icons/kalends.svg", "image/svg+xml"),
        "inter-regular.woff2": ("fonts/Inter-Regular.woff2", "font/woff2"),
        "inter-semibold.woff2": ("fonts/Inter-SemiBold.woff2", "font/woff2"),
        "mono.woff2": ("fonts/JetBrainsMono-Regular.woff2", "font/woff2"),
        **{
            f"brand-{platform.value}.svg": (f"icons/brands/{platform.value}.svg", "image/svg+xml")
            for platform in ConnectionPlatform
        },
    }
)

GUARDS: Final = MappingProxyType(
    {
        "Content-Security-Policy": (
            "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; form-action 'self';"
            " base-uri 'none'; frame-ancestors 'none'"
        ),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        # Keep the URL of a sign-in link from other sites. Our own forms have to send their origin.
        "Referrer-Policy": "same-origin",
        "X-Frame-Options": "DENY",
    }
)
"""Security headers of every response below ``/integrations``, in addition to the service's own."""

NOTES: Final = MappingProxyType(
    {
        "signed-out": "You're signed out.",
        "ended": "You were signed out because your session ended. Sign in again.",
        "revoked": "The key was revoked. Programs that used it no longer have access.",
    }
)
"""Messages about the previous step, by the value in the URL."""


async def get_asset(request: Request) -> Response:
    """Return a file by name. Fonts and icons may be missing in some packages."""
    content = _read(request.path_params["name"])
    if content is None:
        raise nothing_here()
    body, media_type = content
    return Response(body, headers=_CACHED, media_type=media_type)


@cache
def style_version() -> str:
    """Return a version that changes with the style sheet, to bypass browser caches."""
    return hashlib.sha256((_STATIC / "style.css").read_bytes()).hexdigest()[:8]


@cache
def _read(name: str) -> tuple[bytes, str] | None:
    if name not in _FILES:
        return None
    place, media_type = _FILES[name]
    file = _resource(place) if isinstance(place, str) else place
    return (file.read_bytes(), media_type) if file.is_file() else None


def _resource(relative: str) -> Path:
    """Return a resource's path: inside the package in a wheel, next to it in a checkout."""
    package = Path(str(files("app")))
    inside = package / "_resources" / relative
    return inside if inside.is_file() else package.parent / "resources" / relative


def path_of(request: Request, below: str = "") -> str:
    """Return the path of a page, including a reverse proxy's prefix."""
    return f"{request.scope.get('root_path', '')}{INTEGRATIONS_PATH}{below}"


def go(request: Request, below: str = "") -> Response:
    """Redirect the browser to another of our pages."""
    return RedirectResponse(path_of(request, below), 303)


def page(
    request: Request,
    template: str,
    values: Mapping[str, Any],
    *,
    status: int = 200,
    session: Session | None = None,
    cookie: str | None = None,
) -> Response:
    """Return a page. ``cookie`` binds its forms to the session, or to the visit before sign-in."""
    bound_to = session.token if session else cookie
    return HTMLResponse(
        _templates()
        .get_template(template)
        .render(
            values,
            base=path_of(request),
            session=session,
            form_token=form_token(bound_to) if bound_to else None,
            note=NOTES.get(request.query_params.get("note", "")),
        ),
        status,
    )


def _moment(value: datetime) -> Markup:
    return _time(value, f"{value.day} {value:%b %Y, %H:%M} UTC")


def _day(value: datetime) -> Markup:
    return _time(value, f"{value.day} {value:%b %Y}")


def _time(value: datetime, words: str) -> Markup:
    return Markup('<time datetime="{}">{}</time>').format(format_timestamp(value), words)


@cache
def _templates() -> "Environment":
    """Load the templates with the first page, because most services never show one."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    made.globals["style_version"] = style_version
    made.filters |= {"moment": _moment, "day": _day}
    return made
