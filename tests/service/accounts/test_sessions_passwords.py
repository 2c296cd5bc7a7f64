"""Passwords, and the wait after failures: a few are free, then each doubles the wait, up to an hour."""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from argon2 import PasswordHasher, extract_parameters
from argon2.profiles import RFC_9106_LOW_MEMORY
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from app.database import Database
from app.service.accounts.accounts import Plan, create_account
from app.service.accounts.sessions import (
    PASSWORD_MAX,
    PASSWORD_MIN,
    WAIT_FIRST,
    WAIT_LONGEST,
    PasswordCheck,
    Subject,
    fold,
    set_password,
)
from app.service.clock import system_clock
from app.service.problems import CommandProblem
from app.service.store.tables import passwords
from tests.stores import service_store

GOOD = "correct horse battery staple"
COUNTS = st.integers(min_value=0, max_value=10**9)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(service_store(tmp_path)) as database:
        yield database


@pytest.fixture
def ines(database: Database) -> UUID:
    return new_account(database, "Inês Duarte")


def new_account(database: Database, name: str) -> UUID:
    return database.write_now(lambda rows: create_account(rows, name, Plan.LOCAL, system_clock()))


def set_for(database: Database, account_id: UUID, password: str = GOOD, login: str | None = None) -> str:
    return database.write_now(
        lambda rows: set_password(rows, account_id, password, system_clock(), login=login)
    )


def test_a_login_name_is_the_accounts_and_stays_until_another_is_given(
    database: Database, ines: UUID
) -> None:
    assert set_for(database, ines) == "inês duarte"
    assert set_for(database, ines, login=" Ines ") == "ines"
    assert set_for(database, ines) == "ines"


def test_two_accounts_do_not_share_a_login_name(database: Database, ines: UUID) -> None:
    set_for(database, ines)
    namesake = new_account(database, "  INE\u0302S DUARTE ")

    with pytest.raises(CommandProblem, match="Another account signs in as 'inês duarte'"):
        set_for(database, namesake)
    assert set_for(database, namesake, login="other ines") == "other ines"


@pytest.mark.parametrize(
    "password",
    [
        "",
        "x" * (PASSWORD_MIN - 1),
        "x" * (PASSWORD_MAX + 1),
        "with a\ttab inside",
        "with a\x00 inside",
        "half a pair \udc80",
        "Inês Duarte   ",
        "INÊS DUARTE  ",
    ],
)
def test_a_bad_password_is_refused_and_the_old_one_stays(
    database: Database, ines: UUID, password: str
) -> None:
    set_for(database, ines)

    def stored() -> object:
        return database.read_now(lambda rows: rows.scalar(select(passwords.c.password_hash)))

    before = stored()

    with pytest.raises(CommandProblem) as refused:
        set_for(database, ines, password)

    assert not password.strip() or password.strip() not in str(refused.value)
    assert stored() == before


def test_a_password_is_hashed_at_the_full_cost(database: Database, ines: UUID) -> None:
    set_for(database, ines)
    stored = database.read_now(lambda rows: rows.scalar(select(passwords.c.password_hash)))
    assert extract_parameters(stored or "") == RFC_9106_LOW_MEMORY


@given(st.text())
def test_folding_a_folded_name_changes_nothing(login: str) -> None:
    assert fold(fold(login)) == fold(login)


async def test_a_password_longer_than_any_that_can_be_set_is_not_looked_at() -> None:
    longest, longer = "x" * PASSWORD_MAX, "x" * (PASSWORD_MAX + 1)
    check = PasswordCheck()

    async def fits(password: str) -> bool:
        return await check.fits(password, PasswordHasher().hash(password))

    assert await fits(longest)
    assert not await fits(longer)


def test_of_a_very_long_login_name_only_the_beginning_counts() -> None:
    assert fold("I" * 100_000) == fold("I" * 50_000)
    assert len(fold("\u0301\u0323" * 50_000)) < 1_000


@given(COUNTS)
def test_the_wait_never_shrinks_and_never_exceeds_an_hour(count: int) -> None:
    name = Subject.login("ines")

    assert timedelta() <= name.wait(count) <= name.wait(count + 1) <= WAIT_LONGEST
    assert (name.wait(count) == timedelta()) == (count < name.free)


def test_it_begins_with_half_a_minute_and_doubles() -> None:
    name = Subject.login("ines")

    waits = [name.wait(name.free + number) for number in range(8)]

    assert waits == [*(WAIT_FIRST * 2**number for number in range(7)), WAIT_LONGEST]


@given(COUNTS)
def test_an_address_has_more_free_tries_than_a_name(count: int) -> None:
    assert Subject.address("192.0.2.7").wait(count) <= Subject.login("ines").wait(count)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.7", "192.0.2.7", True),
        ("192.0.2.7", "192.0.2.8", False),
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("", "", True),
        ("", "unix", False),
    ],
)
def test_a_household_is_one_address(one: str, other: str, same: bool) -> None:
    assert (Subject.address(one) == Subject.address(other)) is same


def test_a_name_is_no_address() -> None:
    assert Subject.login("192.0.2.7").name != Subject.address("192.0.2.7").name
