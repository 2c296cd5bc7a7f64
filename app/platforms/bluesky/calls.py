"""Calls to the server of one account, with its access token."""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from pydantic import BaseModel

from app.platforms.base import Departure, PlatformError
from app.platforms.bluesky.access import Access
from app.platforms.bluesky.proofs import Proofs
from app.platforms.http import Answer, Body, Call, PlatformHttp, bearer
from app.platforms.rest import unexpected

_SMALL: Final = "com.atproto.server.getSession"
M = TypeVar("M", bound=BaseModel)


class PdsApi:
    """The API of an account's server. Every method raises PlatformError for an error response."""

    def __init__(
        self,
        http: PlatformHttp,
        proofs: Proofs,
        access: Access,
        refused: Callable[[Answer], PlatformError],
    ) -> None:
        self._http = http
        self._proofs = proofs
        self._access = access
        self._refused = refused

    async def get(self, path: str, model: type[M], params: Mapping[str, str] | None = None) -> M:
        """GET a path and return the parsed response."""
        return await self._fetch(self._call("GET", path, params=params), model)

    async def post(
        self,
        path: str,
        model: type[M],
        *,
        json: Mapping[str, object] | None = None,
        body: Body | None = None,
        creating: Departure | None = None,
    ) -> M:
        """POST to a path and return the parsed response."""
        if body is not None and self._access.consented is not None:
            # A file that is refused for the nonce of its proof is cut off, often without a response.
            await self._ask(self._call("GET", _SMALL))
        return await self._fetch(self._call("POST", path, json=json, body=body, creating=creating), model)

    async def end(self, path: str) -> None:
        """POST to a path whose response is empty."""
        await self._ask(self._call("POST", path))

    def _call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        json: Mapping[str, object] | None = None,
        body: Body | None = None,
        creating: Departure | None = None,
    ) -> Call:
        return Call(
            method=method,
            url=f"{self._access.pds}/xrpc/{path}",
            params=dict(params or {}),
            headers=bearer(self._access.token),
            json=json,
            body=body,
            creating=creating,
            secrets=(self._access.token,),
        )

    async def _fetch(self, call: Call, model: type[M]) -> M:
        answer = await self._ask(call)
        found = answer.read(model)
        if found is None:
            raise unexpected(answer, self._http.name)
        return found

    async def _ask(self, call: Call) -> Answer:
        access = self._access
        if access.consented is None:
            answer = await self._http.send(call)
        else:
            answer = await self._proofs.send(call, access.consented.key, access.token)
        if not answer.is_success:
            raise self._refused(answer)
        return answer
