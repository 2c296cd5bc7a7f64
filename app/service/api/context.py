"""What endpoints know of a call: the service's parts, and the caller's key, scopes and rate limit."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, TypeVar
from uuid import UUID, uuid4

from sqlalchemy import Connection
from starlette.requests import Request

from app.contract.enums import Action, ErrorCode, KeyScope
from app.database import Database
from app.service.accounts.accounts import (
    KEY_FORMAT,
    Caller,
    Principal,
    authenticate,
    fingerprint,
    tell_use,
)
from app.service.accounts.callers import require_admitted, write_for
from app.service.api.cursors import Cursors
from app.service.api.responses import ApiError, LongAnswers, RateLimitedError
from app.service.api.routing import Depends
from app.service.clock import Clock
from app.service.companion.feed import ChangeFeed
from app.service.connections.parts import ConnectionParts
from app.service.limits import Kind, RateLimiter
from app.service.media.parts import MediaParts
from app.service.monitoring.meter import Meter
from app.service.transfer.moving import Moving
from app.service.usage.counter import UsageCounter
from app.service.webhooks.console import WebhookConsole

T = TypeVar("T")


@dataclass
class AccessLog:
    """Whether every request is logged, which can change while the service runs."""

    is_on: bool = False


@dataclass(frozen=True)
class Service:
    """The parts that endpoints use.

    Attributes:
        limiter: None if calls aren't limited.
        moving: Moves accounts to this service and away from it.
        notify: Wakes the publishing engine after a post was created or rescheduled.
        clock_ahead_seconds: How far ahead this machine's clock is, if that prevents publishing.
        practice: Whether all platforms are practice platforms.
        meter: Counts requests.
        access_log: Whether requests are logged.
        long_answers: Those that clients haven't read yet.
        new_id: Returns ids for new posts and batches.
    """

    database: Database
    clock: Clock
    cursors: Cursors
    usage: UsageCounter
    limiter: RateLimiter | None
    feed: ChangeFeed
    connections: ConnectionParts
    media: MediaParts
    webhooks: WebhookConsole
    moving: Moving
    notify: Callable[[], None]
    clock_ahead_seconds: Callable[[], int | None]
    practice: bool
    meter: Meter = Meter()  # noqa: RUF009  it has no state
    access_log: AccessLog = field(default_factory=AccessLog)
    long_answers: LongAnswers = field(default_factory=LongAnswers)
    new_id: Callable[[], UUID] = uuid4

    async def write(self, caller: Caller, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in a write transaction for a caller, like ``write_for``."""
        return await write_for(self.database, caller, self.clock(), work)

    async def confirm(self, caller: Caller, *, even_moved: bool = False) -> None:
        """Check a caller again whose body has arrived, for endpoints that don't use ``write``.

        Raises KeyRefusedError like ``require_admitted``.
        """
        now = self.clock()
        await self.database.read(lambda rows: require_admitted(rows, caller, now, even_moved=even_moved))


def service_of(request: Request) -> Service:
    """Return the application's service."""
    service: Service = request.app.state.service
    return service


ServiceDep = Annotated[Service, Depends(service_of)]


class Calling:
    """A dependency that admits callers to one action, and counts the calls it admits.

    Raises ApiError: 401 without a valid key, 403 if its scope doesn't allow it, 429 above the rate limit.
    """

    def __init__(self, action: Action) -> None:
        self.action = action

    async def __call__(self, request: Request, service: ServiceDep) -> Principal:
        principal = await admit(request, service)
        if service.limiter is not None:
            try:
                service.limiter.take(principal.key_id, principal.plan, self.action)
            except RateLimitedError:
                await service.limiter.held_back.refuse(principal.account_id)
                raise
        service.usage.count(principal.account_id, self.action)
        return principal


calling = Calling
"""Reads as a sentence in a route: ``Depends(calling(Action.POSTS_GET))``."""


async def admit(request: Request, service: ServiceDep, *, even_moved: bool = False) -> Principal:
    """Return the caller of an endpoint that isn't counted; ``even_moved``: also of an account that moved.

    Raises KeyRefusedError, or ApiError (403).
    """
    key, now = _bearer_key(request), service.clock()
    principal = await service.database.read_remembered(
        ("key", fingerprint(key), even_moved),
        lambda connection: authenticate(connection, key, now, even_moved=even_moved),
    )
    principal.require_unexpired(now)
    request.scope["state"]["account_id"] = principal.account_id  # for the access log
    if principal.use_is_news(now):
        service.database.submit(lambda connection: tell_use(connection, principal.key_id, now))
    if principal.scope is not KeyScope.API_FULL:
        raise ApiError(ErrorCode.FORBIDDEN, "The API key doesn't have the scope api:full.")
    return principal


async def admit_to_companion(request: Request, service: ServiceDep) -> Principal:
    """Return the caller of a companion endpoint. Raises ApiError: 401, 403, or 429 above the rate limit.

    These calls don't count as usage. Each endpoint has its own limit, as a read or a write depending on its
    method.
    """
    principal = await admit(request, service)
    await _limit(request, service, principal, Kind.READ if request.method == "GET" else Kind.WRITE)
    return principal


async def _limit(request: Request, service: Service, principal: Principal, kind: Kind) -> None:
    if service.limiter is not None:
        endpoint = request.scope["endpoint"].__name__
        try:
            service.limiter.take_companion(principal.account_id, principal.plan, endpoint, kind)
        except RateLimitedError:
            await service.limiter.held_back.refuse(principal.account_id)
            raise


async def admit_mover(request: Request, service: ServiceDep) -> Principal:
    """Return the caller of an endpoint that moves accounts, also of one that another service has.

    Raises ApiError like ``admit_to_companion``.
    """
    principal = await admit(request, service, even_moved=True)
    await _limit(request, service, principal, Kind.READ if request.method == "GET" else Kind.WRITE)
    return principal


async def admit_file(request: Request, service: ServiceDep) -> Principal:
    """Return the caller of an endpoint for the files of an account that moves, with a limit of their own.

    Raises ApiError like ``admit_to_companion``.
    """
    principal = await admit(request, service, even_moved=True)
    await _limit(request, service, principal, Kind.FILE)
    return principal


FileMoverDep = Annotated[Principal, Depends(admit_file)]
"""Like ``MoverDep``, for files."""
MoverDep = Annotated[Principal, Depends(admit_mover)]
"""A caller with a valid key, also of an account that is leaving or has left."""
PrincipalDep = Annotated[Principal, Depends(admit_to_companion)]
"""A caller of the companion API with a valid key."""


def _bearer_key(request: Request) -> str:
    given = [value for name, value in request.scope["headers"] if name == b"authorization"]
    scheme, _, key = given[0].decode("latin-1").partition(" ") if len(given) == 1 else ("", "", "")
    if scheme.lower() != "bearer":
        raise ApiError(ErrorCode.UNAUTHORIZED, "Send the API key as Authorization: Bearer stp_rest_…")
    if not KEY_FORMAT.fullmatch(key.strip()):
        raise ApiError(ErrorCode.UNAUTHORIZED, "The API key is malformed. Check that you copied all of it.")
    return key.strip()
