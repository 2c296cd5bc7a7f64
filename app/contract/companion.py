"""The companion API: what our service offers beyond the specification, below ``/companion/v1``.

Other services return 404 there. The app then only uses the specified endpoints.
"""

from typing import Annotated, Final, Self
from uuid import UUID

from pydantic import AfterValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from app.contract.analytics import Metric
from app.contract.base import (
    Address,
    Count,
    Cut,
    Few,
    HttpUrl,
    Known,
    Line,
    Link,
    Omittable,
    RequestModel,
    RequestTime,
    ResponseModel,
    Sentence,
    Text,
    Timestamp,
    Word,
    Words,
)
from app.contract.connections import Connection
from app.contract.enums import (
    Action,
    ConnectionPlatform,
    KeyScope,
    OpenEnum,
    PostingPlatform,
    PostStatus,
    PostType,
)
from app.contract.history import ContentRecord
from app.contract.limits import (
    ADDRESS_MAX,
    ALT_TEXT_MAX,
    ANALYTICS_DAYS_DEFAULT,
    ANALYTICS_DAYS_MAX,
    API_KEY_NAME_MAX,
    APP_PASSWORD_MAX,
    COVER_MS_MAX,
    HANDLE_MAX,
    PAGE_LIMIT_MAX,
    POST_RANGE_LIMIT_MAX,
)
from app.contract.pagination import PageQuery
from app.contract.places import NETWORK, NewPlaceOptions, PlaceOptions
from app.contract.posts import CreatePost, Post
from app.contract.tiktok import CHOICES_MAX, FileChoices, TikTokChoice


class CompanionRoot(ResponseModel):
    """The service's capabilities. ``practice`` is true if every platform behind it is a stand-in.

    ``clock_ahead_seconds`` is set while a wrong clock keeps the service from publishing: how far the clock of
    the service's computer is ahead of its database's, negative if it's behind. Otherwise it's null.
    """

    version: Word
    offers: Few[Word]
    practice: bool
    clock_ahead_seconds: Count | None = None


class AttemptOutcome(OpenEnum):
    """Outcome of a publishing attempt; ``pending`` until it's known.

    ``handed_over``: the user was asked to publish the post. ``in_inbox``: it's in the user's inbox on the
    platform, who publishes it there.
    """

    PENDING = "pending"
    HANDED_OVER = "handed_over"
    IN_INBOX = "in_inbox"
    PUBLISHED = "published"
    REFUSED = "refused"
    TRANSIENT = "transient"
    UNKNOWN = "unknown"


BY_USER_STEP: Final = "hand_over"
"""The step of an attempt in which the user publishes the post."""


class Attempt(ResponseModel):
    """One attempt to publish a post, with the platform's own code and message and what the user can do.

    ``content_url`` is the public URL of the published content, if the platform returns one.
    """

    id: UUID
    post_id: UUID
    step: Word
    outcome: AttemptOutcome
    started_at: Timestamp
    finished_at: Timestamp | None
    platform_code: Word | None
    platform_message: Sentence | None
    advice: Sentence | None
    content_url: Link | None = None


class AttemptList(ResponseModel):
    """Every attempt for one post, newest first."""

    data: Few[Attempt]


class ReportOutcome(RequestModel):
    """What somebody found on the platform, after its answer was lost: whether the post is there."""

    is_live: bool


def _require_words(value: str) -> str:
    if not value.strip():
        raise PydanticCustomError("blank", "must not be blank")
    return value


KeyName = Annotated[Line, Field(min_length=1, max_length=API_KEY_NAME_MAX), AfterValidator(_require_words)]


class CreateApiKey(RequestModel):
    """Request to create a key. Without ``expires_at`` it never expires."""

    name: KeyName
    expires_at: RequestTime | None = None


class AnyConnection(Connection):
    """A connected account on any network."""

    platform: Annotated[ConnectionPlatform, NETWORK]


class AnyPost(Post):
    """A post on any network.

    ``options`` is null on platforms of the specification, and if all are the account's own defaults.
    ``by_hand``: the user publishes this post, although Kalends could.
    """

    platform: Annotated[PostingPlatform, NETWORK]
    options: PlaceOptions | None = None
    by_hand: bool = False


class Place(AnyConnection):
    """A connected account on a companion network.

    ``sign_in_by`` is when the user has to sign in again, on networks whose sessions end although the access
    is renewed. Null if that's never, and in responses to a single account.
    """

    sign_in_by: Timestamp | None = None


class PlacePost(AnyPost):
    """A post on a companion network."""


class PlaceContent(ContentRecord):
    """Published content on a companion network."""

    platform: Annotated[ConnectionPlatform, NETWORK]


class PlaceMetric(Metric):
    """A sample of published content on a companion network."""

    platform: Annotated[PostingPlatform, NETWORK]


class ConnectPlace(RequestModel):
    """Request to connect an account on a companion network with an app password, which isn't stored.

    An account that is published to by hand has no password. Connecting an account again renews its access.
    """

    platform: Annotated[ConnectionPlatform, NETWORK]
    handle: Annotated[Line, Field(min_length=1, max_length=HANDLE_MAX)]
    app_password: Annotated[Line, Field(max_length=APP_PASSWORD_MAX)] = ""


class PlaceListQuery(PageQuery):
    """Filters for accounts on companion networks."""

    include_unavailable: bool = False


class CreatePlacePost(CreatePost):
    """Request to create a post on a companion network.

    Without ``scheduled_at``, it's published immediately.
    """

    platform: Annotated[PostingPlatform, NETWORK]
    options: Omittable[NewPlaceOptions] = None


class CreateAnyPost(CreatePlacePost):
    """Request to create a post on any network, which the user publishes by hand if they want to."""

    by_hand: bool = False


class PublishByHand(RequestModel):
    """Whether the user publishes a post, although Kalends could."""

    by_hand: bool


class FinishPost(RequestModel):
    """Report that the user has published a post by hand, with its public page if they know it."""

    url: Omittable[HttpUrl] = None


class PlaceMetricListQuery(PageQuery):
    """Filter for samples on companion networks by age."""

    days: Annotated[int, Field(ge=1, le=ANALYTICS_DAYS_MAX)] = ANALYTICS_DAYS_DEFAULT


class PlacePostListQuery(PageQuery):
    """Filters for posts on companion networks."""

    status: Omittable[Known[PostStatus]] = None


class ApiKey(ResponseModel):
    """An API key, without the secret: ``hint`` is its last four characters.

    ``name`` and ``hint`` are null for old keys that didn't store them. ``last_used_at`` can be a few minutes
    old.
    """

    id: UUID
    name: Word | None
    hint: Word | None
    scope: KeyScope
    created_at: Timestamp
    expires_at: Timestamp | None
    revoked_at: Timestamp | None
    last_used_at: Timestamp | None


class CreatedApiKey(ApiKey):
    """A new key. Only this response contains the secret."""

    key: Word


class SignInLink(ResponseModel):
    """A URL that signs the account's owner in on the integrations page, once, until it expires."""

    url: Link
    expires_at: Timestamp


class MediaFile(ResponseModel):
    """A stored file. Dimensions are in pixels and duration is in ms; both are null until they're known.

    ``filename`` is the original name, or null if only the path is known. ``cover_ms`` is the time of a
    video's cover frame; null for the first frame. ``tiktok`` maps account IDs to choices.
    """

    storage_path: Address
    filename: Word | None = None
    kind: PostType
    content_type: Word
    size_bytes: Count
    width: Count | None
    height: Count | None
    duration_ms: Count | None
    alt_text: Sentence | None
    cover_ms: Count | None = None
    tiktok: Annotated[dict[UUID, TikTokChoice], Cut(CHOICES_MAX)] | None = None
    created_at: Timestamp
    used_in: Few[UUID] = Field(default=[])


class DescribeMedia(RequestModel):
    """Changes to a file: its alt text and the time of a video's cover frame.

    Null removes a value; omitted fields stay unchanged. ``tiktok`` maps account IDs to who can see posts with
    this file on TikTok and what they disclose; other accounts keep their choices.
    """

    alt_text: Annotated[Text, Field(max_length=ALT_TEXT_MAX)] | None = None
    cover_ms: Annotated[int, Field(ge=0, le=COVER_MS_MAX)] | None = None
    tiktok: Omittable[FileChoices] = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise PydanticCustomError("no_change", "Send at least one of alt_text, cover_ms and tiktok.")
        return self


class CompleteConnection(RequestModel):
    """The address where the browser ended because it couldn't return to the service."""

    address: Annotated[Text, Field(min_length=1, max_length=ADDRESS_MAX)]


class ReconnectAccount(RequestModel):
    """Request to start a browser flow for a connected account."""

    redirect_url: Omittable[HttpUrl] = None


class ConnectionStage(OpenEnum):
    """Stage of a browser flow; ``choosing`` until the user has chosen which accounts to connect."""

    WAITING = "waiting"
    CHOOSING = "choosing"
    CONNECTED = "connected"
    DENIED = "denied"
    FAILED = "failed"


class ConnectionOutcome(ResponseModel):
    """Result of a browser flow, with a sentence for the user. Open ``choose_url`` in a browser."""

    stage: ConnectionStage
    message: Sentence
    connection_id: UUID | None
    choose_url: Link | None


class PostRangeQuery(PageQuery):
    """Filter for posts by publication time: ``from`` is inclusive, ``before`` exclusive."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)

    start: Annotated[Timestamp, Field(alias="from")]
    end: Annotated[Timestamp, Field(alias="to")]
    limit: Annotated[int, Field(ge=1, le=POST_RANGE_LIMIT_MAX)] = PAGE_LIMIT_MAX


class DeliveryDetails(ResponseModel):
    """The request sent to an endpoint and the status of its response.

    The headers are null if nothing was sent. Bytes of the body that aren't text appear as replacement
    characters.
    """

    id: UUID
    subscription_id: UUID
    url: Address
    request_headers: Annotated[dict[Word, Sentence], Cut(100)] | None
    request_body: Words | None
    status_code: Count | None
    latency_ms: Count | None
    error_message: Sentence | None
    created_at: Timestamp


class Quota(ResponseModel):
    """Rate limit of one action for a key.

    Attributes:
        limit: Calls per ``window_seconds``; null if calls aren't limited.
        remaining: Calls left now.
        full_in_seconds: Time until all calls are available again.
    """

    action: Action
    limit: Count | None
    remaining: Count | None
    window_seconds: Count
    full_in_seconds: float


class QuotaList(ResponseModel):
    """The rate limits of all actions."""

    data: Few[Quota]
