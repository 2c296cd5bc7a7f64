"""A copy of a file gets the words for those who cannot see it, whenever it is stored."""

import asyncio
from pathlib import Path

import pytest

from app.workspace.media.upload import Upload
from tests.workspace.media.samples import picture
from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.opened import Opened, opened, until


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock(), offers=("media",))


async def stored(workspace: Opened, path: Path) -> Upload:
    (upload,) = await workspace.media.add_files([path])
    await until(lambda: (now := workspace.media.uploads.get(upload.id)) and now.is_done)
    return workspace.media.uploads.get(upload.id) or upload


async def words_of(workspace: Opened, upload: Upload) -> str:
    (file,) = await workspace.media.catalogue([upload.storage_path])
    return file.alt_text or ""


async def described(workspace: Opened, upload: Upload, words: str) -> None:
    async with asyncio.timeout(30):
        while await words_of(workspace, upload) != words:  # noqa: ASYNC110  it tells nobody
            await asyncio.sleep(0.01)


def test_a_copy_gets_the_words_of_its_original(tmp_path: Path, service: ModelService) -> None:
    async def story() -> None:
        async with opened(tmp_path, service) as workspace:
            await workspace.refresh()
            await until(lambda: workspace.media.library.can_describe)
            original = await stored(workspace, picture(tmp_path, "coat.png"))
            await workspace.media.library.describe(original.storage_path, "A brown coat")
            (copy,) = await workspace.media.add_files([picture(tmp_path, "coat.jpg")])
            await workspace.media.copied_words.carry(original, copy)
            await until(lambda: (now := workspace.media.uploads.get(copy.id)) and now.is_done)
            await described(workspace, workspace.media.uploads.get(copy.id) or copy, "A brown coat")

    asyncio.run(story())


def test_without_words_or_a_stored_original_there_is_nothing_to_carry(
    tmp_path: Path, service: ModelService
) -> None:
    async def story() -> None:
        async with opened(tmp_path, service) as workspace:
            await workspace.refresh()
            original = await stored(workspace, picture(tmp_path, "coat.png"))
            copy = await stored(workspace, picture(tmp_path, "coat.jpg"))
            await workspace.media.copied_words.carry(original, copy)
            assert await words_of(workspace, copy) == ""

    asyncio.run(story())


def test_what_a_lost_line_held_back_is_done_after_the_next_start(
    tmp_path: Path, service: ModelService
) -> None:
    async def story() -> None:
        async with opened(tmp_path, service) as workspace:
            await workspace.refresh()
            original = await stored(workspace, picture(tmp_path, "coat.png"))
            await workspace.media.library.describe(original.storage_path, "A brown coat")
            copy = await stored(workspace, picture(tmp_path, "coat.jpg"))
            service.online = False
            await workspace.media.copied_words.carry(original, copy)
        service.online = True
        async with opened(tmp_path, service) as workspace:
            await workspace.refresh()
            await described(workspace, copy, "A brown coat")

    asyncio.run(story())
