"""Accounts without content, whose keys may bring an account from another service here.

An account that arrives replaces its host: the keys and the password of the host then belong to it, with the
host's plan. So nobody gets more accounts, or more room, than the operator gave them.
"""

from typing import Final
from uuid import UUID

from sqlalchemy import Connection, Table, delete, select, update

from app.service.problems import CommandProblem
from app.service.store.tables import (
    accounts,
    api_keys,
    attempts,
    changes,
    connection_flows,
    connections,
    contents,
    events,
    idempotency_keys,
    media,
    metrics,
    passwords,
    posts,
    removed_posts,
    sessions,
    sign_in_links,
    usage_counters,
    webhook_subscriptions,
)
from app.service.transfer.handover import Phase, read_transfer

_CONTENT: Final = (
    *(connections, posts, removed_posts, media, webhook_subscriptions),
    *(attempts, contents, events, idempotency_keys, metrics),
)
_INHERITED: Final = (api_keys, sessions, sign_in_links)
_DROPPED: Final = (passwords, usage_counters, changes, connection_flows)


def require_may_come(rows: Connection, host: UUID, account_id: UUID) -> None:
    """Raise CommandProblem unless keys of ``host`` may bring the account here.

    It's the account itself, which lived here before, or one that is unknown here and replaces an account
    without content.
    """
    if host == account_id:
        return
    last = read_transfer(rows, account_id)
    is_theirs = last is not None and last.host == host and last.phase in {Phase.ARRIVING, Phase.CANCELLED}
    is_known = rows.scalar(select(accounts.c.id).where(accounts.c.id == account_id)) is not None
    if is_known and not is_theirs:
        raise CommandProblem(
            "The calendar was on this service before. Use a key of its account, or ask the operator to "
            "import it."
        )
    _require_empty(rows, host)


def replace_host(rows: Connection, host: UUID, account_id: UUID) -> None:
    """Give the keys and the password of ``host`` to the account, and delete ``host``.

    Raises CommandProblem if it has content by now.
    """
    rows.execute(select(accounts.c.id).where(accounts.c.id == host).with_for_update())
    _require_empty(rows, host)
    for table in _INHERITED:
        rows.execute(update(table).where(table.c.account_id == host).values(account_id=account_id))
    if not _has_row(rows, passwords, account_id):
        rows.execute(update(passwords).where(passwords.c.account_id == host).values(account_id=account_id))
    for table in _DROPPED:
        rows.execute(delete(table).where(table.c.account_id == host))
    rows.execute(delete(accounts).where(accounts.c.id == host))


def _require_empty(rows: Connection, host: UUID) -> None:
    if any(_has_row(rows, table, host) for table in _CONTENT):
        raise CommandProblem(
            "The account of this key already has posts, files or connected accounts. Ask for a key of an "
            "empty account."
        )


def _has_row(rows: Connection, table: Table, account_id: UUID) -> bool:
    found = select(table.c.account_id).where(table.c.account_id == account_id).limit(1)
    return rows.scalar(found) is not None
