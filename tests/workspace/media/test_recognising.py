"""Files that were uploaded before: what is recognised, and what is not taken for it."""

import asyncio
from pathlib import Path

import pytest

from app.workspace.media.fingerprint import fingerprint
from tests.workspace.media.samples import video, written
from tests.workspace.media.uploading import MIB, puts, until_done
from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.opened import opened


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


def test_a_stored_file_is_recognised_by_its_content_and_not_sent_again(
    tmp_path: Path, service: ModelService
) -> None:
    path = video(tmp_path, "walk.mp4", 3 * MIB)

    async def work() -> None:
        async with opened(tmp_path, service) as workspace:
            (upload,) = await workspace.media.add_files([path])
            await until_done(workspace, upload)
            moved = path.rename(tmp_path / "stroll.mp4")
            other = written(tmp_path, "other.mp4", moved.read_bytes()[:-1] + b"x")
            looked = await workspace.media.look_at([moved, other])
            assert [file.name for file in await workspace.media.known(looked)] == ["stroll.mp4"]
            again, new = await workspace.media.add_files([moved, other])
            assert again.id == upload.id
            await until_done(workspace, new)
            assert puts(service) == 2
            service.files.clear()  # somebody else deleted them
            (fresh,) = await workspace.media.add_files([moved])
            assert fresh.id != upload.id
            await until_done(workspace, fresh)

    asyncio.run(work())


def test_a_large_file_is_only_recognised_where_every_byte_can_be_compared(
    tmp_path: Path, service: ModelService
) -> None:
    first = video(tmp_path, "first.mp4", size=MIB)
    same = written(tmp_path, "same.mp4", first.read_bytes())
    content = bytearray(first.read_bytes())
    content[-100_000] ^= 1  # between the parts that a fingerprint is taken of
    other = written(tmp_path, "other.mp4", bytes(content))
    assert fingerprint(other, MIB) == fingerprint(first, MIB)

    async def work() -> None:
        async with opened(tmp_path, service) as workspace:
            (upload,) = await workspace.media.add_files([first])
            await until_done(workspace, upload)
            again, another = await workspace.media.add_files([same, other])
            assert (again.id, another.path) == (upload.id, other)
            done = await until_done(workspace, another)
            assert service.files[done.storage_path] == other.read_bytes()
            first.unlink()
            (unsure,) = await workspace.media.add_files([same])
            assert unsure.path == same

    asyncio.run(work())
