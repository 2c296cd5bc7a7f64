"""What is shown first is read only where nothing has to be looked into, and never gets in anybody's way."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from app.contract.enums import PostStatus
from app.workspace.homes.last import LastHome
from app.workspace.outbox.intention import Wanted
from app.workspace.store.first import PIECE, read_first
from app.workspace.store.tables import MIGRATIONS
from tests.migrated import lay


def _file(folder: Path, *, posts: int) -> Path:
    file = folder / "workspace.db"
    lay(file, MIGRATIONS)
    with closing(sqlite3.connect(file)) as rows, rows:
        rows.executemany(
            "INSERT INTO posts (key, service_id, account_key, platform, post_type, status, headline, at,"
            " media_storage_path, created_at, reason, may_be_live, immediate, idempotency_key)"
            " VALUES (?, ?, 'a', 'x', 'text', 'scheduled', 'Hello', ?, '', 0, '', 0, 0, ?)",
            [(f"{n:06}", f"{n:06}" if n else None, n, "i1:a" if n == 1 else None) for n in range(posts)],
        )
        rows.execute(
            "INSERT INTO outbox (key, at, cancelled, version, attempts, sent, after)"
            " VALUES ('000001', 7, 1, 2, 1, '[[5, false]]', '')"
        )
        rows.execute("INSERT INTO slots (account_key, weekday, minute) VALUES ('a', 2, 540)")
    return file


def test_everything_is_read_piece_by_piece(tmp_path: Path) -> None:
    found = read_first(_file(tmp_path, posts=2 * PIECE + 1))

    assert found is not None
    assert [post.at for post in found.posts] == list(range(2 * PIECE + 1))
    assert {post.status for post in found.posts} == {PostStatus.SCHEDULED}
    assert found.service_ids == [("000000", None)]
    assert found.planned == [("i1:a", "000001")]
    assert [post.draft for post in found.posts[:3]] == ["", "i1", ""]
    (wish,) = found.intentions
    assert (wish.wanted, wish.seen, wish.sent) == (Wanted(7, True), None, (Wanted(5, False),))
    assert [(slot.weekday, slot.minute) for slot in found.slots] == [(2, 540)]


def test_a_file_that_has_to_be_looked_into_first_is_left_alone(tmp_path: Path) -> None:
    older, garbage = _file(tmp_path, posts=2), tmp_path / "garbage.db"
    with closing(sqlite3.connect(older)) as rows, rows:
        rows.execute("UPDATE alembic_version SET version_num = '0001'")
    garbage.write_bytes(b"not a database" * 1_000)

    assert [read_first(file) for file in (older, garbage, tmp_path / "none.db")] == [None, None, None]
    assert not (tmp_path / "none.db").exists()


def _home(**changes: Any) -> dict[str, Any]:
    usual = {
        "id": str(uuid4()),
        "kind": "remote",
        "name": "Studio",
        "base_url": "https://plan.example.com",
        "ca_file": None,
        "practice": False,
        "service_port": 0,
    }
    return usual | changes


def test_the_home_that_was_open_last_is_found(tmp_path: Path) -> None:
    home = _home()
    (tmp_path / "homes.json").write_text(json.dumps({"homes": [_home(), home], "current": home["id"]}))

    found = LastHome.of(tmp_path)

    assert found is not None
    assert (found.id, found.folder) == (home["id"], tmp_path / "homes" / home["id"])
    assert not found.was_open_before
    found.folder.mkdir(parents=True)
    found.workspace.touch()
    assert found.was_open_before


@pytest.mark.parametrize(
    "listing",
    [
        b"",
        b"{",
        b"[]",
        b'{"homes": [], "current": null}',
        json.dumps({"homes": [_home(id="../..")], "current": "../.."}).encode(),
        json.dumps({"homes": [{"id": "a"}], "current": "a"}).encode(),
        b"[" * 100_000,
    ],
)
def test_of_a_list_that_cannot_be_read_nothing_is_said(tmp_path: Path, listing: bytes) -> None:
    (tmp_path / "homes.json").write_bytes(listing)

    assert LastHome.of(tmp_path) is None


def test_nothing_is_shown_first_while_a_backup_is_being_put_in_place(tmp_path: Path) -> None:
    home = _home()
    (tmp_path / "homes.json").write_text(json.dumps({"homes": [home], "current": home["id"]}))
    (tmp_path / "restoring").mkdir()

    assert LastHome.of(tmp_path) is None
