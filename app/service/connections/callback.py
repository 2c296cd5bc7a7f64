"""The listener that browsers return to: the callback and choice pages, over plain HTTP on loopback."""

from collections.abc import Awaitable, Iterable
from typing import Final
from urllib.parse import parse_qs

import structlog
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.service.api.bodies import BodyTooLongError, BodyTooSlowError, read_body
from app.service.api.routing import Endpoint, Router
from app.service.connections import words
from app.service.connections.addresses import choice_path
from app.service.connections.choices import Choices
from app.service.connections.ends import Choice, ChoiceDue, FlowEnd, Stage
from app.service.connections.flows import Flows
from app.service.connections.pages import choice_page, closing_page, page_headers

_log = structlog.get_logger(__name__)

_NOTHING_HERE: Final = FlowEnd(Stage.FAILED, "There is nothing at this address.")
_FORM_BYTES_MAX: Final = 64 * 1024
_FORM_FIELDS_MAX: Final = 2_000


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
        return await _answer(flows.end(platform, dict(request.query_params)))

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
    router.add(("GET",), "/choose", show)
    router.add(("POST",), "/choose", choose)
    return router.under()


async def _answer(going_on: Awaitable[FlowEnd | ChoiceDue | Choice]) -> Response:
    try:
        outcome = await going_on
    except Exception:  # noqa: BLE001  a browser must get a page
        _log.exception("a browser flow could not go on")
        return closing_page(FlowEnd(Stage.FAILED, words.BROKEN), 500)
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
