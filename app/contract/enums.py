"""The enums of the specification. Imports no pydantic, because the first window needs this module."""

from enum import StrEnum
from typing import Final, Self

WORD_MAX: Final = 500


class OpenEnum(StrEnum):
    """An enum that keeps unknown values as text, so a newer service doesn't break an older app."""

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, str):
            return None
        value = value[:WORD_MAX]
        unknown = str.__new__(cls, value)
        unknown._name_ = value
        unknown._value_ = value
        return unknown

    @property
    def is_known(self) -> bool:
        """Whether the specification names this value."""
        return type(self).__members__.get(self._name_) is self


class PostingPlatform(OpenEnum):
    """A platform that accepts posts."""

    LINKEDIN = "linkedin"
    TIKTOK = "tiktok"
    PINTEREST = "pinterest"
    INSTAGRAM = "instagram"
    YOUTUBE = "youtube"
    X = "x"
    FACEBOOK = "facebook"


class ConnectionPlatform(OpenEnum):
    """A platform with connectable accounts: the posting platforms and Threads."""

    LINKEDIN = "linkedin"
    TIKTOK = "tiktok"
    PINTEREST = "pinterest"
    INSTAGRAM = "instagram"
    FACEBOOK = "facebook"
    THREADS = "threads"
    YOUTUBE = "youtube"
    X = "x"


class PostStatus(OpenEnum):
    """Status of a post."""

    SCHEDULED = "scheduled"
    QUEUED = "queued"
    PROCESSING = "processing"
    POSTED = "posted"
    FAILED = "failed"
    CANCELLED = "cancelled"


class PostType(OpenEnum):
    """Type of content; also the media type of the content history."""

    TEXT = "text"
    IMAGE = "image"
    VIDEO = "video"


class DeleteAction(OpenEnum):
    """What deleting did to a post."""

    CANCELLED = "cancelled"
    DELETED = "deleted"


class EventType(OpenEnum):
    """An event type that webhooks can subscribe to."""

    POST_SCHEDULED = "post.scheduled"
    POST_PUBLISHED = "post.published"
    POST_FAILED = "post.failed"
    CONNECTION_CONNECTED = "connection.connected"
    CONNECTION_EXPIRED = "connection.expired"


class CreatedVia(OpenEnum):
    """The surface through which content was created."""

    REST = "rest"
    MCP = "mcp"
    X402 = "x402"
    WEB = "web"


class SubscriptionStatus(OpenEnum):
    """Whether the account behind a key has an active subscription."""

    ACTIVE = "active"
    INACTIVE = "inactive"
    PAST_DUE = "past_due"


class ErrorCode(OpenEnum):
    """Machine-readable code in an error envelope."""

    VALIDATION_ERROR = "validation_error"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    RATE_LIMITED = "rate_limited"
    INTERNAL_ERROR = "internal_error"


class KeyScope(OpenEnum):
    """What a key allows. ``none`` authenticates but allows nothing."""

    API_FULL = "api:full"
    NONE = "none"


class Action(OpenEnum):
    """The action of an API call, for usage and rate limits: ``rest.<area>.<action>``."""

    POSTS_CREATE = "rest.posts.create"
    POSTS_LIST = "rest.posts.list"
    POSTS_BULK = "rest.posts.bulk"
    POSTS_GET = "rest.posts.get"
    POSTS_RESCHEDULE = "rest.posts.reschedule"
    POSTS_DELETE = "rest.posts.delete"
    POSTS_ANALYTICS = "rest.posts.analytics"
    CONNECTIONS_LIST = "rest.connections.list"
    CONNECTIONS_INITIATE = "rest.connections.initiate"
    CONNECTIONS_GET = "rest.connections.get"
    CONNECTIONS_REAUTH = "rest.connections.reauth"
    CONNECTIONS_BOARDS = "rest.connections.boards"
    MEDIA_UPLOAD_URL = "rest.media.upload_url"
    MEDIA_ATTACH = "rest.media.attach"
    MEDIA_VIEW = "rest.media.view"
    MEDIA_DELETE = "rest.media.delete"
    WEBHOOKS_CREATE = "rest.webhooks.create"
    WEBHOOKS_LIST = "rest.webhooks.list"
    WEBHOOKS_GET = "rest.webhooks.get"
    WEBHOOKS_UPDATE = "rest.webhooks.update"
    WEBHOOKS_DELETE = "rest.webhooks.delete"
    WEBHOOKS_TEST = "rest.webhooks.test"
    WEBHOOKS_DELIVERIES = "rest.webhooks.deliveries"
    WEBHOOKS_REPLAY = "rest.webhooks.replay"
    ANALYTICS_LIST = "rest.analytics.list"
    HISTORY_LIST = "rest.history.list"
    USAGE_GET = "rest.usage.get"
