"""The listener that browsers return to, over plain HTTP on loopback, and its pages.

The callback and choice pages are plain HTML without scripts, cookies or external resources.
"""

import re
import secrets
from collections.abc import Awaitable, Iterable
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urlsplit

import structlog
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.platforms.cards import name_of
from app.service.api.requests import BodyTooLongError, BodyTooSlowError, read_body
from app.service.api.routing import Endpoint, Router
from app.service.connections import flow_rows
from app.service.connections.apps import choice_path
from app.service.connections.flow_rows import Choice, ChoiceDue, FlowEnd, Stage
from app.service.connections.flows import Choices, Flows

if TYPE_CHECKING:
    from jinja2 import Environment


_TITLES: Final = MappingProxyType({Stage.CONNECTED: "Connected"})
_NO_TITLE: Final = "Not connected"
_PLAIN_HOST: Final = re.compile(r"[a-zA-Z0-9.\[\]:-]+", re.ASCII)

_log = structlog.get_logger(__name__)

_NOTHING_HERE: Final = FlowEnd(Stage.FAILED, "This page doesn't exist.")
_FORM_BYTES_MAX: Final = 64 * 1024
_FORM_FIELDS_MAX: Final = 2_000


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


def create_callback_app(flows: Flows, choices: Choices) -> Starlette:
    """Return the listener's application."""
    app = Starlette(routes=browser_routes(flows, choices), exception_handlers={HTTPException: _nothing_here})
    app.router.redirect_slashes = False
    return app


def browser_routes(flows: Flows, choices: Choices) -> list[Endpoint]:
    """Return the routes for browsers."""
    router = Router(include_in_schema=False)

    async def come_back(platform: str, request: Request) -> Response:
        """Complete the flow named in the query, then redirect the browser or show the result."""
        return await _answer(flows.end(platform, dict(request.query_params), request.url.path))

    async def show(request: Request) -> Response:
        """Show the accounts to choose from."""
        return await _answer(choices.show(_token(request)))

    async def choose(request: Request) -> Response:
        """Handle the page's buttons."""
        form = await _read_form(request)
        if form.get("decision") == ["cancel"]:
            return await _answer(choices.call_off(_token(request)))
        return await _answer(choices.choose(_token(request), _places(form.get("account", []))))

    router.add(("GET",), "/callback/{platform}", come_back)
    router.add(("GET",), "/callback/{platform}/{server}", come_back)
    router.add(("GET",), "/choose", show)
    router.add(("POST",), "/choose", choose)
    return router.under()


async def _answer(going_on: Awaitable[FlowEnd | ChoiceDue | Choice]) -> Response:
    try:
        outcome = await going_on
    except Exception:  # noqa: BLE001  a browser must get a page
        _log.exception("a browser flow failed")
        return closing_page(FlowEnd(Stage.FAILED, flow_rows.BROKEN), 500)
    match outcome:
        case ChoiceDue(token):
            return RedirectResponse(choice_path(token), 303, page_headers())
        case Choice():
            return choice_page(outcome, 200 if outcome.problem is None else 400)
    if outcome.target is not None:
        return RedirectResponse(outcome.target, 303, page_headers())
    return closing_page(outcome, 200 if outcome.connection_id is not None else 404)


async def _read_form(request: Request) -> dict[str, list[str]]:
    """Return the fields of a form; none if it's too long or invalid."""
    try:
        body = await read_body(request, _FORM_BYTES_MAX)
        return parse_qs(body.decode("latin-1"), max_num_fields=_FORM_FIELDS_MAX)
    except (BodyTooLongError, BodyTooSlowError, ValueError):
        return {}


def _token(request: Request) -> str:
    return request.query_params.get("token", "")


def _places(given: Iterable[str]) -> set[int]:
    """Parse list indexes; anything else is ignored."""
    return {int(place) for place in given if place.isascii() and place.isdigit() and len(place) < 5}


async def _nothing_here(_request: Request, _error: Exception) -> Response:
    return closing_page(_NOTHING_HERE, 404)
