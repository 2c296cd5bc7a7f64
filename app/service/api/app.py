"""The HTTP application: routes of the contract and its companion, and the middleware around them."""

import logging
import secrets
import time
from datetime import timedelta

import structlog
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.contract.enums import ErrorCode
from app.contract.limits import API_PREFIX, COMPANION_PREFIX, INTEGRATIONS_PATH
from app.database import DiskFullError
from app.service.accounts.accounts import KeyRefusedError
from app.service.analytics.routes import router as analytics
from app.service.api.context import AccessLog, Service
from app.service.api.responses import ApiError, error_answer, key_refused, no_such_route, refused
from app.service.api.routing import Endpoint, PatternRoute
from app.service.companion.routes import ROUTERS as COMPANION
from app.service.connections.callback import browser_routes
from app.service.connections.routes import router as connections
from app.service.history import router as history
from app.service.integrations.site import create_site
from app.service.media.routes import links as media_links
from app.service.media.routes import router as media
from app.service.monitoring.health import Health
from app.service.monitoring.meter import Meter
from app.service.monitoring.traces import Work, span
from app.service.openapi.document import router as openapi
from app.service.posts.routes import router as posts
from app.service.usage.routes import router as usage
from app.service.webhooks.routes import router as webhooks

_log = structlog.get_logger(__name__)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_level = logging.getLogger(__name__)

_INTERNAL = (
    "Something went wrong inside the service. Try again, and if it keeps happening, report the request id."
)
_DISK_FULL = "The service's disk is full, so nothing was stored. Free some space there."


class RequestMiddleware:
    """Assigns request ids, counts and logs requests, and answers uncaught exceptions with a plain 500."""

    def __init__(self, app: ASGIApp, meter: Meter, access_log: AccessLog) -> None:
        self._app = app
        self._meter = meter
        self._access_log = access_log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request_id = f"req_{secrets.token_hex(12)}"
        scope.setdefault("state", {})["request_id"] = request_id
        status = 0
        took = timedelta()

        async def send_named(message: Message) -> None:
            nonlocal status, took
            if message["type"] == "http.response.start":
                status = message["status"]
                took = timedelta(seconds=time.perf_counter() - began)
                _add_headers(message, request_id)
            await send(message)

        began = time.perf_counter()
        # In the task's context, which belongs to this request alone.
        structlog.contextvars.bind_contextvars(request_id=request_id)
        with span(_method(scope), "server", _caller(scope), request_id=request_id) as answering:
            try:
                await self._app(scope, receive, send_named)
            except ClientDisconnect:
                _log.debug("client went away")
            except Exception as error:  # noqa: BLE001  the last line of defence
                _log.exception("request failed", method=scope["method"], path=scope["path"])
                if status == 0:
                    await error_answer(request_id, _internal(error))(scope, receive, send_named)
            _describe(answering, scope, status)
        if status:
            self._meter.note_request(_method(scope), _route(scope), status, took)
        level = logging.INFO if self._access_log.is_on else logging.DEBUG
        if _level.isEnabledFor(level):  # checking the level costs less than a dropped record
            _log_request(scope, level, status, time.perf_counter() - began)


def _caller(scope: Scope) -> str | None:
    """Return the caller's ``traceparent``, if the request names one."""
    found = (value.decode("latin-1") for name, value in scope["headers"] if name == b"traceparent")
    return next(found, None)


def _describe(answering: Work, scope: Scope, status: int) -> None:
    """Name a request by its route: its path and query may contain signatures."""
    answering.name = f"{_method(scope)} {_route(scope)}"
    answering.attributes["http.request.method"] = _method(scope)
    answering.attributes["http.route"] = _route(scope)
    if status:
        answering.attributes["http.response.status_code"] = status
    answering.is_failed = status >= 500


def _log_request(scope: Scope, level: int, status: int, took_s: float) -> None:
    """Log a request without its path, query and body, which may contain signatures and user content.

    Status 0 means that the client left before the response began.
    """
    account_id, client = scope["state"].get("account_id"), scope["client"]
    _log.log(
        level,
        "request",
        method=_method(scope),
        route=_route(scope),
        status=status,
        ms=round(took_s * 1000, 1),
        account_id=str(account_id) if account_id else None,
        client=client[0] if client else None,
    )


def _method(scope: Scope) -> str:
    """Return a known method, because clients can send any word."""
    return scope["method"] if scope["method"] in _METHODS else "other"


def _route(scope: Scope) -> str:
    """Return the pattern of the request's route; "unknown" without one."""
    route: str = scope["state"].get("route", "unknown")
    return route


def _add_headers(message: Message, request_id: str) -> None:
    headers: list[tuple[bytes, bytes]] = message["headers"]
    headers.append((b"x-request-id", request_id.encode()))
    headers.append((b"x-content-type-options", b"nosniff"))
    if not any(name == b"cache-control" for name, _ in headers):
        headers.append((b"cache-control", b"no-store"))


def _internal(error: Exception) -> ApiError:
    message = _DISK_FULL if isinstance(error, DiskFullError) else _INTERNAL
    return ApiError(ErrorCode.INTERNAL_ERROR, message)


def create_app(service: Service) -> Starlette:
    """Return the application, which sends every error in the contract's envelope."""
    site = create_site(service)
    pages = (INTEGRATIONS_PATH, f"{INTEGRATIONS_PATH}/{{rest:path}}")
    app = Starlette(
        routes=[
            *api_routes(),
            *browser_routes(service.connections.flows, service.connections.choices),
            *(PatternRoute(path, site, include_in_schema=False) for path in pages),
            *Health(service.database).routes(),
        ],
        middleware=[Middleware(RequestMiddleware, service.meter, service.access_log)],
        exception_handlers={ApiError: refused, KeyRefusedError: key_refused, HTTPException: no_such_route},
    )
    app.router.redirect_slashes = False
    app.state.service = service
    return app


def api_routes() -> list[Endpoint]:
    """Return all routes: the specified ones, the companion's, and the descriptions of both."""
    specified = posts, connections, media, webhooks, analytics, history, usage  # most requested first
    return [
        *(route for router in specified for route in router.under(API_PREFIX)),
        *(route for router in COMPANION for route in router.under(COMPANION_PREFIX)),
        *media_links.under(),
        *(route for prefix in (API_PREFIX, COMPANION_PREFIX) for route in openapi.under(prefix)),
    ]
