"""What the service says of its usage is kept: for when it is away, and from hour to hour."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.workspace.messages import Problem
from app.workspace.usage import Reading
from app.workspace.workspace import Workspace
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import opened, until
from tests.workspace.programs import RealService, real_service


def service_of(clock: HandClock) -> ModelService:
    return ModelService(clock, tells_usage=True)


async def test_one_reading_an_hour_is_kept_and_the_last_answer_too(tmp_path: Path) -> None:
    clock = HandClock()
    service = service_of(clock)

    async with opened(tmp_path, service) as workspace:
        assert await workspace.usage.last() is None
        for minutes, calls in ((0, 3), (10, 5), (70, 9)):
            clock.now = START + minutes * 60_000
            service.subscription = {"actions": {"rest.posts.create": calls, "rest.new.thing": 1}}
            told = await workspace.usage.refresh()
        assert told.usage.actions["rest.new.thing"] == 1
        found = await workspace.usage.readings(0)
        assert found == [Reading(START + 600_000, 6, 0), Reading(START + 4_200_000, 10, 0)]
        assert await workspace.usage.readings(START + HOUR) == found[1:]
    service.online = False
    async with opened(tmp_path, service) as again:
        assert await again.usage.last() == told
        with pytest.raises(Problem, match="can't be reached"):
            await again.usage.refresh()


async def test_what_the_warnings_ask_is_a_reading_too(tmp_path: Path) -> None:
    service = service_of(HandClock())

    async with opened(tmp_path, service) as workspace:
        await workspace.usage.ask()
        assert await workspace.usage.readings(0) == [Reading(START, 0, 0)]


@pytest.mark.parametrize("fault", ["500", "429", "garbage", "timeout", "refuse"])
async def test_every_failure_is_a_problem_with_words(tmp_path: Path, fault: str) -> None:
    service = service_of(HandClock())

    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.sync.last_synced)
        service.faults = [("GET", fault)] * 50
        with pytest.raises(Problem) as raised:
            await workspace.usage.refresh()
        assert raised.value.text
        service.faults.clear()


@pytest.fixture
def real(tmp_path: Path) -> Iterator[RealService]:
    with real_service(tmp_path / "programs") as running:
        yield running


async def test_the_real_service_tells_of_calls_storage_and_its_pace(
    tmp_path: Path, real: RealService
) -> None:
    workspace = await Workspace.open(real.client(), tmp_path / "w.db", name="Real")
    try:
        await until(lambda: workspace.sync.last_synced)
        told = await workspace.usage.refresh()
        assert told.usage.actions["rest.connections.list"] >= 1
        assert told.usage.storage.cap_bytes > 0
        assert {quota.action.value for quota in told.quotas} >= set(told.usage.actions)
    finally:
        await workspace.close()
