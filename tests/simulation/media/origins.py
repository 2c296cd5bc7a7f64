"""Servers that files are imported from."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Mapping

import httpx

from tests.simulation.faults import Faults, Kind, Site
from tests.simulation.lives import Life
from tests.simulation.media.plan import How

_CHUNK: int = 2_000


class Origins:
    """What lies where, by URL."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[bytes, How]] = {}

    def offer(self, number: int, content: bytes, how: How) -> str:
        url = f"https://origin.example/{number}/picture.png"
        self._files[url] = content, how
        return url

    def look_up(self, url: str) -> tuple[bytes, How]:
        return self._files[url.replace("/moved/", "/")]


class SimulatedOrigins(httpx.AsyncBaseTransport):
    """The way from one program to the origins."""

    def __init__(
        self, origins: Origins, life: Life, faults: Faults, delays: random.Random, note: Callable[..., None]
    ) -> None:
        self._origins = origins
        self._life = life
        self._faults = faults
        self._delays = delays
        self._note = note

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await self._life.passes()
        fault = self._faults.at(Site.CALL)
        url = str(request.url)
        self._note(self._life.name, "fetches", url, "" if fault is None else fault.kind)
        if fault is not None and fault.kind is Kind.DIE_BEFORE_CALL:
            self._life.perish()
        if fault is not None and fault.kind in {Kind.UNREACHABLE, Kind.CUT_AFTER, Kind.ERROR_503}:
            raise httpx.ConnectError("no route")
        await asyncio.sleep(0.02 + 0.2 * self._delays.random())
        await self._life.passes()
        content, how = self._origins.look_up(url)
        if how is How.TWO and "/moved/" not in url:
            return _answer(302, {"location": url.replace(".example/", ".example/moved/")}, b"", how)
        headers = {"content-type": "text/html" if how is How.WRONG else "image/png"}
        if how in {How.WHOLE, How.SHORT, How.CUT, How.RESUMED, How.TWO}:
            headers["content-length"] = str(len(content))
        return _answer(404 if how is How.NEVER else 200, headers, content, how)


def _answer(status: int, headers: Mapping[str, str], content: bytes, how: How) -> httpx.Response:
    return httpx.Response(status, headers=headers, stream=_Body(content, how))


class _Body(httpx.AsyncByteStream):
    """The bytes, in pieces, as they come."""

    def __init__(self, content: bytes, how: How) -> None:
        self._content = content
        self._how = how

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for at in range(0, len(self._content), _CHUNK):
            await asyncio.sleep(25 if self._how is How.SLOW else 0.05)
            if at and self._how in {How.CUT, How.RESUMED}:
                raise httpx.ReadError("reset")
            yield self._content[at : at + _CHUNK]
