"""Taking bytes in: a row is stored only when its bytes are there, and what is stored stays."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest

from app.contract.media_kinds import KINDS
from app.database import Database
from app.service.accounts.accounts import Plan, create_account
from app.service.clock import system_clock
from app.service.media import rows
from app.service.media.files import LocalMediaStore
from app.service.media.intake import Keeper
from app.service.media.rows import Stored
from app.service.media.stores import Place
from tests.service.media.samples import image
from tests.stores import service_engine, take_back

PNG = image()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(service_engine(tmp_path), "the store")
    yield opened
    opened.close()
    take_back(tmp_path)


@pytest.fixture
def store(tmp_path: Path) -> LocalMediaStore:
    return LocalMediaStore(tmp_path / "media")


@pytest.fixture
def path(database: Database) -> str:
    """A reservation."""
    now = system_clock()
    account_id: UUID = database.write_now(lambda opened: create_account(opened, "Ines", Plan.LOCAL, now))
    until = now + timedelta(hours=2)
    return database.write_now(
        lambda opened: rows.reserve(
            opened, account_id, "a.png", KINDS[1], len(PNG), now=now, expires_at=until
        )
    )


def test_nothing_is_stored_when_another_sweep_removed_the_part(
    database: Database, store: LocalMediaStore, path: str
) -> None:
    """As one does whose clock is days ahead."""

    async def swept() -> AsyncIterator[bytes]:
        yield PNG
        assert store.clear_parts(system_clock() + timedelta(days=2)) == 1

    keeper = Keeper(database, store, system_clock, lambda: None)
    with pytest.raises(FileNotFoundError):
        asyncio.run(keeper.keep(path, swept()))
    row = database.read_now(lambda opened: rows.find(opened, path))
    assert row is not None
    assert row["sha256"] is None

    asyncio.run(keeper.keep(path, _whole()))
    assert store.locate(path).read_bytes() == PNG


def test_a_transaction_that_is_done_again_keeps_the_file_once(store: LocalMediaStore, path: str) -> None:
    incoming = store.begin(path)
    incoming.write(PNG)
    incoming.finish()
    assert incoming.keep(path) == incoming.keep(path) == Place(path)
    incoming.abandon()
    assert store.locate(path).read_bytes() == PNG


def test_what_is_given_up_is_a_reservation_never_a_stored_file(database: Database, path: str) -> None:
    """As when an import was stored, but the answer of the database was lost."""
    stored = Stored(len(PNG), "0" * 64)
    database.write_now(lambda opened: rows.mark_stored(opened, Place(path), stored, system_clock()))
    database.write_now(lambda opened: rows.give_up(opened, path))
    assert database.read_now(lambda opened: rows.find(opened, path)) is not None


def test_a_reservation_that_is_given_up_is_gone(database: Database, path: str) -> None:
    database.write_now(lambda opened: rows.give_up(opened, path))
    assert database.read_now(lambda opened: rows.find(opened, path)) is None


async def _whole() -> AsyncIterator[bytes]:
    yield PNG
