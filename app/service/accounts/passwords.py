"""Passwords and login names for self-hosted services, and the lockout after failures.

Passwords are stored with argon2id. Waits grow with each failed sign-in, by login name and by address. An
attempt counts before the password is checked, so parallel attempts gain nothing, and is uncounted if it
succeeds. Unknown names count like others, so that waits reveal nothing about them.
"""

import asyncio
import ipaddress
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Final, Self
from uuid import UUID

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Connection, delete, insert, select, update

from app.service.accounts.accounts import name_of
from app.service.accounts.sessions import hash_of, new_token
from app.service.problems import CommandProblem
from app.service.store.tables import passwords, sessions, sign_in_links
from app.service.store.tables import sign_in_failures as failures
from app.service.store.tables.accounts import ACCOUNT_NAME_MAX

WAIT_FIRST: Final = timedelta(seconds=30)
WAIT_LONGEST: Final = timedelta(hours=1)
_DOUBLINGS_MAX = 7  # more than WAIT_LONGEST
_FORGOTTEN_AFTER = timedelta(days=1)
_NETWORK_BITS = 64  # a household usually has a whole /64

PASSWORD_MIN: Final = 12
PASSWORD_MAX: Final = 1024
_LOGIN_READ: Final = 4 * ACCOUNT_NAME_MAX
"""Maximum length of a login name to read. Decomposed letters can have up to four characters."""
_CHECKS_AT_ONCE = 2  # each takes 64 MiB for a moment

_hasher = PasswordHasher()  # argon2id with the low-memory parameters of RFC 9106


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


def set_password(
    connection: Connection, account_id: UUID, password: str, now: datetime, *, login: str | None = None
) -> str:
    """Set a password, end all sessions, and return the login name. Intentionally slow.

    Without ``login``, the current login name stays; initially, it's the account's name. Raises CommandProblem
    for an unsuitable password, an unknown account, or a login name in use.
    """
    known = connection.scalar(select(passwords.c.login).where(passwords.c.account_id == account_id))
    name = fold(login or known or name_of(connection, account_id))
    _check(password, name)
    holder = connection.scalar(select(passwords.c.account_id).where(passwords.c.login == name))
    if holder not in (None, account_id):
        raise CommandProblem(f"Another account signs in as {name!r}. Choose another name with --login.")
    row = {"login": name, "password_hash": _hash(password), "changed_at": now}
    if known is None:
        connection.execute(insert(passwords).values(account_id=account_id, **row))
    else:
        connection.execute(update(passwords).where(passwords.c.account_id == account_id).values(row))
    for table in (sessions, sign_in_links):
        connection.execute(delete(table).where(table.c.account_id == account_id))
    return name


def fold(login: str) -> str:
    """Normalize a login name for comparison, regardless of case and composition of accents."""
    folded = login[:_LOGIN_READ]
    for _ in range(2):  # once isn't enough for all letters: see Unicode definition D146
        folded = _normal(_normal(folded).casefold())
    return folded.strip()


class PasswordCheck:
    """Checks passwords in a few threads, equally slowly for unknown names."""

    def __init__(self) -> None:
        self._turns = asyncio.Semaphore(_CHECKS_AT_ONCE)

    async def fits(self, password: str, password_hash: str | None) -> bool:
        """Whether the password matches the hash. False without a hash, after the same time."""
        async with self._turns:
            return await asyncio.to_thread(self._fits, password, password_hash)

    @cached_property
    def nobodys(self) -> str:
        """Hash of a random password, checked for unknown names so that they take as long."""
        return _hash(new_token())

    def _fits(self, password: str, password_hash: str | None) -> bool:
        nobodys = self.nobodys  # created with the first check, for any name
        # Limit the length first: normalizing long runs of accents is slow.
        is_possible = password_hash is not None and len(password) <= PASSWORD_MAX
        return _verify(password_hash or nobodys, password[:PASSWORD_MAX]) and is_possible


def _check(password: str, login: str) -> None:
    if not PASSWORD_MIN <= len(password) <= PASSWORD_MAX or not password.isprintable():
        raise CommandProblem(
            f"A password has {PASSWORD_MIN} to {PASSWORD_MAX} printable characters. Choose another."
        )
    if fold(password) == login:
        raise CommandProblem("The password must differ from the login name. Choose another.")


def _hash(password: str) -> str:
    return _hasher.hash(_normal(password))


def _verify(password_hash: str, password: str) -> bool:
    try:
        return _hasher.verify(password_hash, _normal(password))
    except (VerificationError, InvalidHashError):
        return False


def _normal(password: str) -> str:
    """Normalize a password, because keyboards compose accents differently."""
    return unicodedata.normalize("NFKC", password)
