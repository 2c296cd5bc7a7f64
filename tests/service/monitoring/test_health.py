"""Probes of the API's own port, which need no key."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from sqlalchemy import exc
from starlette.applications import Starlette

from app.database import Database, DatabaseUnreachableError
from app.service.monitoring.health import Health
from tests.service.running import RunningService


@pytest.mark.parametrize(("path", "status"), [("healthz", "alive"), ("readyz", "ready")])
def test_probes_need_no_key_and_reveal_nothing(service: RunningService, path: str, status: str) -> None:
    with service.client({}) as http:
        answer = http.get(f"{service.base_url}/{path}")

    assert answer.status_code == 200
    assert answer.json() == {"status": status}


class _Unwell(Database):
    """A database that does something else instead of answering."""

    def __init__(self, instead: Callable[[], Awaitable[None]]) -> None:
        self.instead = instead
        self.asked = 0

    async def read(self, *_work: Any, **_more: Any) -> Any:
        self.asked += 1
        await self.instead()


async def _unreachable() -> None:
    raise DatabaseUnreachableError("The database can't be reached.")


async def _out_of_connections() -> None:
    raise exc.TimeoutError("QueuePool limit of size 6 overflow 4 reached")


async def _hanging() -> None:
    await asyncio.sleep(3_600)


async def _probe(health: Health, path: str) -> httpx.Response:
    transport = httpx.ASGITransport(Starlette(routes=health.routes()))
    async with httpx.AsyncClient(transport=transport, base_url="http://service") as http:
        return await http.get(path)


@pytest.mark.parametrize("instead", [_unreachable, _out_of_connections, _hanging])
async def test_a_process_without_its_database_is_alive_but_not_ready(
    instead: Callable[[], Awaitable[None]],
) -> None:
    health = Health(_Unwell(instead))

    assert (await _probe(health, "/healthz")).status_code == 200
    answer = await _probe(health, "/readyz")
    assert answer.status_code == 503
    assert answer.json() == {"status": "unavailable", "reason": "database"}


async def test_many_probes_at_a_time_ask_the_database_once() -> None:
    database = _Unwell(_unreachable)
    health = Health(database)

    await asyncio.gather(*(_probe(health, "/readyz") for _ in range(20)))

    assert database.asked == 1
