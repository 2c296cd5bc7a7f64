"""Posts that are lost or changed more than once: each loss is said, and no draft has a used key."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from app.contract.enums import PostingPlatform, PostType
from app.workspace.editing.boards import Board
from app.workspace.posts.new import NewPost
from tests.workspace.drafts.faithless import CHANGED_ONE, LOST_ONE, Faithless, said, texts
from tests.workspace.model_service import HOUR, START, HandClock
from tests.workspace.opened import new_post, opened, settled, until


@pytest.fixture
def service() -> Faithless:
    return Faithless(HandClock())


async def test_a_post_that_came_back_and_is_lost_again_becomes_a_draft_again(
    tmp_path: Path, service: Faithless
) -> None:
    """A service that was restored, or whose replicas differ. The draft of each loss is removed."""
    account = service.add_account("pinterest")
    service.files["me/picture-12345678.jpg"] = b"jpeg"
    pin = NewPost(
        account,
        PostingPlatform.PINTEREST,
        PostType.IMAGE,
        "A kitchen",
        "Tiles",
        START + HOUR,
        "me/picture-12345678.jpg",
        "board-9",
        "Kitchens",
        "https://shop.example/tiles",
    )
    async with opened(tmp_path, service) as workspace:
        workspace.plan([pin])
        await settled(workspace)
        posts = dict(service.posts)
        for _ in range(3):
            service.posts.clear()
            await until(lambda: not len(workspace.posts) and said(workspace) == [LOST_ONE])
            [draft] = workspace.drafts.all()
            assert draft.content.boards == {account: Board("board-9", "Kitchens")}
            assert draft.content.link == "https://shop.example/tiles"
            service.posts.update(posts)
            await until(lambda: len(workspace.posts) == 1 and not workspace.drafts.all())
            workspace.said.clear()


async def test_a_second_loss_is_told_like_the_first_and_leaves_one_draft(
    tmp_path: Path, service: Faithless
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        workspace.plan([new_post(account, "Once")])
        await settled(workspace)
        posts = dict(service.posts)
        service.posts.clear()
        await until(lambda: said(workspace) == [LOST_ONE])
        service.posts.update(posts)
        await until(lambda: len(workspace.posts) == 1)
        await until(lambda: texts(workspace) == [])
        service.posts.clear()
        back = "A lost post is back, so its draft was removed."
        await until(lambda: said(workspace) == [LOST_ONE, back, LOST_ONE])
        assert texts(workspace) == ["Once"]


async def test_a_post_that_was_changed_and_then_lost_is_said_to_be_lost(
    tmp_path: Path, service: Faithless
) -> None:
    account = service.add_account()
    service.tells = lambda post: post | {"description": "My text, changed"}
    async with opened(tmp_path, service) as workspace:
        [key] = workspace.plan([new_post(account, "My text")])
        await until(lambda: said(workspace) == [CHANGED_ONE])
        service.posts.clear()
        await until(lambda: said(workspace) == [CHANGED_ONE, LOST_ONE])
        assert key not in workspace.posts
        assert texts(workspace) == ["My text", "My text, changed"]


async def test_a_service_that_tells_two_versions_in_turn_makes_one_draft(
    tmp_path: Path, service: Faithless
) -> None:
    account, turn = service.add_account(), 0

    def tell(post: dict[str, Any]) -> dict[str, Any]:
        nonlocal turn
        turn += 1
        return post | {"description": f"Version {turn % 2}"}

    service.tells = tell
    async with opened(tmp_path, service) as workspace:
        workspace.plan([new_post(account, "My text")])
        await until(lambda: turn > 20)
        assert texts(workspace) == ["My text"]
        assert said(workspace) == [CHANGED_ONE]


@pytest.mark.parametrize("is_same", [True, False])
async def test_a_post_can_be_scheduled_from_the_draft_of_its_second_loss(
    tmp_path: Path, service: Faithless, is_same: bool
) -> None:
    """Its first version was made a draft and scheduled, so that draft's idempotency key is used."""
    account = service.add_account()

    def change(post: dict[str, Any]) -> dict[str, Any]:
        return post | {"description": "Changed"} if post["description"] == "My text" else post

    service.answers = service.tells = change
    async with opened(tmp_path, service) as workspace:
        [key] = workspace.plan([new_post(account, "My text")])
        await until(lambda: texts(workspace) == ["My text"])
        [draft] = workspace.drafts.all()
        again = new_post(account, "My text", START + HOUR, draft.content.idempotency_key(account))
        service.answers = service.tells = None
        if is_same:  # then the second loss has the same content
            posts = service.posts
            [old] = posts
            posts[old]["description"] = "My text"
        workspace.plan([again])
        workspace.drafts.remove([draft.id])
        await settled(workspace)
        del service.posts[UUID(str(workspace._core.mirror.service_id(key)))]
        await until(lambda: key not in workspace.posts)
        await until(workspace.drafts.all)
        [draft] = workspace.drafts.all()
        before = len(workspace.posts)
        third = new_post(
            account, draft.content.text, START + 3 * HOUR, draft.content.idempotency_key(account)
        )
        workspace.plan([third])
        assert len(workspace.posts) == before + 1


async def test_a_draft_that_was_edited_since_a_loss_is_not_overwritten_by_the_next(
    tmp_path: Path, service: Faithless
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        workspace.plan([new_post(account, "Once")])
        await settled(workspace)
        posts = dict(service.posts)
        service.posts.clear()
        await until(lambda: texts(workspace) == ["Once"])
        [draft] = workspace.drafts.all()
        workspace.drafts.keep(replace(draft.content, text="Edited"))
        await until(lambda: workspace.is_writing_kept)
        service.posts.update(posts)
        await until(lambda: len(workspace.posts) == 1)
        service.posts.clear()
        await until(lambda: texts(workspace) == ["Edited", "Once"])
