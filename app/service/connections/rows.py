"""Connections as rows: columns of the contract's Connection, finding and storing them."""

from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Row, and_, delete, exists, insert, select, update
from sqlalchemy import Connection as Rows

from app.contract.connections import Connection
from app.contract.enums import ConnectionPlatform, EventType
from app.contract.webhooks import ConnectionEventData
from app.platforms.base import Profile, TokenGrant
from app.platforms.cards import CARDS
from app.service import inbox
from app.service.api.responses import not_found
from app.service.clock import Clock
from app.service.publishing.claims import release_connection
from app.service.store.reach import Reach
from app.service.store.seal import Seal
from app.service.store.tables import connections, contents, metrics, posts, removed_posts
from app.service.webhooks.events import record

_RENEWED_BEFORE_MIN: Final = timedelta(minutes=10)
_RENEWED_BEFORE_MAX: Final = timedelta(days=7)
_WEEK: Final = timedelta(days=7)

CONNECTION_COLUMNS = (
    connections.c.id,
    connections.c.platform,
    connections.c.account_identifier,
    connections.c.display_name,
    connections.c.username,
    connections.c.avatar_url,
    connections.c.is_verified,
    connections.c.follower_count,
    connections.c.is_available,
    connections.c.token_expires_at,
    connections.c.created_at,
)
"""Named like the fields of the contract's Connection, without tokens."""


def find_connection(
    rows: Rows, account_id: UUID, connection_id: UUID, reach: Reach = Reach.SPECIFIED
) -> Connection:
    """Return a connection. Raises ApiError (404) if the account has none; pending ones don't count."""
    row = rows.execute(
        select(*CONNECTION_COLUMNS).where(
            connections.c.id == connection_id,
            connections.c.account_id == account_id,
            reach.takes(connections.c.platform),
        )
    ).one_or_none()
    if row is None:
        raise not_found("connection")
    return Connection.model_validate(row, from_attributes=True)


def token_columns(seal: Seal, connection_id: UUID, grant: TokenGrant, now: datetime) -> dict[str, Any]:
    """Return a grant as encrypted columns. Without a refresh token in the grant, the old one stays."""
    columns: dict[str, Any] = {
        "access_token": seal.close(grant.access_token, connection_id),
        "token_expires_at": grant.expires_at,
        "sign_in_by": grant.ends_at,
        "renew_at": _renewal(grant, now),
        "renewing_until": None,
        "is_available": True,
    }
    if grant.refresh_token is not None:
        columns["refresh_token"] = seal.close(grant.refresh_token, connection_id)
    return columns


def _renewal(grant: TokenGrant, now: datetime) -> datetime | None:
    """Return when to renew tokens: in the last fifth of their life, a few minutes to a week before the end.

    A token that renews itself (Meta's) is renewed every week, because nothing works after it has expired.
    """
    if grant.expires_at is None:
        return None
    before = min(max((grant.expires_at - now) / 5, _RENEWED_BEFORE_MIN), _RENEWED_BEFORE_MAX)
    latest = grant.expires_at - before
    return min(latest, now + _WEEK) if grant.refresh_token == grant.access_token else latest


class ConnectionWriter:
    """Stores the result of a completed flow."""

    def __init__(self, seal: Seal, clock: Clock, *, practice: bool = False) -> None:
        """``practice``: the platforms are practice platforms, whose apps count as audited."""
        self._practice = practice
        self._seal = seal
        self._clock = clock

    def store(
        self,
        rows: Rows,
        owner: UUID,
        platform: ConnectionPlatform,
        new_id: UUID,
        profile: Profile,
        grant: TokenGrant,
    ) -> UUID:
        """Refresh the row of the same platform account, or add one with ``new_id``. Returns its ID.

        Writes the event in the same transaction.
        """
        known: UUID | None = rows.scalar(
            select(connections.c.id).where(
                connections.c.account_id == owner,
                connections.c.platform == platform.value,
                connections.c.account_identifier == profile.account_identifier,
            )
        )
        now = self._clock()
        if known is not None:
            tokens = token_columns(self._seal, known, grant, now)
            refreshed = {**_profile_columns(profile), **tokens, "doubted_at": None}
            if grant.scopes is not None:
                refreshed["only_way"] = inbox.only_way(platform, grant.scopes)
            rows.execute(update(connections).where(connections.c.id == known).values(refreshed))
            release_connection(rows, known)
            _record_event(rows, known, EventType.CONNECTION_CONNECTED, now)
            return known
        own = {"id": new_id, "account_id": owner, "account_identifier": profile.account_identifier}
        rows.execute(
            insert(connections).values(
                **own,
                platform=platform.value,
                created_at=now,
                inbox=None if CARDS[platform].inbox is not None and not self._practice else False,
                only_way=inbox.only_way(platform, grant.scopes),
                **_profile_columns(profile),
                **token_columns(self._seal, new_id, grant, now),
            )
        )
        _record_event(rows, new_id, EventType.CONNECTION_CONNECTED, now)
        return new_id


def erase_access(rows: Rows, connection_id: UUID) -> None:
    """Erase the tokens of an account and mark it as unavailable. Its posts stay, and fail when they're due.

    An account without any posts is deleted.
    """
    this = connections.c.id == connection_id
    rows.execute(select(connections.c.id).where(this).with_for_update())
    having = (table.c.connection_id == connection_id for table in (posts, removed_posts, contents, metrics))
    if any(rows.scalar(select(exists().where(one))) for one in having):
        erased = {"access_token": b"", "refresh_token": None, "token_expires_at": None, "is_available": False}
        unused = {"sign_in_by": None, "renew_at": None, "renewing_until": None, "doubted_at": None}
        rows.execute(update(connections).where(this).values(erased | unused))
    else:
        rows.execute(delete(connections).where(this))


def unchanged(row: Row[Any]) -> ColumnElement[bool]:
    """Condition that the row still has the tokens it was read with, so nobody has reauthorized it since."""
    return and_(connections.c.id == row.id, connections.c.access_token == row.access_token)


def mark_unavailable(rows: Rows, row: Row[Any], now: datetime, may_end: ColumnElement[bool]) -> bool:
    """Mark an account as unavailable until it's reauthorized, and record the event once.

    Args:
        rows: A transaction.
        row: The account as it was read. If it has newer tokens, it isn't ended.
        now: Time of the end.
        may_end: Condition on a renewal in progress: another process's new tokens would make the account
            available again.

    Returns:
        Whether this call ended it.
    """
    ended = update(connections).where(unchanged(row), connections.c.is_available, may_end)
    values = {"is_available": False, "renew_at": None, "renewing_until": None, "doubted_at": None}
    if not rows.execute(ended.values(values)).rowcount:
        return False
    _record_event(rows, row.id, EventType.CONNECTION_EXPIRED, now)
    return True


def _record_event(rows: Rows, connection_id: UUID, event_type: EventType, now: datetime) -> None:
    row = rows.execute(select(connections).where(connections.c.id == connection_id)).one()
    data = ConnectionEventData(
        connection_id=row.id,
        platform=ConnectionPlatform(row.platform),
        username=row.username,
        display_name=row.display_name,
    )
    record(rows, row.account_id, event_type, data, now)


def _profile_columns(profile: Profile) -> dict[str, Any]:
    return {
        "display_name": profile.display_name,
        "username": profile.username,
        "avatar_url": profile.avatar_url,
        "is_verified": profile.is_verified,
        "follower_count": profile.follower_count,
    }


def identifiers(rows: Rows, owner: UUID, platform: str) -> set[str]:
    """Return the platform's IDs of the owner's connected accounts."""
    column = connections.c.account_identifier
    of_owner = connections.c.account_id == owner, connections.c.platform == platform
    return set(rows.scalars(select(column).where(*of_owner)))
