"""One-time links: whoever has the app or the command line opens the service's pages with them."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, delete, insert

from app.contract.companion import SignInLink
from app.contract.limits import INTEGRATIONS_PATH
from app.service.accounts.accounts import require_account
from app.service.accounts.tokens import hash_of, new_token
from app.service.store.tables import sign_in_links

LINK_LIFETIME: Final = timedelta(minutes=10)


def create_link(connection: Connection, account_id: UUID, base_url: str, now: datetime) -> SignInLink:
    """Stores a new link; ``base_url`` is the service's, without a slash at the end.

    Raises CommandProblem when there is no such account.
    """
    require_account(connection, account_id)
    connection.execute(delete(sign_in_links).where(sign_in_links.c.expires_at <= now))
    token, expires_at = new_token(), now + LINK_LIFETIME
    connection.execute(
        insert(sign_in_links).values(link_hash=hash_of(token), account_id=account_id, expires_at=expires_at)
    )
    return SignInLink(url=f"{base_url}{INTEGRATIONS_PATH}/sign-in?link={token}", expires_at=expires_at)


def use_link(connection: Connection, token: str, now: datetime) -> UUID | None:
    """The account that a link lets in, once; None for a link that is unknown, used or too old."""
    account_id: UUID | None = connection.scalar(
        delete(sign_in_links)
        .where(sign_in_links.c.link_hash == hash_of(token), sign_in_links.c.expires_at > now)
        .returning(sign_in_links.c.account_id)
    )
    return account_id
