"""Lockout after failed sign-ins, with growing waits, by login name and by address.

An attempt counts before the password is checked, so parallel attempts gain nothing, and is uncounted if it
succeeds. Unknown names count like others, so that waits reveal nothing about them.
"""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Self

from sqlalchemy import Connection, delete, insert, select, update

from app.service.accounts.tokens import hash_of
from app.service.store.tables import sign_in_failures as failures

WAIT_FIRST: Final = timedelta(seconds=30)
WAIT_LONGEST: Final = timedelta(hours=1)
_DOUBLINGS_MAX = 7  # more than WAIT_LONGEST
_FORGOTTEN_AFTER = timedelta(days=1)
_NETWORK_BITS = 64  # a household usually has a whole /64


class LockedOutError(Exception):
    """No attempt is accepted before ``until``."""

    def __init__(self, until: datetime) -> None:
        super().__init__(f"no sign-in before {until.isoformat()}")
        self.until = until


@dataclass(frozen=True, slots=True)
class Subject:
    """What failures are counted by. The first ``free`` failures cause no wait."""

    name: str
    free: int

    @classmethod
    def login(cls, login: str) -> Self:
        """Count by a login name, folded. It needn't exist."""
        return cls(hash_of(f"login {login}"), free=5)

    @classmethod
    def address(cls, host: str) -> Self:
        """Count by a browser's address. An IPv6 network counts as one address."""
        return cls(hash_of(f"address {_network(host)}"), free=20)

    def wait(self, count: int) -> timedelta:
        """Return the wait after ``count`` failures."""
        if count < self.free:
            return timedelta()
        doublings = min(count - self.free, _DOUBLINGS_MAX)
        return min(WAIT_FIRST * (1 << doublings), WAIT_LONGEST)


def begin_try(connection: Connection, subjects: Sequence[Subject], now: datetime) -> None:
    """Count an attempt as failed for now. Raises LockedOutError without counting it."""
    connection.execute(delete(failures).where(failures.c.failed_at <= now - _FORGOTTEN_AFTER))
    counts = [_admitted_count(connection, subject, now) for subject in subjects]
    for subject, count in zip(subjects, counts, strict=True):
        row = {"times": (count or 0) + 1, "failed_at": now}
        if count is not None:
            connection.execute(update(failures).where(failures.c.subject_hash == subject.name).values(row))
        else:
            connection.execute(insert(failures).values(subject_hash=subject.name, **row))


def forgive(connection: Connection, login: Subject, address: Subject) -> None:
    """Uncount a successful attempt: reset the name, but keep other failures of its address."""
    connection.execute(delete(failures).where(failures.c.subject_hash == login.name))
    connection.execute(
        update(failures).where(failures.c.subject_hash == address.name).values(times=failures.c.times - 1)
    )


def _admitted_count(connection: Connection, subject: Subject, now: datetime) -> int | None:
    counted = select(failures).where(failures.c.subject_hash == subject.name).with_for_update()
    found = connection.execute(counted).one_or_none()
    if found is None:
        return None
    until: datetime = found.failed_at + subject.wait(found.times)
    if now < until:
        raise LockedOutError(until)
    return int(found.times)


def _network(host: str) -> str:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.version == 4:
        return host
    return str(ipaddress.ip_network((address, _NETWORK_BITS), strict=False))
