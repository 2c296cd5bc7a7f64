"""Small pictures of files, also of those that are only at the service."""

import asyncio
import io
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from PIL import Image

from app.contract.enums import PostType
from app.workspace.catalogues import KeptFile
from app.workspace.media.thumbnails import EDGE, Pictures, Thumbnails
from tests.leaping import leap, run_leaping
from tests.media.samples import walk
from tests.processes import children
from tests.workspace.media.samples import picture, video, written
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until


def running(work: Callable[[Path], Coroutine[None, None, None]]) -> Callable[[Path], None]:
    """A test that is a coroutine."""

    def test(tmp_path: Path) -> None:
        asyncio.run(work(tmp_path))

    return test


def opened(content: bytes | None) -> Image.Image:
    assert content is not None
    return Image.open(io.BytesIO(content), formats=("JPEG",))


def kept(path: str, kind: PostType = PostType.IMAGE, size: int | None = None) -> KeptFile:
    now = datetime(2026, 11, 21, tzinfo=UTC)
    return KeptFile(path, path, kind, None, size, None, None, None, None, now)


def program(text: str) -> tuple[str, ...]:
    """A program in place of the one that decodes."""
    return sys.executable, "-c", text


@running
async def test_pictures_are_made_one_after_the_other_in_one_program(tmp_path: Path) -> None:
    thumbnails = Thumbnails()
    made = await asyncio.gather(
        thumbnails.make(picture(tmp_path), PostType.IMAGE),
        thumbnails.make(written(tmp_path, "odd.jpg", b"odd"), PostType.IMAGE),
        thumbnails.make(walk(tmp_path), PostType.VIDEO, 100),
    )
    assert (made[0] is None, made[1], opened(made[2]).width) == (False, None, 100)
    assert len(children()) == 1
    await thumbnails.close()
    assert children() == []


@running
async def test_the_program_ends_when_no_picture_is_wanted_for_a_while(tmp_path: Path) -> None:
    thumbnails = Thumbnails(idle=0.01)
    assert await thumbnails.make(picture(tmp_path), PostType.IMAGE)
    await until(lambda: not children())
    assert await thumbnails.make(picture(tmp_path), PostType.IMAGE)
    await thumbnails.close()


class AtOnce(ThreadPoolExecutor):
    """Does everything before the loop goes on."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        done: Future[Any] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


@running
async def test_a_picture_that_is_given_up_twice_leaves_no_program_behind(tmp_path: Path) -> None:
    """As when its panel closes just as the app ends: the second time ends the clearing away, too."""
    asyncio.get_running_loop().set_default_executor(AtOnce())
    thumbnails = Thumbnails()
    wanted = asyncio.create_task(thumbnails.make(picture(tmp_path), PostType.IMAGE))
    await asyncio.sleep(0)
    assert psutil.Process().children()  # it has answered, and nobody has heard it yet
    for _ in range(2):
        wanted.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await wanted
    assert psutil.Process().children() == []  # no zombie either: it was waited for


@pytest.mark.parametrize(
    "story", ["import os; input(); os.abort()", "import time; input(); time.sleep(600)", "print('no')"]
)
async def test_a_file_that_takes_the_program_down_has_no_picture(tmp_path: Path, story: str) -> None:
    thumbnails = Thumbnails(command=program(story), patience=0.3)
    for _ in range(2):
        assert await thumbnails.make(picture(tmp_path), PostType.IMAGE) is None
    await thumbnails.close()
    assert children() == []


@running
async def test_a_picture_that_nobody_waits_for_ends_the_program(tmp_path: Path) -> None:
    thumbnails = Thumbnails(command=program("import time; input(); time.sleep(600)"))
    making = asyncio.ensure_future(thumbnails.make(picture(tmp_path), PostType.IMAGE))
    await until(children)
    making.cancel()
    await asyncio.wait([making])
    assert making.cancelled()
    assert children() == []


@running
async def test_a_file_at_the_service_is_fetched_once_and_kept(tmp_path: Path) -> None:
    service = ModelService(lambda: 0)
    service.files["me/coat.jpg"] = picture(tmp_path).read_bytes()
    client = service.client()
    for _ in range(2):
        pictures = Pictures(tmp_path / "small", client, list)
        assert opened(await pictures.of(kept("me/coat.jpg"))).size == (EDGE, EDGE)
        await pictures.close()
    assert [request.url.path for request in service.requests].count("/view/me/coat.jpg") == 1
    await pictures.forget("me/coat.jpg")
    assert list((tmp_path / "small").iterdir()) == []
    await client.close()


@running
async def test_without_the_service_there_is_none_until_it_is_back(tmp_path: Path) -> None:
    service = ModelService(lambda: 0, online=False)
    service.files["me/coat.jpg"] = picture(tmp_path).read_bytes()
    client = service.client()
    pictures = Pictures(tmp_path / "small", client, list)
    assert await pictures.of(kept("me/coat.jpg")) is None
    service.online = True
    assert await pictures.of(kept("me/coat.jpg")) is not None
    await pictures.close()
    await client.close()


class _Dripping(ModelService):
    """Two files come steadily, and take a quarter of an hour. Time only advances once both have begun."""

    begun = 0
    have_both_begun: asyncio.Event

    def _route(self, request: httpx.Request) -> httpx.Response:
        answer = super()._route(request)
        if "/slow" in request.url.path and request.url.path.startswith("/view/"):
            return httpx.Response(200, content=self._drip())
        return answer

    async def _drip(self) -> AsyncIterator[bytes]:
        self.begun += 1
        if self.begun == 2:
            self.have_both_begun.set()
        await self.have_both_begun.wait()
        for _ in range(30):
            leap(30)
            yield bytes(100_000)


@pytest.mark.parametrize("form", ["small", "large"])
def test_files_that_come_slowly_do_not_keep_others_without_a_picture(tmp_path: Path, form: str) -> None:
    service = _Dripping(lambda: 0)
    service.files |= {f"me/slow-{number}.jpg": b"" for number in range(2)}
    service.files["me/coat.jpg"] = picture(tmp_path).read_bytes()

    async def story() -> float:
        client = service.client()
        service.have_both_begun = asyncio.Event()
        pictures = Pictures(tmp_path / "small", client, list)
        make = pictures.of if form == "small" else pictures.large
        began = asyncio.get_running_loop().time()
        slow = [asyncio.create_task(make(kept(path))) for path in service.files if "slow" in path]
        assert opened(await make(kept("me/coat.jpg"))).size[0] >= EDGE
        assert await asyncio.gather(*slow) == [None, None]
        took = asyncio.get_running_loop().time() - began
        await pictures.close()
        await client.close()
        return took

    assert run_leaping(story()) < 15 * 60


@running
async def test_a_video_too_big_to_be_fetched_has_none(tmp_path: Path) -> None:
    service = ModelService(lambda: 0)
    client = service.client()
    pictures = Pictures(tmp_path / "small", client, list)
    assert await pictures.of(kept("me/walk.mp4", PostType.VIDEO, 10**9)) is None
    assert service.requests == []
    await client.close()


@running
async def test_more_than_was_promised_is_not_taken(tmp_path: Path) -> None:
    service = ModelService(lambda: 0)
    service.files["me/walk.mp4"] = video(tmp_path, size=300_000).read_bytes()
    client = service.client()
    view = await client.media.view("me/walk.mp4")
    with (tmp_path / "here").open("wb") as into, pytest.raises(Exception, match="too large"):
        await client.media.download(view, into, 299_999)
    await client.close()
