"""Two accounts of one service: each has its own calendar, and no key opens that of the other."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from app.workspace.homes.certificates import presented_certificate
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.registry import Homes
from app.workspace.homes.visit import Visit, Visits
from app.workspace.messages import Problem
from tests.client.raw_service import RawService, answering
from tests.workspace.homes.test_visit import quiet
from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.opened import until

FIRST, SECOND, RENEWED = (f"stp_rest_{letter * 64}" for letter in "abc")


@asynccontextmanager
async def accounts_by_key(folder: Path, accounts: dict[str, ModelService]) -> AsyncIterator[RawService]:
    """A service that answers each key from its account."""

    async def say(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines = service.heads[-1].split("\r\n")
        method, path, _version = lines[0].split(" ")
        key = next(line for line in lines if line.lower().startswith("authorization:")).split(" ")[-1]
        answer = accounts[key].answer(httpx.Request(method, service.base + path))
        head = (
            f"HTTP/1.1 {answer.status_code} X\r\nConnection: close\r\nContent-Length: {len(answer.content)}"
        )
        writer.write(f"{head}\r\n\r\n".encode() + answer.content)

    async with answering(folder, say) as service:
        yield service


async def begin(folder: Path, service: RawService, key: str) -> Visit:
    visits = Visits(Homes(folder), Credentials(folder))
    shown = await presented_certificate(service.base)
    return await visits.begin_service(service.base, key, trusted=shown, progress=quiet)


async def visited(folder: Path, service: RawService, key: str) -> str:
    """Open a calendar until it lists its accounts; return the ID of its home."""
    visit = await begin(folder, service, key)
    try:
        await until(lambda: visit.workspace.accounts)
    finally:
        await visit.leave()
    return str(visit.home.id)


@pytest.fixture
def accounts() -> dict[str, ModelService]:
    first, second = ModelService(HandClock()), ModelService(HandClock())
    first.add_account()
    second.add_account()
    return {FIRST: first, SECOND: second, RENEWED: first}


async def test_another_account_of_the_service_is_another_calendar(
    tmp_path: Path, accounts: dict[str, ModelService]
) -> None:
    async with accounts_by_key(tmp_path, accounts) as service:
        first = await visited(tmp_path, service, FIRST)
        second = await visited(tmp_path, service, SECOND)
        assert first != second
        homes = Homes(tmp_path).all()
        assert [str(home.id) for home in homes] == [first, second]
        assert len({home.name for home in homes}) == 2
        assert [await Credentials(tmp_path).find(home.id) for home in homes] == [FIRST, SECOND]
        assert await visited(tmp_path, service, FIRST) == first
        assert await visited(tmp_path, service, RENEWED) == first
        assert await Credentials(tmp_path).find(homes[0].id) == RENEWED


async def test_a_calendar_whose_key_was_lost_is_opened_with_another(
    tmp_path: Path, accounts: dict[str, ModelService]
) -> None:
    accounts[FIRST].connections.clear()
    async with accounts_by_key(tmp_path, accounts) as service:
        visit = await begin(tmp_path, service, FIRST)
        await visit.leave()
        await Credentials(tmp_path).forget(visit.home.id)
        again = await begin(tmp_path, service, RENEWED)
        await again.leave()
        assert again.home.id == visit.home.id


async def test_the_key_of_another_account_replaces_none(
    tmp_path: Path, accounts: dict[str, ModelService]
) -> None:
    async with accounts_by_key(tmp_path, accounts) as service:
        await visited(tmp_path, service, FIRST)
        (home,) = Homes(tmp_path).all()
        visits = Visits(Homes(tmp_path), Credentials(tmp_path))
        with pytest.raises(Problem, match="This key belongs to another account of the service"):
            await visits.replace_key(home, SECOND)
        assert await Credentials(tmp_path).find(home.id) == FIRST
        await visits.replace_key(home, RENEWED)
        assert await Credentials(tmp_path).find(home.id) == RENEWED
