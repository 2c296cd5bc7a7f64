"""What is sent: an event and its delivery as the bytes of a body, and the headers that sign these bytes."""

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Self
from uuid import UUID

from app.contract.webhooks import DELIVERY_HEADER, EVENT_HEADER, SIGNATURE_HEADER, USER_AGENT, Event
from app.service.webhooks.signing import signature, standard_signature, unix_seconds


@dataclass(frozen=True, slots=True)
class Due:
    """A delivery that is to be made now, and all that is needed for it.

    Attributes:
        retry: 0 for the first attempt of a dispatch.
        data: The event's ``data`` as JSON.
        secret: Sealed with the subscription's id.
        claimed_until: Until then nobody else delivers to the subscription; None where nothing was claimed.
    """

    id: UUID
    subscription_id: UUID
    event_id: UUID
    event_type: str
    retry: int
    data: str
    event_created_at: datetime
    url: str
    secret: bytes = field(repr=False)
    claimed_until: datetime | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Letter:
    """One request: the body is serialised once, and exactly these bytes are signed, sent and stored."""

    body: bytes
    headers: dict[str, str]

    @classmethod
    def of(cls, due: Due, secret: str, at: datetime) -> Self:
        """``at`` is when it is sent; Standard Webhooks signs that, too."""
        event = Event(
            event_type=due.event_type,
            event_id=str(due.event_id),
            delivery_id=str(due.id),
            created_at=due.event_created_at,
            data=json.loads(due.data),
        )
        body = event.model_dump_json().encode()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": USER_AGENT,
            EVENT_HEADER: event.event_type,
            DELIVERY_HEADER: event.delivery_id,
            SIGNATURE_HEADER: signature(secret, body),
            "webhook-id": event.event_id,
            "webhook-timestamp": str(unix_seconds(at)),
            "webhook-signature": standard_signature(secret, event.event_id, at, body),
        }
        return cls(body, headers)
