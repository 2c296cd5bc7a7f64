"""Accounts, their plans, and the keys that authenticate them."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final
from uuid import UUID, uuid4

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    RowMapping,
    bindparam,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    true,
    update,
)

from app.contract.enums import KeyScope, SubscriptionStatus
from app.contract.limits import API_KEY_HEX_DIGITS, API_KEY_PREFIX
from app.database import UtcMillis
from app.service.problems import CommandProblem
from app.service.store.tables import accounts, api_keys, sessions, sign_in_links

_GB = 1_000_000_000


class Plan(StrEnum):
    """``local`` is for a user's own computer; the others are for installations with several users."""

    LOCAL = "local"
    FREE = "free"
    CREATOR = "creator"
    STUDIO = "studio"


STORAGE_CAP_BYTES: Final = MappingProxyType(
    {Plan.LOCAL: 50 * _GB, Plan.FREE: 1 * _GB, Plan.CREATOR: 25 * _GB, Plan.STUDIO: 250 * _GB}
)
"""Media storage per account, in bytes, unless the account has its own cap."""

FILE_BYTES_MAX: Final = MappingProxyType(
    {Plan.LOCAL: 50 * _GB, Plan.FREE: _GB // 10, Plan.CREATOR: 2 * _GB, Plan.STUDIO: 20 * _GB}
)
"""Maximum file size, in bytes."""


def create_account(connection: Connection, name: str, plan: Plan, now: datetime) -> UUID:
    """Create an active account and return its ID."""
    account_id = uuid4()
    connection.execute(
        insert(accounts).values(
            id=account_id,
            name=name,
            plan=plan.value,
            status=SubscriptionStatus.ACTIVE.value,
            created_at=now,
        )
    )
    return account_id


def list_accounts(connection: Connection) -> Sequence[RowMapping]:
    """Return ID and name of every account, oldest first."""
    oldest_first = select(accounts.c.id, accounts.c.name).order_by(accounts.c.created_at, accounts.c.id)
    return connection.execute(oldest_first).mappings().all()


def change_account(
    connection: Connection,
    account_id: UUID,
    *,
    status: SubscriptionStatus | None = None,
    plan: Plan | None = None,
    storage_cap: int | None = None,
) -> RowMapping:
    """Update the given fields, and return id, plan, status and storage_cap_bytes.

    Raises CommandProblem for an unknown account.
    """
    changes = {
        "status": status.value if status else None,
        "plan": plan.value if plan else None,
        "storage_cap_bytes": storage_cap,
    }
    given = {name: value for name, value in changes.items() if value is not None}
    if given:
        connection.execute(update(accounts).where(accounts.c.id == account_id).values(given))
    columns = (accounts.c.id, accounts.c.plan, accounts.c.status, accounts.c.storage_cap_bytes)
    account = connection.execute(select(*columns).where(accounts.c.id == account_id)).mappings().one_or_none()
    if account is None:
        raise _no_account(account_id)
    return account


def name_of(connection: Connection, account_id: UUID) -> str:
    """Return the account's name. Raises CommandProblem for an unknown account."""
    name: str | None = connection.scalar(select(accounts.c.name).where(accounts.c.id == account_id))
    if name is None:
        raise _no_account(account_id)
    return name


def require_account(connection: Connection, account_id: UUID, *, lock: bool = False) -> None:
    """Raise CommandProblem if the account is unknown.

    ``lock`` makes other lockers wait until the transaction ends, on databases with several writers.
    """
    found = select(accounts.c.id).where(accounts.c.id == account_id)
    if connection.scalar(found.with_for_update(key_share=True) if lock else found) is None:
        raise _no_account(account_id)


def lock_account(connection: Connection, account_id: UUID) -> None:
    """Wait for the writes of an account's callers. Others wait until the transaction ends.

    Only matters on databases with several writers. Lock the account before its rows.
    """
    connection.execute(select(accounts.c.id).where(accounts.c.id == account_id).with_for_update())


def _no_account(account_id: UUID) -> CommandProblem:
    return CommandProblem(f"There is no account {account_id}. Check the id given to --account.")


def storage_cap(plan: str, own_cap: int | None) -> int:
    """Return the media storage of an account in bytes: its own cap, or its plan's."""
    return STORAGE_CAP_BYTES[Plan(plan)] if own_cap is None else own_cap


KEY_FORMAT: Final = re.compile(rf"{API_KEY_PREFIX}[0-9a-f]{{{API_KEY_HEX_DIGITS}}}", re.ASCII)
KEYS_IN_FORCE_MAX: Final = 100
"""Maximum number of active keys per account."""

ENDED_KEYS_MAX: Final = 100
"""Maximum number of listed inactive keys per account. Older ones are deleted."""
ENDED_KEYS_KEPT: Final = timedelta(days=90)
"""How long a key stays listed after it has expired or was revoked."""

_HINT_CHARACTERS = 4
_USE_TOLD_EVERY = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Caller:
    """An account and the key that acts for it.

    No key acts for users who signed in with a password, or for signed links.
    """

    account_id: UUID
    key_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller: the account of a valid key, and what the key allows."""

    account_id: UUID
    scope: KeyScope
    key_id: UUID
    plan: Plan
    last_used_at: datetime | None
    expires_at: datetime | None

    @property
    def caller(self) -> Caller:
        """What its writes are checked by."""
        return Caller(self.account_id, self.key_id)

    def require_unexpired(self, now: datetime) -> None:
        """Raise KeyRefusedError if the key has expired."""
        _require_unexpired(self.expires_at, now)

    def use_is_news(self, now: datetime) -> bool:
        """Whether the stored time of last use is old enough to update it."""
        return self.last_used_at is None or self.last_used_at <= now - _USE_TOLD_EVERY


class KeyRefusedError(Exception):
    """The key isn't accepted. The message gives the reason and contains no part of the key."""


class TooManyKeysProblem(CommandProblem):
    """The account has the maximum number of active keys."""


def create_key(
    connection: Connection,
    account_id: UUID,
    scope: KeyScope,
    expires_at: datetime | None,
    now: datetime,
    *,
    name: str | None = None,
    key_id: UUID | None = None,
    created_by: UUID | None = None,
) -> tuple[UUID, str]:
    """Create a key and return (key ID, key). The key itself isn't stored.

    A key ends no later than ``created_by``, the key that created it. Raises CommandProblem if there is no
    such account or it has too many keys, and KeyRefusedError if ``created_by`` is no longer valid.
    """
    require_account(connection, account_id, lock=True)  # so that processes count one after the other
    if created_by is not None:
        expires_at = no_later(expires_at, end_of(connection, created_by, now))
    _prune(connection, account_id, now)
    own = (api_keys.c.account_id == account_id, in_force(now))
    if (connection.scalar(select(func.count()).select_from(api_keys).where(*own)) or 0) >= KEYS_IN_FORCE_MAX:
        raise TooManyKeysProblem(f"The account has {KEYS_IN_FORCE_MAX} keys already. Revoke one first.")
    key_id = key_id or uuid4()
    key = API_KEY_PREFIX + secrets.token_hex(API_KEY_HEX_DIGITS // 2)
    connection.execute(
        insert(api_keys).values(
            id=key_id,
            account_id=account_id,
            name=name,
            hint=key[-_HINT_CHARACTERS:],
            key_hash=fingerprint(key),
            scope=scope.value,
            expires_at=expires_at,
            created_at=now,
            created_by=created_by,
        )
    )
    return key_id, key


def list_keys(connection: Connection, account_id: UUID) -> Sequence[RowMapping]:
    """Return an account's keys without their hashes, newest first. Raises CommandProblem if it's unknown."""
    require_account(connection, account_id)
    columns = [column for column in api_keys.columns if column is not api_keys.c.key_hash]
    newest_first = api_keys.c.created_at.desc(), api_keys.c.id.desc()
    own = select(*columns).where(api_keys.c.account_id == account_id)
    return connection.execute(own.order_by(*newest_first)).mappings().all()


def end_of(connection: Connection, key_id: UUID, now: datetime) -> datetime | None:
    """Return when an active key expires; None for never. Raises KeyRefusedError if it's inactive."""
    found = connection.execute(
        select(api_keys.c.expires_at).where(api_keys.c.id == key_id, in_force(now))
    ).one_or_none()
    if found is None:
        raise KeyRefusedError("The API key is no longer valid. Create a new one.")
    expires_at: datetime | None = found.expires_at
    return expires_at


def no_later(wanted: datetime | None, end: datetime | None) -> datetime | None:
    """Return the earlier of two expiry times; None means never."""
    return min((one for one in (wanted, end) if one is not None), default=None)


def _prune(connection: Connection, account_id: UUID, now: datetime) -> None:
    """Delete the account's keys that ended long ago, and the oldest inactive ones beyond the maximum."""
    own = (api_keys.c.account_id == account_id, ~in_force(now))
    newest = (
        select(api_keys.c.id)
        .where(*own)
        .order_by(api_keys.c.created_at.desc(), api_keys.c.id.desc())
        .limit(ENDED_KEYS_MAX)
    )
    ended_at = func.coalesce(api_keys.c.revoked_at, api_keys.c.expires_at)
    long_ago = ended_at <= literal(now - ENDED_KEYS_KEPT, UtcMillis)
    connection.execute(delete(api_keys).where(*own, or_(api_keys.c.id.not_in(newest), long_ago)))


def in_force(now: datetime | BindParameter[datetime]) -> ColumnElement[bool]:
    """Condition for keys that are neither revoked nor expired."""
    return api_keys.c.revoked_at.is_(None) & or_(api_keys.c.expires_at.is_(None), api_keys.c.expires_at > now)


def revoke_key(connection: Connection, key_id: UUID, now: datetime, *, owner: UUID | None = None) -> bool:
    """Revoke a key and everything it created: keys, their keys, one-time links and sessions.

    Revoking again has no effect. Returns False if the key is unknown or doesn't belong to ``owner``.
    """
    owned = true() if owner is None else api_keys.c.account_id == owner
    account_id = connection.scalar(select(api_keys.c.account_id).where(api_keys.c.id == key_id, owned))
    if account_id is None:
        return False
    lock_account(connection, account_id)  # so that it creates nothing more meanwhile
    family = select(api_keys.c.id).where(api_keys.c.id == key_id, owned).cte("family", recursive=True)
    family = family.union(select(api_keys.c.id).join(family, api_keys.c.created_by == family.c.id))
    found = connection.scalars(select(family.c.id)).all()
    revoked = update(api_keys).where(api_keys.c.id.in_(found), api_keys.c.revoked_at.is_(None))
    connection.execute(revoked.values(revoked_at=now))
    for table in (sign_in_links, sessions):
        connection.execute(delete(table).where(table.c.created_by.in_(found)))
    return True


ACCESS_COLUMNS: Final = (
    api_keys.c.revoked_at,
    api_keys.c.expires_at,
    accounts.c.moved_at,
)
"""The columns that ``require_access`` reads."""


def require_access(found: RowMapping, now: datetime, *, even_moved: bool = False) -> None:
    """Check a row of ACCESS_COLUMNS; ``even_moved``: also accept an account that another service has.

    Raises KeyRefusedError.
    """
    if found["moved_at"] is not None and not even_moved:
        raise KeyRefusedError(
            "The account moved to another service. Use it there, with a key of that service."
        )
    if found["revoked_at"] is not None:
        raise KeyRefusedError("The API key was revoked. Create a new one.")
    _require_unexpired(found["expires_at"], now)


def _require_unexpired(expires_at: datetime | None, now: datetime) -> None:
    if expires_at is not None and expires_at <= now:
        raise KeyRefusedError("The API key has expired. Create a new one.")


_BY_HASH = (
    select(
        api_keys.c.id,
        api_keys.c.key_hash,
        api_keys.c.account_id,
        api_keys.c.scope,
        api_keys.c.last_used_at,
        accounts.c.status,
        accounts.c.plan,
        *ACCESS_COLUMNS,
    )
    .join(accounts, accounts.c.id == api_keys.c.account_id)
    .where(api_keys.c.key_hash == bindparam("key_hash"))
)


def authenticate(connection: Connection, key: str, now: datetime, *, even_moved: bool = False) -> Principal:
    """Return the principal of a key; ``even_moved``: also if another service has the account.

    Raises KeyRefusedError.
    """
    key_hash = fingerprint(key)
    found = connection.execute(_BY_HASH, {"key_hash": key_hash}).mappings().one_or_none()
    if found is None or not hmac.compare_digest(found["key_hash"], key_hash):
        raise KeyRefusedError("The API key isn't known here. Check that you copied all of it.")
    require_access(found, now, even_moved=even_moved)
    if found["status"] != SubscriptionStatus.ACTIVE:
        raise KeyRefusedError("The account has no active subscription.")
    return Principal(
        account_id=found["account_id"],
        scope=KeyScope(found["scope"]),
        key_id=found["id"],
        plan=Plan(found["plan"]),
        last_used_at=found["last_used_at"],
        expires_at=found["expires_at"],
    )


_STILL_GOOD = (
    select(api_keys.c.account_id, api_keys.c.id)
    .join(accounts, accounts.c.id == api_keys.c.account_id)
    .where(
        api_keys.c.id.in_(bindparam("key_ids", expanding=True)),
        in_force(bindparam("now", type_=api_keys.c.expires_at.type)),
        api_keys.c.scope == KeyScope.API_FULL.value,
        accounts.c.status == SubscriptionStatus.ACTIVE.value,
        accounts.c.moved_at.is_(None),
    )
)
"""Built once, because change streams run it after every commit."""
_NEXT_EXPIRY = select(func.min(api_keys.c.expires_at)).where(
    api_keys.c.id.in_(bindparam("key_ids", expanding=True)),
    api_keys.c.expires_at > bindparam("now", type_=api_keys.c.expires_at.type),
)


def still_good(connection: Connection, key_ids: Collection[UUID], now: datetime) -> frozenset[Caller]:
    """Return the keys that would be accepted now, each with the account it belongs to by now."""
    found = connection.execute(_STILL_GOOD, {"key_ids": list(key_ids), "now": now})
    return frozenset(Caller(row.account_id, row.id) for row in found)


def next_expiry(connection: Connection, key_ids: Collection[UUID], now: datetime) -> datetime | None:
    """Return when the first of the keys expires after ``now``; None if none does."""
    first: datetime | None = connection.scalar(_NEXT_EXPIRY, {"key_ids": list(key_ids), "now": now})
    return first


def tell_use(connection: Connection, key_id: UUID, now: datetime) -> None:
    """Store when a key was last used."""
    connection.execute(update(api_keys).where(api_keys.c.id == key_id).values(last_used_at=now))


def fingerprint(key: str) -> str:
    """Return the stored hash of a key."""
    return hashlib.sha256(key.encode()).hexdigest()
