"""The HTTP application of the contract and its companion."""

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.routing import Route

from app.contract.limits import API_PREFIX, COMPANION_PREFIX, INTEGRATIONS_PATH
from app.service.analytics.routes import router as analytics
from app.service.api.context import Service
from app.service.api.envelope import no_such_route, refused
from app.service.api.errors import ApiError
from app.service.api.middleware import RequestMiddleware
from app.service.companion.routes import ROUTERS as COMPANION
from app.service.connections.callback import browser_routes
from app.service.connections.routes import router as connections
from app.service.history.routes import router as history
from app.service.integrations.site import create_site
from app.service.media.links import router as media_links
from app.service.media.routes import router as media
from app.service.openapi.routes import router as openapi
from app.service.posts.routes import router as posts
from app.service.usage.routes import router as usage
from app.service.webhooks.routes import router as webhooks


def create_app(service: Service) -> FastAPI:
    """All endpoints over one service, with nothing but the envelope for what fails."""
    app = FastAPI(title="Kalends", openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.service = service
    app.add_middleware(RequestMiddleware)
    app.add_exception_handler(ApiError, refused)
    app.add_exception_handler(HTTPException, no_such_route)
    add_routes(app)
    app.include_router(browser_routes(service.connections.flows, service.connections.choices))
    site = create_site(service)
    for path in (INTEGRATIONS_PATH, f"{INTEGRATIONS_PATH}/{{rest:path}}"):
        app.router.routes.append(Route(path, site, include_in_schema=False))
    return app


def add_routes(app: FastAPI) -> None:
    """Adds every endpoint: the specified ones, the companion's, and the descriptions of both."""
    app.router.routes.extend(posts.routes)  # flat and first, since they are asked for most
    for router in (connections, media, webhooks, analytics, history, usage):
        app.include_router(router, prefix=API_PREFIX)
    for router in COMPANION:
        app.include_router(router, prefix=COMPANION_PREFIX)
    app.include_router(media_links)
    for prefix in (API_PREFIX, COMPANION_PREFIX):
        app.include_router(openapi, prefix=prefix)
