"""Calls that are admitted, and whose key is revoked or whose account is handed over before they write."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import Connection, Engine, select, text
from sqlalchemy.exc import OperationalError

from app.contract.enums import KeyScope
from app.contract.media_kinds import KINDS
from app.service import deletion
from app.service.accounts import accounts as keys
from app.service.accounts.accounts import KeyRefusedError, Plan
from app.service.accounts.callers import hold_admitted
from app.service.api import context
from app.service.clock import system_clock
from app.service.media import rows as media_rows
from app.service.media.files import LocalMediaStore
from app.service.media.intake import Keeper
from app.service.openapi.document import Operation
from app.service.store.tables import api_keys, connections, media, posts
from app.service.transfer.handover import begin_leaving
from tests.service.media.samples import image
from tests.service.racing import wait_for_a_lock
from tests.service.running import Caller, RunningService
from tests.service.test_bad_input import EVERY
from tests.service.test_tenants import Estate, call, name_of
from tests.stores import chosen, service_engine, service_store, take_back

NOW = system_clock()
Meanwhile = Callable[[Connection, Caller], object]

# They have no body that could be late, or only keep a file for a later call.
IMMEDIATE = {
    "remove_platform_app",
    "run_self_test",
    "take_back_account",
    "forget_export",
    "send_export_file",
    # They need a server that isn't there; a test below has their way of writing.
    "attach_from_url",
    "initiate_place",
}
WRITING = [(prefix, one) for prefix, one in EVERY if one.method != "get" and one.name not in IMMEDIATE]
MOVING = {one.name for _, one in WRITING if one.path.startswith(("/arrival", "/departure"))}


def revoked(rows: Connection, caller: Caller) -> None:
    owned = api_keys.c.account_id == caller.account_id
    for key_id in rows.scalars(select(api_keys.c.id).where(owned)).all():
        keys.revoke_key(rows, key_id, caller.service.clock())


def handed_over(rows: Connection, caller: Caller) -> None:
    begin_leaving(rows, caller.account_id, uuid4(), caller.service.clock())


@pytest.fixture
def estate(service: RunningService) -> Estate:
    it = Estate(service.new_caller())
    ended = connections.update().where(connections.c.id == it.boards).values(is_available=False)
    service.database.write_now(lambda rows: rows.execute(ended))
    return it


def after_admission(monkeypatch: pytest.MonkeyPatch, caller: Caller, meanwhile: Meanwhile) -> None:
    """Lets something happen between the admission of a call and its body."""
    admit = context.admit

    async def admit_and_wait(*arguments: Any, **more: Any) -> Any:
        principal = await admit(*arguments, **more)
        await caller.service.database.write(lambda rows: meanwhile(rows, caller))
        return principal

    monkeypatch.setattr(context, "admit", admit_and_wait)


def bodies(estate: Estate) -> dict[str, Any]:
    """Bodies that are accepted, of the operations whose example names what isn't there."""
    post = estate.caller.post_body(str(estate.connection))
    place = {**post, "social_account_id": str(estate.place), "platform": "bluesky"}
    return {
        "create_post": post,
        "create_any_post": post,
        "create_place_post": place,
        "connect_place": {"platform": "x-by-hand", "handle": "mira", "app_password": ""},
    }


def refuse(estate: Estate, prefix: str, operation: Operation) -> None:
    ids = {name: estate.ids[name][-1] for name in operation.parameters if name in estate.ids}
    body = bodies(estate).get(operation.name)
    answer = call(estate.caller, prefix, operation, {"platform": "linkedin"} | ids, body)
    assert answer.status_code == 401, answer.text
    assert answer.json()["error"]["code"] == "unauthorized"


@pytest.mark.parametrize(("prefix", "operation"), WRITING, ids=name_of)
def test_no_call_changes_anything_after_its_key_was_revoked(
    estate: Estate, monkeypatch: pytest.MonkeyPatch, prefix: str, operation: Operation
) -> None:
    after_admission(monkeypatch, estate.caller, revoked)
    refuse(estate, prefix, operation)


@pytest.mark.parametrize(
    ("prefix", "operation"), [one for one in WRITING if one[1].name not in MOVING], ids=name_of
)
def test_no_call_changes_anything_after_the_account_was_handed_over(
    estate: Estate, monkeypatch: pytest.MonkeyPatch, prefix: str, operation: Operation
) -> None:
    after_admission(monkeypatch, estate.caller, handed_over)
    refuse(estate, prefix, operation)


def test_a_late_post_is_neither_stored_nor_published(estate: Estate, monkeypatch: pytest.MonkeyPatch) -> None:
    after_admission(monkeypatch, estate.caller, handed_over)
    body = estate.caller.post_body(str(estate.connection), description="late")
    assert estate.caller.http.post("/posts", json=body).status_code == 401
    monkeypatch.undo()
    stored = select(posts.c.description).where(posts.c.account_id == estate.caller.account_id)
    found = estate.caller.service.database.read_now(lambda rows: set(rows.scalars(stored)))
    assert "late" not in found


def test_a_file_that_arrives_after_the_account_was_handed_over_is_not_stored(tmp_path: Path) -> None:
    """As with a signed link, which needs no key and may take hours."""
    database, store = service_store(tmp_path), LocalMediaStore(tmp_path / "media")
    owner = database.write_now(lambda rows: keys.create_account(rows, "Ines", Plan.LOCAL, NOW))
    until = NOW + timedelta(hours=2)
    path = database.write_now(
        lambda rows: media_rows.reserve(rows, owner, "a.png", KINDS[1], 9, now=NOW, expires_at=until)
    )

    async def slow() -> AsyncIterator[bytes]:
        yield image()
        await database.write(lambda rows: begin_leaving(rows, owner, uuid4(), NOW))

    keeper = Keeper(database, store, system_clock, lambda: None)
    with pytest.raises(KeyRefusedError, match="moved"):
        asyncio.run(keeper.keep(keys.Caller(owner), path, slow()))
    stored = select(media.c.sha256).where(media.c.storage_path == path)
    assert database.read_now(lambda rows: rows.scalars(stored).all()) == [None]
    assert not store.locate(path).exists()
    database.close()


class Programs:
    """Two programs on one PostgreSQL database, with an account and its key."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        with engine.begin() as rows:
            self.owner = keys.create_account(rows, "Ines", Plan.LOCAL, NOW)
            self.key_id, self.key = keys.create_key(rows, self.owner, KeyScope.API_FULL, None, NOW)
        self.caller = keys.Caller(self.owner, self.key_id)

    def hand_over(self, rows: Connection) -> None:
        begin_leaving(rows, self.owner, uuid4(), NOW)

    def revoke(self, rows: Connection) -> None:
        keys.revoke_key(rows, self.key_id, NOW)

    def delete(self, rows: Connection) -> None:
        deletion._delete_rest(rows, self.owner)


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[Programs]:
    """PostgreSQL alone: SQLite has one writer at a time."""
    with chosen("postgresql"):
        engine = service_engine(tmp_path)
        yield Programs(engine)
        engine.dispose()
    take_back(tmp_path)


ENDINGS = pytest.mark.parametrize("ending", [Programs.hand_over, Programs.revoke, Programs.delete])


@ENDINGS
def test_what_ends_a_caller_waits_for_its_writes(
    programs: Programs, ending: Callable[[Programs, Connection], None]
) -> None:
    with programs.engine.begin() as first, programs.engine.begin() as second:
        hold_admitted(first, programs.caller, NOW)
        second.execute(text("SET LOCAL lock_timeout = '100ms'"))
        with pytest.raises(OperationalError, match="lock timeout"):
            ending(programs, second)


@ENDINGS
def test_a_write_that_waited_for_the_end_of_its_caller_is_refused(
    programs: Programs, ending: Callable[[Programs, Connection], None]
) -> None:
    refusals: list[KeyRefusedError] = []

    def write() -> None:
        with programs.engine.begin() as rows:
            try:
                hold_admitted(rows, programs.caller, NOW)
            except KeyRefusedError as error:
                refusals.append(error)

    writer = threading.Thread(target=write)
    with programs.engine.begin() as rows:
        ending(programs, rows)
        writer.start()
        wait_for_a_lock(programs.engine, writer)
    writer.join()
    assert refusals


def test_writes_of_one_account_do_not_wait_for_each_other(programs: Programs) -> None:
    with programs.engine.begin() as first, programs.engine.begin() as second:
        second.execute(text("SET LOCAL lock_timeout = '100ms'"))
        hold_admitted(first, programs.caller, NOW)
        hold_admitted(second, programs.caller, NOW)
        # One that counts before it adds may go on while others write.
        keys.require_account(first, programs.owner, lock=True)


def test_a_key_that_is_created_while_its_maker_is_revoked_ends_with_it(programs: Programs) -> None:
    made: list[str] = []
    with programs.engine.begin() as rows:
        scope, maker = KeyScope.API_FULL, programs.key_id
        made.append(keys.create_key(rows, programs.owner, scope, None, NOW, created_by=maker)[1])

        def revoke() -> None:
            with programs.engine.begin() as other:
                programs.revoke(other)

        revoker = threading.Thread(target=revoke)
        revoker.start()
        wait_for_a_lock(programs.engine, revoker)
    revoker.join()
    with programs.engine.begin() as rows, pytest.raises(KeyRefusedError, match="revoked"):
        keys.authenticate(rows, made[0], NOW)
