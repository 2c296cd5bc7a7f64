"""Requests about one post, as every API handles them. ``reach`` says which posts an API can see."""

import asyncio
from datetime import datetime
from uuid import UUID

from starlette.responses import Response

from app.service.accounts.accounts import Caller
from app.service.api.context import Service
from app.service.api.responses import answer, invalid
from app.service.media.rows import discard
from app.service.posts.changing import cancel, remove, reschedule
from app.service.posts.creating import Creation
from app.service.store.reach import Reach


async def handle_creation(service: Service, caller: Caller, creation: Creation) -> Response:
    """Store a new post, or return the one that an earlier call stored. Raises ApiError."""
    await service.database.read(creation.check_account)
    await asyncio.to_thread(lambda: creation.issues)
    created = await service.write(caller, creation.store)
    if created.replayed:
        return answer(created.post, headers={"Idempotent-Replay": "true"})
    service.notify()
    return answer(created.post, 201)


async def handle_reschedule(
    service: Service, caller: Caller, post_id: UUID, at: datetime, reach: Reach = Reach.SPECIFIED
) -> Response:
    """Move a post to a time in the future. Raises ApiError."""
    if at <= service.clock():
        raise invalid("scheduled_at", "must be in the future", "time_past")
    owner = caller.account_id
    moved = await service.write(caller, lambda rows: reschedule(rows, owner, post_id, at, reach))
    service.notify()
    return answer(moved)


async def handle_deletion(
    service: Service, caller: Caller, post_id: UUID, *, hard: bool, reach: Reach = Reach.SPECIFIED
) -> Response:
    """Cancel a post; if ``hard``, delete it with a file that nothing else uses. Raises ApiError."""
    owner = caller.account_id
    if not hard:
        result = await service.write(caller, lambda rows: cancel(rows, owner, post_id, reach))
    else:
        result, orphan = await service.write(caller, lambda rows: remove(rows, owner, post_id, reach))
        if orphan is not None:
            await discard(service.media.store, orphan)
    service.notify()
    return answer(result)
