"""Which service has an account: the state of accounts on their way to or from another service.

Each handover has a number. A service takes an account only if the number is higher than that of the last
handover it knows, so an old export can't revive an account that lives elsewhere.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, delete, select, update

from app.database.dialects import upsert
from app.service.accounts.accounts import lock_account
from app.service.problems import CommandProblem
from app.service.store.tables import (
    accounts,
    connection_flows,
    connections,
    marks,
    posts,
    preparations,
    removed_posts,
    webhook_subscriptions,
)

_MARK: Final = "moving "


class Phase(StrEnum):
    """How far a handover is.

    LEAVING: nothing begins any more, and the export is being written. LEFT: the export is complete.
    ARRIVING: rows are being imported. HERE: the import is complete, or the account was taken back.
    CANCELLED: its import was cancelled, so this export can't be imported any more.
    """

    LEAVING = "leaving"
    LEFT = "left"
    ARRIVING = "arriving"
    HERE = "here"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Transfer:
    """The last handover of an account.

    Attributes:
        export_id: Id of its export.
        phase: How far it is.
        part: While arriving, index of the part that is being imported.
        line: Number of lines of that part that have been imported.
        host: The account whose keys brought it here, and which it replaces; None after the command.
    """

    export_id: UUID
    phase: Phase
    part: int = 0
    line: int = 0
    host: UUID | None = None


def read_transfer(rows: Connection, account_id: UUID) -> Transfer | None:
    """Return the last handover of an account; None if there was none."""
    kept: str | None = rows.scalar(select(marks.c.value).where(marks.c.name == _MARK + account_id.hex))
    if not kept:
        return None
    found: Mapping[str, Any] = json.loads(kept)
    host = found.get("host")
    phase, at = Phase(found["phase"]), (found["part"], found["line"])
    return Transfer(UUID(found["export"]), phase, *at, host=UUID(host) if host else None)


def lock_transfer(rows: Connection, account_id: UUID) -> Transfer | None:
    """Return the last handover of an account, which nobody else changes in this transaction."""
    name = _MARK + account_id.hex
    rows.execute(
        upsert(rows, marks).values(name=name, value="").on_conflict_do_nothing(index_elements=["name"])
    )
    rows.execute(select(marks.c.value).where(marks.c.name == name).with_for_update())
    return read_transfer(rows, account_id)


def keep_transfer(rows: Connection, account_id: UUID, transfer: Transfer) -> None:
    """Record how far a handover is."""
    value = json.dumps(
        {
            "export": str(transfer.export_id),
            "phase": transfer.phase.value,
            "part": transfer.part,
            "line": transfer.line,
            "host": str(transfer.host) if transfer.host else None,
        }
    )
    new = upsert(rows, marks).values(name=_MARK + account_id.hex, value=value)
    rows.execute(new.on_conflict_do_update(index_elements=["name"], set_={"value": value}))


def begin_leaving(rows: Connection, account_id: UUID, export_id: UUID, now: datetime) -> int:
    """Stop everything that would begin for an account; return the number of the handover.

    Continues a handover that isn't complete, also with another export. Raises CommandProblem for an unknown
    account, one that is arriving here, or one that has left with another export.
    """
    lock_account(rows, account_id)  # so that no caller adds to what is exported
    account = rows.execute(select(accounts.c.moved_at).where(accounts.c.id == account_id)).one_or_none()
    if account is None:
        raise CommandProblem(f"There is no account {account_id}. Check the id given to --account.")
    before = read_transfer(rows, account_id)
    if before is not None and before.phase is Phase.ARRIVING:
        raise CommandProblem(f"The account {account_id} isn't complete here. Finish its import first.")
    if account.moved_at is not None and not _may_go_on(before, export_id):
        raise CommandProblem(
            f"The account {account_id} isn't here any more. If its export was lost and no other service has "
            "it, take it back first."
        )
    if account.moved_at is None:
        moves = accounts.c.moves + 1
        this = update(accounts).where(accounts.c.id == account_id)
        rows.execute(this.values(moved_at=now, moves=moves))
    # A browser that comes back from a platform must not add to what has been exported.
    rows.execute(delete(connection_flows).where(connection_flows.c.account_id == account_id))
    if before is None or before.phase is not Phase.LEFT:
        keep_transfer(rows, account_id, Transfer(export_id, Phase.LEAVING))
    return int(rows.scalars(select(accounts.c.moves).where(accounts.c.id == account_id)).one())


def _may_go_on(last: Transfer | None, export_id: UUID | None) -> bool:
    """Whether a handover isn't complete, or is with this export."""
    return last is not None and (
        last.phase is Phase.LEAVING or (last.phase is Phase.LEFT and last.export_id == export_id)
    )


def is_elsewhere(rows: Connection, account_id: UUID, export_id: UUID | None) -> bool:
    """Whether another service may have the account, other than by the export ``export_id``."""
    moved_at = rows.scalar(select(accounts.c.moved_at).where(accounts.c.id == account_id))
    return moved_at is not None and not _may_go_on(read_transfer(rows, account_id), export_id)


def is_quiet(rows: Connection, account_id: UUID, now: datetime) -> bool:
    """Whether no worker is busy with the account any more. A dead worker's claims expire."""
    own_posts = select(posts.c.id).where(posts.c.account_id == account_id)
    busy = (
        _exists(posts, account_id, posts.c.claimed_by.is_not(None), posts.c.claimed_until > now),
        _exists(removed_posts, account_id, removed_posts.c.claimed_until > now),
        _exists(connections, account_id, connections.c.renewing_until > now),
        _exists(
            webhook_subscriptions,
            account_id,
            webhook_subscriptions.c.claimed_by.is_not(None),
            webhook_subscriptions.c.claimed_until > now,
        ),
        select(preparations.c.post_id)
        .where(preparations.c.post_id.in_(own_posts), preparations.c.held_until > now)
        .exists(),
    )
    return not any(rows.scalar(select(one)) for one in busy)


def _exists(table: Any, account_id: UUID, *busy: ColumnElement[bool]) -> ColumnElement[bool]:
    found: ColumnElement[bool] = select(table.c.id).where(table.c.account_id == account_id, *busy).exists()
    return found


def leave(rows: Connection, account_id: UUID, export_id: UUID) -> None:
    """Record that the export is complete: from now on, another service may have the account.

    Raises CommandProblem if the account was taken back meanwhile, or is leaving with another export.
    """
    lock_account(rows, account_id)
    last = read_transfer(rows, account_id)
    if last is None or last.export_id != export_id or last.phase not in {Phase.LEAVING, Phase.LEFT}:
        raise CommandProblem(
            f"The account {account_id} was taken back or exported again meanwhile. This export can't be used."
        )
    keep_transfer(rows, account_id, Transfer(export_id, Phase.LEFT))


def cancel_arrival(rows: Connection, account_id: UUID, export_id: UUID) -> None:
    """Refuse an export from now on, so that the account can be taken back where it came from.

    Rows that were imported stay until another export replaces them. Raises CommandProblem if the account
    is here already.
    """
    last = lock_transfer(rows, account_id)
    is_this = last is not None and last.export_id == export_id
    if last is not None and is_this and last.phase is Phase.HERE:
        raise CommandProblem("The account has already arrived here. Move it back instead.")
    if last is None or is_this or last.phase is not Phase.ARRIVING:
        host = last.host if last is not None and is_this else None
        keep_transfer(rows, account_id, Transfer(export_id, Phase.CANCELLED, host=host))


def cancel_departure(rows: Connection, account_id: UUID, export_id: UUID | None) -> bool:
    """Take an account back unless it's here, or has left with another export. Return whether it was."""
    lock_account(rows, account_id)
    is_leaving = _may_go_on(read_transfer(rows, account_id), export_id)
    if is_leaving:
        take_back(rows, account_id)
    return is_leaving


def take_back(rows: Connection, account_id: UUID) -> int:
    """Serve an account here again that was exported from here; return its number of handovers.

    Only the operator can know that no other service has it. Raises CommandProblem for an unknown account, or
    one that wasn't exported.
    """
    lock_account(rows, account_id)  # an export that is being written then finds out
    before = read_transfer(rows, account_id)
    if before is None or before.phase not in {Phase.LEAVING, Phase.LEFT}:
        raise CommandProblem(f"The account {account_id} wasn't exported from here. Check --account.")
    # One more, so that this installation refuses the export that was taken back.
    again = update(accounts).where(accounts.c.id == account_id)
    rows.execute(again.values(moved_at=None, moves=accounts.c.moves + 1))
    keep_transfer(rows, account_id, Transfer(before.export_id, Phase.HERE))
    return int(rows.scalars(select(accounts.c.moves).where(accounts.c.id == account_id)).one())
