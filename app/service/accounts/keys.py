"""API keys: shown once when they are made, kept as hashes, revoked at once."""

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID, uuid4

from sqlalchemy import Connection, insert, select, update

from app.contract.enums import KeyScope, SubscriptionStatus
from app.contract.limits import API_KEY_HEX_DIGITS, API_KEY_PREFIX
from app.service.problems import CommandProblem
from app.service.store.tables import accounts, api_keys

KEY_FORMAT: Final = re.compile(rf"{API_KEY_PREFIX}[0-9a-f]{{{API_KEY_HEX_DIGITS}}}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Principal:
    """Who is calling: the account behind a valid key, and what the key may do."""

    account_id: UUID
    scope: KeyScope


class KeyRefusedError(Exception):
    """The key opens nothing; the message says why and holds nothing of the key."""


def create_key(
    connection: Connection, account_id: UUID, scope: KeyScope, expires_at: datetime | None, now: datetime
) -> tuple[UUID, str]:
    """Stores a new key and gives (key id, key); the key itself is never seen again.

    Raises CommandProblem when there is no such account.
    """
    if connection.scalar(select(accounts.c.id).where(accounts.c.id == account_id)) is None:
        raise CommandProblem(f"There is no account {account_id}. Check the id given to --account.")
    key_id = uuid4()
    key = API_KEY_PREFIX + secrets.token_hex(API_KEY_HEX_DIGITS // 2)
    connection.execute(
        insert(api_keys).values(
            id=key_id,
            account_id=account_id,
            key_hash=_hash(key),
            scope=scope.value,
            expires_at=expires_at,
            created_at=now,
        )
    )
    return key_id, key


def revoke_key(connection: Connection, key_id: UUID, now: datetime) -> None:
    """Ends a key; one that is revoked already stays so. Raises CommandProblem when there is no such key."""
    known = connection.scalar(select(api_keys.c.id).where(api_keys.c.id == key_id))
    if known is None:
        raise CommandProblem(f"There is no key {key_id}. Check the id given to --key-id.")
    connection.execute(
        update(api_keys)
        .where(api_keys.c.id == key_id, api_keys.c.revoked_at.is_(None))
        .values(revoked_at=now)
    )


def authenticate(connection: Connection, key: str, now: datetime) -> Principal:
    """Finds who a key speaks for, as the store has it now. Raises KeyRefusedError."""
    key_hash = _hash(key)
    found = connection.execute(
        select(
            api_keys.c.key_hash,
            api_keys.c.account_id,
            api_keys.c.scope,
            api_keys.c.expires_at,
            api_keys.c.revoked_at,
            accounts.c.status,
        )
        .join(accounts, accounts.c.id == api_keys.c.account_id)
        .where(api_keys.c.key_hash == key_hash)
    ).one_or_none()
    if found is None or not hmac.compare_digest(found.key_hash, key_hash):
        raise KeyRefusedError("The API key is not known here. Check that it was copied whole.")
    if found.revoked_at is not None:
        raise KeyRefusedError("The API key was revoked. Create a new one.")
    if found.expires_at is not None and found.expires_at <= now:
        raise KeyRefusedError("The API key has expired. Create a new one.")
    if found.status != SubscriptionStatus.ACTIVE:
        raise KeyRefusedError("The account has no active subscription.")
    return Principal(found.account_id, KeyScope(found.scope))


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()
