"""Lock-out: who fails to sign in waits, and longer each time, by login name and by address.

A try is counted before the password is looked at, so that many at once gain nothing, and taken back when it
was right. Names that nobody has are counted like others, so that waiting tells nothing about them.
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
_NETWORK_BITS = 64  # one household has that many IPv6 addresses to itself


class LockedOutError(Exception):
    """No try is admitted before ``until``."""

    def __init__(self, until: datetime) -> None:
        super().__init__(f"no sign-in before {until.isoformat()}")
        self.until = until


@dataclass(frozen=True, slots=True)
class Subject:
    """What failures are counted for. ``free`` failures cost nothing."""

    name: str
    free: int

    @classmethod
    def login(cls, login: str) -> Self:
        """A login name, folded; there need not be one."""
        return cls(hash_of(f"login {login}"), free=5)

    @classmethod
    def address(cls, host: str) -> Self:
        """Where a browser is; neighbours in one IPv6 network count as one."""
        return cls(hash_of(f"address {_network(host)}"), free=20)

    def wait(self, count: int) -> timedelta:
        """How long to wait after so many failures."""
        if count < self.free:
            return timedelta()
        doublings = min(count - self.free, _DOUBLINGS_MAX)
        return min(WAIT_FIRST * (1 << doublings), WAIT_LONGEST)


def begin_try(connection: Connection, subjects: Sequence[Subject], now: datetime) -> None:
    """Counts a try as failed until it is known better. Raises LockedOutError, and then counts nothing."""
    connection.execute(delete(failures).where(failures.c.failed_at <= now - _FORGOTTEN_AFTER))
    counts = [_admitted_count(connection, subject, now) for subject in subjects]
    for subject, count in zip(subjects, counts, strict=True):
        row = {"times": (count or 0) + 1, "failed_at": now}
        if count is not None:
            connection.execute(update(failures).where(failures.c.subject_hash == subject.name).values(row))
        else:
            connection.execute(insert(failures).values(subject_hash=subject.name, **row))


def forgive(connection: Connection, login: Subject, address: Subject) -> None:
    """Takes a try back that was right: the name is free again; its address keeps what others failed there."""
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
