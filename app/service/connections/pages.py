"""Pages of a browser flow: plain HTML without scripts, cookies or external resources."""

import re
import secrets
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from starlette.responses import HTMLResponse

from app.platforms.cards import name_of
from app.service.connections.ends import Choice, FlowEnd, Stage

if TYPE_CHECKING:
    from jinja2 import Environment

_TITLES: Final = MappingProxyType({Stage.CONNECTED: "Connected"})
_NO_TITLE: Final = "Not connected"
_PLAIN_HOST: Final = re.compile(r"[a-zA-Z0-9.\[\]:-]+", re.ASCII)


def closing_page(end: FlowEnd, status: int) -> HTMLResponse:
    """Return the page with a flow's result."""
    title = _TITLES.get(end.stage, _NO_TITLE)
    return _page("closing.html", status, title=title, stage=end.stage.value, words=end.words, owner=end.owner)


def choice_page(choice: Choice, status: int) -> HTMLResponse:
    """Return the page with a checkbox for each account."""
    targets = " ".join(["'self'", *_origin_of(choice.redirect_url)])
    platform = name_of(choice.platform)
    return _page("choice.html", status, targets, title="Choose accounts", platform=platform, choice=choice)


def page_headers(style: str = "'none'", form_action: str = "'none'") -> dict[str, str]:
    """Return the headers of every page; ``style`` and ``form_action`` are CSP sources."""
    return {
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",  # the URLs of these pages contain codes and secrets
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": (
            f"default-src 'none'; style-src {style}; base-uri 'none'; form-action {form_action};"
            " frame-ancestors 'none'"
        ),
    }


def _page(template: str, status: int, form_action: str = "'none'", **context: Any) -> HTMLResponse:
    nonce = secrets.token_urlsafe(16)
    body = _templates().get_template(template).render(nonce=nonce, **context)
    return HTMLResponse(body, status, page_headers(f"'nonce-{nonce}'", form_action))


@cache
def _templates() -> "Environment":
    """Load the templates with the first page, because most services never show one."""
    from jinja2 import Environment, FileSystemLoader

    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _origin_of(redirect_url: str | None) -> list[str]:
    """Return the origin that the form redirects to: browsers also apply ``form-action`` to redirects."""
    parts = urlsplit(redirect_url or "")
    return [f"{parts.scheme}://{parts.netloc}"] if _PLAIN_HOST.fullmatch(parts.netloc) else []
