"""Writes of callers, which check again that the account is here and the key is valid.

A call is admitted when its head has arrived, but its body may take minutes. The account can be handed over
meanwhile, or the key revoked.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Final, TypeVar

from sqlalchemy import Connection, bindparam, select

from app.database import Database
from app.service.accounts.accounts import ACCESS_COLUMNS, Caller, KeyRefusedError, require_access
from app.service.store.tables import accounts, api_keys

T = TypeVar("T")


async def write_for(database: Database, caller: Caller, now: datetime, work: Callable[[Connection], T]) -> T:
    """Run ``work`` in a write transaction, if the caller would still be admitted.

    Handing over the account, deleting it and revoking its keys wait for the transaction, or it sees their
    result. Writes of one account don't wait for each other. Raises KeyRefusedError, and errors like
    ``Database.write``.
    """

    def checked(rows: Connection) -> T:
        hold_admitted(rows, caller, now)
        return work(rows)

    return await database.write(checked)


def hold_admitted(rows: Connection, caller: Caller, now: datetime) -> None:
    """Like ``require_admitted``, and it stays so until the transaction ends."""
    if rows.dialect.name == "postgresql":  # SQLite has one writer at a time
        # A statement of its own, so that the next one sees what was committed until now.
        rows.execute(_LOCK, {"account_id": caller.account_id})
    require_admitted(rows, caller, now)


_LOCK: Final = (
    select(accounts.c.id)
    .where(accounts.c.id == bindparam("account_id"))
    .with_for_update(read=True, key_share=True)  # only waits for lock_account
)
_ACCESS: Final = (
    select(*ACCESS_COLUMNS, api_keys.c.id.label("key_id"))
    .join_from(
        accounts,
        api_keys,
        (api_keys.c.account_id == accounts.c.id) & (api_keys.c.id == bindparam("key_id")),
        isouter=True,
    )
    .where(accounts.c.id == bindparam("account_id"))
)


def require_admitted(rows: Connection, caller: Caller, now: datetime, *, even_moved: bool = False) -> None:
    """Raise KeyRefusedError if the key has ended or the account was handed over.

    ``even_moved`` accepts accounts that another service has.
    """
    ids = {"account_id": caller.account_id, "key_id": caller.key_id}
    found = rows.execute(_ACCESS, ids).mappings().one_or_none()
    if found is None or found["key_id"] != caller.key_id:
        raise KeyRefusedError("The API key isn't known here any more.")
    require_access(found, now, even_moved=even_moved)
