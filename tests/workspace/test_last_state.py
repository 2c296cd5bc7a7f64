"""A calendar on this computer that was open before: its last state is there while its service starts."""

import asyncio
import socket
from pathlib import Path

import psutil
import pytest

from app.workspace.changes import Changes
from app.workspace.homes import Home, Homes
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.visit import Visits
from app.workspace.messages import Problem
from app.workspace.workspace import Workspace


def silent(_text: str) -> None:
    """Nobody watches the progress."""


async def opened_before(folder: Path) -> tuple[Visits, Home]:
    visits = Visits(Homes(folder), Credentials(folder))
    visit = await visits.begin_here(practice=False, progress=silent)
    assert visit.starting is None
    await visit.leave()
    return visits, visit.home


async def synced(workspace: Workspace) -> None:
    done = asyncio.Event()

    def look(_changes: Changes | None = None) -> None:
        if workspace.sync.last_synced is not None:
            done.set()

    workspace.listen(look)
    look()
    async with asyncio.timeout(60):
        await done.wait()


def taken(home: Home) -> socket.socket:
    """Another program at the address where the service was."""
    other = socket.socket()
    other.bind(("127.0.0.1", home.service_port))
    other.listen()
    return other


async def test_it_opens_at_once_and_goes_on_with_the_service(tmp_path: Path) -> None:
    visits, home = await opened_before(tmp_path)
    visit = await visits.open(home, silent)
    assert visit.starting is not None
    assert list(visit.workspace.posts) == []
    assert visit.workspace.sync.trouble is None  # calls wait; none has failed
    assert await visit.starting
    await synced(visit.workspace)
    await visit.leave()


@pytest.mark.variation
async def test_a_service_at_another_address_is_told_of_once(tmp_path: Path) -> None:
    visits, home = await opened_before(tmp_path)
    with taken(home):
        visit = await visits.open(home, silent)
        assert visit.starting is not None
        assert not await visit.starting
        await visit.leave()

        assert visit.embedded is not None
        visit = await visits.open(visit.embedded.home, silent)
        assert visit.starting is not None
        assert await visit.starting
        await synced(visit.workspace)
        await visit.leave()


async def test_a_service_that_does_not_start_says_why(tmp_path: Path) -> None:
    visits, home = await opened_before(tmp_path)
    database = visits.homes.folder(home) / "service" / "service.db"
    for leftover in database.parent.glob("service.db-*"):
        leftover.unlink()
    database.write_bytes(b"not a database" * 1_000)
    visit = await visits.open(home, silent)
    assert visit.starting is not None
    with pytest.raises(Problem, match="damaged"):
        await visit.starting
    await visit.leave()


@pytest.mark.parametrize(
    "moment_s",
    [0.8, *(pytest.param(at, marks=pytest.mark.variation) for at in (0, 0.2, 0.5, 1.1, 1.4, 1.8, 2.5))],
)
async def test_leaving_in_the_middle_of_the_start_leaves_no_program(tmp_path: Path, moment_s: float) -> None:
    visits, home = await opened_before(tmp_path)
    visit = await visits.open(home, silent)
    await asyncio.sleep(moment_s)
    await visit.leave()
    tasks = {task.get_name() for task in asyncio.all_tasks()}
    assert "embedded service" not in tasks
    assert psutil.Process().children(recursive=True) == []
