"""The change stream: what its events say. A client stores how far it was followed."""

from uuid import UUID

from app.contract.base import (
    Address,
    ResponseModel,
)
from app.contract.companion import AnyConnection, AnyPost
from app.contract.enums import (
    OpenEnum,
)


class ChangeKind(OpenEnum):
    """Subject of a stream event; ``reset`` means that the client has to reload everything."""

    POST = "post.changed"
    CONNECTION = "connection.changed"
    MEDIA = "media.changed"
    DELIVERY = "delivery.recorded"
    RESET = "reset"


class PostChanged(ResponseModel):
    """The current state of a post; null if it was deleted."""

    id: UUID
    post: AnyPost | None


class ConnectionChanged(ResponseModel):
    """The current state of a connected account; null if it was removed."""

    id: UUID
    connection: AnyConnection | None


class MediaChanged(ResponseModel):
    """A file was stored, described, probed or removed."""

    storage_path: Address


class DeliveryRecorded(ResponseModel):
    """A delivery attempt was recorded; ``subscription_id`` is null if the subscription was deleted."""

    id: UUID
    subscription_id: UUID | None


class Reset(ResponseModel):
    """Start of the stream: reload earlier changes from the lists."""
