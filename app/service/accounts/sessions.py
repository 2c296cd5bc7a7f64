"""Browser sessions on the service's pages, and the one-time links that start them.

Both are random tokens. The database stores only their hashes.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, delete, exists, insert, or_, select, update

from app.contract.companion import SignInLink
from app.contract.limits import INTEGRATIONS_PATH
from app.service.accounts.accounts import require_account
from app.service.accounts.keys import end_of, in_force
from app.service.store.tables import accounts, api_keys, sessions, sign_in_links

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
    """Return the session of a token; None if there is none or it has ended."""
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
