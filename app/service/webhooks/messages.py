"""Signed webhook messages: the body of a delivery and its headers.

Each has two signatures: one in GitHub's style, and one of Standard Webhooks.
"""

import base64
import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Self
from uuid import UUID

from app.contract.limits import WEBHOOK_SECRET_PREFIX
from app.contract.webhooks import (
    DELIVERY_HEADER,
    EVENT_HEADER,
    SIGNATURE_HEADER,
    SIGNATURE_PREFIX,
    USER_AGENT,
    Event,
)

_SECRET_BYTES: Final = 32


def new_secret() -> str:
    """Return a new secret: ``whsec_`` and 32 random bytes in base64, as in Standard Webhooks."""
    return WEBHOOK_SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def signature(secret: str, body: bytes) -> str:
    """Return ``sha256=`` and the hexadecimal HMAC-SHA256 of the body, keyed with the secret's text."""
    return SIGNATURE_PREFIX + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def standard_signature(secret: str, message_id: str, at: datetime, body: bytes) -> str:
    """Return the ``webhook-signature`` of Standard Webhooks 1.0, keyed with the bytes after the prefix."""
    key = base64.b64decode(secret.removeprefix(WEBHOOK_SECRET_PREFIX))
    signed = f"{message_id}.{unix_seconds(at)}.".encode() + body
    return f"v1,{base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()}"


def unix_seconds(at: datetime) -> int:
    """Return whole seconds since 1970, as in ``webhook-timestamp``."""
    return int(at.timestamp())


@dataclass(frozen=True, slots=True)
class Due:
    """A delivery to make now.

    Attributes:
        retry: 0 for the first attempt.
        data: The event's ``data`` as JSON.
        secret: The subscription's secret, encrypted.
        claimed_until: Until when no other worker delivers to the subscription; None without a claim.
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
class Message:
    """One request. The body is serialized once, and exactly these bytes are signed, sent and stored."""

    body: bytes
    headers: dict[str, str]

    @classmethod
    def of(cls, due: Due, secret: str, at: datetime) -> Self:
        """Build the message of a delivery sent ``at`` this time, which Standard Webhooks signs too."""
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
