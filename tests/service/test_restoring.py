"""Restored databases: noticed by themselves, and what was done since isn't done again."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, insert, select, text

from app.contract.enums import KeyScope
from app.database import Database
from app.service.accounts.accounts import KeyRefusedError, Plan, authenticate, create_account, create_key
from app.service.accounts.sessions import create_link, find_session, open_session, use_link
from app.service.clock import system_clock
from app.service.restoring import APP_KEY_NAME, Past, look_into_failover, look_into_past, restore
from app.service.store.departures import note_departure
from app.service.store.folder import DataFolder
from app.service.store.journal import Sent, open_journal, outside
from app.service.store.tables import accounts, attempts, connections, posts
from tests.stores import ON_BOTH, service_store, sqlite_alone

pytestmark = ON_BOTH
NOW = system_clock()


class Installation:
    """A data folder with an account and posts."""

    def __init__(self, root: Path) -> None:
        self.folder = DataFolder(root)
        self.database = service_store(root)
        self.account = self.write(lambda rows: create_account(rows, "Ines", Plan.LOCAL, NOW))
        self.connection = uuid4()
        row = {
            "id": self.connection,
            "account_id": self.account,
            "platform": "x",
            "account_identifier": "robin",
            "is_available": True,
            "access_token": b"sealed",
            "created_at": NOW,
        }
        self.write(lambda rows: rows.execute(insert(connections).values(row)))

    def write(self, work: Callable[[Connection], Any]) -> Any:
        return self.database.write_now(work)

    def look(self, *, alone: bool = True, later: int = 0) -> Past:
        """What a service does when it starts."""
        return look_into_past(self.folder, self.database, NOW + timedelta(seconds=later), alone=alone)

    def plan(self, status: str = "scheduled") -> UUID:
        post_id = uuid4()
        row = {
            "id": post_id,
            "account_id": self.account,
            "connection_id": self.connection,
            "platform": "x",
            "post_type": "text",
            "status": status,
            "description": "Hello",
            "scheduled_at": NOW + timedelta(days=1),
            "created_via": "api",
            "created_at": NOW,
        }
        self.write(lambda rows: rows.execute(insert(posts).values(row)))
        return post_id

    def send(self, post_id: UUID, *, committed: bool = True) -> UUID:
        """A call begins; one that isn't ``committed`` was lost with the rows that an older copy lacks."""
        sent = Sent(uuid4(), post_id, NOW - timedelta(minutes=5))
        if committed:
            row = {
                "id": sent.attempt_id,
                "post_id": post_id,
                "account_id": self.account,
                "step": "publish",
                "outcome": "published",
                "started_at": sent.at,
                "finished_at": sent.at,
            }
            self.write(lambda rows: rows.execute(insert(attempts).values(row)))
        open_journal(self.folder.root).write([sent])
        return sent.attempt_id

    def open_attempts(self) -> dict[UUID, UUID]:
        """Calls that platforms are asked about, with their posts."""
        wanted = select(attempts.c.id, attempts.c.post_id).where(
            attempts.c.finished_at.is_(None), attempts.c.unknown_since.is_not(None)
        )
        return {
            row.id: row.post_id for row in self.database.read_now(lambda rows: rows.execute(wanted).all())
        }

    def new_key(self, name: str | None, later: int = 0, created_by: UUID | None = None) -> str:
        at, scope = NOW + timedelta(seconds=later), KeyScope.API_FULL
        made: tuple[UUID, str] = self.write(
            lambda rows: create_key(rows, self.account, scope, None, at, name=name, created_by=created_by)
        )
        return made[1]

    def admits(self, key: str) -> bool:
        try:
            self.database.read_now(lambda rows: authenticate(rows, key, NOW + timedelta(days=1)))
        except KeyRefusedError:
            return False
        return True


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Installation]:
    installation = Installation(tmp_path / "data")
    with closing(installation.database):
        yield installation


def test_an_installation_that_goes_on_was_not_restored(here: Installation) -> None:
    assert here.look().restored_at is None
    here.send(here.plan("posted"))
    assert here.look(later=1).restored_at is None
    assert here.folder.is_trusted_for_sweeping()
    assert here.open_attempts() == {}


def test_calls_that_the_rows_lack_are_looked_for(here: Installation) -> None:
    here.look()
    here.send(here.plan("posted"))
    post = here.plan()
    lost = here.send(post, committed=False)
    past = here.look(later=1)
    assert past.restored_at == NOW + timedelta(seconds=1)
    assert past.calls_to_look_for == 1
    assert here.open_attempts() == {lost: post}
    assert here.folder.restored_at() == past.restored_at
    assert not here.folder.is_trusted_for_sweeping()


def test_what_was_noticed_once_is_not_noticed_again(here: Installation) -> None:
    here.look()
    for post in (here.plan(), here.plan("posted"), uuid4()):
        here.send(post, committed=False)
    first = here.look(later=1)
    assert first.calls_to_look_for == 3
    assert len(here.open_attempts()) == 1  # one post is live by its row, and one is gone
    again = here.look(later=2)
    assert (again.restored_at, again.calls_to_look_for) == (first.restored_at, 0)


@pytest.mark.parametrize("status", ["scheduled", "cancelled", "failed", "processing"])
def test_a_post_that_may_still_be_sent_is_looked_for(here: Installation, status: str) -> None:
    here.look()
    post = here.plan(status)
    lost = here.send(post, committed=False)
    here.look(later=1)
    assert here.open_attempts() == {lost: post}


def test_many_lost_calls_are_all_looked_for(here: Installation) -> None:
    here.look()
    wanted = {here.send(post, committed=False): post for post in [here.plan() for _ in range(7)]}
    post = here.plan()
    journal = open_journal(here.folder.root)
    more = [Sent(uuid4(), post, NOW) for _ in range(1_200)]
    journal.write(more)
    assert here.look(later=1).calls_to_look_for == 1_207
    assert here.open_attempts() == wanted | {sent.attempt_id: post for sent in more}


def test_calls_after_an_earlier_restore_of_the_folder_are_looked_for(
    here: Installation, tmp_path: Path
) -> None:
    """The journal in the folder lacks what was sent between its copy and the restore."""
    here.look()
    journal, copy = here.folder.root / "sent.log", tmp_path / "sent.log"
    here.send(here.plan("posted"))
    shutil.copy(journal, copy)
    for _ in range(120):
        here.send(here.plan(), committed=False)
    shutil.copy(copy, journal)
    assert here.look(later=1).calls_to_look_for == 120
    post = here.plan()
    lost = here.send(post, committed=False)
    past = here.look(later=2)
    assert past.calls_to_look_for == 1
    assert past.restored_at == NOW + timedelta(seconds=2)
    assert here.open_attempts()[lost] == post


def test_a_new_database_in_a_known_folder_counts_as_restored(here: Installation) -> None:
    """Whose rows are gone: nothing in it was published yet, but files and calls of the old one may be."""
    here.look()
    here.send(uuid4(), committed=False)
    assert here.look(later=1).restored_at is not None


def test_a_restore_that_was_told_counts_from_then(here: Installation) -> None:
    here.look()
    here.folder.keep_restored(NOW - timedelta(hours=1))
    assert here.look().restored_at == NOW - timedelta(hours=1)
    here.folder.restored.unlink()
    assert here.look().restored_at == NOW - timedelta(hours=1)  # the rows know it, too
    assert here.folder.restored_at() == NOW - timedelta(hours=1)


def test_the_later_of_two_restores_counts(here: Installation) -> None:
    here.look()
    here.folder.keep_restored(NOW)
    here.look()
    here.folder.keep_restored(NOW - timedelta(hours=1))
    assert here.look().restored_at == NOW


@pytest.mark.parametrize("alone", [True, False])
def test_a_restore_that_was_told_ends_all_keys_but_the_apps(here: Installation, alone: bool) -> None:
    here.look(alone=alone)
    other, former, newest = here.new_key("Export"), here.new_key(APP_KEY_NAME), here.new_key(APP_KEY_NAME, 1)
    here.folder.keep_restored(NOW)
    here.look(alone=alone)
    assert [here.admits(key) for key in (other, former, newest)] == [False, False, alone]
    later = here.new_key("Export again")
    here.look(alone=alone, later=1)
    assert here.admits(later)  # once for each restore


def test_a_key_that_another_key_made_is_not_the_apps(here: Installation) -> None:
    here.look()
    app = here.new_key(APP_KEY_NAME)
    maker = here.database.read_now(lambda rows: authenticate(rows, app, NOW)).key_id
    made = here.new_key(APP_KEY_NAME, 1, created_by=maker)
    here.folder.keep_restored(NOW)
    here.look()
    assert [here.admits(key) for key in (app, made)] == [True, False]


def test_a_restore_that_was_told_ends_sessions_and_sign_in_links(here: Installation) -> None:
    here.look()
    session = here.write(lambda rows: open_session(rows, here.account, NOW))
    link = here.write(lambda rows: create_link(rows, here.account, "https://plan.example", NOW)).url
    here.folder.keep_restored(NOW)
    here.look()
    assert here.write(lambda rows: find_session(rows, session, NOW)) is None
    assert here.write(lambda rows: use_link(rows, link.rpartition("=")[2], NOW)) is None
    later = here.write(lambda rows: open_session(rows, here.account, NOW))
    here.look(later=1)
    assert here.write(lambda rows: find_session(rows, later, NOW)) is not None  # once for each restore


def test_what_is_noticed_by_itself_ends_no_key(here: Installation) -> None:
    here.look()
    key = here.new_key("Export")
    here.send(here.plan(), committed=False)
    assert here.look(later=1).calls_to_look_for == 1
    assert here.admits(key)


def test_a_restore_before_this_version_ends_no_key(here: Installation) -> None:
    key = here.new_key("Export")
    here.folder.keep_restored(NOW - timedelta(days=30))
    assert here.look().restored_at == NOW - timedelta(days=30)
    assert here.admits(key)


def test_the_command_says_how_many_keys_it_ended(here: Installation) -> None:
    ended = here.new_key("Export")
    here.write(lambda rows: create_key(rows, here.account, KeyScope.API_FULL, NOW, NOW - timedelta(1)))
    assert here.write(lambda rows: restore(rows, NOW, alone=True)) == 1
    assert here.write(lambda rows: restore(rows, NOW, alone=True)) == 0
    assert not here.admits(ended)


@sqlite_alone("a server's rows are in no file of ours")
@pytest.mark.only_on("sqlite")
def test_a_copied_file_counts_as_restored_unless_the_journal_knows_better(tmp_path: Path) -> None:
    here = Installation(tmp_path / "data")
    with closing(here.database):
        here.look()
    shutil.copytree(tmp_path / "data", tmp_path / "copied")
    assert _looked(tmp_path / "copied").restored_at == NOW
    assert _looked(tmp_path / "data").restored_at is None
    (tmp_path / "data").rename(tmp_path / "moved")
    assert _looked(tmp_path / "moved").restored_at is None
    # With calls in the journal that this computer keeps, that one tells.
    outside(tmp_path / "again").parent.mkdir(parents=True, exist_ok=True)
    outside(tmp_path / "again").touch()
    shutil.copytree(tmp_path / "moved", tmp_path / "again")
    assert _looked(tmp_path / "again").restored_at is None


def _looked(root: Path) -> Past:
    folder = DataFolder(root)
    with closing(folder.open_database()) as database:
        return look_into_past(folder, database, NOW, alone=True)


def test_calls_that_a_server_lacks_after_a_failover_are_added_as_in_progress(here: Installation) -> None:
    here.look()
    key, post = here.new_key("Export"), here.plan()
    here.send(here.plan("posted"))
    lost = here.send(post, committed=False)
    here.send(here.plan("posted"), committed=False)
    here.send(uuid4(), committed=False)
    for _ in range(2):
        here.write(look_into_failover(here.folder, open_journal(here.folder.root), NOW))
    [added] = here.database.read_now(
        lambda rows: rows.execute(select(attempts).where(attempts.c.finished_at.is_(None))).all()
    )
    assert (added.id, added.post_id, added.outcome, added.unknown_since) == (lost, post, "pending", None)
    assert here.admits(key)
    assert here.look(later=1).restored_at is None


def test_an_account_that_was_handed_over_is_so_after_a_failover(here: Installation) -> None:
    here.look()
    note_departure(here.folder.root, here.account, 1)
    here.write(look_into_failover(here.folder, open_journal(here.folder.root), NOW))
    found = select(accounts.c.moves, accounts.c.moved_at).where(accounts.c.id == here.account)
    assert here.database.read_now(lambda rows: rows.execute(found).one()) == (1, NOW)


@pytest.mark.only_on("postgresql")
def test_rows_out_of_a_dump_are_noticed(tmp_path: Path) -> None:
    here = Installation(tmp_path / "data")
    with closing(here.database):
        here.look()
        assert here.look(later=1).restored_at is None
        here.write(_as_out_of_a_dump)
        assert here.look(later=2).restored_at == NOW + timedelta(seconds=2)
        assert here.look(later=3).restored_at == NOW + timedelta(seconds=2)


def _as_out_of_a_dump(rows: Connection) -> None:
    """The same rows, written once more, as pg_restore does."""
    rows.execute(text("CREATE TEMPORARY TABLE dumped ON COMMIT DROP AS SELECT * FROM marks"))
    rows.execute(text("DELETE FROM marks"))
    rows.execute(text("INSERT INTO marks SELECT * FROM dumped"))


def test_media_without_rows_is_not_trusted(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data")
    (folder.media / "someone").mkdir(parents=True)
    database: Database
    with closing(folder.open_database()) as database:
        assert not folder.is_trusted_for_sweeping()
        assert look_into_past(folder, database, system_clock(), alone=True).restored_at is not None
    empty = DataFolder(tmp_path / "new")
    empty.media.mkdir(parents=True)
    with closing(empty.open_database()):
        assert empty.is_trusted_for_sweeping()
