"""The media library can't be emptied by anything but a person who deletes files.

A real store and real databases: older, newer, new, damaged and restored ones are put in place of each other,
the folder of files is away, comes late or holds only a part, days pass, and the sweep runs at any time.
"""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID, uuid4

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sqlalchemy import Connection, select

from app.contract.media_kinds import KINDS
from app.database import Database, DatabaseError
from app.service.accounts.accounts import Caller, Plan, create_account
from app.service.media import rows
from app.service.media.files import QUARANTINE, LocalMediaStore
from app.service.media.intake import Keeper
from app.service.media.stores import Place
from app.service.media.sweep import Sweeper
from app.service.store.folder import DataFolder
from app.service.store.tables import accounts, connections, media, posts
from tests.service.media.samples import image
from tests.stores import service_store

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
PNG = image()
QUARANTINE_LASTS = timedelta(days=30)
REMOVALS_LAST = timedelta(days=89)
COPIES_MAX = 4
HOURS = (1, 5, 20, 25, 50, 8 * 24, 31 * 24, 45 * 24)


@dataclass
class Books:
    """What one database must know: its account, its stored files, those a post needs, and removals."""

    account: UUID
    made_at: datetime
    stored: dict[str, int] = field(default_factory=dict)
    needed: set[str] = field(default_factory=set)
    removed: dict[str, datetime] = field(default_factory=dict)
    is_restored: bool = False


class Library(RuleBasedStateMachine):
    """A data folder to which everything happens, beside a model of what persons stored and deleted."""

    def __init__(self) -> None:
        super().__init__()
        self._temporary = TemporaryDirectory()
        root = Path(self._temporary.name)
        self._folder = DataFolder(root / "data")
        self._media, self._away, self._hidden = self._folder.media, root / "away", root / "hidden"
        self._now = START
        self._database: Database | None = None
        self._contents: dict[str, bytes] = {}
        self._aside_since: dict[str, datetime] = {}
        self._deleted: set[str] = set()
        self._clock_was_wrong = False
        self._copies: list[tuple[bytes, Books]] = []

    @initialize(count=st.sampled_from((1, 8, 12)))
    def begin(self, count: int) -> None:
        self._start_anew()
        for _ in range(count):
            self._store()
        self._now += timedelta(days=2)
        self.copy_database()

    # What persons do.

    @precondition(lambda self: self._is_whole)
    @rule(count=st.integers(1, 3))
    def store(self, count: int) -> None:
        for _ in range(count):
            self._store()

    @precondition(lambda self: self._books.stored)
    @rule(data=st.data(), dies=st.booleans())
    def delete(self, data: st.DataObject, dies: bool) -> None:
        """``dies``: the process ends before the bytes are removed."""
        path = data.draw(st.sampled_from(list(self._books.stored)))
        result = self._opened.write_now(lambda opened: rows.delete_owned(opened, UUID(path[:36]), path))
        assert result.deleted is (path not in self._books.needed)
        if result.deleted:
            del self._books.stored[path]
            self._books.removed[path] = self._now
            self._deleted.add(path)
            if not dies:
                LocalMediaStore(self._media).remove(Place(path))

    @precondition(lambda self: self._books.stored)
    @rule(data=st.data())
    def plan(self, data: st.DataObject) -> None:
        """A post with a file that can be shown, as the service requires."""
        path = data.draw(st.sampled_from(list(self._books.stored)))
        if (self._media / path).exists() and path in self._stored_rows():
            self._opened.write_now(lambda opened: _plan(opened, UUID(path[:36]), path, self._now))
            self._books.needed.add(path)

    @rule()
    def cancel_posts(self) -> None:
        self._opened.write_now(lambda opened: opened.execute(posts.update().values(status="cancelled")))
        self._books.needed.clear()

    # What happens to the database.

    @rule()
    def copy_database(self) -> None:
        self._copies.append((self._database_file(), deepcopy(self._books)))
        self._copies = self._copies[-COPIES_MAX:]

    @precondition(lambda self: self._copies)
    @rule(data=st.data(), keeps=st.booleans(), restores=st.booleans())
    def put_copy_in_place(self, data: st.DataObject, keeps: bool, restores: bool) -> None:
        """``keeps``: so that the newer one may come back. ``restores``: as the app does it."""
        file, books = self._copies[data.draw(st.integers(0, len(self._copies) - 1))]
        if keeps:
            self.copy_database()
        self._put(file)
        self._books = deepcopy(books)
        self._books.is_restored = restores
        if restores:
            self._folder.restored.write_text(self._now.isoformat(), "ascii")
        else:
            self._folder.restored.unlink(missing_ok=True)

    @precondition(lambda self: self._is_whole)
    @rule(data=st.data(), count=st.integers(1, 3), restores=st.booleans(), comes_back=st.booleans())
    def work_with_an_older_database(
        self, data: st.DataObject, count: int, restores: bool, comes_back: bool
    ) -> None:
        """Files are newer than the database, for days; then the right one may be put in place."""
        self.store(count)
        self.put_copy_in_place(data, keeps=True, restores=restores)
        self.sweep_for_days()
        if comes_back:
            file, self._books = self._copies.pop()
            self._books.is_restored = False
            self._put(file)
            self._folder.restored.unlink(missing_ok=True)
            self.sweep()

    @rule()
    def move_database_away(self) -> None:
        self.copy_database()
        self._close()
        self._folder.database.unlink()
        self._folder.restored.unlink(missing_ok=True)
        self._start_anew()

    @rule(data=st.data(), head=st.booleans())
    def damage_database(self, data: st.DataObject, head: bool) -> None:
        """The sweep finds what is there, or nothing; then the database is whole again."""
        whole = self._database_file()
        # Neither file sizes nor the order of random paths may change what Hypothesis draws.
        page = 0 if head else 1 + data.draw(st.integers(0, 999)) % (len(whole) // 4096 - 1)
        damaged = bytearray(whole)
        damaged[page * 4096 : (page + 1) * 4096] = data.draw(st.sampled_from((b"\0", b"\xff"))) * 4096
        self._put(bytes(damaged), opened=False)
        with contextlib.suppress(DatabaseError):
            self._open()
            self._sweep()
        self._put(whole)

    # What happens to the files.

    @precondition(lambda self: self._is_whole)
    @rule(empty=st.booleans(), stays_away=st.sampled_from((False, False, False, True)))
    def take_store_away(self, empty: bool, stays_away: bool) -> None:
        """``empty``: the folder that something is mounted on stays."""
        self._media.rename(self._away)
        if empty:
            self._media.mkdir()
        self.sweep_for_days()
        if not stays_away:
            self.bring_store_back()

    @precondition(lambda self: self._away.exists())
    @rule()
    def bring_store_back(self) -> None:
        if self._media.exists():
            self._media.rmdir()
        self._away.rename(self._media)

    @precondition(lambda self: self._is_whole)
    @rule(data=st.data(), come_back=st.booleans())
    def hide_some_files(self, data: st.DataObject, come_back: bool) -> None:
        in_place = self._in_place()
        here = [path for path in self._contents if path in in_place]
        for path in data.draw(st.sets(st.sampled_from(here), min_size=1)) if here else ():
            _move(self._media / path, self._hidden / path)
        self.sweep_for_days()
        if come_back:
            self.show_hidden_files()
            self.sweep()

    @precondition(lambda self: not self._away.exists() and self._hidden.exists())
    @rule()
    def show_hidden_files(self) -> None:
        for file in _files(self._hidden):
            place = self._media / file.relative_to(self._hidden)
            if not place.exists():
                _move(file, place)

    # What happens by itself.

    @rule(hours=st.sampled_from(HOURS))
    def wait(self, hours: int) -> None:
        self._now += timedelta(hours=hours)

    @precondition(lambda self: not self._clock_was_wrong)
    @rule(hours=st.sampled_from(HOURS))
    def sweep_while_the_clock_is_wrong(self, hours: int) -> None:
        self._clock_was_wrong = True
        now, self._now = self._now, self._now + timedelta(hours=hours)
        self._sweep()
        self._now = now

    @rule()
    def sweep(self) -> None:
        in_place = self._in_place()
        self._sweep()
        if self._books.is_restored or self._now < self._books.made_at + timedelta(days=1):
            gone = in_place - self._in_place()
            assert gone <= set(self._books.removed)
        if self._is_whole:
            self._check_what_is_shown()

    @rule()
    def sweep_for_days(self) -> None:
        for _ in range(3):
            self._now += timedelta(days=1)
            self.sweep()

    # What must hold.

    @invariant()
    def no_file_is_gone_that_nobody_deleted(self) -> None:
        there = {path: file for path, file in self._everywhere() if path in self._contents}
        for path, content in list(self._contents.items()):
            if path in there:
                assert there[path].read_bytes() == content
            elif path in self._deleted:
                del self._contents[path]
            else:
                since = self._aside_since.get(path)
                assert since is not None, f"{path} is gone"
                assert self._now - since >= QUARANTINE_LASTS
                del self._contents[path]

    @invariant()
    def no_pending_post_loses_its_file(self) -> None:
        assert self._books.needed <= self._stored_rows()

    def _check_what_is_shown(self) -> None:
        """After a sweep over the whole store: rows, files and the quota agree."""
        stored = self._stored_rows()
        there = {path for path, _ in self._everywhere(self._media)}
        hidden = {path for path, _ in self._everywhere(self._hidden)}
        mine = {path for path in self._books.stored if path in there}
        assert mine <= stored <= set(self._books.stored)
        assert mine <= self._in_place() | hidden
        assert self._used() == sum(self._books.stored[path] for path in stored)
        for path, at in self._books.removed.items():
            if self._now - at < REMOVALS_LAST:
                assert path not in there, f"{path} is still there"

    def _sweep(self) -> None:
        sweeper = Sweeper(
            self._opened, LocalMediaStore(self._media), lambda: self._now, self._folder.restored_at
        )
        sweeper.sweep()
        aside = {path for path, _ in self._everywhere(self._media / QUARANTINE)}
        # One that is gone after its time was set aside until now; one that came back was not.
        kept = self._aside_since.keys() - (self._in_place() if self._is_whole else set())
        self._aside_since = {path: self._aside_since.get(path, self._now) for path in aside | kept}

    def _store(self) -> None:
        account, kind = self._books.account, KINDS[1]
        content = PNG + b"\0" * len(self._contents)
        until = self._now + timedelta(hours=2)

        def reserve(opened: Connection) -> str:
            rows.require_room(opened, account, len(content), self._now)
            return rows.reserve(opened, account, "a.png", kind, len(content), now=self._now, expires_at=until)

        async def pieces() -> AsyncIterator[bytes]:
            yield content

        path = self._opened.write_now(reserve)
        keeper = Keeper(self._opened, LocalMediaStore(self._media), lambda: self._now, lambda: None)
        asyncio.run(keeper.keep(Caller(self._books.account), path, pieces()))
        os.utime(self._media / path, (self._now.timestamp(), self._now.timestamp()))
        self._contents[path] = content
        self._books.stored[path] = len(content)

    @property
    def _opened(self) -> Database:
        assert self._database is not None
        return self._database

    @property
    def _is_whole(self) -> bool:
        return not self._away.exists()

    def _start_anew(self) -> None:
        self._open()
        account = self._opened.write_now(lambda opened: create_account(opened, "Ines", Plan.LOCAL, self._now))
        self._books = Books(account, self._now)

    def _open(self) -> None:
        self._database = service_store(self._folder.root)

    def _close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None
        for log in ("-wal", "-shm"):
            self._folder.database.with_name(f"service.db{log}").unlink(missing_ok=True)

    def _database_file(self) -> bytes:
        self._close()  # which empties the log into the file
        file = self._folder.database.read_bytes()
        self._open()
        return file

    def _put(self, file: bytes, *, opened: bool = True) -> None:
        self._close()
        self._folder.database.write_bytes(file)
        if opened:
            self._open()

    def _stored_rows(self) -> set[str]:
        stored = select(media.c.storage_path).where(media.c.expires_at.is_(None))
        return self._opened.read_now(lambda opened: set(opened.scalars(stored)))

    def _used(self) -> int:
        def work(opened: Connection) -> int:
            return sum(rows.stored_bytes(opened, one) for one in opened.scalars(select(accounts.c.id)))

        return self._opened.read_now(work)

    def _in_place(self) -> set[str]:
        return {path for path in self._contents if (self._media / path).exists()}

    def _everywhere(self, *roots: Path) -> Iterator[tuple[str, Path]]:
        """All files by their storage paths, wherever they are."""
        for root in roots or (self._media, self._away, self._hidden):
            for file in _files(root):
                yield "/".join(file.parts[-2:]), file

    def teardown(self) -> None:
        self._close()
        self._temporary.cleanup()


def _files(root: Path) -> list[Path]:
    return [file for file in root.rglob("*") if file.is_file()]


def _move(file: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    file.rename(to)


def _plan(opened: Connection, account: UUID, path: str, now: datetime) -> None:
    connection, at = uuid4(), {"created_at": now}
    who = {"account_id": account, "platform": "facebook"}
    opened.execute(
        connections.insert().values(
            id=connection,
            account_identifier=connection.hex,
            display_name="Robin",
            is_available=True,
            access_token=b"sealed",
            **who,
            **at,
        )
    )
    opened.execute(
        posts.insert().values(
            id=uuid4(),
            connection_id=connection,
            post_type="image",
            status="scheduled",
            media_storage_path=path,
            scheduled_at=now + timedelta(days=1),
            created_via="rest",
            **who,
            **at,
        )
    )


TestLibrary = Library.TestCase
TestLibrary.settings = settings(
    max_examples=settings().max_examples // 3, stateful_step_count=25, deadline=None
)
