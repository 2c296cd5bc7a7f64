"""The sample week: it never reaches the service, and goes when it's removed or an account comes."""

import json
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from app.workspace.clock import from_millis
from tests.workspace.model_service import HOUR, HandClock, ModelService
from tests.workspace.opened import opened, until

LISBON = ZoneInfo("Europe/Lisbon")


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


async def test_the_week_begins_tomorrow_and_is_marked(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        samples = workspace.samples
        assert not samples.is_shown
        samples.show(LISBON)
        days = [from_millis(post.at).astimezone(LISBON).date() for post in samples.posts]
        today = from_millis(service.clock()).astimezone(LISBON).date()
        assert {(day - today).days for day in days} == set(range(1, 8))
        assert all(samples.accounts[post.account_key].is_sample for post in samples.posts)


async def test_nothing_of_it_reaches_the_service_or_the_plan(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        workspace.samples.show(LISBON)
        first, second, *_ = workspace.samples.posts
        workspace.samples.move({first.key: first.at + HOUR})
        workspace.samples.remove([second.key])
        await until(lambda: workspace.is_writing_kept)
        await workspace.refresh()
        assert not len(workspace.posts)
        assert not workspace.accounts
        assert not workspace.sync.waiting
        assert not service.posts
        sent = json.dumps([[str(one.url), one.content.decode()] for one in service.requests])
        assert "sample" not in sent
        assert all(post.headline not in sent for post in workspace.samples.posts)


async def test_it_is_kept_as_it_was_left(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        workspace.samples.show(LISBON)
        first, second, *_ = workspace.samples.posts
        workspace.samples.move({first.key: first.at + HOUR})
        workspace.samples.remove([second.key])
        left = list(workspace.samples.posts)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.samples.is_shown)
        assert list(workspace.samples.posts) == left


async def test_removing_it_is_for_good(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        workspace.samples.show(LISBON)
        workspace.samples.remove()
        assert not workspace.samples.is_shown
        assert workspace.heard[-1].reset
    async with opened(tmp_path, service) as workspace:
        await workspace.samples.load()
        assert not workspace.samples.is_shown


async def test_the_first_account_ends_it(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        workspace.samples.show(LISBON)
        service.add_account("linkedin")
        await workspace.refresh()
        assert workspace.accounts
        assert not workspace.samples.is_shown
    service.connections.clear()
    async with opened(tmp_path, service) as workspace:
        await workspace.samples.load()
        assert not workspace.samples.is_shown


async def test_an_account_connected_elsewhere_meanwhile_ends_it(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        workspace.samples.show(LISBON)
    service.add_account("linkedin")
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        await until(lambda: not workspace.samples.is_shown)
        assert not workspace.samples.is_shown


async def test_words_are_found_ignoring_case(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        workspace.samples.show(LISBON)
        (found,) = workspace.samples.matching("LONG WOOL")
        post = workspace.samples.posts.get(found)
        assert post is not None
        assert post.headline == "The long wool coat is back"
