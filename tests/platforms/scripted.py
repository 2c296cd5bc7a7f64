"""Platforms that answer from a script, in place of the network."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

import httpx

from app.contract.enums import ConnectionPlatform, PostType
from app.platforms.base import PlatformError, Publication
from app.platforms.registry import build_adapters
from tests.platforms.httpx_wire import HttpxWire

T = TypeVar("T")
NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)
TOKEN = "AQXdSP_W41_UPs5ioT_t8HESyODB4FqbkJ8LrV_5mff4gPODzOYR"

Step = httpx.Response | Exception


class Script:
    """Answers one call after the other and keeps what was asked."""

    def __init__(self, *steps: Step) -> None:
        self._steps = list(steps)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        step = self._steps.pop(0)
        if isinstance(step, Exception):
            raise step
        return step

    def run(
        self,
        platform: ConnectionPlatform,
        work: Callable[[Any], Awaitable[T]],
        *,
        instagram_login: bool = False,
    ) -> T:
        """What the work with the platform's adapter gives; every answer must have been asked for."""

        async def main() -> T:
            async with build_adapters(
                wire=HttpxWire(httpx.MockTransport(self)), clock=lambda: NOW, instagram_login=instagram_login
            ) as adapters:
                return await work(adapters[platform])

        try:
            return asyncio.run(main())
        finally:
            assert self._steps == []

    def fail(self, platform: ConnectionPlatform, work: Callable[[Any], Awaitable[Any]]) -> PlatformError:
        """The error that the work raises."""
        try:
            given = self.run(platform, work)
        except PlatformError as error:
            return error
        raise AssertionError(f"no error, but {given!r}")


def publication(account: str, text: str = "Good morning", post_type: PostType = PostType.TEXT) -> Publication:
    """A post of the account, to be published now."""
    return Publication(
        account_identifier=account,
        username="robin",
        access_token=TOKEN,
        post_type=post_type,
        title=None,
        text=text,
    )


def json_answer(status: int, body: object, **headers: str) -> httpx.Response:
    """An answer with a JSON body; underscores in header names become hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, json=body, headers=named)
