"""Accounts that another service has now, or that are on their way here.

No worker touches what they have, and nobody can sign in to them.
"""

from uuid import UUID

from sqlalchemy import ColumnElement, select

from app.service.store.tables import accounts

MOVED = select(accounts.c.id).where(accounts.c.moved_at.is_not(None))
"""Accounts that aren't here. Usually none, so the condition of the index makes this cheap."""


def is_here(account_id: ColumnElement[UUID]) -> ColumnElement[bool]:
    """Return the condition that a row belongs to an account that this installation serves."""
    return account_id.not_in(MOVED)
