"""Posts that the user publishes by hand: reported, taken back, moved and skipped."""

import asyncio
import threading
from pathlib import Path
from uuid import UUID

import pytest

from app.contract.enums import PostStatus
from app.workspace.messages import Problem
from app.workspace.posts.planned import PlannedPost
from tests.workspace.model_places import ModelPlaces, keep_places
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import Opened, opened, settled, until

MINUTE = 60_000


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


@pytest.fixture
def places(service: ModelService) -> ModelPlaces:
    return keep_places(service)


def of(workspace: Opened, key: str) -> PlannedPost:
    post = workspace.posts.get(key)
    assert post is not None
    return post


def stands(workspace: Opened, key: str) -> tuple[PostStatus, int]:
    post = of(workspace, key)
    return post.status, post.at


async def test_due_posts_wait_oldest_first(
    tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    account = places.add_account("x-by-hand")
    late, early = (places.add_post_by_hand(account, START - n * MINUTE, f"{n}") for n in (1, 5))
    places.add_post_by_hand(account, START + HOUR, "ahead", "scheduled")
    failed = places.add_post_by_hand(account, START - 30 * HOUR, "old", "failed")
    service.add_post(service.add_account(), START - MINUTE, "Kalends does it", "processing")
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        assert [post.key for post in workspace.finishing.waiting()] == [early, late]
        can = {post.headline for post in workspace.posts if workspace.finishing.can_finish(post)}
        assert can == {"1", "5", "old"}
        assert of(workspace, failed).status is PostStatus.FAILED


async def test_without_the_feature_nothing_can_be_finished(
    tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    key = places.add_post_by_hand(places.add_account("x-by-hand"), START - MINUTE, "due")
    service.offers = ["places"]
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        assert not workspace.finishing.can_finish(of(workspace, key))


@pytest.mark.parametrize("status", ["processing", "failed"])
async def test_a_post_is_finished_and_taken_back(
    tmp_path: Path, service: ModelService, places: ModelPlaces, status: str
) -> None:
    key = places.add_post_by_hand(places.add_account("x-by-hand"), START - MINUTE, "Wool", status)
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        await workspace.finishing.finish(key, " https://x.com/mira/status/1 ")
        assert of(workspace, key).published
        assert workspace.finishing.waiting() == []
        assert places.effects[-1] == "finished Wool https://x.com/mira/status/1"
        assert any(key in changes.posts for changes in workspace.heard)
        await workspace.finishing.take_back(key)
        assert [post.key for post in workspace.finishing.waiting()] == [key]
        await workspace.finishing.finish(key)
        assert places.effects[-1] == "finished Wool"
    async with opened(tmp_path, service) as workspace:
        assert of(workspace, key).published


async def test_an_older_answer_that_arrives_while_the_outcome_is_written_changes_nothing(
    tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    key = places.add_post_by_hand(places.add_account("x-by-hand"), START - MINUTE, "Wool")
    written = threading.Event()
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        core, intake = workspace._core, workspace._sync._intake
        asked = core.mirror.generation
        older = await core.client.places.get_post(UUID(key))
        core.database.submit(lambda _connection: written.wait())
        finished = asyncio.create_task(workspace.finishing.finish(key))
        await until(lambda: of(workspace, key).published)
        late = asyncio.create_task(intake.take([older], asked))
        await asyncio.sleep(0)
        is_published = of(workspace, key).published
        written.set()
        await asyncio.gather(finished, late)
        assert is_published


@pytest.mark.parametrize("page", ["x.com/mira", "javascript:alert(1)", "file:///etc/passwd", "https://"])
async def test_only_web_addresses_are_sent(
    tmp_path: Path, service: ModelService, places: ModelPlaces, page: str
) -> None:
    key = places.add_post_by_hand(places.add_account("x-by-hand"), START - MINUTE, "Wool")
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        with pytest.raises(Problem) as refused:
            await workspace.finishing.finish(key, page)
        assert refused.value.kind == "invalid"
        assert places.effects == []


async def test_a_report_that_cannot_be_sent_is_a_problem_and_the_post_keeps_waiting(
    tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    key = places.add_post_by_hand(places.add_account("x-by-hand"), START - MINUTE, "Wool")
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        service.online = False
        with pytest.raises(Problem) as failed:
            await workspace.finishing.finish(key)
        assert failed.value.kind == "unreachable"
        assert [post.key for post in workspace.finishing.waiting()] == [key]
        service.online = True
        await workspace.finishing.finish(key)
        with pytest.raises(Problem, match="published already"):
            await workspace.finishing.finish(key)


async def test_later_is_a_move_that_can_be_undone(
    tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    key = places.add_post_by_hand(places.add_account("x-by-hand"), START - MINUTE, "Wool")
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        workspace.move({key: START + HOUR})
        assert stands(workspace, key) == (PostStatus.SCHEDULED, START + HOUR)
        assert workspace.finishing.waiting() == []
        await settled(workspace)
        assert [post["status"] for post in places.posts.values()] == ["scheduled"]
        workspace.undo()  # its own time has passed, so it's asked for again soon
        await settled(workspace)
        assert stands(workspace, key) == (PostStatus.SCHEDULED, START + MINUTE)
        assert workspace.said == []


async def test_skip_cancels_and_can_be_undone(
    tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    key = places.add_post_by_hand(places.add_account("x-by-hand"), START - MINUTE, "Wool")
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        workspace.cancel([key])
        assert of(workspace, key).status is PostStatus.CANCELLED
        await settled(workspace)
        assert [post["status"] for post in places.posts.values()] == ["cancelled"]
        workspace.undo()
        await until(lambda: of(workspace, key).status is PostStatus.SCHEDULED)
        await settled(workspace)
        assert stands(workspace, key) == (PostStatus.SCHEDULED, START + MINUTE)
        workspace.redo()
        await settled(workspace)
        assert [post["status"] for post in places.posts.values()] == ["cancelled"]
        assert workspace.said == []


async def test_a_post_that_is_gone_is_a_problem(
    tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    places.add_account("x-by-hand")
    async with opened(tmp_path, service) as workspace:
        for call in (workspace.finishing.finish, workspace.finishing.take_back):
            with pytest.raises(Problem) as gone:
                await call("none")
            assert gone.value.kind == "not_found"
