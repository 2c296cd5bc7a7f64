"""``GET /usage``."""

from collections import Counter
from functools import partial
from typing import Annotated
from uuid import UUID

from sqlalchemy import Connection, select
from starlette.responses import Response

from app.contract.enums import Action
from app.contract.usage import Storage, Usage
from app.service.accounts.accounts import Principal, storage_cap
from app.service.api.context import ServiceDep, calling
from app.service.api.responses import answer
from app.service.api.routing import Depends, Router
from app.service.media.rows import stored_bytes
from app.service.store.marks import usage_mark
from app.service.store.tables import accounts, usage_counters
from app.service.usage.counter import PendingCounts, month_of

router = Router(tag="usage")


@router.get("/usage", response_model=Usage)
async def get_usage(
    service: ServiceDep, principal: Annotated[Principal, Depends(calling(Action.USAGE_GET))]
) -> Response:
    """Get the plan, this month's calls by action, and storage."""
    period, pending = month_of(service.clock), service.usage.pending()
    read = partial(read_usage, account_id=principal.account_id, period=period, pending=pending)
    return answer(await service.database.read(read, share=principal.account_id))


def read_usage(rows: Connection, account_id: UUID, period: str, pending: PendingCounts) -> Usage:
    """Return an account's usage in a month, with counts that aren't stored yet."""
    account = rows.execute(select(accounts).where(accounts.c.id == account_id)).one()
    own = (usage_counters.c.account_id == accounts.c.id) & (usage_counters.c.period == period)
    counted = rows.execute(
        select(usage_mark(pending.owner).label("mark"), usage_counters.c.action, usage_counters.c.count)
        .select_from(accounts)
        .outerjoin(usage_counters, own)
        .where(accounts.c.id == account_id)
    ).all()
    stored = {row.action: row.count for row in counted if row.action is not None}
    mark = counted[0].mark if counted else None
    return Usage(
        plan=account.plan,
        status=account.status,
        current_period_end=account.current_period_end,
        period="month",
        actions=pending.of(account_id, period, mark) + Counter(stored),
        storage=_storage(
            used=stored_bytes(rows, account_id),
            cap=storage_cap(account.plan, account.storage_cap_bytes),
        ),
    )


def _storage(used: int, cap: int) -> Storage:
    return Storage(used_bytes=used, cap_bytes=cap, used_human=human_size(used), cap_human=human_size(cap))


def human_size(count: int) -> str:
    """Format bytes in steps of 1,000: ``0 B``, ``512 B``, ``1.5 MB``, ``50 GB``."""
    size, unit = float(count), "B"
    for bigger in ("kB", "MB", "GB", "TB", "PB"):
        if size < 999.95:  # would be displayed as 1000.0
            break
        size, unit = size / 1000, bigger
    return f"{size:.1f}".removesuffix(".0") + f" {unit}"
