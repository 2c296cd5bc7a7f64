"""Moving an account there and back, between SQLite with a folder and PostgreSQL with a bucket."""

import random
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import pytest
from pydantic import TypeAdapter
from sqlalchemy import select, update

from app.contract.base import HttpUrl
from app.contract.enums import KeyScope
from app.contract.webhooks import TEST_EVENT
from app.database import Database
from app.disk import replace
from app.platforms.rest import web_address
from app.service.accounts.accounts import KeyRefusedError, Plan, authenticate, create_key
from app.service.clock import system_clock
from app.service.media.buckets import open_bucket
from app.service.media.s3 import S3MediaStore
from app.service.problems import CommandProblem
from app.service.publishing.pauses import read_paused
from app.service.restoring import look_into_past
from app.service.store.folder import DataFolder
from app.service.store.tables import (
    accounts,
    connections,
    deliveries,
    events,
    posts,
    publication_steps,
    removed_posts,
    webhook_subscriptions,
)
from app.service.transfer import exporting, importing
from app.service.transfer.checking import Rooms
from app.service.transfer.exporting import export_account
from app.service.transfer.handover import take_back
from app.service.transfer.importing import import_account
from app.service.transfer.manifest import ExportFolder, Manifest
from app.service.webhooks.console import sample
from app.service.webhooks.events import delivery_row, event_row
from tests.service.media.bucket import Bucket, running_bucket
from tests.service.transfer.household import NOW, PASSPHRASE, Home, fill, home

T = TypeVar("T")
ROOMS = Rooms(Plan.LOCAL)
POSTS = 60


@pytest.fixture(scope="module")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bucket]:
    with running_bucket(tmp_path_factory.mktemp("bucket")) as bucket:
        yield bucket


@pytest.fixture
def laptop(tmp_path: Path) -> Iterator[Home]:
    with home(tmp_path / "laptop", "sqlite") as there:
        yield there


@pytest.fixture
def server(tmp_path: Path, bucket: Bucket) -> Iterator[Home]:
    with home(tmp_path / "server", "postgresql", S3MediaStore(open_bucket(bucket.settings))) as there:
        yield there


def leave(there: Home, account: UUID, folder: Path) -> Manifest:
    return export_account(there.source, account, ExportFolder(folder), PASSPHRASE, 0)


def come(there: Home, folder: Path) -> importing.Imported:
    return import_account(there.target, ExportFolder(folder), PASSPHRASE, ROOMS)


def here(there: Home, account: UUID) -> bool:
    found = select(accounts.c.moved_at).where(accounts.c.id == account)
    return there.database.read_now(lambda rows: rows.scalars(found).one()) is None


def covered(there: Home) -> bool:
    paused = there.database.read_now(read_paused)
    link = there.database.read_now(lambda rows: rows.scalars(select(connections.c.id)).one())
    return paused.covers(link)


def secrets(there: Home) -> set[str]:
    def work(rows: Any) -> set[str]:
        links = rows.execute(
            select(connections.c.id, connections.c.access_token, connections.c.refresh_token)
        )
        found = {there.seal.open(token, link) for link, *tokens in links for token in tokens}
        hooks = rows.execute(select(webhook_subscriptions.c.id, webhook_subscriptions.c.secret))
        return found | {there.seal.open(secret, hook) for hook, secret in hooks}

    return there.database.read_now(work)


SECRETS = {"token-of-robin", "refresh-of-robin", "whsec_secret"}


def test_there_and_back_all_is_equal(laptop: Home, server: Home, tmp_path: Path) -> None:
    account = fill(laptop, POSTS)
    there = leave(laptop, account, tmp_path / "one")
    come(server, tmp_path / "one")
    assert (here(laptop, account), here(server, account)) == (False, True)
    assert secrets(server) == SECRETS
    server.database.write_now(
        lambda rows: rows.execute(
            update(posts).where(posts.c.status == "cancelled").values(title="Elsewhere")
        )
    )
    server.database.write_now(lambda rows: rows.execute(update(posts).values(title=None)))
    back = leave(server, account, tmp_path / "two")
    come(laptop, tmp_path / "two")
    assert (here(laptop, account), here(server, account)) == (True, False)
    assert back.tables == there.tables
    assert (back.media_files, back.media_bytes) == (there.media_files, there.media_bytes)
    assert back.move == there.move + 1
    assert secrets(laptop) == SECRETS


class PowerCutError(Exception):
    """The process died here."""


class Cuts:
    """Ends the run at its nth write, to the database or to the disk."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.left = -1
        patch.setattr(Database, "write_now", self._cut(Database.write_now))
        patch.setattr(ExportFolder, "write", self._cut(ExportFolder.write))
        patch.setattr(exporting, "replace", self._cut(replace))

    def _cut(self, write: Callable[..., T]) -> Callable[..., T]:
        def cut(*arguments: Any) -> T:
            self._spend()
            return write(*arguments)

        return cut

    def _spend(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise PowerCutError

    def until_done(self, chance: random.Random, most: int, work: Callable[[], object]) -> int:
        """Repeats the work until it isn't cut; returns how often it was."""
        cuts = 0
        while True:
            self.left = chance.randint(1, most)
            try:
                work()
            except PowerCutError:
                cuts += 1
            else:
                self.left = -1
                return cuts


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.variation) for seed in (1, 2))])
def test_interrupted_anywhere_it_continues(
    laptop: Home, server: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    account, chance = fill(laptop, POSTS), random.Random(seed)  # noqa: S311
    monkeypatch.setattr("app.service.transfer.checking.PAGE", 10)
    cuts = Cuts(monkeypatch)
    out = cuts.until_done(chance, 14, lambda: leave(laptop, account, tmp_path / "one"))
    there = leave(laptop, account, tmp_path / "one")
    into = cuts.until_done(chance, 30, lambda: _checked(laptop, server, account, tmp_path / "one"))
    assert out + into > 0
    assert leave(server, account, tmp_path / "two").tables == there.tables


def _checked(laptop: Home, server: Home, account: UUID, folder: Path) -> None:
    try:
        come(server, folder)
    finally:
        assert not here(laptop, account)


def test_a_restored_backup_does_not_publish_what_has_moved(laptop: Home, tmp_path: Path) -> None:
    account = fill(laptop, 3)
    leave(laptop, account, tmp_path / "one")
    # as in a backup from before the handover
    before = update(accounts).values(moved_at=None, moves=0)
    laptop.database.write_now(lambda rows: rows.execute(before))
    look_into_past(DataFolder(laptop.root), laptop.database, NOW, alone=True)
    assert covered(laptop)
    with pytest.raises(CommandProblem, match="take-back"):
        come(laptop, tmp_path / "one")


def test_a_moved_account_stays_silent(laptop: Home, tmp_path: Path) -> None:
    account = fill(laptop, 3)
    now = NOW
    _, key = laptop.database.write_now(lambda rows: create_key(rows, account, KeyScope.API_FULL, None, now))
    assert not covered(laptop)
    leave(laptop, account, tmp_path / "one")
    assert covered(laptop)
    with pytest.raises(KeyRefusedError, match="moved"):
        laptop.database.read_now(lambda rows: authenticate(rows, key, now))
    laptop.database.write_now(lambda rows: take_back(rows, account))
    assert not covered(laptop)
    assert laptop.database.read_now(lambda rows: authenticate(rows, key, now)).account_id == account
    with pytest.raises(CommandProblem, match="taken back"):
        come(laptop, tmp_path / "one")


def test_an_export_from_before_an_account_was_taken_back_is_not_reported_as_done(
    laptop: Home, tmp_path: Path
) -> None:
    account = fill(laptop, 3)
    first = leave(laptop, account, tmp_path / "one")
    assert leave(laptop, account, tmp_path / "one") == first  # what was complete is
    laptop.database.write_now(lambda rows: take_back(rows, account))
    with pytest.raises(CommandProblem, match="has been here again since the export"):
        leave(laptop, account, tmp_path / "one")
    assert not covered(laptop)
    again = leave(laptop, account, tmp_path / "two")
    assert covered(laptop)
    assert again.move > first.move


def test_steps_of_removed_posts_move_too(laptop: Home, server: Home, tmp_path: Path) -> None:
    account = fill(laptop, POSTS)
    leave(laptop, account, tmp_path / "export")
    come(server, tmp_path / "export")
    removed = server.database.read_now(lambda rows: rows.scalars(select(removed_posts.c.id)).one())
    sealed = select(publication_steps.c.value).where(publication_steps.c.post_id == removed)
    value = server.database.read_now(lambda rows: rows.scalars(sealed).one())
    assert server.seal.open(value, removed) == "its step"


def test_an_account_is_not_exported_during_a_look_for_a_removed_post(laptop: Home, tmp_path: Path) -> None:
    account = fill(laptop, POSTS)
    look = update(removed_posts).values(claimed_until=system_clock() + timedelta(minutes=1))
    laptop.database.write_now(lambda rows: rows.execute(look))
    with pytest.raises(CommandProblem, match="still being published"):
        leave(laptop, account, tmp_path / "export")


def test_deliveries_of_webhook_tests_move_too(laptop: Home, server: Home, tmp_path: Path) -> None:
    account = fill(laptop, POSTS)
    hook = laptop.database.read_now(lambda rows: rows.scalars(select(webhook_subscriptions.c.id)).one())
    event = event_row(account, TEST_EVENT, sample(None, NOW), NOW)
    laptop.put(events, [event])
    laptop.put(deliveries, [delivery_row(hook, event["id"], event["type"], NOW)])
    leave(laptop, account, tmp_path / "export")
    come(server, tmp_path / "export")
    types = select(deliveries.c.event_type).where(deliveries.c.event_id == event["id"])
    assert server.database.read_now(lambda rows: rows.scalars(types).all()) == [TEST_EVENT]


def test_an_account_that_no_service_would_take_stays(laptop: Home, tmp_path: Path) -> None:
    account = fill(laptop, POSTS)
    bad = update(connections).values(avatar_url="ftp://elsewhere.example/robin.png")
    laptop.database.write_now(lambda rows: rows.execute(bad))
    with pytest.raises(CommandProblem, match="avatar_url of a row of connections"):
        leave(laptop, account, tmp_path / "export")
    assert here(laptop, account)


@pytest.mark.parametrize(
    "address", ["HTTPS://Social.example/robin.png", "https:social.example/robin", " http://social.example"]
)
def test_every_address_that_can_be_stored_moves(
    laptop: Home, server: Home, tmp_path: Path, address: str
) -> None:
    assert address in {web_address(address), TypeAdapter(HttpUrl).validate_python(address)}
    account = fill(laptop, POSTS)
    stored = update(connections).values(avatar_url=address)
    laptop.database.write_now(lambda rows: rows.execute(stored))
    leave(laptop, account, tmp_path / "export")
    come(server, tmp_path / "export")
    avatars = select(connections.c.avatar_url)
    assert server.database.read_now(lambda rows: rows.scalars(avatars).all()) == [address]
