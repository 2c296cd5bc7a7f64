"""Calls to one platform's API in somebody's name, and answers as what they should be."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from pydantic import BaseModel

from app.platforms.base import Departure, PlatformError
from app.platforms.http import Answer, Body, Call, PlatformHttp, bearer
from app.platforms.refusals import unexpected

M = TypeVar("M", bound=BaseModel)


class RestApi:
    """One API. Every method that calls raises PlatformError for a refusal.

    Args:
        http: The way to the platform.
        base: What all addresses begin with, version included.
        refused: What an answer means that is no success.
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
        """A call with a token."""
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
        """The answer to a call that was not refused."""
        answer = await self.http.send(call)
        if not answer.is_success:
            raise self._refused(answer)
        return answer

    async def fetch(self, call: Call, model: type[M]) -> M:
        """What a call gives."""
        answer = await self.ask(call)
        found = answer.read(model)
        if found is None:
            raise unexpected(answer, self.http.name)
        return found

    async def get(self, path: str, token: str, model: type[M], params: Mapping[str, str] | None = None) -> M:
        """What is at a path."""
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
        """What a change led to."""
        call = self.call("POST", path, token, json=json, form=form, body=body, creating=creating)
        return await self.fetch(call, model)
