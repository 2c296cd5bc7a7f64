"""Pages: templates, assets, security headers, and formatted times."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.contract.base import format_timestamp
from app.contract.enums import ConnectionPlatform
from app.contract.limits import INTEGRATIONS_PATH
from app.service.accounts.sessions import Session
from app.service.integrations.requests import form_token, nothing_here

if TYPE_CHECKING:
    from jinja2 import Environment


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
