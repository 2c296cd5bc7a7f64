"""An upload to the real service over TLS, and a post with the file, published on the practice platforms."""

import asyncio
import hashlib
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.workspace.media.library import Removal
from app.workspace.posts.new import NewPost
from app.workspace.workspace import Workspace
from tests.workspace.media.samples import picture
from tests.workspace.opened import until
from tests.workspace.programs import RealService, consent, follow, real_service


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RealService]:
    with real_service(tmp_path / "programs") as running:
        yield running


def test_an_uploaded_picture_is_published_and_known(tmp_path: Path, service: RealService) -> None:
    path = picture(tmp_path, "coat.jpg")

    async def story() -> None:
        workspace = await Workspace.open(service.client(), tmp_path / "w.db", name="Real")
        try:
            await until(lambda: workspace.sync.connected)
            flow = await workspace.flows.begin(ConnectionPlatform.X)
            await asyncio.to_thread(lambda: follow(consent(flow.url, "allow")))
            account = await flow.account()
            (upload,) = await workspace.media.add_files([path])
            await until(lambda: (found := workspace.media.uploads.get(upload.id)) and found.is_done)
            done = workspace.media.uploads.get(upload.id)
            assert done is not None
            at = time.time_ns() // 1_000_000 + 1_500
            new = NewPost(
                account.key,
                PostingPlatform.X,
                PostType.IMAGE,
                "With a coat",
                at=at,
                media_storage_path=done.storage_path,
            )
            (key,) = workspace.plan([new])
            await until(lambda: (post := workspace.posts.get(key)) and post.published, patience=90)
            await workspace.media.refresh()
            (known,) = await workspace.media.catalogue()
            assert (known.storage_path, known.content_type) == (done.storage_path, "image/jpeg")
        finally:
            await workspace.close()

    asyncio.run(story())
    answer = httpx.get(f"{service.practice_url}/ledger", trust_env=False).json()["data"]
    (entry,) = [entry for entry in answer if entry["text"] == "With a coat"]
    assert entry["media_sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_stored_picture_is_fetched_described_saved_and_deleted(
    tmp_path: Path, service: RealService
) -> None:
    path = picture(tmp_path, "coat.jpg")

    async def story() -> None:
        workspace = await Workspace.open(service.client(), tmp_path / "w.db", name="Real")
        library = workspace.media.library
        try:
            await until(lambda: workspace.sync.connected and library.can_describe)
            (upload,) = await workspace.media.add_files([path])
            await until(lambda: (found := workspace.media.uploads.get(upload.id)) and found.is_done)
            path.rename(tmp_path / "elsewhere.jpg")  # so that its picture has to be fetched
            await library.refresh()
            (item,) = await library.items()
            assert (item.name, item.file.content_type) == ("coat.jpg", "image/jpeg")
            assert await workspace.media.pictures.of(item.file)
            await library.describe(item.path, "A brown coat")
            (item,) = await library.items()
            assert item.file.alt_text == "A brown coat"
            await library.save(item, tmp_path / "copy.jpg")
            room = await library.storage()
            assert room.used_bytes == item.file.size_bytes
            assert await library.remove(item.path) is Removal.REMOVED
            assert await library.remove(item.path) is Removal.WAS_GONE
            assert (await library.items(), (await library.storage()).used_bytes) == ([], 0)
        finally:
            await workspace.close()

    asyncio.run(story())
    assert (tmp_path / "copy.jpg").read_bytes() == (tmp_path / "elsewhere.jpg").read_bytes()
