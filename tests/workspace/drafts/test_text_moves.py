"""Texts that become posts, and posts that become texts again, on a disk that refuses some transactions."""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from app.contract.enums import PostStatus
from app.workspace.editing.draft import ComposerDraft
from app.workspace.store.journal import Batch
from tests.workspace.failing_disk import accept, accepting, busy, crashed, refuse
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import QUICK, Opened, new_post, opened, settled, until

HOLDING = replace(QUICK, publish_hold=600)


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


async def left(folder: Path, service: ModelService) -> list[str]:
    """Where texts are when the app dies at this moment and is started again, without the service."""
    nobody = ModelService(service.clock, online=False)
    async with opened(crashed(folder), nobody, pace=HOLDING) as workspace:
        composed = await workspace.load_composer()
        keys = [post.key for post in workspace.posts if post.status is not PostStatus.CANCELLED]
        texts = await workspace.texts(keys)
        return sorted(
            [
                *(f"draft: {draft.content.text}" for draft in workspace.drafts.all()),
                *([f"composer: {composed.text}"] if composed and composed.text else []),
                *(f"post: {text}" for text in texts.values()),
            ]
        )


def submit(workspace: Opened, draft: ComposerDraft, at: int | None = START + HOUR) -> list[str]:
    """What the composer does."""
    (account,) = draft.account_keys
    keys = workspace.plan([new_post(account, draft.text, at, draft.idempotency_key(account))])
    workspace.empty_composer(draft, keys)
    return keys


async def composed(workspace: Opened, account: str, text: str = "Precious") -> ComposerDraft:
    draft = ComposerDraft(text, (account,))
    workspace.save_composer(draft)
    await until(lambda: workspace.is_writing_kept)
    return draft


async def test_a_text_whose_post_cannot_be_written_is_on_disk_exactly_once(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        draft = await composed(workspace, account)
        await refuse(workspace, "INSERT ON posts")
        submit(workspace, draft)
        await until(lambda: workspace.said and workspace.is_writing_kept)
        assert await left(tmp_path, service) == ["draft: Precious"]
        assert workspace.drafts.all() == []

        await composed(workspace, account, "The next one")
        assert await left(tmp_path, service) == ["composer: The next one", "draft: Precious"]

        await accept(workspace, "INSERT ON posts")
        await until(lambda: not workspace.sync.saving)
        assert await left(tmp_path, service) == ["composer: The next one", "post: Precious"]
        await settled(workspace)
        assert service.effects == ["Precious"]


@pytest.mark.parametrize("is_refused", [False, True])
async def test_after_each_transaction_of_scheduling_its_text_is_on_disk_exactly_once(
    tmp_path: Path, service: ModelService, is_refused: bool
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        service.online = False
        draft = await composed(workspace, account)
        if is_refused:
            await refuse(workspace, "INSERT ON posts")
        found: list[bytes] = []
        workspace._core.database.on_commit(lambda: found.append(_content(tmp_path)))
        submit(workspace, draft)
        await until(lambda: workspace.is_writing_kept and (workspace.said or not workspace.sync.saving))
        if is_refused:
            await accept(workspace, "INSERT ON posts")
        await until(lambda: not workspace.sync.saving)
    for content in dict.fromkeys(found):
        folder = tmp_path / "then"
        folder.mkdir(exist_ok=True)
        (folder / "workspace.db").write_bytes(content)
        texts = await left(folder, service)
        assert [text.partition(": ")[2] for text in texts] == ["Precious"]


def _content(folder: Path) -> bytes:
    with closing(sqlite3.connect(folder / "workspace.db")) as connection:
        return connection.serialize()


async def test_a_text_that_the_disk_takes_only_after_its_post_is_not_there_twice(
    tmp_path: Path, service: ModelService
) -> None:
    """First it refuses both, then only the draft."""
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        draft = await composed(workspace, account)
        await refuse(workspace, "INSERT ON posts")
        await refuse(workspace, "INSERT ON drafts")
        submit(workspace, draft)
        await until(lambda: len(workspace.said) > 1)
        assert await left(tmp_path, service) == ["composer: Precious"]
        await accept(workspace, "INSERT ON posts")
        await until(lambda: not workspace.sync.saving)
        assert await left(tmp_path, service) == ["post: Precious"]
        await accept(workspace, "INSERT ON drafts")
        await until(lambda: workspace.is_writing_kept)
        assert await left(tmp_path, service) == ["post: Precious"]


async def test_a_post_becomes_a_draft_in_one_transaction(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()
    async with opened(tmp_path, service, pace=HOLDING) as workspace:
        await until(lambda: workspace.accounts)
        draft = await composed(workspace, account)
        keys = submit(workspace, draft, None)
        await until(lambda: workspace.is_writing_kept and not workspace.sync.saving)
        found: list[bytes] = []
        workspace._core.database.on_commit(lambda: found.append(_content(tmp_path)))
        again = replace(draft, draft_id="again")
        assert await workspace.take_back_as_draft(keys, again, draft.draft_id)
        assert [one.content for one in workspace.drafts.all()] == [again]
        assert workspace.posts.all() == []
        await until(lambda: workspace.is_writing_kept)
    for content in dict.fromkeys(found):
        (folder := tmp_path / "then").mkdir(exist_ok=True)
        (folder / "workspace.db").write_bytes(content)
        assert await left(folder, service) in (["post: Precious"], ["draft: Precious"])
    assert await left(tmp_path, service) == ["draft: Precious"]
    assert service.effects == []


COMPOSING = ("INSERT ON settings", "NEW.name = 'composer'")
"""The writing of the composer's draft."""


async def test_a_post_becomes_a_draft_although_the_composer_could_not_be_emptied(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service, pace=HOLDING) as workspace:
        await until(lambda: workspace.accounts)
        draft = await composed(workspace, account)
        await refuse(workspace, *COMPOSING)
        keys = submit(workspace, draft, None)
        await until(lambda: not workspace.sync.saving)
        again = replace(draft, draft_id="again")
        assert await workspace.take_back_as_draft(keys, again, draft.draft_id)
        assert await left(tmp_path, service) == ["draft: Precious"]
        await accept(workspace, *COMPOSING)
        await until(lambda: workspace.is_writing_kept)
        assert await left(tmp_path, service) == ["draft: Precious"]


async def test_a_text_that_is_written_while_its_post_becomes_a_draft_is_not_there_twice(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service, pace=HOLDING) as workspace:
        await until(lambda: workspace.accounts)
        draft = await composed(workspace, account)
        await refuse(workspace, *COMPOSING)
        keys = submit(workspace, draft, None)
        await until(lambda: not workspace.sync.saving)
        found: list[bytes] = []
        workspace._core.database.on_commit(lambda: found.append(_content(tmp_path)))
        again = replace(draft, draft_id="again")
        async with busy(workspace, accepting(*COMPOSING)):
            taking = asyncio.ensure_future(workspace.take_back_as_draft(keys, again, draft.draft_id))
            await until(lambda: workspace._core.database.load().waiting_writes > 1)
        assert await taking
        await until(lambda: workspace.is_writing_kept)
    for content in dict.fromkeys(found):
        (folder := tmp_path / "then").mkdir(exist_ok=True)
        (folder / "workspace.db").write_bytes(content)
        assert await left(folder, service) in (["post: Precious"], ["draft: Precious"])
    assert await left(tmp_path, service) == ["draft: Precious"]


@pytest.mark.parametrize("change", ["DELETE ON posts", "INSERT ON drafts"])
async def test_a_post_that_cannot_become_a_draft_stays_a_post(
    tmp_path: Path, service: ModelService, change: str
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service, pace=HOLDING) as workspace:
        await until(lambda: workspace.accounts)
        draft = await composed(workspace, account)
        keys = submit(workspace, draft, None)
        await until(lambda: workspace.is_writing_kept and not workspace.sync.saving)
        await refuse(workspace, change)
        again = replace(draft, draft_id="again")
        assert not await workspace.take_back_as_draft(keys, again, draft.draft_id)
        await until(lambda: keys[0] in workspace.posts)
        assert workspace.said[0].text.startswith("The change couldn't be saved and was undone.")
        assert await left(tmp_path, service) == ["post: Precious"]
        assert workspace.drafts.all() == []
        assert workspace.unsent(keys) == keys


@pytest.mark.parametrize("is_refused", [False, True])
async def test_a_post_that_was_never_written_becomes_a_draft(
    tmp_path: Path, service: ModelService, is_refused: bool
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service, pace=HOLDING) as workspace:
        await until(lambda: workspace.accounts)
        draft = await composed(workspace, account)
        await refuse(workspace, "INSERT ON posts")
        keys = submit(workspace, draft, None)
        await until(lambda: workspace.said and workspace.is_writing_kept)
        if is_refused:
            await refuse(workspace, "INSERT ON drafts")
        again = replace(draft, draft_id="again")
        assert await workspace.take_back_as_draft(keys, again, draft.draft_id)
        await asyncio.sleep(0.05)
        assert await left(tmp_path, service) == ["draft: Precious"]
        assert [one.content for one in workspace.drafts.all()] == [again]
        if is_refused:
            await accept(workspace, "INSERT ON drafts")
        await until(lambda: workspace.is_writing_kept)
        await accept(workspace, "INSERT ON posts")
        await until(lambda: not workspace.sync.saving)
        assert await left(tmp_path, service) == ["draft: Precious"]
    assert service.effects == []


async def test_a_post_that_becomes_a_draft_while_it_is_written_is_not_published(
    tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk takes the post at last, but doesn't delete it in the next transaction."""
    account = service.add_account()
    async with opened(tmp_path, service, pace=HOLDING) as workspace:
        await until(lambda: workspace.accounts)
        draft = await composed(workspace, account)
        await refuse(workspace, "INSERT ON posts")
        keys = submit(workspace, draft, None)
        await until(lambda: workspace.said and workspace.is_writing_kept)
        await refuse(workspace, "DELETE ON posts")
        batches: list[Batch] = []
        write = workspace._journal.write

        async def noted(batch: Batch) -> None:
            batches.append(batch)
            try:
                await write(batch)
            finally:
                batches.remove(batch)

        monkeypatch.setattr(workspace._journal, "write", noted)
        async with busy(workspace, accepting("INSERT ON posts")):
            await until(lambda: batches)
            again = replace(draft, draft_id="again")
            taking = asyncio.ensure_future(workspace.take_back_as_draft(keys, again, draft.draft_id))
            await asyncio.sleep(0)
        assert await taking
        await until(lambda: workspace.is_writing_kept)
        await accept(workspace, "DELETE ON posts")
        await until(lambda: not workspace.sync.saving)
        assert await left(tmp_path, service) == ["draft: Precious"]
    async with opened(tmp_path, service) as workspace:
        await settled(workspace)
    assert service.effects == []
