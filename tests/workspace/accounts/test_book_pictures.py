"""Pictures of accounts: fetched once, bounded, and silently left out where there is none."""

import asyncio
import io
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx
import pytest
from PIL import Image

from app.client import RetryPolicy, ServiceClient
from app.contract.enums import ConnectionPlatform
from app.workspace.accounts.account import Account
from app.workspace.accounts.book import EDGE, AccountPictures
from app.workspace.clock import from_millis
from tests.workspace.model_service import BASE_URL, KEY

URL = "https://cdn.platform.example/face.jpg"
MINE = Account(
    key="one", platform=ConnectionPlatform.X, name="Ines", handle=None, identifier="1", avatar_url=URL,
    followers=None, is_verified=None, is_available=True, token_expires_at=None,
    connected_at=from_millis(0), color_index=0, practice=False,
)  # fmt: skip


def picture(side: int = 400, kind: str = "PNG") -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (side, side), "red").save(written, kind)
    return written.getvalue()


@dataclass
class Web:
    """What is where; ``asked`` are the requests that came, ``made`` what asked."""

    pages: dict[str, bytes | int]
    asked: list[httpx.Request] = field(default_factory=list)
    made: list[AccountPictures] = field(default_factory=list)

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        found = self.pages.get(str(request.url), 404)
        if isinstance(found, bytes):
            return httpx.Response(200, content=found, headers={"content-type": "text/html"})
        if found == 0:
            raise httpx.ConnectError("offline", request=request)
        return httpx.Response(found, headers={"location": "https://elsewhere.example/"})

    def pictures(self, folder: Path) -> AccountPictures:
        client = ServiceClient(
            BASE_URL, KEY, transport=httpx.MockTransport(self.answer), retries=RetryPolicy(attempts=1)
        )
        self.made.append(AccountPictures(folder / "faces", client))
        return self.made[-1]

    async def play(self, work: Callable[[], Coroutine[None, None, None]]) -> None:
        """Runs a story to its end, and closes what it opened."""

        async def whole() -> None:
            try:
                await work()
            finally:
                for one in self.made:
                    await one.close()

        await whole()


async def test_a_picture_is_fetched_once_without_the_key_made_small_and_kept(tmp_path: Path) -> None:
    web = Web({URL: picture()})

    async def run() -> None:
        pictures = web.pictures(tmp_path)
        first, second = await asyncio.gather(pictures.of(MINE), pictures.of(MINE))
        again = await web.pictures(tmp_path).of(MINE)
        assert first == second == again is not None
        assert max(Image.open(io.BytesIO(first or b"")).size) == EDGE

    await web.play(run)
    assert len(web.asked) == 1
    assert "authorization" not in web.asked[0].headers


async def test_another_address_is_another_picture_in_the_place_of_the_former(tmp_path: Path) -> None:
    other = "https://cdn.platform.example/other.webp"
    web = Web({URL: picture(), other: picture(64, "WEBP")})

    async def run() -> None:
        pictures = web.pictures(tmp_path)
        await pictures.of(MINE)
        assert await pictures.of(replace(MINE, avatar_url=other))

    await web.play(run)
    assert len(web.asked) == 2
    assert len(list((tmp_path / "faces").iterdir())) == 1


@pytest.mark.parametrize(
    "found",
    [
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"<html>",
        b"",
        picture()[:60],
        b"\x89PNG\r\n\x1a\n" + b"x" * (1024 * 1024),
        302,
        404,
        500,
        0,
    ],
)
async def test_what_is_no_picture_leaves_the_initials_and_is_not_asked_for_again_at_once(
    found: bytes | int, tmp_path: Path
) -> None:
    web = Web({URL: found})

    async def run() -> None:
        pictures = web.pictures(tmp_path)
        assert await pictures.of(MINE) is None
        assert await pictures.of(MINE) is None

    await web.play(run)
    assert [str(request.url) for request in web.asked] == [URL]
    assert not (tmp_path / "faces").exists()


@pytest.mark.parametrize(
    "url",
    [
        None,
        "",
        "http://cdn.platform.example/face.jpg",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://10.0.0.7/face.jpg",
        "https://127.0.0.1/face.jpg",
        "https://[::1]/face.jpg",
        "https://localhost/face.jpg",
        "https://printer/face.jpg",
        "https://nas.local/face.jpg",
        "https://ada:b@cdn.platform.example/face.jpg",
        "https://[/face.jpg",
        "https://cdn.platform.example:99999/face.jpg",
    ],
)
def test_an_address_that_leads_elsewhere_is_not_called(url: str | None, tmp_path: Path) -> None:
    web = Web({})

    async def run() -> None:
        assert await web.pictures(tmp_path).of(replace(MINE, avatar_url=url)) is None

    asyncio.run(web.play(run))
    assert not web.asked


async def test_only_so_many_are_kept(tmp_path: Path) -> None:
    web = Web({URL: picture(16)})

    async def run() -> None:
        pictures = web.pictures(tmp_path)
        for number in range(203):
            assert await pictures.of(replace(MINE, key=f"account {number}"))

    await web.play(run)
    assert len(list((tmp_path / "faces").iterdir())) == 200


async def test_closing_gives_up_what_is_under_way(tmp_path: Path) -> None:
    begun = asyncio.Event()

    async def never(_request: httpx.Request) -> httpx.Response:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    pictures = AccountPictures(tmp_path, ServiceClient(BASE_URL, KEY, transport=httpx.MockTransport(never)))
    asked = asyncio.ensure_future(pictures.of(MINE))
    await begun.wait()
    await pictures.close()
    with pytest.raises(asyncio.CancelledError):
        await asked
