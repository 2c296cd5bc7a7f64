"""What tests of the pages share."""

from collections.abc import Callable, Iterator

import argon2
import pytest

from app.service.accounts import sessions
from app.service.store.tables import sign_in_failures
from tests.service.integrations.visiting import Visitor, visiting
from tests.service.running import Caller, RunningService


@pytest.fixture(autouse=True)
def cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords at the least cost: dozens of sign-ins at the full one take minutes.

    The tests of accounts hash at the full cost.
    """
    cheapest = argon2.PasswordHasher.from_parameters(argon2.profiles.CHEAPEST)
    monkeypatch.setattr(sessions, "_hasher", cheapest)


@pytest.fixture
def new_visitor(service: RunningService) -> Iterator[Callable[[], Visitor]]:
    """Makes browsers, and closes them when the test is over. No failure of an earlier test is remembered."""
    service.database.write_now(lambda rows: rows.execute(sign_in_failures.delete()))
    with visiting(service) as make:
        yield make


@pytest.fixture
def visitor(new_visitor: Callable[[], Visitor]) -> Visitor:
    """A browser that nobody has signed in with."""
    return new_visitor()


@pytest.fixture
def owner(visitor: Visitor, caller: Caller) -> Visitor:
    """A browser in which the caller is signed in."""
    visitor.sign_in(caller.account_id)
    return visitor
