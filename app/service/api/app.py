"""The HTTP application of the contract and its companion."""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import Route

from app.contract.limits import API_PREFIX, COMPANION_PREFIX, INTEGRATIONS_PATH
from app.service.analytics.routes import router as analytics
from app.service.api.context import Service
from app.service.api.envelope import no_such_route, refused
from app.service.api.errors import ApiError
from app.service.api.middleware import RequestMiddleware
from app.service.api.routing import Endpoint
from app.service.companion.routes import ROUTERS as COMPANION
from app.service.connections.callback import browser_routes
from app.service.connections.routes import router as connections
from app.service.history import router as history
from app.service.integrations.site import create_site
from app.service.media.links import router as media_links
from app.service.media.routes import router as media
from app.service.openapi.routes import router as openapi
from app.service.posts.routes import router as posts
from app.service.usage.routes import router as usage
from app.service.webhooks.routes import router as webhooks


def create_app(service: Service) -> Starlette:
    """All endpoints over one service, with nothing but the envelope for what fails."""
    site = create_site(service)
    pages = (INTEGRATIONS_PATH, f"{INTEGRATIONS_PATH}/{{rest:path}}")
    app = Starlette(
        routes=[
            *api_routes(),
            *browser_routes(service.connections.flows, service.connections.choices),
            *(Route(path, site, include_in_schema=False) for path in pages),
        ],
        middleware=[Middleware(RequestMiddleware)],
        exception_handlers={ApiError: refused, HTTPException: no_such_route},
    )
    app.router.redirect_slashes = False
    app.state.service = service
    return app


def api_routes() -> list[Endpoint]:
    """Every endpoint: the specified ones, the companion's, and the descriptions of both."""
    specified = (
        posts,
        connections,
        media,
        webhooks,
        analytics,
        history,
        usage,
    )  # the first are asked for most
    return [
        *(route for router in specified for route in router.under(API_PREFIX)),
        *(route for router in COMPANION for route in router.under(COMPANION_PREFIX)),
        *media_links.under(),
        *(route for prefix in (API_PREFIX, COMPANION_PREFIX) for route in openapi.under(prefix)),
    ]
