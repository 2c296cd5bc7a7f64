"""Moving accounts by the companion API: who may, what is refused, and what doesn't leave."""

import asyncio
import os
import shutil
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select

from app.contract.enums import KeyScope
from app.contract.moving import Arrival, ArrivalState, CancelArrival, Departure, DepartureState
from app.service.accounts.accounts import Plan, authenticate, change_account, create_account, create_key
from app.service.api.responses import ApiError
from app.service.clock import system_clock
from app.service.problems import CommandProblem
from app.service.store.tables import accounts, connections, posts
from app.service.transfer.arriving import Arrivals
from app.service.transfer.checking import Rooms
from app.service.transfer.contents import PARTS
from app.service.transfer.departing import Departures
from app.service.transfer.exporting import export_account
from app.service.transfer.importing import import_account
from app.service.transfer.manifest import ExportFolder
from app.service.transfer.moving import Moving
from app.service.transfer.visits import NotOfferedProblem, VisitorFolder, forget_abandoned
from tests.service.transfer.household import NOW, PASSPHRASE, Home, fill, home


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Home]:
    with home(tmp_path / "there", "sqlite") as opened:
        yield opened


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[UUID, Path]:
    root = tmp_path_factory.mktemp("exported")
    with home(root / "here", "sqlite") as here:
        account = fill(here, 6)
        export_account(here.source, account, ExportFolder(root / "export"), PASSPHRASE, 0)
    return account, root / "export"


@pytest.fixture
def export(exported: tuple[UUID, Path], tmp_path: Path) -> tuple[UUID, ExportFolder]:
    """An account that has left another service, and a copy of its export."""
    account, folder = exported
    return account, ExportFolder(Path(shutil.copytree(folder, tmp_path / "export")))


async def test_who_asks_about_a_large_export_keeps_nobody_else_waiting(
    there: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy, other = guest(there)[0], guest(there)[0]
    moving = Moving(there.root, there.database, there.store, there.seal, system_clock)
    began, read, running, state = threading.Event(), threading.Event(), list[UUID](), Arrivals.state

    def slow(self: Arrivals, host: UUID) -> Arrival:
        if host == busy:
            running.append(host)
            began.set()
            assert read.wait(60)
        return state(self, host)

    monkeypatch.setattr(Arrivals, "state", slow)
    asked = [asyncio.create_task(moving.arrival(busy)) for _ in range(40)]
    async with asyncio.timeout(30):
        await asyncio.to_thread(began.wait)
        with pytest.raises(ApiError):  # it has offered nothing
            await moving.arrival(other)
        await asyncio.to_thread(lambda: None)
    assert running == [busy]
    read.set()
    await asyncio.gather(*asked, return_exceptions=True)  # it has offered nothing, either


def arrivals(there: Home) -> Arrivals:
    return Arrivals(there.root / "moving" / "in", there.target)


def guest(there: Home) -> tuple[UUID, str]:
    """An account without content, and its key."""
    account = there.database.write_now(lambda rows: create_account(rows, "Guest", Plan.STUDIO, NOW))
    _, key = there.database.write_now(lambda rows: create_key(rows, account, KeyScope.API_FULL, None, NOW))
    return account, key


def send_all(desk: Arrivals, host: UUID, folder: ExportFolder) -> Arrival:
    arrival = desk.offer(host, folder.manifest.read_text("utf-8"))
    files = {file.name: file for file in folder.root.rglob("*") if file.is_file()}
    while arrival.missing:
        for name in arrival.missing:
            content = files[name].read_bytes()
            receiver = desk.receiver(host, name, len(content))
            receiver.write(content)
            receiver.finish()
        arrival = desk.state(host)
    return arrival


def rest(desk: Arrivals, host: UUID) -> None:
    """Waits for the work in the background."""
    for thread in threading.enumerate():
        if thread.name == "moving":
            thread.join()
    assert not VisitorFolder(desk.root, host).is_busy()


def arrive(desk: Arrivals, host: UUID, folder: ExportFolder) -> None:
    send_all(desk, host, folder)
    assert desk.begin_import(host, PASSPHRASE).state is ArrivalState.IMPORTING
    rest(desk, host)


def test_an_account_replaces_that_of_the_key(there: Home, export: tuple[UUID, ExportFolder]) -> None:
    account, folder = export
    host, key = guest(there)
    desk = arrivals(there)
    arrive(desk, host, folder)
    principal = there.database.read_now(lambda rows: authenticate(rows, key, NOW))
    assert (principal.account_id, principal.plan) == (account, Plan.STUDIO)
    assert desk.state(account).state is ArrivalState.ARRIVED
    assert there.database.read_now(lambda rows: rows.scalars(select(accounts.c.id)).all()) == [account]
    assert not (desk.root / str(host)).exists()
    again = desk.offer(account, folder.manifest.read_text("utf-8"))
    assert again.state is ArrivalState.ARRIVED


def test_a_key_of_an_account_with_content_brings_nothing(
    there: Home, export: tuple[UUID, ExportFolder]
) -> None:
    host, _ = guest(there)
    link = {"id": uuid4(), "account_id": host, "platform": "linkedin", "account_identifier": "x"}
    more = {"display_name": "X", "is_available": True, "access_token": b"", "created_at": NOW}
    there.put(connections, [{**link, **more}])
    with pytest.raises(CommandProblem, match="Ask for a key of an empty account"):
        arrivals(there).offer(host, export[1].manifest.read_text("utf-8"))


def test_content_that_appears_on_the_way_stops_the_arrival(
    there: Home, export: tuple[UUID, ExportFolder]
) -> None:
    account, folder = export
    host, _ = guest(there)
    desk = arrivals(there)
    send_all(desk, host, folder)
    link = {"id": uuid4(), "account_id": host, "platform": "linkedin", "account_identifier": "x"}
    more = {"display_name": "X", "is_available": True, "access_token": b"", "created_at": NOW}
    there.put(connections, [{**link, **more}])
    desk.begin_import(host, PASSPHRASE)
    rest(desk, host)
    state = desk.state(host)
    assert state.state is ArrivalState.RECEIVING
    assert state.problem
    assert "empty account" in state.problem
    away = select(accounts.c.moved_at).where(accounts.c.id == account)
    assert there.database.read_now(lambda rows: rows.scalar(away)) is None  # it never began


def test_nobody_takes_over_an_account_that_was_here(there: Home, tmp_path: Path) -> None:
    account = fill(there, 3)
    folder = ExportFolder(tmp_path / "export")
    export_account(there.source, account, folder, None, 0)
    host, _ = guest(there)
    with pytest.raises(CommandProblem, match="Use a key of its account"):
        arrivals(there).offer(host, folder.manifest.read_text("utf-8"))


def test_a_cancelled_export_is_refused_for_good(there: Home, export: tuple[UUID, ExportFolder]) -> None:
    account, folder = export
    host, _ = guest(there)
    desk = arrivals(there)
    arrival = send_all(desk, host, folder)
    which = CancelArrival(account_id=account, export_id=arrival.export_id)
    assert desk.cancel(host, which).state is ArrivalState.CANCELLED
    assert desk.offer(host, folder.manifest.read_text("utf-8")).state is ArrivalState.CANCELLED
    with pytest.raises(NotOfferedProblem):
        desk.begin_import(host, PASSPHRASE)
    assert there.database.read_now(lambda rows: rows.scalars(select(posts.c.id)).all()) == []


def test_an_account_that_has_arrived_is_not_cancelled(there: Home, export: tuple[UUID, ExportFolder]) -> None:
    account, folder = export
    host, _ = guest(there)
    desk = arrivals(there)
    export_id = send_all(desk, host, folder).export_id
    arrive(desk, host, folder)
    with pytest.raises(CommandProblem, match="already arrived"):
        desk.cancel(account, CancelArrival(account_id=account, export_id=export_id))


@pytest.mark.parametrize("name", ["../../service.db", "manifest.json", "unfinished.json", "posts", "A" * 64])
def test_only_files_of_the_export_are_taken(
    there: Home, export: tuple[UUID, ExportFolder], name: str
) -> None:
    host, _ = guest(there)
    desk = arrivals(there)
    desk.offer(host, export[1].manifest.read_text("utf-8"))
    with pytest.raises(CommandProblem, match="no such file"):
        desk.receiver(host, name, 10)


def test_a_damaged_file_is_asked_for_again(there: Home, export: tuple[UUID, ExportFolder]) -> None:
    host, _ = guest(there)
    desk = arrivals(there)
    name = desk.offer(host, export[1].manifest.read_text("utf-8")).missing[0]
    receiver = desk.receiver(host, name, 4)
    receiver.write(b"{}\n\n")
    with pytest.raises(CommandProblem, match="arrived damaged"):
        receiver.finish()
    receiver.abandon()
    assert name in desk.state(host).missing
    short = desk.receiver(host, name, 3)
    with pytest.raises(CommandProblem, match="more bytes than announced"):
        short.write(b"1234")
    short.abandon()


MIB = 1024**2


def offered(there: Home, folder: ExportFolder, plan: Plan, cap: int) -> tuple[Arrivals, UUID]:
    """An export that was offered for an account with this much storage."""
    host, _ = guest(there)
    there.database.write_now(lambda rows: change_account(rows, host, plan=plan, storage_cap=cap))
    desk = arrivals(there)
    desk.offer(host, folder.manifest.read_text("utf-8"))
    return desk, host


def accepted(desk: Arrivals, host: UUID, sizes: dict[str, int]) -> int:
    """How many bytes of these files, all of which arrive at the same time, are accepted."""
    total, receivers = 0, []
    for name, size in sizes.items():
        with suppress(CommandProblem):
            receivers.append(desk.receiver(host, name, size))
            total += size
    for receiver in receivers:
        receiver.abandon()
    return total


def test_rows_need_room_like_files(there: Home, export: tuple[UUID, ExportFolder]) -> None:
    desk, host = offered(there, export[1], Plan.FREE, 100 * MIB)
    assert (
        accepted(desk, host, dict.fromkeys((f"{part.name}.ndjson" for part in PARTS), 30 * MIB)) == 90 * MIB
    )
    assert accepted(desk, host, {f"{number:064x}": 30 * MIB for number in range(13)}) == 90 * MIB


def test_rows_have_some_room_without_storage_for_files(
    there: Home, export: tuple[UUID, ExportFolder]
) -> None:
    desk, host = offered(there, export[1], Plan.FREE, 0)
    assert accepted(desk, host, {"posts.ndjson": 60 * MIB}) == 60 * MIB
    assert accepted(desk, host, {"0" * 64: 1}) == 0


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("webhook_subscriptions.ndjson", MIB),
        ("usage_counters.ndjson", MIB),
        ("connections.ndjson", 64 * MIB),
        ("secrets.ndjson", 64 * MIB),
        ("0" * 64, 100_000_000),
    ],
)
def test_no_file_is_larger_than_its_table_may_be(
    there: Home, export: tuple[UUID, ExportFolder], name: str, most: int
) -> None:
    desk, host = offered(there, export[1], Plan.FREE, 10**9)
    assert accepted(desk, host, {name: most}) == most
    assert accepted(desk, host, {name: most + 1}) == 0


def test_a_file_sent_again_needs_no_more_room(there: Home, export: tuple[UUID, ExportFolder]) -> None:
    _, folder = export
    file = max(folder.root.glob("media/*/*"), key=lambda found: found.stat().st_size)
    content = file.read_bytes()
    desk, host = offered(there, folder, Plan.FREE, len(content))
    for _ in range(2):
        receiver = desk.receiver(host, file.name, len(content))
        receiver.write(content)
        receiver.finish()
    short = desk.receiver(host, file.name, len(content))
    short.write(content[:-1])
    with pytest.raises(CommandProblem, match="arrived damaged"):
        short.finish()
    short.abandon()


async def silence(*pieces: bytes) -> AsyncIterator[bytes]:
    """Pieces of a file, after which nothing comes."""
    for piece in pieces:
        yield piece
    await asyncio.Event().wait()


async def test_a_file_that_stalls_is_given_up(there: Home, export: tuple[UUID, ExportFolder]) -> None:
    desk, host = offered(there, export[1], Plan.FREE, MIB)
    home = Moving(there.root, there.database, there.store, there.seal, system_clock)
    moving = replace(home, idle=timedelta(milliseconds=50))
    async with asyncio.timeout(20):
        with pytest.raises(ApiError, match="stalled"):
            await moving.receive(host, "posts.ndjson", 1_000, silence(b"{"))
    assert not list(desk.root.rglob("*.part"))


def departed(there: Home, account: UUID, *, gives_secrets: bool) -> tuple[Departures, Departure]:
    desk = Departures(there.root / "moving" / "out", there.source, gives_secrets)
    desk.begin(account, PASSPHRASE)
    for thread in threading.enumerate():
        if thread.name == "moving":
            thread.join()
    return desk, desk.state(account)


@pytest.mark.parametrize("gives_secrets", [True, False])
def test_access_to_accounts_leaves_only_where_it_may(there: Home, *, gives_secrets: bool) -> None:
    desk, state = departed(there, account := fill(there, 3), gives_secrets=gives_secrets)
    assert (state.state, state.has_secrets) == (DepartureState.WRITTEN, gives_secrets)
    names = [file.name for file in desk.files(account, "").data]
    assert ("secrets.ndjson" in names) == gives_secrets
    assert names == sorted(names)
    assert "posts.ndjson" in names
    assert [file.name for file in desk.files(account, "media.ndjson").data] == names[
        names.index("media.ndjson") + 1 :
    ]


def test_an_account_can_be_taken_back(there: Home) -> None:
    account = fill(there, 3)
    _, key = there.database.write_now(lambda rows: create_key(rows, account, KeyScope.API_FULL, None, NOW))
    desk, _ = departed(there, account, gives_secrets=True)
    assert desk.take_back(account).state is DepartureState.HERE
    assert there.database.read_now(lambda rows: authenticate(rows, key, NOW)).account_id == account
    with pytest.raises(CommandProblem, match="isn't complete"):
        desk.file(account, "posts.ndjson")


@pytest.mark.parametrize("name", ["../../../service.db", "export.lock", "unfinished.json", "posts.ndjson/.."])
def test_only_files_of_the_export_are_given(there: Home, name: str) -> None:
    account = fill(there, 3)
    desk, _ = departed(there, account, gives_secrets=False)
    with pytest.raises(CommandProblem, match="no such file"):
        desk.file(account, name)


def test_an_account_that_left_returns_with_its_old_key(
    there: Home, export: tuple[UUID, ExportFolder], tmp_path: Path
) -> None:
    account, folder = export
    host, key = guest(there)
    desk = arrivals(there)
    arrive(desk, host, folder)
    departed(there, account, gives_secrets=True)
    with home(tmp_path / "elsewhere", "sqlite") as elsewhere:
        left = VisitorFolder(there.root / "moving" / "out", account).export
        import_account(elsewhere.target, left, PASSPHRASE, Rooms(Plan.LOCAL))
        back = ExportFolder(tmp_path / "back")
        export_account(elsewhere.source, account, back, PASSPHRASE, 0)
    with pytest.raises(CommandProblem, match="older than the last one"):
        import_account(there.target, left, PASSPHRASE, Rooms(Plan.LOCAL))
    arrive(desk, account, back)
    assert desk.state(account).state is ArrivalState.ARRIVED
    assert there.database.read_now(lambda rows: authenticate(rows, key, NOW)).account_id == account


def _age(folder: Path) -> None:
    """Makes everything in a folder 8 days old."""
    for path in (folder, *folder.rglob("*")):
        os.utime(path, (time.time() - 8 * 86_400,) * 2)


def test_files_that_arrive_slowly_are_kept(there: Home, export: tuple[UUID, ExportFolder]) -> None:
    host, _ = guest(there)
    desk = arrivals(there)
    manifest = export[1].manifest.read_text("utf-8")
    desk.offer(host, manifest)
    arriving = VisitorFolder(desk.root, host).export
    for file in export[1].root.glob("media/*/*"):
        _age(arriving.root)
        receiver = desk.receiver(host, file.name, file.stat().st_size)
        receiver.write(file.read_bytes())
        receiver.finish()
        forget_abandoned(desk.root)
        assert arriving.media(file.name).exists()
    _age(arriving.root)
    forget_abandoned(desk.root)
    assert not arriving.root.exists()


def test_files_that_are_fetched_slowly_are_kept(there: Home) -> None:
    desk, _ = departed(there, account := fill(there, 3), gives_secrets=True)
    leaving = VisitorFolder(desk.root, account).export
    for file in desk.files(account, "").data:
        _age(leaving.root)
        desk.file(account, file.name)
        forget_abandoned(desk.root)
        assert leaving.root.exists()
