"""One-time links that sign the user of the app or command line in on the service's pages."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, delete, insert

from app.contract.companion import SignInLink
from app.contract.limits import INTEGRATIONS_PATH
from app.service.accounts.accounts import require_account
from app.service.accounts.keys import end_of
from app.service.accounts.tokens import hash_of, new_token
from app.service.store.tables import sign_in_links

LINK_LIFETIME: Final = timedelta(minutes=10)


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
