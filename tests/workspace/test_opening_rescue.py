"""A full disk and a damaged file: a sentence, and nothing lost."""

import asyncio
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from app.contract.base import format_timestamp
from app.workspace.clock import from_millis
from app.workspace.editing.draft import ComposerDraft
from app.workspace.opening import Rescue
from app.workspace.posts.planned import SyncState
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import new_post, opened, settled, until

resource = pytest.importorskip("resource", reason="file sizes cannot be limited here")


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


@contextmanager
def no_room(folder: Path) -> Iterator[None]:
    """No file of this process can grow beyond what the journal of the database has now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, ((folder / "workspace.db-wal").stat().st_size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_move_that_cannot_be_kept_is_taken_back(tmp_path: Path, service: ModelService) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        await settled(workspace)
        with no_room(tmp_path):
            workspace.move({key: START + 2 * HOUR})
            assert workspace.posts.all()[0].at == START + 2 * HOUR
            await until(lambda: workspace.posts.all()[0].at == START + HOUR)
        assert workspace.said[0].text.startswith("The change couldn't be saved and was undone.")
        assert "disk is full" in workspace.said[0].text
        await until(lambda: workspace.undo_label is None)
        workspace.move({key: START + 3 * HOUR})
        await settled(workspace)
        assert workspace.posts.all()[0].at == START + 3 * HOUR


async def test_a_post_that_cannot_be_kept_stays_and_is_kept_later(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        await settled(workspace)
        with no_room(tmp_path):
            (key,) = workspace.plan([new_post(account, "Precious")])
            await until(lambda: workspace.said)
            workspace.move({key: START + 4 * HOUR})
            assert key in workspace.posts
            assert service.effects == []
        await settled(workspace)
        assert (await workspace.detail(key)).text == "Precious"
        assert [post.at for post in workspace.posts] == [START + 4 * HOUR]
    assert service.effects == ["Precious"]


@pytest.mark.logs_error("a confirmation could not be kept")
def test_a_move_whose_confirmation_cannot_be_kept_is_no_new_post(tmp_path: Path) -> None:
    with ExitStack() as full:

        class Full(ModelService):
            """The disk is full from the first move on."""

            def answer(self, request: httpx.Request) -> httpx.Response:
                if request.method == "PATCH" and not any(one.method == "PATCH" for one in self.requests):
                    full.enter_context(no_room(tmp_path))
                return super().answer(request)

        service = Full(HandClock())

        async def story() -> None:
            key = service.add_post(service.add_account(), START + HOUR)
            async with opened(tmp_path, service) as workspace:
                await until(lambda: len(workspace.posts) == 1)
                await settled(workspace)
                workspace.move({key: START + 2 * HOUR})
                await until(lambda: any(one.method == "PATCH" for one in service.requests))
                await until(lambda: workspace.posts.all()[0].sync is SyncState.WAITING)
                full.close()
                await settled(workspace)
                assert [(post.key, post.at) for post in workspace.posts] == [(key, START + 2 * HOUR)]

        asyncio.run(story())
    assert not any(one.method == "POST" for one in service.requests)
    assert [post["scheduled_at"] for post in service.posts.values()] == [
        format_timestamp(from_millis(START + 2 * HOUR))
    ]


async def test_what_is_being_written_is_kept_as_soon_as_there_is_room(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        await settled(workspace)
        with no_room(tmp_path):
            workspace.save_composer(ComposerDraft(text="An idea", draft_id="d"))
            await until(lambda: workspace.said)
            assert (await workspace.load_composer()) == ComposerDraft(text="An idea", draft_id="d")
    async with opened(tmp_path, service) as workspace:
        assert (await workspace.load_composer()) == ComposerDraft(text="An idea", draft_id="d")
        workspace.save_composer(None)
    async with opened(tmp_path, service) as workspace:
        assert await workspace.load_composer() is None


def damage_all(file: Path) -> None:
    file.write_bytes(b"no database " * 1_000)


def damage_the_middle(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    size = file.stat().st_size
    with file.open("r+b") as opened:
        opened.seek(size // 3)
        opened.write(b"\xff" * (size // 3))


@pytest.mark.parametrize("damage", [damage_all, damage_the_middle])
def test_a_damaged_file_is_set_aside_and_built_again(
    tmp_path: Path, service: ModelService, damage: Callable[[Path], None]
) -> None:
    async def story() -> None:
        account = service.add_account()
        known = service.add_post(account, START + HOUR)
        moved = service.add_post(account, START + HOUR, "Moved")
        for n in range(60):
            service.add_post(account, START + (n + 50) * HOUR, "x" * 900)
        async with opened(tmp_path, service) as workspace:
            await until(lambda: len(workspace.posts) == 62)
            await settled(workspace)
            service.online = False
            workspace.plan([new_post(account, "Precious", START + 2 * HOUR)])
            workspace.move({moved: START + 3 * HOUR})
            workspace.save_composer(ComposerDraft(text="An idea", draft_id="d"))
        damage(tmp_path / "workspace.db")
        async with opened(tmp_path, service) as workspace:
            text = workspace.said[0].text
            assert "moved to" in text
            assert "Also recovered: 1 draft, 2 unsent changes." in text
            assert (await workspace.load_composer()) == ComposerDraft(text="An idea", draft_id="d")
            assert {post.headline for post in workspace.posts} >= {"Precious", "Moved"}
            service.online = True
            await settled(workspace)
            assert {post.key for post in workspace.posts} > {known, moved}
            assert len(workspace.posts) == 63
        assert service.effects == ["Precious"]
        async with opened(tmp_path, service) as workspace:
            assert workspace.said == []
            assert len(workspace.posts) == 63

    asyncio.run(story())
    assert len(list(tmp_path.glob("workspace.damaged-*.db"))) == 1


@pytest.mark.parametrize(
    ("rescue", "recovered"),
    [
        (Rescue(Path("a.db"), 0, 0, 0), "No drafts, posting times or unsent changes could be recovered."),
        (Rescue(Path("a.db"), 2, 1, 0), "Also recovered: 2 drafts, 1 posting time."),
        (Rescue(Path("a.db"), 0, 21, 1), "Also recovered: 21 posting times, 1 unsent change."),
    ],
)
def test_what_was_only_here_is_counted_or_said_to_be_lost(rescue: Rescue, recovered: str) -> None:
    assert recovered in rescue.words


assert sys.platform != "win32"  # for the type checker: resource is there


async def test_news_that_could_not_be_kept_are_kept_when_there_is_room(
    tmp_path: Path, service: ModelService
) -> None:
    service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        await settled(workspace)
        with no_room(tmp_path):
            (post,) = service.posts.values()
            post["scheduled_at"] = format_timestamp(from_millis(START + 5 * HOUR))
            asked = len(service.requests)
            await until(lambda: len(service.requests) > asked + 8)
        await until(lambda: workspace.posts.all()[0].at == START + 5 * HOUR)
        await settled(workspace)
    service.online = False
    async with opened(tmp_path, service) as workspace:
        assert [one.at for one in workspace.posts] == [START + 5 * HOUR]
