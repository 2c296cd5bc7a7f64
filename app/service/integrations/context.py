"""The service behind the pages, and the signed-in user."""

from dataclasses import dataclass

from starlette.requests import Request

from app.service.accounts.passwords import PasswordCheck
from app.service.accounts.sessions import Session, find_session, tell_sight
from app.service.api.context import Service
from app.service.integrations import cookies
from app.service.integrations.refusals import SignInNeeded


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
    service, token = site_of(request).service, cookies.read(request, cookies.SESSION)
    if token is None:
        raise SignInNeeded(ended=False)
    now = service.clock()
    session = await service.database.read(lambda rows: find_session(rows, token, now))
    if session is None:
        raise SignInNeeded(ended=True)
    if session.sight_is_news(now):
        service.database.submit(lambda rows: tell_sight(rows, token, now))
    return session
