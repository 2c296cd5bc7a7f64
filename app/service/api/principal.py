"""Who is calling, and whether they may."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Request

from app.contract.enums import Action, ErrorCode, KeyScope
from app.service.accounts.keys import KEY_FORMAT, KeyRefusedError, Principal, authenticate
from app.service.api.context import Service, ServiceDep
from app.service.api.errors import ApiError


def calling(action: Action) -> Callable[[Request, Service], Awaitable[Principal]]:
    """A dependency that admits callers whose key may do ``action``, and counts the call.

    Raises ApiError: 401 without a good key, 403 when its scope does not reach.
    """

    async def admitted(request: Request, service: ServiceDep) -> Principal:
        principal = await _admit(request, service)
        service.usage.count(principal.account_id, action)
        return principal

    return admitted


async def _admit(request: Request, service: ServiceDep) -> Principal:
    key, now = _bearer_key(request), service.clock()
    try:
        principal = await service.database.read(lambda connection: authenticate(connection, key, now))
    except KeyRefusedError as error:
        raise ApiError(ErrorCode.UNAUTHORIZED, str(error)) from None
    if principal.scope is not KeyScope.API_FULL:
        raise ApiError(ErrorCode.FORBIDDEN, "The API key does not have the scope api:full.")
    return principal


PrincipalDep = Annotated[Principal, Depends(_admit)]
"""A caller with a good key, for endpoints that are not counted."""


def _bearer_key(request: Request) -> str:
    given = request.headers.getlist("authorization")
    scheme, _, key = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    if scheme.lower() != "bearer":
        raise ApiError(ErrorCode.UNAUTHORIZED, "Send the API key as Authorization: Bearer stp_rest_…")
    if not KEY_FORMAT.fullmatch(key.strip()):
        raise ApiError(ErrorCode.UNAUTHORIZED, "The API key is malformed. Check that it was copied whole.")
    return key.strip()
