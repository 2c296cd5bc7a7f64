"""What a world begins with: a store and practice platforms with connected accounts, made once and copied."""

import asyncio
import atexit
import io
import random
import shutil
import struct
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Final
from uuid import UUID

from PIL import Image
from sqlalchemy import Connection, insert, update

from app.contract.enums import ConnectionPlatform, PostingPlatform
from app.contract.tiktok import TikTokChoice
from app.database.dialects import sqlite_engine
from app.platforms.adapters import (
    BoardAdapter,
    ConsentAdapter,
    CreatorAdapter,
    PasswordAdapter,
    ServerAdapter,
)
from app.platforms.base import AppCredentials, Profile, TokenGrant
from app.platforms.registry import PlatformAdapters, build_adapters
from app.practice.desk import Desk
from app.practice.grants import Consent
from app.practice.identities import Identity
from app.practice.platforms import PLATFORMS
from app.practice.server import create_app
from app.practice.settings import Settings
from app.service.connections.rows import ConnectionWriter
from app.service.inbox import choose
from app.service.media.files import LocalMediaStore
from app.service.store.folder import MIGRATIONS
from app.service.store.seal import KEY_BYTES, Seal
from app.service.store.tables import accounts, connections, media
from tests.migrated import lay
from tests.simulation.faults import Faults
from tests.simulation.lives import Life, WorldClock
from tests.simulation.loop import SimulatedLoop, simulate
from tests.simulation.outside import PRACTICE, Platforms, SimulatedWire

CREDENTIALS: Final = AppCredentials(client_id="simulated", client_secret="simulated")
SEAL: Final = Seal(bytes(KEY_BYTES))
ACCOUNT: Final = UUID(int=1)
STORE: Final = "service.db"
PICTURE: Final = f"{ACCOUNT}/picture.png"
PHOTO: Final = f"{ACCOUNT}/photo.jpg"
"""A JPEG: Instagram takes no other pictures."""
VIDEO: Final = f"{ACCOUNT}/video.mp4"
LONG_VIDEO: Final = f"{ACCOUNT}/long.mp4"
"""So large that platforms which take files in chunks are sent several."""

BLUESKY: Final = PostingPlatform("bluesky")
MASTODON: Final = PostingPlatform("mastodon")
BY_HAND: Final = (PostingPlatform("threads-by-hand"), PostingPlatform("linkedin-by-hand"))
"""Accounts that nothing is connected to: their users publish, and report it."""
SERVERS: Final = ("wool.example", "gotosocial.example")
"""Of Mastodon accounts in turn: the first recognizes a repeated key, the second doesn't."""
_BACK: Final = "https://a.example/"
_APP_PASSWORD: Final = "abcd-efgh-2345-6789"
_PEOPLE: Final = ("robin-marsh", "kei-tanaka", "ines-duarte", "tomasz-wolny", "ada-quist", "noor-haddad")
ACCOUNTS: Final = len(_PEOPLE)
"""Of each platform."""
DIRECT_ACCOUNTS: Final = 3
"""The first TikTok accounts publish directly, the others to their users' inboxes."""
_INBOX_FILES: Final = 1_000
"""From which number on the files of posts to inboxes are counted."""
_LONG_BYTES: Final = 11 * 1024 * 1024
_ORGANIZATIONS: Final = 3
"""The first LinkedIn accounts are members, these last ones organizations."""
PLATFORMS_USED: Final = (
    PostingPlatform.X,
    PostingPlatform.LINKEDIN,
    PostingPlatform.FACEBOOK,
    PostingPlatform.PINTEREST,
    PostingPlatform.INSTAGRAM,
    PostingPlatform.TIKTOK,
    PostingPlatform.YOUTUBE,
    BLUESKY,
    MASTODON,
    *BY_HAND,
)


@dataclass(frozen=True)
class Account:
    """A connected account; ``board_id`` where posts go to boards."""

    id: UUID
    board_id: str | None = None


@dataclass(frozen=True)
class Ground:
    """A folder to be copied, and the accounts in it."""

    folder: Path
    accounts: Mapping[PostingPlatform, tuple[Account, ...]]

    def copy_to(self, folder: Path) -> None:
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)


@cache
def ground() -> Ground:
    """The same for every world of this process."""
    folder = Path(tempfile.mkdtemp(prefix="simulated-", dir=fast_folder()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Ground(folder, simulate(lambda loop: _connect_all(loop, folder)))


def fast_folder() -> str | None:
    """A folder in memory, where there is one."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108  its own folder is made there


async def _connect_all(loop: SimulatedLoop, folder: Path) -> Mapping[PostingPlatform, tuple[Account, ...]]:
    clock = WorldClock(loop)
    settings = practice_settings(folder, clock)
    app, desk = create_app(settings), Desk.open(settings)
    life = Life("ground", clock, timedelta(), lambda: None)
    platforms = Platforms(app, clock, lambda *_: None)
    wire = SimulatedWire(platforms, life, Faults(0, {}), random.Random(0), lambda *_: None)  # noqa: S311
    adapters = build_adapters(PRACTICE, wire=wire, clock=clock.now)
    lay(folder / STORE, MIGRATIONS)
    engine = sqlite_engine(folder / STORE)
    with engine.begin() as rows:
        rows.execute(insert(accounts).values(
            id=ACCOUNT, name="A", plan="local", status="active", created_at=clock.now()
        ))  # fmt: skip
        _add_files(rows, folder, clock)
        found: dict[PostingPlatform, tuple[Account, ...]] = {}
        for platform in PLATFORMS_USED:
            connect = _Connecting(desk, adapters, rows, clock)
            found[platform] = tuple(
                [await connect(platform, number, UUID(int=100 * len(found) + number + 2))
                 for number in range(ACCOUNTS)]
            )  # fmt: skip
    engine.dispose()
    desk.store.close()
    async with app.router.lifespan_context(app):
        await asyncio.sleep(0)
    return found


def practice_settings(
    folder: Path, clock: WorldClock, list_lag_s: float = 0.0, processing_s: float = 0.3
) -> Settings:
    return Settings(
        folder / "practice",
        list_lag_s=list_lag_s,
        processing_s=processing_s,
        duplicate_window_s=600.0,
        clock=clock.seconds,
    )


@dataclass(frozen=True)
class _Connecting:
    """Connects accounts as the flow does, without a browser."""

    desk: Desk
    adapters: PlatformAdapters
    rows: Connection
    clock: WorldClock

    async def __call__(self, name: PostingPlatform, number: int, connection_id: UUID) -> Account:
        platform, person = ConnectionPlatform(name), _PEOPLE[number]
        if name in BY_HAND:
            profile = Profile(person, display_name=person, username=person)
            self._store(platform, connection_id, profile, TokenGrant("", None, None))
            return Account(connection_id)
        adapter = self.adapters[platform]
        if isinstance(adapter, PasswordAdapter):
            grant = await adapter.sign_in(person, _APP_PASSWORD)
        else:
            assert isinstance(adapter, ConsentAdapter)
            app = CREDENTIALS
            if isinstance(adapter, ServerAdapter):
                server = await adapter.server_of(SERVERS[number % len(SERVERS)])
                app = await adapter.register(server, _BACK)
            grant = await self._allow(adapter, app, person)
        profiles = await adapter.profiles(grant.access_token)
        is_last = number >= ACCOUNTS - _ORGANIZATIONS
        profile = profiles[-1 if is_last and name is PostingPlatform.LINKEDIN else 0]
        kept: TokenGrant = profile.grant or grant
        self._store(platform, connection_id, profile, kept)
        board = None
        if isinstance(adapter, BoardAdapter):
            board = (await adapter.boards(kept.access_token, page_size=1, bookmark=None)).boards[0].id
        if isinstance(adapter, CreatorAdapter):
            audience = (await adapter.creator(kept.access_token)).privacy_levels[0]
            choice = TikTokChoice(privacy=audience).model_dump(mode="json")
            own = connections.c.id == connection_id
            self.rows.execute(update(connections).where(own).values(tiktok=choice))
            choose(self.rows, connection_id, number >= DIRECT_ACCOUNTS)
        return Account(connection_id, board)

    def _store(
        self, platform: ConnectionPlatform, connection_id: UUID, profile: Profile, grant: TokenGrant
    ) -> None:
        writer = ConnectionWriter(SEAL, self.clock.now, practice=True)
        writer.store(self.rows, ACCOUNT, platform, connection_id, profile, grant)

    async def _allow(self, adapter: ConsentAdapter, app: AppCredentials, person: str) -> TokenGrant:
        """What a consent gives access to."""
        name = adapter.platform.value
        there = next(kind for kind in PLATFORMS if kind.name == name)(self.desk)
        identity = Identity.of(name, person)
        pages = [choice.id for choice in there.choices(identity)][:1]
        consent = Consent(
            identity, there.identifier(identity), app.client_id, _BACK,
            frozenset(filter(None, (*there.scopes, there.rules.refresh_scope))), "", frozenset(pages),
        )  # fmt: skip
        code = self.desk.grants.open_code(there.rules, consent)
        return await adapter.exchange_code(app, redirect_uri=_BACK, code=code, code_verifier="")


def inbox_video(number: int) -> str:
    """The path of a video that goes to an inbox, where nothing but its bytes tells which post it is."""
    return f"{ACCOUNT}/inbox-{number}.mp4"


def add_inbox_video(rows: Connection, store: LocalMediaStore, number: int, now: datetime) -> str:
    """Add a video of its own for a post, and return its hash."""
    content = _mp4(f"post {number}".encode())
    return _add_file(rows, store, _INBOX_FILES + number, inbox_video(number), "video/mp4", content, now)


def _add_files(rows: Connection, folder: Path, clock: WorldClock) -> None:
    store = LocalMediaStore(folder / "media")
    chance = random.Random(0)  # noqa: S311  bytes that no compression helps
    for number, (path, content_type, content) in enumerate(
        (
            (PICTURE, "image/png", _png()),
            (VIDEO, "video/mp4", _mp4(chance.randbytes(200_000))),
            (LONG_VIDEO, "video/mp4", _mp4(chance.randbytes(_LONG_BYTES))),
            (PHOTO, "image/jpeg", _jpeg()),
        ),
        start=1,
    ):
        _add_file(rows, store, number, path, content_type, content, clock.now())


def _add_file(
    rows: Connection,
    store: LocalMediaStore,
    number: int,
    path: str,
    content_type: str,
    content: bytes,
    now: datetime,
) -> str:
    """Store a file, and return its hash."""
    kind = content_type.partition("/")[0]
    incoming = store.begin(path)
    incoming.write(content)
    sha256 = incoming.finish()
    incoming.keep(path)
    rows.execute(insert(media).values(
        id=UUID(int=number),
        account_id=ACCOUNT,
        storage_path=path,
        kind=kind,
        content_type=content_type,
        size_bytes=len(content),
        sha256=sha256,
        width=400 if kind == "image" else 1080,
        height=400 if kind == "image" else 1920,
        created_at=now,
        **({"duration_ms": 12_000, "video_codec": "h264"} if kind == "video" else {}),
    ))  # fmt: skip
    return sha256


def _mp4(content: bytes) -> bytes:
    """What nobody can play, but everybody takes for a video by its beginning."""
    head = struct.pack(">I4s4sI4s4s", 24, b"ftyp", b"isom", 512, b"isom", b"mp42")
    return head + struct.pack(">I4s", len(content) + 8, b"mdat") + content


def _jpeg() -> bytes:
    """The same square as ``_png``."""
    written = io.BytesIO()
    Image.new("L", (400, 400)).save(written, "JPEG")
    return written.getvalue()


def _png() -> bytes:
    """A grey square of 400 pixels."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        checked = kind + content
        return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))

    head = struct.pack(">IIBBBBB", 400, 400, 8, 0, 0, 0, 0)
    lines = zlib.compress((b"\0" + bytes(400)) * 400)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", lines) + chunk(b"IEND", b"")
