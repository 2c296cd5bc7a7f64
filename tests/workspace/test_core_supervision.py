"""Parts that fail begin again, ever more rarely, and the third time the user gets a message."""

import asyncio
from pathlib import Path

import pytest

from app.client import RetryPolicy, ServiceClient
from app.database import Database
from app.database.dialects import sqlite_engine
from app.workspace.clock import Pace
from app.workspace.core import Core, Supervisor
from app.workspace.messages import Message
from tests.leaping import leap, run_leaping

pytestmark = pytest.mark.logs_error("a part of the workspace stopped")


class Part:
    """Fails whenever it is run, ``lasting`` seconds after it began."""

    def __init__(self, lasting: float = 0, fails: int = 100) -> None:
        self.begun: list[float] = []
        self._lasting = lasting
        self._fails = fails

    async def run(self) -> None:
        self.begun.append(asyncio.get_running_loop().time())
        if len(self.begun) > self._fails:
            await asyncio.Event().wait()
        leap(self._lasting)
        raise ZeroDivisionError


async def watch(part: Part, runs: int, folder: Path) -> list[Message]:
    database = Database(sqlite_engine(folder / "x.db"), "x.db")
    client = ServiceClient("https://service.example", "stp_rest_" + "0" * 64, retries=RetryPolicy())
    core = Core(client, database, lambda: 0, Pace(backoff=1, backoff_max=60))
    said: list[Message] = []
    core.messages.add(said.append)
    supervisor = Supervisor(core)
    supervisor.start([part.run])
    while len(part.begun) < runs:
        leap(0.05)
        await asyncio.sleep(0)
    await supervisor.stop()
    await client.close()
    database.close()
    return said


def test_a_part_that_fails_begins_again_ever_more_rarely(tmp_path: Path) -> None:
    part = Part()
    said = run_leaping(watch(part, 12, tmp_path))
    pauses = [after - before for before, after in zip(part.begun, part.begun[1:], strict=False)]
    assert pauses == pytest.approx([1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60], abs=0.5)
    assert [message.kind for message in said] == ["error"]


@pytest.mark.parametrize(("fails", "messages"), [(2, 0), (3, 1), (9, 1)])
def test_it_is_said_the_third_time(tmp_path: Path, fails: int, messages: int) -> None:
    assert len(run_leaping(watch(Part(fails=fails), fails + 1, tmp_path))) == messages


def test_a_part_that_ran_for_long_begins_again_soon(tmp_path: Path) -> None:
    part = Part(lasting=600)
    said = run_leaping(watch(part, 6, tmp_path))
    pauses = [after - before - 600 for before, after in zip(part.begun, part.begun[1:], strict=False)]
    assert pauses == pytest.approx([1] * 5, abs=0.5)
    assert not said
