"""API keys: shown once when they are made, kept as hashes, revoked at once."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, Connection, bindparam, func, insert, literal, or_, select, true, update

from app.contract.enums import KeyScope, SubscriptionStatus
from app.contract.limits import API_KEY_HEX_DIGITS, API_KEY_PREFIX
from app.database import UtcMillis
from app.service.accounts.accounts import require_account
from app.service.accounts.plans import Plan
from app.service.problems import CommandProblem
from app.service.store.tables import accounts, api_keys

KEY_FORMAT: Final = re.compile(rf"{API_KEY_PREFIX}[0-9a-f]{{{API_KEY_HEX_DIGITS}}}", re.ASCII)
KEYS_IN_FORCE_MAX: Final = 100
"""How many keys of one account may be good at the same time."""

_HINT_CHARACTERS = 4
_USE_TOLD_EVERY = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Principal:
    """Who is calling: the account behind a valid key, and what the key may do."""

    account_id: UUID
    scope: KeyScope
    key_id: UUID
    plan: Plan
    last_used_at: datetime | None
    expires_at: datetime | None

    def require_unexpired(self, now: datetime) -> None:
        """Raises KeyRefusedError when the key's time is over."""
        if self.expires_at is not None and self.expires_at <= now:
            raise KeyRefusedError("The API key has expired. Create a new one.")

    def use_is_news(self, now: datetime) -> bool:
        """Whether the stored time of the last use is so old that it is worth a write."""
        return self.last_used_at is None or self.last_used_at <= now - _USE_TOLD_EVERY


class KeyRefusedError(Exception):
    """The key opens nothing; the message says why and holds nothing of the key."""


class TooManyKeysProblem(CommandProblem):
    """The account has as many good keys as it may have."""


def create_key(
    connection: Connection,
    account_id: UUID,
    scope: KeyScope,
    expires_at: datetime | None,
    now: datetime,
    *,
    name: str | None = None,
    key_id: UUID | None = None,
) -> tuple[UUID, str]:
    """Stores a new key and gives (key id, key); the key itself is never seen again.

    Raises CommandProblem when there is no such account, or when it has too many keys.
    """
    require_account(connection, account_id, lock=True)  # so that two processes count one after the other
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
        )
    )
    return key_id, key


def in_force(now: datetime) -> ColumnElement[bool]:
    """The keys that are neither revoked nor expired."""
    return api_keys.c.revoked_at.is_(None) & or_(api_keys.c.expires_at.is_(None), api_keys.c.expires_at > now)


def revoke_key(connection: Connection, key_id: UUID, now: datetime, *, owner: UUID | None = None) -> bool:
    """Ends a key at once; one that is revoked already stays so.

    False when there is no such key, or it is not the key of ``owner``.
    """
    owned = true() if owner is None else api_keys.c.account_id == owner
    revoked_at = func.coalesce(api_keys.c.revoked_at, literal(now, UtcMillis))
    changed = update(api_keys).where(api_keys.c.id == key_id, owned).values(revoked_at=revoked_at)
    return connection.execute(changed).rowcount == 1


_BY_HASH = (
    select(
        api_keys.c.id,
        api_keys.c.key_hash,
        api_keys.c.account_id,
        api_keys.c.scope,
        api_keys.c.expires_at,
        api_keys.c.revoked_at,
        api_keys.c.last_used_at,
        accounts.c.status,
        accounts.c.plan,
    )
    .join(accounts, accounts.c.id == api_keys.c.account_id)
    .where(api_keys.c.key_hash == bindparam("key_hash"))
)


def authenticate(connection: Connection, key: str, now: datetime) -> Principal:
    """Finds who a key speaks for, as the store has it now. Raises KeyRefusedError."""
    key_hash = fingerprint(key)
    found = connection.execute(_BY_HASH, {"key_hash": key_hash}).one_or_none()
    if found is None or not hmac.compare_digest(found.key_hash, key_hash):
        raise KeyRefusedError("The API key is not known here. Check that it was copied whole.")
    if found.revoked_at is not None:
        raise KeyRefusedError("The API key was revoked. Create a new one.")
    principal = Principal(
        account_id=found.account_id,
        scope=KeyScope(found.scope),
        key_id=found.id,
        plan=Plan(found.plan),
        last_used_at=found.last_used_at,
        expires_at=found.expires_at,
    )
    principal.require_unexpired(now)
    if found.status != SubscriptionStatus.ACTIVE:
        raise KeyRefusedError("The account has no active subscription.")
    return principal


def still_good(connection: Connection, key_ids: Collection[UUID], now: datetime) -> frozenset[UUID]:
    """Those of the keys that would be admitted now, were they sent once more."""
    good = (
        select(api_keys.c.id)
        .join(accounts, accounts.c.id == api_keys.c.account_id)
        .where(
            api_keys.c.id.in_(key_ids),
            in_force(now),
            api_keys.c.scope == KeyScope.API_FULL.value,
            accounts.c.status == SubscriptionStatus.ACTIVE.value,
        )
    )
    return frozenset(connection.scalars(good))


def tell_use(connection: Connection, key_id: UUID, now: datetime) -> None:
    """Stores when a key was used last."""
    connection.execute(update(api_keys).where(api_keys.c.id == key_id).values(last_used_at=now))


def fingerprint(key: str) -> str:
    """What is kept of a key."""
    return hashlib.sha256(key.encode()).hexdigest()
