"""What a month costs on X: by text, status and account, and the cap."""

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from app.contract.enums import PostingPlatform, PostType
from app.workspace.posts.new import NewPost
from app.workspace.spending import MonthCost, month_around
from tests.workspace.model_service import HOUR, HandClock, ModelService
from tests.workspace.opened import Opened, opened, until

LISBON = ZoneInfo("Europe/Lisbon")
DAY = 24 * HOUR


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock(), practice=False)


def plan(opened: Opened, account: str, text: str, at: int, platform: str = "x") -> str:
    post = NewPost(account, PostingPlatform(platform), PostType.TEXT, text, at=at)
    (key,) = opened.plan([post])
    return key


async def month(opened: Opened, service: ModelService) -> MonthCost:
    return await opened.spending.month(service.clock(), LISBON)


async def test_a_month_is_added_up_by_text(tmp_path: Path, service: ModelService) -> None:
    x, linkedin = service.add_account("x"), service.add_account("linkedin")
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        soon = service.clock() + HOUR
        plan(workspace, x, "Orders open at nine.", soon)
        plan(workspace, x, "See okafor.studio", soon)
        plan(workspace, linkedin, "See okafor.studio", soon, "linkedin")
        plan(workspace, x, "In December", service.clock() + 20 * DAY)
        gone = plan(workspace, x, "Never mind", soon)
        workspace.cancel([gone])
        await until(lambda: not workspace.sync.saving)
        assert await month(workspace, service) == MonthCost(posts=2, with_link=1, published=0, planned=215)
        assert [account.key for account in workspace.spending.charged] == [x]


async def test_published_posts_count_as_spent(tmp_path: Path, service: ModelService) -> None:
    x = service.add_account("x")
    service.add_post(x, service.clock() - HOUR, "See okafor.studio", "posted")
    service.add_post(x, service.clock() - HOUR, "See okafor.studio", "failed")
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        assert await month(workspace, service) == MonthCost(posts=1, with_link=1, published=200, planned=0)


async def test_a_replaced_post_is_left_out(tmp_path: Path, service: ModelService) -> None:
    x = service.add_account("x")
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        key = plan(workspace, x, "See okafor.studio", service.clock() + HOUR)
        found = await workspace.spending.month(service.clock(), LISBON, without=key)
        assert found == MonthCost()


async def test_practice_and_publishing_by_hand_cost_nothing(tmp_path: Path, service: ModelService) -> None:
    service.practice, service.offers = True, ("changes",)
    x = service.add_account("x")
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        await until(lambda: workspace.practice)
        plan(workspace, x, "See okafor.studio", service.clock() + HOUR)
        assert await month(workspace, service) == MonthCost()
        assert workspace.spending.prices is None
        assert workspace.spending.price(workspace.accounts[x], "See okafor.studio") is None


async def test_a_single_post_by_hand_costs_nothing(tmp_path: Path, service: ModelService) -> None:
    service.offers = ["by_hand"]
    x = service.add_account("x")
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        soon = service.clock() + HOUR
        workspace.plan(
            [NewPost(x, PostingPlatform.X, PostType.TEXT, "See okafor.studio", at=soon, by_hand=True)]
        )
        await until(lambda: service.effects == ["See okafor.studio"] and not workspace.sync.waiting)
        assert await month(workspace, service) == MonthCost()


async def test_the_cap_is_kept(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        assert workspace.spending.cap is None
        await workspace.spending.set_cap(5_000)
    async with opened(tmp_path, service) as workspace:
        await workspace.spending.load()
        assert workspace.spending.cap == 5_000
        await workspace.spending.set_cap(None)
        assert workspace.spending.cap is None


@pytest.mark.parametrize(("day", "hours"), [("2026-03-10", 31 * 24 - 1), ("2026-10-31", 31 * 24 + 1)])
def test_a_month_is_as_long_as_its_clock_changes_make_it(day: str, hours: int) -> None:
    from tests.desktop.calendar.memory import instant

    first, after = month_around(instant(f"{day}T12:00"), LISBON)
    assert after - first == hours * HOUR
