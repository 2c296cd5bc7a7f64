"""Posts that are shown before they're stored, and what is shown if they can't be."""

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest

from app.contract.enums import PostStatus
from app.database import DiskFullError
from app.workspace.outbox.intention import Intention, Wanted, wanted_of
from app.workspace.outbox.unanswered import LateCall, Unanswered
from app.workspace.posts.ahead import shown_ahead
from app.workspace.posts.planned import PlannedPost
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import Opened, opened, settled


@pytest.fixture
async def workspace(tmp_path: Path) -> AsyncIterator[Opened]:
    service = ModelService(HandClock())
    service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await settled(workspace)
        service.online = False
        yield workspace


def at(post: PlannedPost, hours: int) -> PlannedPost:
    return post._replace(at=START + hours * HOUR)


def wish(post: PlannedPost, hours: int) -> Intention:
    return Intention(post.key, Wanted(START + hours * HOUR, cancelled=False), seen=wanted_of(post))


def fail(
    workspace: Opened,
    changed: Sequence[tuple[PlannedPost, Intention | None]],
    meanwhile: Callable[[], object],
    late: Sequence[Unanswered] = (),
) -> None:
    """Show posts, but fail to store them; ``meanwhile`` happens during the write."""

    def store() -> None:
        with shown_ahead(workspace._core, changed, late):
            meanwhile()
            raise DiskFullError("The disk is full.")

    with pytest.raises(DiskFullError):
        store()


async def test_what_is_stored_stays(workspace: Opened) -> None:
    core, (post,) = workspace._core, workspace.posts
    with shown_ahead(core, [(at(post, 2), None)]):
        assert core.mirror.base(post.key) == at(post, 2)
    assert core.mirror.base(post.key) == at(post, 2)


async def test_posts_are_as_before_if_they_cannot_be_stored(workspace: Opened) -> None:
    core, (post,) = workspace._core, workspace.posts
    new = post._replace(key="00000000-0000-0000-0000-000000000001")
    late = Unanswered(post.key, wanted_of(post), (LateCall(Wanted(START, cancelled=False), START + HOUR),))
    core.mirror.await_late([late])
    workspace.heard.clear()
    seen: list[tuple[Wanted, ...]] = []
    fail(
        workspace,
        [(at(post, 2), wish(post, 1)), (new, None)],
        lambda: seen.append(core.mirror.late(post.key)),
        late=[Unanswered(post.key, wanted_of(post))],
    )
    assert seen == [()]
    assert (core.mirror.base(post.key), core.mirror.intentions) == (post, {})
    assert core.mirror.unanswered(post.key, wanted_of(post)) == late
    assert new.key not in workspace.posts
    assert [told.posts for told in workspace.heard] == [{post.key, new.key}, {post.key}]
    assert [told.removed for told in workspace.heard] == [frozenset(), {new.key}]
    assert core.mirror.doubtful == {}, "nothing is to be sent"


async def test_a_change_that_was_taken_back_meanwhile_is_not_made(workspace: Opened) -> None:
    core, (post,) = workspace._core, workspace.posts
    core.mirror.put(post, old := wish(post, 3))
    fail(workspace, [(at(post, 2), old)], lambda: core.mirror.put(at(post, 2), None))
    assert (core.mirror.base(post.key), core.mirror.intentions) == (post, {})


async def test_a_newer_change_stays_and_is_compared_with_the_service_again(workspace: Opened) -> None:
    core, (post,) = workspace._core, workspace.posts
    cancelled = post._replace(status=PostStatus.CANCELLED)
    core.mirror.put(cancelled, None)
    newer = Intention(post.key, Wanted(post.at, cancelled=True), seen=wanted_of(post))
    fail(workspace, [(post, None)], lambda: core.mirror.put(post, newer))
    assert core.mirror.base(post.key) == cancelled
    assert core.mirror.intentions == {post.key: newer}
    assert core.mirror.doubtful == {post.key: None}


async def test_newer_news_stay(workspace: Opened) -> None:
    core, (post,) = workspace._core, workspace.posts
    fail(workspace, [(at(post, 2), None)], lambda: core.mirror.put(at(post, 3), None))
    assert core.mirror.base(post.key) == at(post, 3)
