"""``GET /companion/v1/events``: changes as server-sent events."""

import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Final

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from app.contract.companion import ChangeKind, Reset
from app.service.accounts.accounts import Principal
from app.service.api.context import ServiceDep
from app.service.api.principal import PrincipalDep
from app.service.api.routing import Router
from app.service.companion.feed import Change, ChangeFeed

router = Router(tag="events")

_NUMBER: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
_HEADERS: Final = {"X-Accel-Buffering": "no"}
"""Makes a proxy forward each event immediately."""
_SILENCE: Final = b": nothing new\n\n"


@router.get(
    "/events",
    response_model=None,
    status_code=200,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
    headers={"Last-Event-ID": "ID of the last received event."},
)
async def stream_events(request: Request, service: ServiceDep, principal: PrincipalDep) -> Response:
    """Stream changes as server-sent events, which can be resumed with `Last-Event-ID`.

    The event `reset` tells the client to reload everything from the lists. It comes first unless the stream
    is resumed, and replaces events older than a day. The stream ends when its key does.
    """
    service.feed.require_room(principal)
    frames = _frames(service.feed, principal, _last_seen(request))
    return StreamingResponse(frames, headers=_HEADERS, media_type="text/event-stream")


def _last_seen(request: Request) -> int | None:
    """Return the number of the client's last event; -1, which can't be resumed, if it is invalid."""
    last_id = request.headers.get("last-event-id", "")
    if not last_id:
        return None
    return int(last_id) if _NUMBER.fullmatch(last_id) else -1


async def _frames(feed: ChangeFeed, principal: Principal, after: int | None) -> AsyncIterator[bytes]:
    yield _SILENCE  # so that the client immediately sees that it is connected
    async with aclosing(feed.follow(principal, after)) as events:
        async for event in events:
            yield _frame(event)


def _frame(event: Change | int | None) -> bytes:
    if event is None:
        return _SILENCE
    if isinstance(event, int):
        return _written(event, ChangeKind.RESET, Reset())
    return _written(event.seq, event.kind, event.data)


def _written(number: int, kind: ChangeKind, data: BaseModel) -> bytes:
    """Format an event. JSON is one line, without line breaks."""
    return f"id: {number}\nevent: {kind.value}\ndata: {data.model_dump_json()}\n\n".encode()
