"""How much an account may store: what is there and what has been promised counts alike."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, func, or_, select

from app.contract.enums import ErrorCode
from app.service.accounts.accounts import FILE_BYTES_MAX, Plan, storage_cap
from app.service.api.errors import ApiError
from app.service.store.tables import accounts, media


def stored_bytes(connection: Connection, account_id: UUID) -> int:
    """Bytes of the files that are there."""
    return _sum(connection, account_id)


def require_room(connection: Connection, account_id: UUID, size: int, now: datetime) -> None:
    """Raises ApiError (403) when ``size`` more bytes would be more than the account may store.

    Whoever asks and then reserves does both in one write transaction.
    """
    if size > room(connection, account_id, now):
        raise ApiError(
            ErrorCode.FORBIDDEN,
            "There is not enough storage left for this file. Remove files that are no longer needed.",
        )


def room(connection: Connection, account_id: UUID, now: datetime) -> int:
    """Bytes that the account may still store, open reservations taken off; never below zero."""
    account = connection.execute(
        select(accounts.c.plan, accounts.c.storage_cap_bytes)
        .where(accounts.c.id == account_id)
        .with_for_update(key_share=True)  # two processes do not both see the last free bytes
    ).one()
    taken = _sum(connection, account_id, reserved_at=now)
    return max(0, storage_cap(account.plan, account.storage_cap_bytes) - taken)


def file_bytes_max(connection: Connection, account_id: UUID) -> int:
    """How large one file of the account may be."""
    account = connection.execute(select(accounts.c.plan).where(accounts.c.id == account_id)).one()
    return FILE_BYTES_MAX[Plan(account.plan)]


def _sum(connection: Connection, account_id: UUID, reserved_at: datetime | None = None) -> int:
    stored = media.c.expires_at.is_(None)
    counted = stored if reserved_at is None else or_(stored, media.c.expires_at > reserved_at)
    total = connection.scalar(
        select(func.coalesce(func.sum(media.c.size_bytes), 0)).where(
            media.c.account_id == account_id, counted
        )
    )
    return int(total or 0)
