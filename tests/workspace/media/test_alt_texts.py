"""Words for those who cannot see a file: kept from the moment it is attached, sent when it is stored."""

import asyncio
from pathlib import Path

import httpx
import pytest

from app.contract.enums import PostType
from app.platforms.rules import RULES
from app.workspace.media.alt_texts import alt_text_max
from app.workspace.media.upload import Upload
from tests.workspace.editing.samples import account
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


async def test_a_copy_gets_the_words_of_its_original(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        await until(lambda: workspace.media.library.can_describe)
        original = await stored(workspace, picture(tmp_path, "coat.png"))
        await workspace.media.library.describe(original.storage_path, "A brown coat")
        (copy,) = await workspace.media.add_files([picture(tmp_path, "coat.jpg")])
        await workspace.media.alt_texts.carry(original, copy)
        await until(lambda: (now := workspace.media.uploads.get(copy.id)) and now.is_done)
        await described(workspace, workspace.media.uploads.get(copy.id) or copy, "A brown coat")


async def test_without_words_or_a_stored_original_there_is_nothing_to_carry(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        original = await stored(workspace, picture(tmp_path, "coat.png"))
        copy = await stored(workspace, picture(tmp_path, "coat.jpg"))
        await workspace.media.alt_texts.carry(original, copy)
        assert await words_of(workspace, copy) == ""


async def test_what_a_lost_line_held_back_is_done_after_the_next_start(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        original = await stored(workspace, picture(tmp_path, "coat.png"))
        await workspace.media.library.describe(original.storage_path, "A brown coat")
        copy = await stored(workspace, picture(tmp_path, "coat.jpg"))
        service.online = False
        await workspace.media.alt_texts.carry(original, copy)
    service.online = True
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        await described(workspace, copy, "A brown coat")


async def test_words_are_sent_once_the_file_is_stored_and_the_last_ones_count(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        await until(lambda: workspace.media.library.can_describe)
        alt_texts = workspace.media.alt_texts
        (upload,) = await workspace.media.add_files([picture(tmp_path)])
        await alt_texts.write(upload.id, "A coat")
        await alt_texts.write(upload.id, "A brown coat")
        assert await alt_texts.of(upload) == "A brown coat"
        await until(lambda: (now := workspace.media.uploads.get(upload.id)) and now.is_done)
        now = workspace.media.uploads.get(upload.id) or upload
        await described(workspace, now, "A brown coat")
        await until(lambda: not alt_texts._waiting)
        assert await alt_texts.of(now) == "A brown coat"
        await alt_texts.write(upload.id, "")
        await described(workspace, now, "")


async def test_words_wait_while_the_service_is_away_and_go_when_it_is_back(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        upload = await stored(workspace, picture(tmp_path))
        service.online = False
        await workspace.media.alt_texts.write(upload.id, "A brown coat")
        await until(lambda: not workspace.media.alt_texts._sending)
        assert await words_of(workspace, upload) == ""
        service.online = True
        await described(workspace, upload, "A brown coat")


async def test_words_that_the_service_refuses_stay_and_are_told_once(
    tmp_path: Path, service: ModelService
) -> None:
    refused: list[httpx.Request] = []

    def refuse(request: httpx.Request) -> httpx.Response | None:
        if request.method != "PATCH":
            return None
        refused.append(request)
        error = {"code": "forbidden", "message": "This key may only read."}
        return httpx.Response(403, json={"error": error, "request_id": "req-1"})

    async with opened(tmp_path, service) as workspace:
        alt_texts = workspace.media.alt_texts
        await workspace.refresh()
        upload = await stored(workspace, picture(tmp_path))
        content = service.files.pop(upload.storage_path)  # what it has, it answers for itself
        service.parts.append(refuse)
        await alt_texts.write(upload.id, "A brown coat")
        await until(lambda: workspace.said and not alt_texts._sending)
        assert workspace.said[0].text == "Couldn't save the alt text of “coat.jpg”. This key may only read."
        assert await alt_texts.of(upload) == "A brown coat"
        alt_texts.wake()
        await alt_texts.write(upload.id, "A brown coat, folded")
        await until(lambda: len(workspace.said) == 2 and not alt_texts._sending)
        assert len(refused) == 2
        service.files[upload.storage_path] = content
        service.parts.remove(refuse)
    async with opened(tmp_path, service) as workspace:
        assert await workspace.media.alt_texts.of(upload) == "A brown coat, folded"
        await workspace.refresh()
        await described(workspace, upload, "A brown coat, folded")


async def test_what_is_written_right_before_the_end_is_there_after_the_next_start(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        upload = await stored(workspace, picture(tmp_path))
        service.online = False
        workspace.media.alt_texts.write_soon(upload.id, "A brown coat")
    async with opened(tmp_path, service) as workspace:
        assert await workspace.media.alt_texts.of(upload) == "A brown coat"
        service.online = True
        await workspace.refresh()
        await described(workspace, upload, "A brown coat")


async def test_words_that_are_too_long_stay_here_until_they_are_shortened(
    tmp_path: Path, service: ModelService
) -> None:
    words = "A brown coat. " * 80
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        await until(lambda: workspace.media.library.can_describe)
        upload = await stored(workspace, picture(tmp_path))
        workspace.media.alt_texts.write_soon(upload.id, words)
        assert workspace.media.alt_texts.excess(upload.id) == len(words) - 1_000
    async with opened(tmp_path, service) as workspace:
        alt_texts = workspace.media.alt_texts
        await workspace.refresh()
        await until(lambda: workspace.media.library.can_describe)
        assert await alt_texts.of(upload) == words
        assert workspace.said == []
        assert await words_of(workspace, upload) == ""
        await alt_texts.write(upload.id, "A brown coat")
        await described(workspace, upload, "A brown coat")
        assert alt_texts.excess(upload.id) == 0


async def test_words_for_a_stored_file_wait_as_well_and_are_those_of_its_upload(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        alt_texts, upload = workspace.media.alt_texts, await stored(workspace, picture(tmp_path))
        service.online = False
        await alt_texts.write(upload.id, "A coat")
        await alt_texts.write(upload.storage_path, "A brown coat")
        await until(lambda: not alt_texts._sending)
    async with opened(tmp_path, service) as workspace:
        alt_texts = workspace.media.alt_texts
        assert await alt_texts.of(upload) == "A brown coat"
        assert alt_texts.of_stored(upload.storage_path, "A shoe") == "A brown coat"
        service.online = True
        await workspace.refresh()
        await described(workspace, upload, "A brown coat")
        await until(lambda: not alt_texts._waiting)
        assert alt_texts.of_stored(upload.storage_path, "A shoe") == "A shoe"


def test_who_gets_the_words_is_what_the_rules_say() -> None:
    for post_type in (PostType.IMAGE, PostType.VIDEO):
        for platform, rules in RULES.items():
            most = rules.alt_text_max if post_type in rules.alt_text_types else 0
            assert alt_text_max(account("one", platform.value), post_type) == most
    assert alt_text_max(account("one", "unheard of"), PostType.IMAGE) == 0
