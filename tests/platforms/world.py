"""The practice platforms as a program of their own, people who are connected there, and files."""

import asyncio
import base64
import hashlib
import html
import io
import itertools
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
from PIL import Image

from app.contract.enums import ConnectionPlatform, PostType
from app.contract.tiktok import TikTokChoice, TikTokPrivacy
from app.platforms.adapters import Adapter, ConsentAdapter
from app.platforms.base import (
    AppCredentials,
    Chunks,
    LookBack,
    Media,
    PlatformError,
    Profile,
    Publication,
    Published,
    TokenGrant,
)
from app.platforms.registry import build_adapters
from app.platforms.wire import Timeouts, Wire
from tests.practice.programs import press

APP = AppCredentials("practice-app", "practice-secret")
REDIRECT = "http://127.0.0.1:9/callback"
EVERYONE = TikTokChoice(privacy=TikTokPrivacy.EVERYONE)
_PATIENT = Timeouts(connect=10, read=20, total=30, first_look=0.1, last_look=20)
_HASTY = Timeouts(connect=10, read=1, total=3)
_persons = (f"adapter-{number}" for number in itertools.count())


@dataclass(frozen=True)
class Practice:
    """The running program, a client for its own pages, what carries the adapters' calls, and how Instagram is
    reached.
    """

    url: str
    http: httpx.Client
    wire: Callable[[], Wire] | None = None
    instagram_login: bool = False

    def run(self, platform: ConnectionPlatform, work: Callable[[Any], Awaitable[Any]]) -> Any:
        return self._run(platform, work, _PATIENT)

    def lose(self, platform: ConnectionPlatform, post: Publication, *, comes: bool = True) -> PlatformError:
        """Publishes while the platform accepts the post and never answers.

        The post is there afterwards, unless it never ``comes``.
        """
        before = len(self.ledger(post.account_identifier))
        self.order(platform, "publish", "timeout_after_accept")
        with pytest.raises(PlatformError) as caught:
            self._run(platform, lambda adapter: adapter.publish(post), _HASTY)
        end = time.monotonic() + 30
        while comes and len(self.ledger(post.account_identifier)) == before:
            assert time.monotonic() < end, "it was never accepted"
            time.sleep(0.02)
        return caught.value

    def _run(
        self, platform: ConnectionPlatform, work: Callable[[Any], Awaitable[Any]], timeouts: Timeouts
    ) -> Any:
        async def main() -> Any:
            wire = self.wire() if self.wire else None
            async with build_adapters(
                self.url,
                timeouts=timeouts,
                wire=wire,
                instagram_login=self.instagram_login,
            ) as adapters:
                return await work(adapters[platform])

        return asyncio.run(main())

    def fail(
        self,
        platform: ConnectionPlatform,
        work: Callable[[Any], Awaitable[Any]],
        *,
        hasty: bool = False,
    ) -> PlatformError:
        with pytest.raises(PlatformError) as caught:
            self._run(platform, work, _HASTY if hasty else _PATIENT)
        return caught.value

    def order(self, platform: ConnectionPlatform, operation: str, kind: str, **more: object) -> None:
        fault = {"platform": platform.value, "operation": operation, "kind": kind, **more}
        assert self.http.post("/faults", json=fault).status_code == 201

    def edit(self, platform: ConnectionPlatform, content_id: str, **changes: str) -> None:
        """Edits a post as its author does on the platform."""
        answer = self.http.patch(f"/ledger/{platform.value}/{content_id}", json=changes)
        assert answer.status_code == 200

    def shows(self, seen: LookBack | PlatformError, post: Publication) -> dict[str, Any]:
        """The ledger's entry of the one item that was found, whose address leads to the post."""
        item = seen.existing if isinstance(seen, PlatformError) else seen.item
        assert item is not None
        assert item.url is not None
        page = self.http.get(item.url, follow_redirects=True)
        assert post.text in html.unescape(page.text)
        [entry] = [
            one for one in self.ledger(post.account_identifier) if one["content_id"] == item.content_id
        ]
        return entry

    def ledger(self, account: str) -> list[dict[str, Any]]:
        entries = self.http.get("/ledger").json()["data"]
        return [entry for entry in entries if entry["account_identifier"] == account]


@dataclass(frozen=True)
class Member:
    """A person who has allowed the program, the first account that this gave, and those after it."""

    platform: ConnectionPlatform
    consent: TokenGrant
    profile: Profile
    others: tuple[Profile, ...] = ()

    @property
    def grant(self) -> TokenGrant:
        return self.profile.grant or self.consent

    def post(self, text: str) -> Publication:
        return Publication(
            account_identifier=self.profile.account_identifier,
            username=self.profile.username,
            access_token=self.grant.access_token,
            post_type=PostType.TEXT,
            title=None,
            text=text,
            tiktok=EVERYONE if self.platform is ConnectionPlatform.TIKTOK else None,
        )

    def with_file(self, text: str, media: Media, **more: object) -> Publication:
        kind = PostType.VIDEO if media.content_type.startswith("video/") else PostType.IMAGE
        return replace(self.post(text), post_type=kind, media=media, **more)  # type: ignore[arg-type]  # any field


@contextmanager
def program(data: Path, *options: str) -> Iterator[str]:
    """Runs ``python -m app.practice`` and gives its address."""
    command = [sys.executable, "-m", "app.practice", "serve", "--data", str(data), *options]
    command.append("--exit-with-parent")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["base_url"]
        finally:
            process.kill()


def connect(
    practice: Practice, platform: ConnectionPlatform, picked: int | None = None, app: AppCredentials = APP
) -> Member:
    """Walks through the consent page as a browser does; ``picked`` leaves one box checked."""
    verifier = "v" * 64
    digest = hashlib.sha256(verifier.encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

    async def address(adapter: ConsentAdapter) -> str:
        return adapter.authorization_url(
            app, redirect_uri=REDIRECT, state="the state", code_challenge=challenge
        )

    asked = urlsplit(practice.run(platform, address))
    query = dict(parse_qsl(asked.query)) | {"account": next(_persons)}
    answer = press(practice.http, asked.path, query, picked=picked)
    assert answer["state"] == "the state"
    grant = practice.run(
        platform,
        lambda adapter: adapter.exchange_code(
            app, redirect_uri=REDIRECT, code=answer["code"], code_verifier=verifier
        ),
    )
    profile, *others = practice.run(platform, lambda adapter: adapter.profiles(grant.access_token))
    return Member(platform, grant, profile, tuple(others))


async def published(adapter: Adapter, post: Publication) -> Published:
    """Publishes a post, which doesn't go to an inbox."""
    item = await adapter.publish(post)
    assert isinstance(item, Published)
    return item


def media(content: bytes, content_type: str, **more: Any) -> Media:
    """A file that is read in small uneven pieces."""

    @asynccontextmanager
    async def opened(first: int) -> AsyncIterator[Chunks]:
        async def chunks() -> Chunks:
            for start in range(first, len(content), 70_001):
                yield content[start : start + 70_001]

        yield chunks()

    digest = hashlib.sha256(content).hexdigest()
    return Media(len(content), content_type, digest, opened, **more)


def picture(kind: str = "JPEG", width: int = 640, height: int = 480, **more: Any) -> Media:
    """A picture of noise."""
    noise = _noise(width * height * 3)
    file = io.BytesIO()
    Image.frombytes("RGB", (width, height), noise).save(file, kind)
    about = {"width": width, "height": height, **more}
    return media(file.getvalue(), f"image/{kind.lower()}", **about)


async def still(ms: int) -> bytes:
    """What a made-up video shows at a moment."""
    file = io.BytesIO()
    Image.new("RGB", (64, 36), (ms % 256, 0, 0)).save(file, "JPEG")
    return file.getvalue()


def video(size: int = 300_000, width: int = 1280, height: int = 720, **more: Any) -> Media:
    """Bytes that begin as an MP4 file does, and a picture for every moment."""
    start = b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"
    content = start + _noise(size - len(start))
    about = {"width": width, "height": height, "duration_ms": 12_000, "picture_at": still, **more}
    return media(content, "video/mp4", **about)


def _noise(size: int) -> bytes:
    """Bytes that repeat after a prime number, so that no part of a file is like another."""
    piece = hashlib.shake_128(str(size).encode()).digest(min(size, 1_000_003))
    return (piece * (size // len(piece) + 1))[:size]
