"""Accounts, the principals that own everything else, and their plans."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final
from uuid import UUID, uuid4

from sqlalchemy import Connection, RowMapping, insert, select, update

from app.contract.enums import SubscriptionStatus
from app.service.problems import CommandProblem
from app.service.store.tables import accounts

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

    Raises CommandProblem if there is no such account.
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
    """Return the account's name. Raises CommandProblem if there is no such account."""
    name: str | None = connection.scalar(select(accounts.c.name).where(accounts.c.id == account_id))
    if name is None:
        raise _no_account(account_id)
    return name


def require_account(connection: Connection, account_id: UUID, *, lock: bool = False) -> None:
    """Raise CommandProblem if there is no such account.

    ``lock`` makes other lockers wait until the transaction ends, on databases with several writers.
    """
    found = select(accounts.c.id).where(accounts.c.id == account_id)
    if connection.scalar(found.with_for_update(key_share=True) if lock else found) is None:
        raise _no_account(account_id)


def _no_account(account_id: UUID) -> CommandProblem:
    return CommandProblem(f"There is no account {account_id}. Check the id given to --account.")


def storage_cap(plan: str, own_cap: int | None) -> int:
    """Return the media storage of an account in bytes: its own cap, or its plan's."""
    return STORAGE_CAP_BYTES[Plan(plan)] if own_cap is None else own_cap
