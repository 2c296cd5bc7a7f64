"""Where browsers come back to: one path on plain loopback HTTP, and nothing else."""

import secrets
from pathlib import Path

import structlog
from fastapi import FastAPI, Request
from jinja2 import Environment, FileSystemLoader
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.service.connections import words
from app.service.connections.ends import FlowEnd, Stage
from app.service.connections.flows import Flows

_log = structlog.get_logger(__name__)

_TITLES = {
    Stage.CONNECTED: "Connected",
    Stage.DENIED: "Not connected",
    Stage.FAILED: "Not connected",
}
_NOTHING_HERE = FlowEnd(Stage.FAILED, "There is nothing at this address.")

_pages = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True, trim_blocks=True
)


def create_callback_app(flows: Flows) -> FastAPI:
    """The listener's application."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.flows = flows
    app.add_api_route("/callback/{platform}", come_back, methods=["GET"], response_model=None)
    app.add_exception_handler(HTTPException, _nothing_here)
    return app


async def come_back(platform: str, request: Request) -> Response:
    """Ends the flow that the query names, then sends the browser on or tells the person how it ended."""
    flows: Flows = request.app.state.flows
    try:
        end = await flows.end(platform, dict(request.query_params))
    except Exception:  # noqa: BLE001  a browser must get a page
        _log.exception("a browser flow could not be ended", platform=platform)
        return _page(FlowEnd(Stage.FAILED, words.BROKEN), 500)
    if end.target is not None:
        return RedirectResponse(end.target, 303, _headers("'none'"))
    return _page(end, 200 if end.connection_id is not None else 404)


async def _nothing_here(_request: Request, _error: Exception) -> Response:
    return _page(_NOTHING_HERE, 404)


def _page(end: FlowEnd, status: int) -> Response:
    nonce = secrets.token_urlsafe(16)
    body = _pages.get_template("closing.html").render(
        title=_TITLES[end.stage], stage=end.stage.value, words=end.words, nonce=nonce
    )
    return HTMLResponse(body, status, _headers(f"'nonce-{nonce}'"))


def _headers(style_source: str) -> dict[str, str]:
    return {
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",  # the address of this page holds the code and the state
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": (
            f"default-src 'none'; style-src {style_source}; base-uri 'none'; form-action 'none';"
            " frame-ancestors 'none'"
        ),
    }
