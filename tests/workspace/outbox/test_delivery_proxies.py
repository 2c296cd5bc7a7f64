"""Changes whose call is answered by a reverse proxy instead of the service."""

from pathlib import Path

import pytest

from app.contract.enums import PostStatus
from tests.workspace.behind_proxy import BehindProxy
from tests.workspace.drafts.faithless import texts
from tests.workspace.model_service import HOUR, START, HandClock
from tests.workspace.opened import new_post, opened, settled, until


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture(params=[403, 404, 405])
def service(request: pytest.FixtureRequest, clock: HandClock) -> BehindProxy:
    return BehindProxy(clock, status=request.param)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_a_cancellation_reaches_the_service(tmp_path: Path, service: BehindProxy, method: str) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        [key] = workspace.plan([new_post(account)])
        await settled(workspace)
        service.pages.append((method, f"/posts/{next(iter(service.posts))}"))
        workspace.cancel([key])
        await until(lambda: not service.pages)
        await settled(workspace)
        assert [post["status"] for post in service.posts.values()] == ["cancelled"]
        assert not workspace.said


@pytest.mark.parametrize("method", ["GET", "PATCH"])
async def test_a_move_reaches_the_service(tmp_path: Path, service: BehindProxy, method: str) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        [key] = workspace.plan([new_post(account)])
        await settled(workspace)
        service.pages.append((method, f"/posts/{next(iter(service.posts))}"))
        workspace.move({key: START + 5 * HOUR})
        await until(lambda: not service.pages)
        await settled(workspace)
        assert [post.at for post in workspace.posts] == [START + 5 * HOUR]
        assert not texts(workspace)
        assert not workspace.said


async def test_a_new_post_is_sent_again(tmp_path: Path, service: BehindProxy) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await settled(workspace)
        service.pages.append(("POST", "/posts"))
        [key] = workspace.plan([new_post(account)])
        await until(lambda: not service.pages)
        await settled(workspace)
        assert len(service.posts) == 1
        assert [(post.key, post.status) for post in workspace.posts] == [(key, PostStatus.SCHEDULED)]


async def test_a_post_that_is_due_stays_in_the_calendar(
    tmp_path: Path, service: BehindProxy, clock: HandClock
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        [key] = workspace.plan([new_post(account)])
        await settled(workspace)
        service.pages.append(("GET", f"/posts/{next(iter(service.posts))}"))
        clock.now += 2 * HOUR
        await until(lambda: not service.pages)
        await settled(workspace)
        assert key in workspace.posts
        assert not texts(workspace)
