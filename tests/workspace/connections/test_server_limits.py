"""Limits of accounts' servers: asked for soon, kept for when the service is away, renewed later."""

from pathlib import Path

import pytest

from app.contract.places import PlaceLimits
from tests.workspace.model_places import ModelPlaces, keep_places
from tests.workspace.model_service import HOUR, HandClock, ModelService
from tests.workspace.opened import Opened, opened, until


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(clock: HandClock) -> ModelService:
    return ModelService(clock)


@pytest.fixture
def places(service: ModelService) -> ModelPlaces:
    return keep_places(service, servers=True)


def limits(workspace: Opened, account: str) -> PlaceLimits | None:
    found = workspace.accounts.get(account)
    return found.limits if found else None


def asked(places: ModelPlaces) -> int:
    return sum(path.endswith("/limits") for path in places.asked)


async def test_limits_are_known_soon_and_without_the_service(
    tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    account, other = places.add_account("mastodon"), places.add_account("bluesky")
    places.limits[account] = {"text_max": 5_000}
    async with opened(tmp_path, service) as workspace:
        await until(lambda: limits(workspace, account))
        assert limits(workspace, other) is None
        await workspace.refresh()
    assert asked(places) == 1
    service.online = False
    async with opened(tmp_path, service) as workspace:
        found = limits(workspace, account)
        assert found is not None
        assert found.text_max == 5_000


async def test_a_new_account_is_asked_about(
    tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        account = places.add_account("mastodon")
        await workspace.refresh()
        await until(lambda: limits(workspace, account))


async def test_half_a_day_later_they_are_asked_for_again(
    tmp_path: Path, clock: HandClock, service: ModelService, places: ModelPlaces
) -> None:
    account = places.add_account("mastodon")
    async with opened(tmp_path, service) as workspace:
        await until(lambda: limits(workspace, account))
    clock.now += 11 * HOUR
    places.limits[account] = {"text_max": 600}
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        found = limits(workspace, account)
        assert found is not None
        assert found.text_max is None
    clock.now += 2 * HOUR
    async with opened(tmp_path, service) as workspace:
        await until(lambda: (now := limits(workspace, account)) and now.text_max == 600)


async def test_an_answer_that_fails_keeps_what_is_known(
    tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    account = places.add_account("mastodon")
    places.limits[account] = {"text_max": "many"}
    async with opened(tmp_path, service) as workspace:
        await until(lambda: asked(places))
        await workspace.refresh()
        assert limits(workspace, account) is None
