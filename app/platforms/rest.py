"""Calls to a platform's API with an access token, with responses parsed as models."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from pydantic import BaseModel

from app.platforms.base import Departure, PlatformError
from app.platforms.http import Answer, Body, Call, PlatformHttp, bearer
from app.platforms.responses import unexpected

M = TypeVar("M", bound=BaseModel)


class RestApi:
    """One API. Every method that makes a call raises PlatformError for an error response.

    Args:
        http: Makes the calls.
        base: Prefix of all URLs, including the version.
        refused: Converts an error response.
    """

    def __init__(self, http: PlatformHttp, base: str, refused: Callable[[Answer], PlatformError]) -> None:
        self.http = http
        self._base = base
        self._refused = refused

    def address(self, path: str) -> str:
        return f"{self._base}/{path}"

    def call(
        self,
        method: str,
        path: str,
        token: str,
        *,
        params: Mapping[str, str] | None = None,
        json: Mapping[str, object] | None = None,
        form: Mapping[str, str] | None = None,
        body: Body | None = None,
        creating: Departure | None = None,
    ) -> Call:
        """Return a call with an access token."""
        return Call(
            method=method,
            url=self.address(path),
            params=dict(params or {}),
            headers=bearer(token),
            json=json,
            form=form,
            body=body,
            creating=creating,
            secrets=(token,),
        )

    async def ask(self, call: Call) -> Answer:
        """Return the response to a call."""
        answer = await self.http.send(call)
        if not answer.is_success:
            raise self._refused(answer)
        return answer

    async def fetch(self, call: Call, model: type[M]) -> M:
        """Return the parsed response to a call."""
        answer = await self.ask(call)
        found = answer.read(model)
        if found is None:
            raise unexpected(answer, self.http.name)
        return found

    async def get(self, path: str, token: str, model: type[M], params: Mapping[str, str] | None = None) -> M:
        """GET a path and return the parsed response."""
        return await self.fetch(self.call("GET", path, token, params=params), model)

    async def post(
        self,
        path: str,
        token: str,
        model: type[M],
        *,
        json: Mapping[str, object] | None = None,
        form: Mapping[str, str] | None = None,
        body: Body | None = None,
        creating: Departure | None = None,
    ) -> M:
        """POST to a path and return the parsed response."""
        call = self.call("POST", path, token, json=json, form=form, body=body, creating=creating)
        return await self.fetch(call, model)
