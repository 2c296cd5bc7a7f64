"""Creating keys, which are shown once, and revoking them."""

from datetime import datetime
from uuid import UUID

from pydantic import ValidationError
from sqlalchemy import Connection, RowMapping, select
from starlette.requests import Request
from starlette.responses import Response

from app.contract.companion import CreateApiKey
from app.contract.enums import KeyScope
from app.service.accounts.accounts import KeyRefusedError, TooManyKeysProblem, create_key, revoke_key
from app.service.integrations.overview import Expiry, chosen, overview
from app.service.integrations.pages import go, page
from app.service.integrations.requests import (
    PageRefused,
    SignInNeeded,
    nothing_here,
    read_form,
    signed_in,
    site_of,
    unreadable,
)
from app.service.store.tables import api_keys

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
        made = await service.database.write(work)
    except KeyRefusedError:  # the key that created the session ended during the request
        raise SignInNeeded(ended=True) from None
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
    if not await service.database.write(lambda rows: revoke_key(rows, key_id, now, owner=owner)):
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
