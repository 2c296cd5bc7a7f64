"""Rows of files: each statement changes one file, or one reservation, and nothing else."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, select

from app.contract.enums import ErrorCode
from app.contract.media_kinds import KINDS
from app.database import Database
from app.service.accounts.accounts import Plan, create_account
from app.service.api.responses import ApiError
from app.service.media import rows
from app.service.media.stores import Place
from app.service.store.tables import media
from tests.stores import service_store

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)
END = NOW + timedelta(hours=2)
LATER = END + timedelta(hours=1)
STORED, RESERVED, OTHER = "stored", "reserved", "other"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(service_store(tmp_path)) as opened:
        yield opened


class Files:
    """A stored file of 20 bytes and two reservations of 30; paths by name."""

    def __init__(self, opened: Connection) -> None:
        self.opened = opened
        self.account: UUID = create_account(opened, "Ines", Plan.LOCAL, NOW)
        self.paths = {
            name: rows.reserve(opened, self.account, f"{name}.png", KINDS[1], 30, now=NOW, expires_at=END)
            for name in (STORED, RESERVED, OTHER)
        }
        rows.mark_stored(opened, Place(self.paths[STORED]), rows.Stored(20, "0" * 64), NOW)

    def column(self, name: str) -> Mapping[str, Any]:
        """Return a column's value for each file that is there."""
        found = {row.storage_path: row for row in self.opened.execute(select(media))}
        return {key: getattr(found[path], name) for key, path in self.paths.items() if path in found}


SIZES = {STORED: 20, RESERVED: 30, OTHER: 30}
ENDS = {STORED: None, RESERVED: END, OTHER: END}


def look(database: Database, work: Callable[[Files], None]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the sizes and ends of what is left after some work."""

    def done(opened: Connection) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        files = Files(opened)
        work(files)
        return files.column("size_bytes"), files.column("expires_at")

    return database.write_now(done)


@pytest.mark.parametrize(("name", "size"), [(RESERVED, 7), (STORED, 20)])
def test_only_a_reservation_changes_its_size(database: Database, name: str, size: int) -> None:
    sizes, _ = look(database, lambda files: rows.resize(files.opened, files.paths[name], 7))
    assert sizes == SIZES | {name: size}


@pytest.mark.parametrize(("name", "end"), [(RESERVED, LATER), (STORED, None)])
def test_only_a_reservation_is_extended(database: Database, name: str, end: datetime | None) -> None:
    _, ends = look(database, lambda files: rows.extend(files.opened, files.paths[name], LATER))
    assert ends == ENDS | {name: end}


def test_a_reservation_is_given_up_alone_and_a_stored_file_never(database: Database) -> None:
    sizes, _ = look(database, lambda files: rows.give_up(files.opened, files.paths[STORED]))
    assert sizes == SIZES
    sizes, _ = look(database, lambda files: rows.give_up(files.opened, files.paths[RESERVED]))
    assert sizes == {STORED: 20, OTHER: 30}


def test_a_file_that_is_stored_leaves_other_reservations_alone(database: Database) -> None:
    assert look(database, lambda _: None) == (SIZES, ENDS)


def test_a_reservation_is_no_file_yet(database: Database) -> None:
    def work(files: Files) -> None:
        assert rows.find_stored(files.opened, files.account, files.paths[STORED])["size_bytes"] == 20
        assert rows.stored_file(files.opened, files.account, files.paths[RESERVED]) is None
        with pytest.raises(ApiError) as refused:
            rows.find_stored(files.opened, files.account, files.paths[RESERVED])
        assert refused.value.code is ErrorCode.NOT_FOUND

    look(database, work)


def test_stored_bytes_count_without_reservations(database: Database) -> None:
    def work(files: Files) -> None:
        assert rows.stored_bytes(files.opened, files.account) == 20

    look(database, work)
