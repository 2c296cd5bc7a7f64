"""The app's client and the service: files of any size go up, and everything about them comes back."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest

from app.client import (
    AnswerNotUnderstood,
    CertificateRejected,
    NotFound,
    ServiceClient,
    ServiceUnreachable,
    ValidationRefused,
)
from app.contract.media import RequestUploadUrl, UploadUrl
from tests.service.media.samples import image
from tests.service.media.shelf import Shelf

pytestmark = pytest.mark.parametrize("service", ["folder", "bucket"], indirect=True)


T = TypeVar("T")
PNG = image()
_SLOW = 4_000_000  # bytes a second


def talk(shelf: Shelf, work: Callable[[ServiceClient], Coroutine[Any, Any, T]]) -> T:
    """Runs ``work`` with the app's client, in a loop that lives on: connections that were cut end later."""

    async def run() -> T:
        client = ServiceClient(shelf.service.base_url, shelf.caller.key, ssl_context=shelf.service.trust)
        client.media.throttle.set_rate(_SLOW)  # so that there is a meanwhile
        try:
            return await work(client)
        finally:
            await client.close()

    return shelf.service.await_(run)


def wanted(file: Path) -> RequestUploadUrl:
    return RequestUploadUrl(filename=file.name, content_type="image/png", size_bytes=file.stat().st_size)


async def send(client: ServiceClient, file: Path, progress: list[int] | None = None) -> UploadUrl:
    link = await client.media.request_upload(wanted(file))
    await client.media.upload(link, file, "image/png", progress.append if progress is not None else None)
    return link


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A picture of three megabytes, most of it padding."""
    path = tmp_path / "Sommer ü & 100%.png"
    path.write_bytes(PNG + bytes(range(256)) * 12_000)
    return path


def test_a_file_goes_up_is_seen_described_and_removed(shelf: Shelf, file: Path) -> None:
    progress: list[int] = []
    content = file.read_bytes()

    async def work(client: ServiceClient) -> None:
        path = (await send(client, file, progress)).storage_path
        view = await client.media.view(path, 60)
        assert (await asyncio.to_thread(shelf.links.get, view.view_url)).content == content
        assert (await client.media.describe(path, "A summer's day")).alt_text == "A summer's day"
        (listed,) = (await client.media.list_files()).data
        assert (listed.storage_path, listed.alt_text) == (path, "A summer's day")
        assert [len(page.data) async for page in client.media.files()] == [1]
        assert (await client.media.delete(path)).deleted is True
        with pytest.raises(NotFound):
            await client.media.view(path)

    talk(shelf, work)
    assert progress == sorted(progress)
    assert progress[-1] == file.stat().st_size
    assert len(progress) > 3


def test_a_refusal_is_told(shelf: Shelf, tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(b"x" * 2_000_000)

    async def work(client: ServiceClient) -> None:
        with pytest.raises(ValidationRefused, match="announced as image/png"):
            await send(client, file)

    talk(shelf, work)
    assert shelf.names() == []


def test_an_upload_can_be_cancelled(shelf: Shelf, file: Path) -> None:
    async def work(client: ServiceClient) -> None:
        link = await client.media.request_upload(wanted(file))
        uploading: asyncio.Task[None] | None = None

        def stop(_sent: int) -> None:
            assert uploading is not None
            uploading.cancel()

        uploading = asyncio.create_task(client.media.upload(link, file, "image/png", stop))
        with pytest.raises(asyncio.CancelledError):
            await uploading
        assert (await client.media.delete(link.storage_path)).deleted is True

    talk(shelf, work)
    assert shelf.rows() == []


def test_a_file_that_is_not_there_is_said(shelf: Shelf, file: Path) -> None:
    async def work(client: ServiceClient) -> None:
        link = await client.media.request_upload(wanted(file))
        with pytest.raises(FileNotFoundError):
            await client.media.upload(link, file.with_name("gone.png"), "image/png")

    talk(shelf, work)


def test_a_file_that_shrinks_meanwhile_is_said(shelf: Shelf, file: Path) -> None:
    async def work(client: ServiceClient) -> None:
        link = await client.media.request_upload(wanted(file))

        def cut(_sent: int) -> None:
            with file.open("r+b") as opened:
                opened.truncate(600_000)

        with pytest.raises(OSError, match="changed"):
            await client.media.upload(link, file, "image/png", cut)

    talk(shelf, work)
    assert shelf.used_bytes() == 0


def test_elsewhere_only_the_usual_authorities_are_trusted(shelf: Shelf, file: Path) -> None:
    async def work(client: ServiceClient) -> None:
        link = await client.media.request_upload(wanted(file))
        elsewhere = link.upload_url.replace("127.0.0.1", "localhost")
        with pytest.raises(CertificateRejected):
            await client.media.upload(link.model_copy(update={"upload_url": elsewhere}), file, "image/png")

    talk(shelf, work)
    assert shelf.names() == []


@pytest.mark.parametrize("url", ["http://127.0.0.1/a", "ftp://x/y", "nonsense", "https://"])
def test_links_that_are_none_are_not_followed(shelf: Shelf, file: Path, url: str) -> None:
    async def work(client: ServiceClient) -> None:
        link = (await client.media.request_upload(wanted(file))).model_copy(update={"upload_url": url})
        with pytest.raises((AnswerNotUnderstood, ServiceUnreachable)):
            await client.media.upload(link, file, "image/png")

    talk(shelf, work)
