"""Moving a calendar to a server and back, with real services and practice platforms."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from app.client import ServiceClient
from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.contract.media import RequestUploadUrl
from app.workspace.homes import Home, Homes
from app.workspace.homes.certificates import presented_certificate, ssl_context
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.moving.messages import MoveProgress
from app.workspace.homes.moving.move import Move
from app.workspace.homes.moving.note import Direction, MoveNote, pending_move
from app.workspace.homes.visit import Visit, Visits
from app.workspace.messages import Problem
from app.workspace.posts.new import NewPost
from tests.workspace.opened import until
from tests.workspace.programs import consent, enrol, follow, program

PNG = b"\x89PNG\r\n\x1a\n" + bytes(300_000)
HOUR = 3_600_000


def now() -> int:
    return time.time_ns() // 1_000_000


def quiet(_text: object) -> None:
    """Nobody looks at the progress."""


@dataclass
class Server:
    """A service elsewhere, with a key of an empty account."""

    base_url: str
    key: str

    async def note(self) -> MoveNote:
        shown = await presented_certificate(self.base_url)
        return MoveNote(direction=Direction.THERE, base_url=self.base_url, pinned_certificate=shown.pem)


@dataclass
class Owner:
    """A person's computer with one practice calendar, and an account connected in it."""

    data: Path
    home: Home
    keys: list[str] = field(default_factory=list)

    @property
    def visits(self) -> Visits:
        return Visits(Homes(self.data), Credentials(self.data))

    def move(self) -> Move:
        visits = self.visits
        return Move(visits.homes, Credentials(self.data), visits.network, self.home)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Visit]:
        visit = await self.visits.open(self.home, quiet)
        try:
            if visit.starting is not None:
                await visit.starting
            self.home = Homes(self.data).all()[0]
            await until(lambda: visit.workspace.sync.connected, patience=60)
            yield visit
        finally:
            await visit.leave()

    async def plan(self, visit: Visit, text: str, at: int, path: str = "") -> None:
        kind = PostType.IMAGE if path else PostType.TEXT
        account = next(iter(visit.workspace.accounts))
        new = NewPost(account, PostingPlatform.LINKEDIN, kind, text, at=at, media_storage_path=path)
        self.keys += visit.workspace.plan([new])
        await until(lambda: visit.workspace.sync.waiting == 0)

    def texts(self, visit: Visit, *, published: bool = True) -> list[str]:
        """The texts of all posts, or of those that weren't published."""
        posts = [post for key in self.keys if (post := visit.workspace.posts.get(key))]
        return sorted(post.headline for post in posts if published or not post.published)


async def owner_of(data: Path) -> Owner:
    """Starts a practice calendar, with a connected account, a file, a draft and a post far ahead."""
    visits = Visits(Homes(data), Credentials(data))
    visit = await visits.begin_here(practice=True, progress=quiet)
    owner = Owner(data, Homes(data).all()[0])
    try:
        await until(lambda: visit.workspace.sync.connected, patience=60)
        flow = await visit.workspace.flows.begin(ConnectionPlatform.LINKEDIN)
        await asyncio.to_thread(lambda: follow(consent(flow.url, "allow")))
        await flow.account()
        key = await Credentials(data).find(owner.home.id)
        assert key
        picture = data / "picture.png"
        picture.write_bytes(PNG)
        client = ServiceClient(owner.home.base_url, key, ssl_context=ssl_context(owner.home))
        asked = RequestUploadUrl(filename="picture.png", content_type="image/png", size_bytes=len(PNG))
        link = await client.media.request_upload(asked)
        await client.media.upload(link, picture, "image/png")
        await client.close()
        await owner.plan(visit, "far", now() + HOUR)
        await owner.plan(visit, "picture", now() + 2 * HOUR, link.storage_path)
    finally:
        await visit.leave()
    return owner


@contextmanager
def practice(owner: Owner) -> Iterator[str]:
    """The practice platforms of the calendar, while its own service doesn't run."""
    folder = owner.data / "homes" / str(owner.home.id) / "practice"
    where = ("--data", folder, "--port", str(owner.home.practice_port))
    with program(owner.data / "practice.log", "app.practice", "serve", *where) as ready:
        yield ready["base_url"]


@contextmanager
def server(data: Path, practice_url: str, before: Server | None = None) -> Iterator[Server]:
    """A service elsewhere; with ``before``, the same one again."""
    data.mkdir(exist_ok=True)
    (data / "service.toml").write_text("[moving]\ntokens_may_leave = true\n")
    key = before.key if before else enrol(data)[1]
    port = str(urlsplit(before.base_url).port) if before else "0"
    arguments = ("app.service", "serve", "--data", data, "--practice-url", practice_url, "--port", port)
    with program(data / "service.log", *arguments) as ready:
        yield Server(ready["base_url"], key)


def published(practice_url: str) -> list[str]:
    entries = httpx.get(f"{practice_url}/ledger", trust_env=False).json()["data"]
    return sorted(entry["text"] for entry in entries)


async def test_a_calendar_moves_to_a_server_and_back(tmp_path: Path) -> None:
    owner = await owner_of(tmp_path / "app")
    async with owner.opened() as visit:
        await owner.plan(visit, "due on the way", now() + 8_000)
    with practice(owner) as practice_url, server(tmp_path / "server", practice_url) as there:
        move = owner.move()
        await move.begin(await there.note(), there.key)
        owner.home = await move.run(quiet)
        assert (owner.home.is_embedded, owner.home.base_url) == (False, there.base_url)
        assert pending_move(Homes(owner.data), owner.home) is None
        async with owner.opened() as visit:
            assert owner.texts(visit) == ["due on the way", "far", "picture"]
            await until(lambda: published(practice_url) == ["due on the way"], patience=60)
            await owner.plan(visit, "due on the way back", now() + 6_000)
        back = owner.move()
        await back.begin(MoveNote(**{**(await there.note()).model_dump(), "direction": Direction.BACK}))
        owner.home = await back.run(quiet)
        assert owner.home.is_embedded
        before = published(practice_url)
    async with owner.opened() as visit:
        assert owner.texts(visit) == ["due on the way", "due on the way back", "far", "picture"]
        url = f"http://127.0.0.1:{owner.home.practice_port}"
        assert before in (["due on the way"], ["due on the way", "due on the way back"])
        await until(lambda: published(url) == ["due on the way", "due on the way back"], patience=60)
        await until(lambda: owner.texts(visit, published=False) == ["far", "picture"], patience=60)


async def _interrupted(move: Move, tell_at: int | str) -> Home | None:
    """Runs a move until it has told ``tell_at`` things, or this; None if it was stopped then."""
    count = 0
    running: asyncio.Task[Home]

    def tell(progress: MoveProgress) -> None:
        nonlocal count
        count += 1
        if tell_at in {count, progress.text}:
            running.cancel()

    running = asyncio.create_task(move.run(tell))
    try:
        return await running
    except asyncio.CancelledError:
        return None


@pytest.mark.variation
async def test_an_interrupted_move_continues_or_is_cancelled(tmp_path: Path) -> None:
    owner = await owner_of(tmp_path / "app")
    with practice(owner) as practice_url:
        with server(tmp_path / "server", practice_url) as there:
            move = owner.move()
            await move.begin(await there.note(), there.key)
            with pytest.raises(Problem, match="is being moved already"):
                await move.begin(await there.note(), there.key)
            with pytest.raises(Problem, match="is being moved already"):
                await owner.visits.forget(owner.home)
            for tell_at in (1, 2, 3):
                assert await _interrupted(owner.move(), tell_at) is None
        with pytest.raises(Problem, match="No response from"):
            await owner.move().run(quiet)
        note = owner.data / "homes" / str(owner.home.id) / "moving.json"
        kept = note.read_bytes()
        note.write_bytes(kept.replace(b'"is_importing": false', b'"is_importing": true'))
        with pytest.raises(Problem, match="must respond before the move can be cancelled"):
            await owner.move().cancel(quiet)
        note.write_bytes(kept)
        await owner.move().cancel(quiet)
        assert pending_move(Homes(owner.data), owner.home) is None
    async with owner.opened() as visit:
        assert owner.texts(visit) == ["far", "picture"]
        await owner.plan(visit, "still here", now() + 2_000)
        url = f"http://127.0.0.1:{owner.home.practice_port}"
        await until(lambda: published(url) == ["still here"], patience=60)
    with practice(owner) as practice_url, server(tmp_path / "server", practice_url, there):
        await owner.move().begin(await there.note(), there.key)
        for tell_at in (2, 4):
            assert await _interrupted(owner.move(), tell_at) is None
        is_importing = "The server is unpacking the calendar"
        assert await _interrupted(owner.move(), is_importing) is None
        owner.home = await owner.move().run(quiet)
        async with owner.opened() as visit:
            assert owner.texts(visit) == ["far", "picture", "still here"]
        assert published(practice_url) == ["still here"]
