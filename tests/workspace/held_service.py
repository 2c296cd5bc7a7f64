"""A service in memory whose answers are on their way for as long as a test wants."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx

from app.client import RetryPolicy, ServiceClient
from tests.workspace.model_service import BASE_URL, KEY, ModelService


@dataclass
class HeldService(ModelService):
    """Calls are held back where their method and path are: done at once and answered late, or done late."""

    held: list[tuple[str, str, bool]] = field(default_factory=list)
    """Methods, how paths end, and whether what is called is done before it is held back."""
    waiting: int = 0
    """How many answers are held back now."""

    def client(self) -> ServiceClient:
        transport = httpx.MockTransport(self._answer_later)
        return ServiceClient(BASE_URL, KEY, transport=transport, retries=RetryPolicy(attempts=1))

    @contextmanager
    def hold(self, method: str, path: str, *, done: bool = True) -> Iterator[None]:
        """Holds back calls of this kind that are made from now on, until the end."""
        kind = method, path, done
        self.held.append(kind)
        try:
            yield
        finally:
            self.held.remove(kind)

    async def _answer_later(self, request: httpx.Request) -> httpx.Response:
        kinds = [
            kind for kind in self.held if request.method == kind[0] and request.url.path.endswith(kind[1])
        ]
        response = self.answer(request) if all(kind[2] for kind in kinds) else None
        self.waiting += bool(kinds)
        while any(kind in self.held for kind in kinds):  # noqa: ASYNC110  the test tells nobody
            await asyncio.sleep(0.002)
        self.waiting -= bool(kinds)
        return response or self.answer(request)
