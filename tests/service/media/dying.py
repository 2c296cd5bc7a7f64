"""``python -m tests.service.media.dying DATA STEP``: takes in or removes a file, and is gone in the middle.

Works with the real parts on a store that ends the process, as a power cut would, at the step that is named.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Final

from app.contract.media_kinds import KINDS
from app.database import Database
from app.service.accounts.accounts import Caller, Plan, create_account
from app.service.clock import system_clock
from app.service.media import rows
from app.service.media.files import LocalMediaStore
from app.service.media.intake import Keeper
from app.service.media.stores import Incoming, Place
from app.service.store.folder import DataFolder
from tests.service.media.samples import image

DIED: Final = 77
UPLOAD_STEPS: Final = ("begun", "written", "finished", "kept", "stored")
REMOVAL_STEPS: Final = ("row removed", "file removed")


class Dying(LocalMediaStore):
    """A store that ends the process once a step is done."""

    def __init__(self, root: Path, step: str) -> None:
        super().__init__(root)
        self._step = step

    def pass_step(self, step: str) -> None:
        if step == self._step:
            os._exit(DIED)

    def begin(self, storage_path: str) -> Incoming:  # type: ignore[override]  # what it gives dies as well
        return DyingIncoming(self, super().begin(storage_path))

    def remove(self, place: Place) -> None:
        self.pass_step("row removed")
        super().remove(place)
        self.pass_step("file removed")


class DyingIncoming:
    """Passes everything on, and the steps to the store."""

    def __init__(self, store: Dying, incoming: Incoming) -> None:
        self._store = store
        self._incoming = incoming
        store.pass_step("begun")

    @property
    def size(self) -> int:
        return self._incoming.size

    def write(self, chunk: bytes | bytearray) -> None:
        self._incoming.write(chunk)
        self._store.pass_step("written")

    def finish(self) -> str:
        digest = self._incoming.finish()
        self._store.pass_step("finished")
        return digest

    def keep(self, storage_path: str) -> Place:
        place = self._incoming.keep(storage_path)
        self._store.pass_step("kept")
        return place

    def abandon(self) -> None:
        self._incoming.abandon()


async def work(database: Database, store: Dying) -> None:
    """One upload and its removal, with every step on the way."""
    now = system_clock()
    account = await database.write(lambda opened: create_account(opened, "Ines", Plan.LOCAL, now))
    until = now + timedelta(hours=2)
    path = await database.write(
        lambda opened: rows.reserve(
            opened, account, "a.png", KINDS[1], len(image()), now=now, expires_at=until
        )
    )
    keeper = Keeper(database, store, system_clock, lambda: None)
    await keeper.keep(Caller(account), path, _bytes(), size=len(image()))
    store.pass_step("stored")
    await database.write(lambda opened: rows.delete_owned(opened, account, path))
    await rows.discard(store, path)


async def _bytes() -> AsyncIterator[bytes]:
    yield image()


if __name__ == "__main__":
    folder = DataFolder(Path(sys.argv[1]))
    with closing(folder.open_database()) as opened_database:
        asyncio.run(work(opened_database, Dying(folder.media, sys.argv[2])))
