"""What a test delivery carries: data shaped like the real thing, about things that do not exist."""

from collections.abc import Callable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel

from app.contract.enums import ConnectionPlatform, EventType, PostingPlatform
from app.contract.webhooks import (
    ConnectionEventData,
    PostEventData,
    PostFailedData,
    PostPublishedData,
)

_NOTHING: Final = UUID(int=0)
"""An id that nothing has, so that nobody takes a sample for something that happened."""


class TestData(BaseModel):
    """``data`` of ``webhook.test``."""

    __test__ = False  # pytest must not collect it
    message: str = "This is a test. Nothing happened."


def sample(event_type: EventType | None, now: datetime) -> BaseModel:
    """Data of that type; of ``webhook.test`` where none is given."""
    return _SAMPLES[event_type](now) if event_type else TestData()


def _post() -> dict[str, Any]:
    return {
        "post_id": _NOTHING,
        "platform": PostingPlatform.LINKEDIN,
        "social_account_id": _NOTHING,
        "batch_id": None,
    }


def _scheduled(_now: datetime) -> PostEventData:
    return PostEventData(**_post())


def _published(now: datetime) -> PostPublishedData:
    return PostPublishedData(**_post(), content_id="urn:li:share:0", posted_at=now)


def _failed(_now: datetime) -> PostFailedData:
    return PostFailedData(**_post(), reason="This is a test. Nothing failed.")


def _connection(_now: datetime) -> ConnectionEventData:
    return ConnectionEventData(
        connection_id=_NOTHING,
        platform=ConnectionPlatform.LINKEDIN,
        username="test",
        display_name="Test",
    )


_SAMPLES: Final[Mapping[EventType, Callable[[datetime], BaseModel]]] = MappingProxyType(
    {
        EventType.POST_SCHEDULED: _scheduled,
        EventType.POST_PUBLISHED: _published,
        EventType.POST_FAILED: _failed,
        EventType.CONNECTION_CONNECTED: _connection,
        EventType.CONNECTION_EXPIRED: _connection,
    }
)
