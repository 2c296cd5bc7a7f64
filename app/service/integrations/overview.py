"""The first page: keys, which are created and revoked here, and connected accounts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID, uuid4

from pydantic import ValidationError
from sqlalchemy import Connection, RowMapping, select
from sqlalchemy import Connection as Rows
from starlette.requests import Request
from starlette.responses import Response

from app.contract.companion import CompleteConnection, ConnectionStage, CreateApiKey
from app.contract.enums import ConnectionPlatform, ErrorCode, KeyScope, SubscriptionStatus
from app.contract.platform_setup import PlatformSetup
from app.platforms.cards import name_of
from app.service.accounts.accounts import (
    TooManyKeysProblem,
    create_key,
    in_force,
    revoke_key,
)
from app.service.accounts.sessions import Session
from app.service.api.responses import ApiError, from_pydantic
from app.service.integrations.pages import (
    PageRefused,
    go,
    nothing_here,
    origin_of,
    page,
    path_of,
    read_form,
    signed_in,
    site_of,
    unreadable,
)
from app.service.store.reach import Reach
from app.service.store.tables import api_keys, connections

_ENDED_SHOWN: Final = 20
_ACCOUNTS_SHOWN: Final = 200
_KEY_COLUMNS = (
    api_keys.c.id,
    api_keys.c.name,
    api_keys.c.hint,
    api_keys.c.created_at,
    api_keys.c.expires_at,
    api_keys.c.revoked_at,
    api_keys.c.last_used_at,
)
_ACCOUNT_COLUMNS = (
    connections.c.id,
    connections.c.platform,
    connections.c.display_name,
    connections.c.username,
    connections.c.account_identifier,
    connections.c.is_available,
    connections.c.created_at,
)


@dataclass(frozen=True, slots=True)
class Expiry:
    """An option in the form. Without ``days``, the key never expires."""

    value: str
    days: int | None
    name: str

    def at(self, now: datetime) -> datetime | None:
        return None if self.days is None else now + timedelta(days=self.days)

    def words(self, now: datetime) -> str:
        """Return the label in the form, such as ``In 30 days, on 21 Dec 2026``."""
        end = self.at(now)
        return self.name if end is None else f"{self.name}, on {end.day} {end:%b %Y}"


EXPIRIES: Final = (
    Expiry("never", None, "Never"),
    Expiry("7", 7, "In 7 days"),
    Expiry("30", 30, "In 30 days"),
    Expiry("90", 90, "In 90 days"),
    Expiry("365", 365, "In a year"),
)


def chosen(value: str) -> Expiry | None:
    """Return the option with that value, or None."""
    return next((choice for choice in EXPIRIES if choice.value == value), None)


async def show(request: Request) -> Response:
    """Show everything the owner can manage here."""
    return await overview(request, await signed_in(request))


async def overview(
    request: Request,
    session: Session,
    *,
    error: str | None = None,
    wrong_name: str | None = None,
    name: str = "",
    status: int = 200,
) -> Response:
    """Return the page. ``error`` is a rejection, ``wrong_name`` the problem with the key's name."""
    service = site_of(request).service
    now = service.clock()
    values = await service.database.read(lambda rows: _values(rows, session.account_id, now))
    form = {
        "form_id": uuid4(),
        "expiries": [(choice.value, choice.words(now)) for choice in EXPIRIES],
        "name": name,
        "error": error or wrong_name,
        "wrong_name": wrong_name,
        "is_active": session.status == SubscriptionStatus.ACTIVE,
        "name_of": name_of,
        "threads": set_up_of(request, ConnectionPlatform.THREADS),
        "practice": service.practice,
    }
    return page(request, "overview.html", {**values, **form}, status=status, session=session)


def set_up_of(request: Request, platform: ConnectionPlatform) -> PlatformSetup:
    """Return a platform's setup on this service."""
    set_ups = site_of(request).service.connections.set_ups.all()
    return next(set_up for set_up in set_ups if set_up.platform is platform)


def _values(rows: Rows, account_id: UUID, now: datetime) -> dict[str, Any]:
    return {
        "keys": _keys(rows, account_id, now, good=True),
        "ended_keys": _keys(rows, account_id, now, good=False),
        "accounts": rows.execute(
            select(*_ACCOUNT_COLUMNS)
            .where(connections.c.account_id == account_id, Reach.SPECIFIED.takes(connections.c.platform))
            .order_by(connections.c.created_at.desc(), connections.c.id.desc())
            .limit(_ACCOUNTS_SHOWN)
        )
        .mappings()
        .all(),
    }


def _keys(rows: Rows, account_id: UUID, now: datetime, *, good: bool) -> Sequence[RowMapping]:
    wanted = in_force(now) if good else ~in_force(now)
    newest = (
        select(*_KEY_COLUMNS)
        .where(api_keys.c.account_id == account_id, wanted)
        .order_by(api_keys.c.created_at.desc(), api_keys.c.id.desc())
    )
    return rows.execute(newest if good else newest.limit(_ENDED_SHOWN)).mappings().all()


_ENDS: Final = MappingProxyType(
    {
        ConnectionStage.CONNECTED.value: "The account is connected.",
        ConnectionStage.DENIED.value: (
            "You didn't allow access, so nothing was connected. You can start again at any time."
        ),
        ConnectionStage.FAILED.value: "That didn't work, so nothing was connected. Start again.",
    }
)


async def connect_threads(request: Request) -> Response:
    """Start a flow. A page links to the platform, because forms can only redirect to our own pages."""
    session = await signed_in(request)
    await read_form(request, session.token)
    threads, back = ConnectionPlatform.THREADS, f"{origin_of(request)}{path_of(request, '/accounts/back')}"
    try:
        started = await site_of(request).service.connections.flows.begin(session.caller, threads, back)
    except ApiError as refusal:
        return await _refused(request, session, refusal)
    return _leave(request, session, threads, started.connect_url)


async def reconnect(request: Request) -> Response:
    """Start a flow that reconnects an expired account."""
    session = await signed_in(request)
    await read_form(request, session.token)
    connection_id = request.path_params["connection_id"]
    try:
        started = await site_of(request).service.connections.flows.reauthorize(session.caller, connection_id)
    except ApiError as refusal:
        return await _refused(request, session, refusal)
    return _leave(request, session, started.account.platform, started.reauth_url)


async def come_back(request: Request) -> Response:
    """Handle the redirect from the platform. It's cross-site, so it has no session cookie."""
    stage = request.query_params.get("status", "")
    return _end(request, stage, _ENDS.get(stage, _ENDS[ConnectionStage.FAILED.value]))


async def complete(request: Request) -> Response:
    """Complete a flow with the final address of a browser that couldn't return by itself."""
    session = await signed_in(request)
    form = await read_form(request, session.token)
    address = form.get("address", "")
    try:
        checked = CompleteConnection(address=address).address
        outcome = await site_of(request).service.connections.flows.complete(session.caller, checked)
    except (ValidationError, ApiError) as problem:
        refusal = from_pydantic(problem) if isinstance(problem, ValidationError) else problem
        values = {"error": f"The address {refusal.details[0].message}.", "address": address}
        return page(request, "complete.html", values, status=400, session=session)
    if outcome.choose_url is not None:
        values = {"words": outcome.message, "address": outcome.choose_url}
        return page(request, "choose.html", values, session=session)
    return _end(request, outcome.stage.value, outcome.message, session)


def _leave(request: Request, session: Session, platform: ConnectionPlatform, address: str) -> Response:
    values = {"set_up": set_up_of(request, platform), "leads_to": address, "address": ""}
    return page(request, "leave.html", values, session=session)


def _end(request: Request, stage: str, words: str, session: Session | None = None) -> Response:
    values = {"connected": stage == ConnectionStage.CONNECTED, "words": words}
    return page(request, "back.html", values, session=session)


async def _refused(request: Request, session: Session, refusal: ApiError) -> Response:
    if refusal.code is ErrorCode.NOT_FOUND:
        raise nothing_here()
    return await overview(request, session, error=refusal.message, status=400)


_WRONG_NAME = "Enter a name of 1 to 100 characters, on one line."


async def create(request: Request) -> Response:
    """Create a key and show it, only in this response.

    The form contains the key's ID, so that reloading the page doesn't create a second key.
    """
    session = await signed_in(request)
    form = await read_form(request, session.token)
    service, name = site_of(request).service, form.get("name", "").strip()
    key_id, expiry = _read_choices(form)
    try:
        CreateApiKey(name=name)
    except ValidationError:
        return await overview(request, session, wrong_name=_WRONG_NAME, name=name, status=400)
    now = service.clock()
    expires_at = expiry.at(now)

    def work(rows: Connection) -> tuple[str, datetime | None] | None:
        if rows.scalar(select(api_keys.c.id).where(api_keys.c.id == key_id)) is not None:
            return None
        _, key = create_key(
            rows,
            session.account_id,
            KeyScope.API_FULL,
            expires_at,
            now,
            name=name,
            key_id=key_id,
            created_by=session.created_by,
        )
        return key, rows.scalar(select(api_keys.c.expires_at).where(api_keys.c.id == key_id))

    try:
        made = await service.write(session.caller, work)
    except TooManyKeysProblem as problem:
        return await overview(request, session, error=str(problem), name=name, status=403)
    if made is None:
        raise _already_shown()
    values = {"key": made[0], "name": name, "expires_at": made[1]}
    return page(request, "key_created.html", values, session=session)


async def confirm_revocation(request: Request) -> Response:
    """Ask for confirmation before revoking a key."""
    session = await signed_in(request)
    key_id: UUID = request.path_params["key_id"]
    key = await site_of(request).service.database.read(lambda rows: _find(rows, session.account_id, key_id))
    return page(request, "key_revoke.html", {"key": key}, session=session)


async def revoke(request: Request) -> Response:
    """Revoke a key immediately. Revoking it again has no effect."""
    session = await signed_in(request)
    await read_form(request, session.token)
    service, key_id = site_of(request).service, request.path_params["key_id"]
    now, owner = service.clock(), session.account_id
    if not await service.write(session.caller, lambda rows: revoke_key(rows, key_id, now, owner=owner)):
        raise nothing_here()
    return go(request, "?note=revoked")


def _read_choices(form: dict[str, str]) -> tuple[UUID, Expiry]:
    expiry = chosen(form.get("expires", ""))
    try:
        key_id = UUID(form.get("form_id", ""))
    except ValueError:
        raise unreadable() from None
    if expiry is None:
        raise unreadable()
    return key_id, expiry


def _find(rows: Connection, account_id: UUID, key_id: UUID) -> RowMapping:
    columns = (
        api_keys.c.id,
        api_keys.c.name,
        api_keys.c.hint,
        api_keys.c.created_at,
        api_keys.c.last_used_at,
    )
    key = rows.execute(
        select(*columns).where(
            api_keys.c.id == key_id, api_keys.c.account_id == account_id, api_keys.c.revoked_at.is_(None)
        )
    ).mappings()
    found = key.one_or_none()
    if found is None:
        raise nothing_here()
    return found


def _already_shown() -> PageRefused:
    return PageRefused(
        409,
        "This key was already shown",
        "A key is shown only once, when it's created. If you lost it, revoke it and create another.",
    )
