"""Signing in on the service's pages: sessions, one-time links, passwords, and the lockout after failures.

Both are random tokens. The database stores only their hashes.
"""

import asyncio
import hashlib
import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Final, Self
from uuid import UUID

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import ColumnElement, Connection, delete, exists, insert, or_, select, update

from app.contract.companion import SignInLink
from app.contract.limits import INTEGRATIONS_PATH
from app.service.accounts.accounts import Caller, end_of, in_force, name_of, require_account
from app.service.peers import network_of
from app.service.problems import CommandProblem
from app.service.store.tables import accounts, api_keys, passwords, sessions, sign_in_links
from app.service.store.tables import sign_in_failures as failures
from app.service.store.tables.accounts import ACCOUNT_NAME_MAX

_BYTES = 32

LINK_LIFETIME: Final = timedelta(minutes=10)

SESSION_LIFETIME: Final = timedelta(hours=12)
SESSION_IDLE: Final = timedelta(minutes=30)
_SIGHT_TOLD_EVERY = timedelta(minutes=1)


def new_token() -> str:
    """Return 256 random bits as text for a URL or a cookie."""
    return secrets.token_urlsafe(_BYTES)


def hash_of(token: str) -> str:
    """Return the hexadecimal SHA-256. Random tokens need no slow hash."""
    return hashlib.sha256(token.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Admission:
    """The account a link signs in, and the key that created the link; None for a command."""

    account_id: UUID
    created_by: UUID | None


def create_link(
    connection: Connection, account_id: UUID, base_url: str, now: datetime, *, created_by: UUID | None = None
) -> SignInLink:
    """Create a link. ``base_url`` is the service's URL without a trailing slash.

    A link ends no later than ``created_by``, the key that created it. Raises CommandProblem if there is no
    such account, and KeyRefusedError if ``created_by`` is no longer valid.
    """
    require_account(connection, account_id)
    connection.execute(delete(sign_in_links).where(sign_in_links.c.expires_at <= now))
    token, expires_at = new_token(), now + LINK_LIFETIME
    if created_by is not None:
        expires_at = min(expires_at, end_of(connection, created_by, now) or expires_at)
    connection.execute(
        insert(sign_in_links).values(
            link_hash=hash_of(token), account_id=account_id, expires_at=expires_at, created_by=created_by
        )
    )
    return SignInLink(url=f"{base_url}{INTEGRATIONS_PATH}/sign-in?link={token}", expires_at=expires_at)


def use_link(connection: Connection, token: str, now: datetime) -> Admission | None:
    """Use up a link and return whom it signs in; None if it's unknown, used or expired."""
    used = connection.execute(
        delete(sign_in_links)
        .where(sign_in_links.c.link_hash == hash_of(token), sign_in_links.c.expires_at > now)
        .returning(sign_in_links.c.account_id, sign_in_links.c.created_by)
    ).one_or_none()
    return None if used is None else Admission(used.account_id, used.created_by)


@dataclass(frozen=True, slots=True)
class Session:
    """A browser session of an account's owner.

    Attributes:
        status: Status of the subscription.
        created_by: The key whose link opened the session, which ends with it; None if the user signed in.
    """

    token: str
    account_id: UUID
    account_name: str
    status: str
    last_seen_at: datetime
    created_by: UUID | None

    @property
    def caller(self) -> Caller:
        """What its writes are checked by."""
        return Caller(self.account_id, self.created_by)

    def sight_is_news(self, now: datetime) -> bool:
        """Whether the stored time of last activity is old enough to update it."""
        return self.last_seen_at <= now - _SIGHT_TOLD_EVERY


def open_session(
    connection: Connection, account_id: UUID, now: datetime, *, created_by: UUID | None = None
) -> str:
    """Create a session and return its token. Expired sessions are deleted."""
    connection.execute(delete(sessions).where(_over(now)))
    token = new_token()
    connection.execute(
        insert(sessions).values(
            session_hash=hash_of(token),
            account_id=account_id,
            created_at=now,
            last_seen_at=now,
            created_by=created_by,
        )
    )
    return token


def find_session(connection: Connection, token: str, now: datetime) -> Session | None:
    """Return the session of a token; None if it's unknown or has ended."""
    found = connection.execute(
        select(
            sessions.c.account_id,
            sessions.c.last_seen_at,
            sessions.c.created_by,
            accounts.c.name,
            accounts.c.status,
        )
        .join(accounts, accounts.c.id == sessions.c.account_id)
        .where(sessions.c.session_hash == hash_of(token), ~_over(now), _maker_in_force(now))
        .where(accounts.c.moved_at.is_(None))
    ).one_or_none()
    if found is None:
        return None
    return Session(token, found.account_id, found.name, found.status, found.last_seen_at, found.created_by)


def tell_sight(connection: Connection, token: str, now: datetime) -> None:
    """Record activity, which extends the session."""
    connection.execute(
        update(sessions).where(sessions.c.session_hash == hash_of(token)).values(last_seen_at=now)
    )


def close_session(connection: Connection, token: str) -> None:
    """End a session immediately."""
    connection.execute(delete(sessions).where(sessions.c.session_hash == hash_of(token)))


def _maker_in_force(now: datetime) -> ColumnElement[bool]:
    """Condition for sessions not created by a key, or by one that's still active."""
    maker = exists().where(api_keys.c.id == sessions.c.created_by, in_force(now))
    return or_(sessions.c.created_by.is_(None), maker)


def _over(now: datetime) -> ColumnElement[bool]:
    return or_(sessions.c.created_at <= now - SESSION_LIFETIME, sessions.c.last_seen_at <= now - SESSION_IDLE)


# Passwords are stored with argon2id. Waits grow with each failed sign-in, by login name and by address. An
# attempt counts before the password is checked, so parallel attempts gain nothing, and is uncounted if it
# succeeds. Unknown names count like others, so that waits reveal nothing about them.
WAIT_FIRST: Final = timedelta(seconds=30)
WAIT_LONGEST: Final = timedelta(hours=1)
_DOUBLINGS_MAX = 7  # more than WAIT_LONGEST
_FORGOTTEN_AFTER = timedelta(days=1)

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
        return cls(hash_of(f"address {network_of(host)}"), free=20)

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
