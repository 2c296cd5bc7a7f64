"""A companion API that doesn't answer for a moment, because a proxy answers in its place."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from app.contract.base import format_timestamp
from app.contract.enums import PostingPlatform, PostType
from app.workspace.clock import from_millis
from app.workspace.posts.new import NewPost
from tests.workspace.model_places import ModelPlaces, keep_places
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import QUICK, Opened, opened, settled, until

SOON = replace(QUICK, health=0.02)


@dataclass
class _BehindProxy(ModelService):
    """``hidden`` is the path below which the proxy answers; ``wrong`` are the next wrong answers."""

    hidden: str = ""
    wrong: list[httpx.Response] = field(default_factory=list)

    def _route(self, request: httpx.Request) -> httpx.Response:
        if self.hidden and request.url.path.startswith(self.hidden):
            return httpx.Response(404, text="<html>404 Not Found</html>")
        if self.wrong and request.url.path == "/companion/v1":
            return self.wrong.pop()
        return super()._route(request)


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(clock: HandClock) -> _BehindProxy:
    service = _BehindProxy(clock, page_max=5)
    account = service.add_account()
    for n in range(12):
        service.add_post(account, START + (n + 2) * HOUR, f"x {n}")
    return service


@pytest.fixture
def places(service: _BehindProxy) -> ModelPlaces:
    return keep_places(service)


async def plan_sky(workspace: Opened, places: ModelPlaces) -> str:
    """Schedules a post on Bluesky; gives its key."""
    account = places.add_account("bluesky")
    await workspace.refresh()
    sky = NewPost(account, PostingPlatform("bluesky"), PostType.TEXT, "Hello sky", at=START + HOUR)
    [key] = workspace.plan([sky])
    await settled(workspace)
    return key


def lost(workspace: Opened) -> list[str]:
    return [message.text for message in workspace.said if message.kind != "info"]


def passes(service: ModelService, since: int) -> int:
    """How many passes over all posts have begun."""
    requests = [one for one in service.requests[since:] if one.url.path == "/api/v1/posts"]
    return len([one for one in requests if "cursor" not in one.url.params])


async def test_posts_on_companion_networks_stay_while_their_list_is_missing(
    tmp_path: Path, service: _BehindProxy, places: ModelPlaces
) -> None:
    async with opened(tmp_path, service, pace=SOON) as workspace:
        key = await plan_sky(workspace, places)
        service.hidden = "/companion"
        await until(lambda: not workspace.places.offered)
        before = len(service.requests)
        await until(lambda: passes(service, before) > 20)
        await workspace.refresh()
        assert key in workspace.posts
        assert not lost(workspace)
        assert not workspace.drafts.all()
        service.hidden = ""
        await until(lambda: workspace.places.offered)  # by itself
        places.posts.clear()
        await until(lambda: key not in workspace.posts)  # the list is read again


async def test_a_due_post_stays_if_a_proxy_answers_for_the_service(
    tmp_path: Path, service: _BehindProxy, places: ModelPlaces, clock: HandClock
) -> None:
    pace = replace(SOON, companion_gone=600)
    async with opened(tmp_path, service, pace=pace) as workspace:
        key = await plan_sky(workspace, places)
        service_id = str(workspace._core.mirror.service_id(key))
        service.hidden = f"/companion/v1/places/posts/{service_id}"

        async def look(since: int) -> None:
            clock.now += HOUR
            await until(lambda: [one for one in service.requests[since:] if service_id in one.url.path])
            await workspace.refresh()

        clock.now = START + HOUR
        await look(len(service.requests))
        assert key in workspace.posts
        assert not workspace.drafts.all()
        service.hidden = ""
        del places.posts[UUID(service_id)]
        await look(len(service.requests))
        assert key not in workspace.posts


@pytest.mark.parametrize("status", [200, 400, 403, 404])
async def test_wrong_answers_do_not_take_away_what_the_service_offers(
    tmp_path: Path, service: _BehindProxy, places: ModelPlaces, status: int
) -> None:
    pace = replace(SOON, companion_gone=600)
    offered: list[bool] = []
    async with opened(tmp_path, service, pace=pace) as workspace:
        key = await plan_sky(workspace, places)
        sky = workspace.posts.get(key)
        assert sky is not None
        workspace.listen(
            lambda _: offered.append(workspace.places.offered and sky.account_key in workspace.accounts)
        )
        service.wrong = [httpx.Response(status, text="<html>Sign in to this network</html>") for _ in "12"]
        await until(lambda: not service.wrong)
        places.posts[UUID(str(workspace._core.mirror.service_id(key)))]["scheduled_at"] = format_timestamp(
            from_millis(START + 9 * HOUR)
        )
        await until(lambda: (post := workspace.posts.get(key)) and post.at == START + 9 * HOUR)
        await until(lambda: workspace.sync.trouble is None)
        assert offered
        assert all(offered)


async def test_a_companion_that_comes_later_is_found_without_a_restart(
    tmp_path: Path, service: _BehindProxy
) -> None:
    async with opened(tmp_path, service, pace=SOON) as workspace:
        await settled(workspace)
        before = len(service.requests)
        await until(lambda: passes(service, before) > 3)
        assert not workspace.places.offered
        keep_places(service)
        await until(lambda: workspace.places.offered)


async def test_a_companion_that_was_lost_is_looked_for_more_often_than_one_that_never_was(
    tmp_path: Path, service: _BehindProxy, places: ModelPlaces
) -> None:
    pace = replace(QUICK, health=600)
    async with opened(tmp_path, service, pace=pace) as workspace:
        await plan_sky(workspace, places)
        service.hidden = "/companion"
        await until(lambda: not workspace.places.offered)
        service.hidden = ""
        await until(lambda: workspace.places.offered)
