"""What an account may store: what is there and what was promised is never more than its cap."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule
from sqlalchemy import Connection, text

from app.contract.media_kinds import KINDS
from app.service.accounts.accounts import Plan, change_account, create_account
from app.service.api.responses import ApiError
from app.service.media import rows
from app.service.media.stores import Place
from tests.service.media.samples import image
from tests.service.media.shelf import Shelf, refusal
from tests.stores import chosen, service_engine, service_store, take_back

BOTH = pytest.mark.parametrize("service", ["folder", "bucket"], indirect=True)


PNG = image()
SIZE = len(PNG)


@BOTH
def test_what_was_promised_counts(shelf: Shelf) -> None:
    shelf.cap(3 * SIZE)
    shelf.announce(SIZE)
    shelf.store(PNG)
    assert refusal(shelf.ask(SIZE + 1), 403)["code"] == "forbidden"
    assert shelf.used_bytes() == SIZE

    shelf.announce(SIZE)
    refusal(shelf.ask(1), 403)


@BOTH
def test_a_promise_ends_with_its_link(shelf: Shelf) -> None:
    shelf.cap(SIZE)
    shelf.announce(SIZE)
    shelf.service.clock.ahead = timedelta(seconds=7190)
    refusal(shelf.ask(SIZE), 403)
    shelf.service.clock.ahead = timedelta(seconds=7201)

    assert shelf.ask(SIZE).status_code == 200


@BOTH
def test_giving_up_and_removing_make_room(shelf: Shelf) -> None:
    shelf.cap(SIZE)
    for make in (lambda: shelf.announce(SIZE)["storage_path"], lambda: shelf.store(PNG)):
        path = make()
        refusal(shelf.ask(SIZE), 403)
        shelf.caller.http.delete(f"/media/{path}")

    assert shelf.ask(SIZE).status_code == 200


@BOTH
def test_an_account_counts_for_itself(shelf: Shelf, stranger: Shelf) -> None:
    for one in (shelf, stranger):
        one.cap(SIZE)
        one.store(PNG)


@BOTH
def test_a_smaller_cap_refuses_and_removes_nothing(shelf: Shelf) -> None:
    path = shelf.store(PNG)
    shelf.cap(1)

    refusal(shelf.ask(1), 403)
    assert shelf.caller.http.get(f"/media/{path}").status_code == 200


@pytest.mark.parametrize(
    ("plan", "longest"),
    [(Plan.FREE, 100_000_000), (Plan.CREATOR, 2_000_000_000), (Plan.STUDIO, 20_000_000_000)],
)
@BOTH
def test_each_plan_has_its_longest_file(shelf: Shelf, plan: Plan, longest: int) -> None:
    owner = shelf.caller.account_id
    shelf.service.database.write_now(lambda opened: change_account(opened, owner, plan=plan))
    error = refusal(shelf.ask(longest + 1), 400)

    assert [issue["field"] for issue in error["details"]["errors"]] == ["size_bytes"]
    assert shelf.ask(longest).status_code == 200


@BOTH
@pytest.mark.parametrize("size", [50_000_000_001, 10**30])
def test_a_file_beyond_both_limits_is_refused_for_want_of_room(shelf: Shelf, size: int) -> None:
    """It is the answer that the contract names for a quota, whatever else is wrong with the file."""
    assert refusal(shelf.ask(size), 403)["code"] == "forbidden"
    shelf.cap(2**62)
    if size < 2**62:
        assert refusal(shelf.ask(size), 400)["code"] == "validation_error"


@BOTH
def test_of_many_at_once_exactly_as_many_fit_as_there_is_room_for(shelf: Shelf) -> None:
    shelf.cap(7 * SIZE + SIZE // 2)
    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda _: shelf.ask(SIZE).status_code, range(24)))

    assert sorted(statuses) == [200] * 7 + [403] * 17


@BOTH
def test_an_upload_that_ends_after_its_promise_must_still_fit(shelf: Shelf) -> None:
    shelf.cap(SIZE)
    late = shelf.announce(SIZE)
    with shelf.raw(late["upload_url"], f"Content-Length: {SIZE}") as put:
        put.send(PNG[:50])
        shelf.caller.http.get("/usage")  # by now the beginning has been looked at
        shelf.service.clock.ahead = timedelta(seconds=7300)
        shelf.announce(SIZE)
        put.send(PNG[50:])
        assert put.status() == 403
    assert shelf.names() == []


NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)
CAP = 100


def test_a_promise_counts_until_the_moment_it_ends(tmp_path: Path) -> None:
    end = NOW + timedelta(hours=2)

    def work(opened: Connection) -> list[int]:
        account = create_account(opened, "Ines", Plan.LOCAL, NOW)
        change_account(opened, account, storage_cap=CAP)
        rows.reserve(opened, account, "a.png", KINDS[1], 30, now=NOW, expires_at=end)
        return [rows.room(opened, account, now) for now in (end - timedelta(milliseconds=1), end)]

    with closing(service_store(tmp_path)) as database:
        assert database.write_now(work) == [CAP - 30, CAP]


def test_asking_for_room_does_not_block_new_files_of_the_account(tmp_path: Path) -> None:
    """PostgreSQL alone: SQLite has one writer at a time."""
    with chosen("postgresql"), closing(service_store(tmp_path)) as database:
        account = database.write_now(lambda opened: create_account(opened, "Ines", Plan.LOCAL, NOW))
        engine = service_engine(tmp_path)
        try:
            with engine.begin() as asking, engine.begin() as other:
                rows.room(asking, account, NOW)
                other.execute(text("SET LOCAL lock_timeout = '10s'"))
                rows.reserve(other, account, "a.png", KINDS[1], 30, now=NOW, expires_at=NOW)
        finally:
            engine.dispose()
    take_back(tmp_path)


class Shelves(RuleBasedStateMachine):
    """An account that asks for room, uploads, gives up and waits, beside a model of what it holds."""

    paths = Bundle("paths")

    def __init__(self) -> None:
        super().__init__()
        self._folder = TemporaryDirectory()
        self._database = service_store(Path(self._folder.name))
        self._account = self._database.write_now(
            lambda opened: create_account(opened, "Ines", Plan.LOCAL, NOW)
        )
        self._database.write_now(lambda opened: change_account(opened, self._account, storage_cap=CAP))
        self._now = NOW
        self._stored: dict[str, int] = {}
        self._promised: dict[str, tuple[int, datetime]] = {}

    @rule(target=paths, size=st.integers(1, 60), hours=st.integers(1, 3))
    def ask(self, size: int, hours: int) -> str:
        expires_at = self._now + timedelta(hours=hours)

        def work(opened: Connection) -> str:
            rows.require_room(opened, self._account, size, self._now)
            return rows.reserve(
                opened, self._account, "a.png", KINDS[1], size, now=self._now, expires_at=expires_at
            )

        if self._held() + size > CAP:
            with pytest.raises(ApiError, match="enough storage"):
                self._database.write_now(work)
            return ""
        path = self._database.write_now(work)
        self._promised[path] = (size, expires_at)
        return path

    @rule(path=paths)
    def upload(self, path: str) -> None:
        size, expires_at = self._promised.get(path, (0, self._now))
        if expires_at > self._now:
            stored = rows.Stored(size, "0" * 64)
            self._database.write_now(lambda opened: rows.mark_stored(opened, Place(path), stored, self._now))
            del self._promised[path]
            self._stored[path] = size

    @rule(path=consumes(paths))
    def remove(self, path: str) -> None:
        self._database.write_now(lambda opened: rows.remove(opened, path))
        self._promised.pop(path, None)
        self._stored.pop(path, None)

    @rule(minutes=st.integers(1, 120))
    def wait(self, minutes: int) -> None:
        self._now += timedelta(minutes=minutes)

    @invariant()
    def the_books_are_right(self) -> None:
        read = self._database.read_now
        assert self._held() <= CAP
        assert read(lambda opened: rows.stored_bytes(opened, self._account)) == sum(self._stored.values())
        left = self._database.write_now(lambda opened: rows.room(opened, self._account, self._now))
        assert left == CAP - self._held()

    def _held(self) -> int:
        promised = sum(size for size, until in self._promised.values() if until > self._now)
        return promised + sum(self._stored.values())

    def teardown(self) -> None:
        self._database.close()
        self._folder.cleanup()


TestShelves = Shelves.TestCase
TestShelves.settings = settings(max_examples=15, stateful_step_count=15, deadline=None)
