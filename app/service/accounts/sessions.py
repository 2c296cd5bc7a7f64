"""Sessions of browsers: a random token in a cookie, its hash in the store, and two ends."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, delete, exists, insert, or_, select, update

from app.service.accounts.keys import in_force
from app.service.accounts.tokens import hash_of, new_token
from app.service.store.tables import accounts, api_keys, sessions

SESSION_LIFETIME: Final = timedelta(hours=12)
SESSION_IDLE: Final = timedelta(minutes=30)
_SIGHT_TOLD_EVERY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Session:
    """A browser in which an account's owner is signed in.

    Attributes:
        status: The subscription's.
        created_by: The key whose link opened the session, and with which it ends; None for a person's own.
    """

    token: str
    account_id: UUID
    account_name: str
    status: str
    last_seen_at: datetime
    created_by: UUID | None

    def sight_is_news(self, now: datetime) -> bool:
        """Whether the stored time of the last sight is so old that it is worth a write."""
        return self.last_seen_at <= now - _SIGHT_TOLD_EVERY


def open_session(
    connection: Connection, account_id: UUID, now: datetime, *, created_by: UUID | None = None
) -> str:
    """Stores a new session and gives its token; sessions that have ended are cleared away."""
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
    """The session of a token; None when there is none, or it is over."""
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
    """Puts off the end of a session that is used."""
    connection.execute(
        update(sessions).where(sessions.c.session_hash == hash_of(token)).values(last_seen_at=now)
    )


def close_session(connection: Connection, token: str) -> None:
    """Ends a session at once."""
    connection.execute(delete(sessions).where(sessions.c.session_hash == hash_of(token)))


def _maker_in_force(now: datetime) -> ColumnElement[bool]:
    """True of a session that no key made, or one that is good still."""
    maker = exists().where(api_keys.c.id == sessions.c.created_by, in_force(now))
    return or_(sessions.c.created_by.is_(None), maker)


def _over(now: datetime) -> ColumnElement[bool]:
    return or_(sessions.c.created_at <= now - SESSION_LIFETIME, sessions.c.last_seen_at <= now - SESSION_IDLE)
