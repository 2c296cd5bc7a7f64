"""The store of files and the database of one simulated program, used from threads."""

import os
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from app.database import DiskFullError
from app.database.committer import Work
from app.service.media.files import PART_SUFFIX, LocalMediaStore
from app.service.media.stores import Chunks, Incoming, Place
from tests.simulation.faults import Faults, Kind, Site
from tests.simulation.lives import Life
from tests.simulation.media.threads import pause
from tests.simulation.store import SimulatedDatabase

T = TypeVar("T")


class ThreadedDatabase(SimulatedDatabase):
    """Also for callers in threads."""

    def read_now(self, work: Work[T]) -> T:
        wait_until_awake(self._life)
        return super().read_now(work)

    def write_now(self, work: Work[T]) -> T:
        wait_until_awake(self._life)
        fault = self._faults.at(Site.WRITE)
        if fault is None:
            result = self._commit(work)
        else:
            self._note(self._life.name, fault.kind)
            result = self._spoilt(work, fault)
        wait_until_awake(self._life)
        return result


def wait_until_awake(life: Life) -> None:
    """In a thread: returns when the program goes on. Raises DeathError when it is dead."""
    life.must_live()
    while (left := life.still_for) > 0:
        pause(left)
        life.must_live()


class ShakyStore:
    """The real store in a folder, slow and with failures; what it writes has the machine's time.

    ``is_away``: it is not mounted, so that nothing can be taken in. ``begun`` gets all that was begun: a real
    death would close its files. ``count`` gets what sweeps do.
    """

    def __init__(
        self,
        real: LocalMediaStore,
        life: Life,
        faults: Faults,
        delays: random.Random,
        note: Callable[..., None],
        is_away: Callable[[], bool],
        begun: list[Incoming],
        count: Counter[str],
    ) -> None:
        self._real = real
        self._life = life
        self._faults = faults
        self._delays = delays
        self._note = note
        self._is_away = is_away
        self._begun = begun
        self._count = count

    def begin(self, storage_path: str) -> Incoming:
        with self.step("begin"):
            self.require_mounted()
            final = self._real.locate(storage_path)
            before = set(_parts(final))
            incoming = self._real.begin(storage_path)
            self._begun.append(incoming)
            [part] = set(_parts(final)) - before
            self.touch(part)
            return ShakyIncoming(self, incoming, part)

    def file(self, place: Place) -> Path:
        return self._real.file(place)

    @asynccontextmanager
    async def open_at(self, place: Place, first: int, size: int | None = None) -> AsyncIterator[Chunks]:
        async with self._real.open_at(place, first, size) as chunks:
            yield chunks

    @contextmanager
    def lent(self, place: Place) -> Iterator[Path]:
        with self.step("lent"), self._real.lent(place) as path:
            yield path

    def link(self, place: Place, content_type: str, lifetime: timedelta, name: str = "") -> None:
        """Nothing but the service shows these files."""

    def remove(self, place: Place) -> None:
        with self.step("remove"):
            self._real.remove(place)

    def held(self, now: datetime) -> Iterator[tuple[Place, bool]]:
        """One folder is read after the other; files come and go meanwhile."""
        with self.step("held"):
            found = sorted(self._real.held(now), key=lambda one: one[0].storage_path)
        pause(0.01)
        yield from found
        with self.step("held"):  # a listing may also fail at its end
            return

    def missing(self, places: Sequence[Place]) -> list[Place]:
        with self.step("missing"):
            return self._real.missing(places)

    def set_aside(self, place: Place, now: datetime) -> None:
        with self.step("set aside"):
            self._real.set_aside(place, now)
            self._count["set aside"] += 1

    def in_quarantine(self) -> Iterator[tuple[Place, date]]:
        with self.step("in quarantine"):
            found = sorted(self._real.in_quarantine(), key=lambda one: (one[0].storage_path, one[1]))
        yield from found

    def take_back(self, place: Place) -> bool:
        with self.step("take back"):
            is_back = self._real.take_back(place)
            self._count["undone"] += is_back
            return is_back

    def purge(self, place: Place, day: date) -> None:
        with self.step("purge"):
            self._real.purge(place, day)
            self._count["purged"] += 1

    def clear_parts(self, now: datetime) -> int:
        with self.step("clear parts"):
            cleared = self._real.clear_parts(now)
            self._count["parts cleared"] += cleared
            return cleared

    def require_mounted(self) -> None:
        """Raises OSError while the store is away."""
        if self._is_away():
            raise OSError(None, "the store is not mounted")

    def touch(self, file: Path) -> None:
        """Gives a file the time of the machine that wrote it."""
        at = self._life.machine().timestamp()
        os.utime(file, (at, at))

    @contextmanager
    def step(self, name: str, *, is_quick: bool = False) -> Iterator[None]:
        """Something that takes time, may fail before or after it is done, and may be the last thing."""
        self._life.must_live()
        if not is_quick:
            pause(0.001 + 0.03 * self._delays.random())
            wait_until_awake(self._life)
        fault = self._faults.at(Site.CALL)
        if fault is not None:
            self._note(self._life.name, name, fault.kind)
        match fault.kind if fault is not None else None:
            case Kind.DIE_BEFORE_CALL:
                self._life.perish()
            case Kind.UNREACHABLE:
                raise OSError(None, "the store can't be reached")
            case Kind.ERROR_503:
                raise DiskFullError("The disk is full.")
            case Kind.SLOW if fault is not None and not is_quick:
                pause(fault.between(1, 50))
            case Kind.STALL_IN_CALL if fault is not None:
                self._life.stand_still(fault.between(5, 200))
        yield
        if fault is not None and fault.kind is Kind.DIE_AFTER_CALL:
            self._life.perish()
        if fault is not None and fault.kind is Kind.CUT_AFTER:
            raise OSError(None, "the answer was lost")
        if not is_quick:
            wait_until_awake(self._life)


class ShakyIncoming:
    """Bytes on their way, step by step."""

    def __init__(self, store: ShakyStore, real: Incoming, part: Path) -> None:
        self._store = store
        self._real = real
        self._part = part

    @property
    def size(self) -> int:
        return self._real.size

    def write(self, chunk: bytes | bytearray) -> None:
        with self._store.step("write"):
            # Also because a part that was moved away would get the time of the real machine.
            self._store.require_mounted()
            self._real.write(chunk)
            if self._part.exists():
                self._store.touch(self._part)

    def finish(self) -> str:
        with self._store.step("finish"):
            return self._real.finish()

    def keep(self, storage_path: str) -> Place:
        # In a transaction, so nothing may wait.
        with self._store.step("keep", is_quick=True):
            return self._real.keep(storage_path)

    def abandon(self) -> None:
        with self._store.step("abandon"):
            self._real.abandon()


def _parts(final: Path) -> list[Path]:
    return list(final.parent.glob(f"{final.name}.*{PART_SUFFIX}"))
