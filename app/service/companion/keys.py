"""``/companion/v1/keys`` and ``/companion/v1/sign-in-link``: the integrations page for programs."""

from typing import Annotated, Final
from uuid import UUID

from sqlalchemy import Connection, select
from starlette.requests import Request
from starlette.responses import Response

from app.contract.base import format_timestamp
from app.contract.companion import ApiKey, CreateApiKey, CreatedApiKey, SignInLink
from app.contract.enums import ErrorCode, KeyScope
from app.contract.pagination import Page, PageQuery
from app.service.accounts.accounts import TooManyKeysProblem, create_key, revoke_key
from app.service.accounts.sessions import create_link
from app.service.api.context import PrincipalDep, ServiceDep
from app.service.api.listing import Listing
from app.service.api.requests import JsonBody, PathId, Query
from app.service.api.responses import ApiError, answer, invalid, not_found
from app.service.api.routing import Depends, Router
from app.service.store.tables import api_keys

router = Router(tag="keys")

KeyId = Annotated[UUID, Depends(PathId("key_id", "key"))]

_COLUMNS = tuple(api_keys.c[name] for name in ApiKey.model_fields)
_KEYS: Final = Listing(api_keys, _COLUMNS)


@router.post("/keys", response_model=CreatedApiKey, status_code=201)
async def create_api_key(
    service: ServiceDep,
    principal: PrincipalDep,
    body: Annotated[CreateApiKey, Depends(JsonBody(CreateApiKey))],
) -> Response:
    """Create a key for the account. Only this response contains the key itself.

    The new key depends on the calling key: it can't expire later, and is revoked together with it.
    """
    now = service.clock()
    if body.expires_at is not None and body.expires_at <= now:
        raise invalid("expires_at", "must be in the future", "time_past")
    end = principal.expires_at
    if body.expires_at is not None and end is not None and body.expires_at > end:
        last = format_timestamp(end)
        raise invalid("expires_at", f"must not be after {last}, when the calling key expires", "after_parent")

    def work(rows: Connection) -> CreatedApiKey:
        key_id, key = create_key(
            rows,
            principal.account_id,
            KeyScope.API_FULL,
            body.expires_at,
            now,
            name=body.name.strip(),
            created_by=principal.key_id,
        )
        return CreatedApiKey(**_find(rows, principal.account_id, key_id).model_dump(), key=key)

    try:
        return answer(await service.write(principal.caller, work), 201)
    except TooManyKeysProblem as problem:
        raise ApiError(ErrorCode.FORBIDDEN, str(problem)) from None


@router.get("/keys", response_model=Page[ApiKey])
async def list_api_keys(
    service: ServiceDep, principal: PrincipalDep, query: Annotated[PageQuery, Depends(Query(PageQuery))]
) -> Response:
    """List the account's keys, newest first, including revoked and expired ones."""
    return await _KEYS.answer(service, principal.account_id, query)


@router.delete("/keys/{key_id}", response_model=ApiKey)
async def revoke_api_key(service: ServiceDep, principal: PrincipalDep, key_id: KeyId) -> Response:
    """Revoke a key immediately, with all keys, links and sessions it created. It may be the calling key.

    Revoking a key twice has no effect.
    """
    now = service.clock()

    def work(rows: Connection) -> ApiKey:
        if not revoke_key(rows, key_id, now, owner=principal.account_id):
            raise not_found("key")
        return _find(rows, principal.account_id, key_id)

    return answer(await service.write(principal.caller, work))


@router.post("/sign-in-link", response_model=SignInLink, status_code=201)
async def create_sign_in_link(request: Request, service: ServiceDep, principal: PrincipalDep) -> Response:
    """Create a link that signs the account's owner in on the integrations page, once, within 10 minutes.

    The link and its session end with the calling key.
    """
    base_url, now = str(request.base_url).rstrip("/"), service.clock()

    def work(rows: Connection) -> SignInLink:
        return create_link(rows, principal.account_id, base_url, now, created_by=principal.key_id)

    return answer(await service.write(principal.caller, work), 201)


def _find(rows: Connection, account_id: UUID, key_id: UUID) -> ApiKey:
    own = (api_keys.c.id == key_id, api_keys.c.account_id == account_id)
    return ApiKey.model_validate(rows.execute(select(*_COLUMNS).where(*own)).one(), from_attributes=True)
