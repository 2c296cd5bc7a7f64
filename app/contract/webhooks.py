"""Webhook subscriptions, deliveries and payloads."""

from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import AliasChoices, Field, model_validator
from pydantic_core import PydanticCustomError

from app.contract.base import (
    Address,
    Count,
    Few,
    IsHttpUrl,
    Known,
    Omittable,
    RequestModel,
    ResponseModel,
    Sentence,
    Timestamp,
    Word,
)
from app.contract.enums import ConnectionPlatform, EventType, PostingPlatform
from app.contract.limits import WEBHOOK_EVENTS_MAX, WEBHOOK_URL_MAX

EVENT_HEADER: Final = "X-Service-Event"
DELIVERY_HEADER: Final = "X-Service-Delivery"
SIGNATURE_HEADER: Final = "X-Service-Signature"
SIGNATURE_PREFIX: Final = "sha256="
USER_AGENT: Final = "Service-Webhook/1.0"
TEST_EVENT: Final = "webhook.test"
"""Event type of test deliveries. Webhooks can't subscribe to it."""

WebhookUrl = Annotated[str, IsHttpUrl(WEBHOOK_URL_MAX)]
SubscribedEvents = Annotated[list[Known[EventType]], Field(min_length=1, max_length=WEBHOOK_EVENTS_MAX)]


class WebhookSubscription(ResponseModel):
    """A webhook subscription."""

    id: UUID
    url: Address
    events: Few[EventType]
    active: bool
    failure_count: Count
    last_delivery_at: Timestamp | None
    last_disabled_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp


class WebhookSubscriptionList(ResponseModel):
    """All subscriptions, newest first. Not paginated; some services send a plain list."""

    data: Few[WebhookSubscription] = Field(validation_alias=AliasChoices("data", "items"))

    @model_validator(mode="before")
    @classmethod
    def _read_bare_list(cls, value: Any) -> Any:
        return {"data": value} if isinstance(value, list) else value


class CreatedWebhookSubscription(WebhookSubscription):
    """A new subscription. Only this response contains the secret."""

    secret: Sentence


class CreateWebhook(RequestModel):
    """Request to create a subscription."""

    url: WebhookUrl
    events: SubscribedEvents


class UpdateWebhook(RequestModel):
    """Request to update at least one field of a subscription. ``active`` true enables it again."""

    url: Omittable[WebhookUrl] = None
    events: Omittable[SubscribedEvents] = None
    active: Omittable[bool] = None

    @model_validator(mode="after")
    def _require_a_change(self) -> "UpdateWebhook":
        if not self.model_fields_set:
            raise PydanticCustomError("no_change", "Send at least one of url, events and active.")
        return self


class TestWebhook(RequestModel):
    """Optional body of a test call."""

    __test__ = False  # keep pytest from collecting it because of its name
    event_type: Omittable[Known[EventType]] = None


class WebhookTestResult(ResponseModel):
    """The endpoint's response to a test."""

    delivery_id: UUID
    subscription_id: UUID
    status_code: Count | None
    latency_ms: float
    delivered_at: Timestamp | None
    error_message: Sentence | None


class WebhookDelivery(ResponseModel):
    """One attempt to deliver an event."""

    id: UUID
    event_type: Word
    event_id: Word
    status_code: Count | None
    attempt: Count
    latency_ms: float | None
    delivered_at: Timestamp | None
    failed_at: Timestamp | None
    error_message: Sentence | None
    created_at: Timestamp


class WebhookReplayResult(ResponseModel):
    """Confirmation that a past event is being delivered again."""

    subscription_id: UUID
    original_delivery_id: UUID
    event_type: Word
    message: Sentence


class WebhookDeleteResult(ResponseModel):
    """Confirmation that a subscription and its deliveries were deleted."""

    id: UUID
    deleted: bool


class Event(ResponseModel):
    """JSON body of a delivery."""

    event_type: str
    event_id: str
    delivery_id: str
    created_at: Timestamp
    data: dict[str, Any]


class PostEventData(ResponseModel):
    """``data`` of ``post.scheduled``."""

    post_id: UUID
    platform: PostingPlatform
    social_account_id: UUID
    batch_id: str | None


class PostPublishedData(PostEventData):
    """``data`` of ``post.published``."""

    content_id: str
    posted_at: Timestamp


class PostFailedData(PostEventData):
    """``data`` of ``post.failed``."""

    reason: str


class ConnectionEventData(ResponseModel):
    """``data`` of ``connection.connected`` and ``connection.expired``."""

    connection_id: UUID
    platform: ConnectionPlatform
    username: str | None
    display_name: str | None
