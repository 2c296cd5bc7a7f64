"""Passwords for self-hosted services, stored with argon2id, and login names."""

import asyncio
import unicodedata
from datetime import datetime
from functools import cached_property
from typing import Final
from uuid import UUID

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Connection, delete, insert, select, update

from app.service.accounts.accounts import name_of
from app.service.accounts.tokens import new_token
from app.service.problems import CommandProblem
from app.service.store.tables import passwords, sessions, sign_in_links
from app.service.store.tables.accounts import ACCOUNT_NAME_MAX

PASSWORD_MIN: Final = 12
PASSWORD_MAX: Final = 1024
_LOGIN_READ: Final = 4 * ACCOUNT_NAME_MAX
"""Maximum length of a login name to read. Decomposed letters can have up to four characters."""
_CHECKS_AT_ONCE = 2  # each takes 64 MiB for a moment

_hasher = PasswordHasher()  # argon2id with the low-memory parameters of RFC 9106


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
        """Hash of an unknown password, checked for unknown names."""
        return _hash(new_token())

    def _fits(self, password: str, password_hash: str | None) -> bool:
        nobodys = self.nobodys  # created with the first check, for any name
        # Limit the length first: normalizing long runs of accents is slow.
        is_possible = password_hash is not None and len(password) <= PASSWORD_MAX
        return _verify(password_hash or nobodys, password[:PASSWORD_MAX]) and is_possible


def _check(password: str, login: str) -> None:
    if not PASSWORD_MIN <= len(password) <= PASSWORD_MAX or not password.isprintable():
        raise CommandProblem(
            f"A password has {PASSWORD_MIN} to {PASSWORD_MAX} characters that can be printed. Choose another."
        )
    if fold(password) == login:
        raise CommandProblem("A password that is the login name is guessed at once. Choose another.")


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
