"""What our service offers beyond the specification, under ``/companion/v1``.

A service that lacks it answers 404, and the app then does with the specified paths alone.
"""

from typing import Annotated, Self
from uuid import UUID

from pydantic import AfterValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from app.contract.base import (
    Address,
    Count,
    Cut,
    Few,
    HttpUrl,
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
from app.contract.enums import Action, ConnectionPlatform, KeyScope, OpenEnum, PostType
from app.contract.limits import (
    ADDRESS_MAX,
    ALT_TEXT_MAX,
    API_KEY_NAME_MAX,
    CLIENT_ID_MAX,
    CLIENT_SECRET_MAX,
    COVER_MS_MAX,
    PAGE_LIMIT_MAX,
    POST_RANGE_LIMIT_MAX,
)
from app.contract.pagination import PageQuery
from app.contract.posts import Post
from app.contract.tiktok import CHOICES_MAX, FileChoices, TikTokChoice


class CompanionRoot(ResponseModel):
    """What is offered. ``practice`` is true where every platform behind the service is a stand-in.

    ``clock_ahead_seconds`` is how far the clock of the service's computer is ahead of its database's,
    negative when it is behind, while that keeps the service from publishing; null while it publishes.
    """

    version: Word
    offers: Few[Word]
    practice: bool
    clock_ahead_seconds: Count | None = None


class AttemptOutcome(OpenEnum):
    """How an attempt to publish ended; ``pending`` while nobody knows yet."""

    PENDING = "pending"
    PUBLISHED = "published"
    REFUSED = "refused"
    TRANSIENT = "transient"
    UNKNOWN = "unknown"


class Attempt(ResponseModel):
    """One attempt to publish a post: the platform's own code and words, and what the person can do.

    ``content_url`` is where people see what it published, as far as the platform tells.
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
    """Every attempt of one post, newest first."""

    data: Few[Attempt]


def _require_words(value: str) -> str:
    if not value.strip():
        raise PydanticCustomError("blank", "must not be blank")
    return value


KeyName = Annotated[Line, Field(min_length=1, max_length=API_KEY_NAME_MAX), AfterValidator(_require_words)]


class CreateApiKey(RequestModel):
    """A new key. Without ``expires_at`` it never expires."""

    name: KeyName
    expires_at: RequestTime | None = None


class ApiKey(ResponseModel):
    """A key without the key itself: ``hint`` is its last four characters.

    ``name`` and ``hint`` are null for keys of times that kept none. ``last_used_at`` is true to within a few
    minutes.
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
    """The only answer that holds the key."""

    key: Word


class SignInLink(ResponseModel):
    """An address that signs its owner in on the integrations page, once, until it expires."""

    url: Link
    expires_at: Timestamp


class MediaFile(ResponseModel):
    """A stored file. Pixels as shown and milliseconds, null where they are not known (yet).

    ``filename`` is what the file was called, null where only its path tells. ``cover_ms`` is the moment of a
    video whose picture stands for it; null for the first one. ``tiktok`` holds choices by the account's id.
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
    """What a file shows, in words, for those who cannot see it, and which moment of a video stands for it.

    Null takes either away; what is left out stays as it is. ``tiktok`` holds who can see posts with the file
    on TikTok, and what is disclosed about them, by the account's id; accounts that are left out keep theirs.
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
    """The address at which a browser ended that cannot come back by itself."""

    address: Annotated[Text, Field(min_length=1, max_length=ADDRESS_MAX)]


class ReconnectAccount(RequestModel):
    """The body that starts a browser flow for an account that is known."""

    redirect_url: Omittable[HttpUrl] = None


class ConnectionStage(OpenEnum):
    """How a browser flow stands; ``choosing`` while the person has not said which accounts to connect."""

    WAITING = "waiting"
    CHOOSING = "choosing"
    CONNECTED = "connected"
    DENIED = "denied"
    FAILED = "failed"


class ConnectionOutcome(ResponseModel):
    """What became of a flow, with a sentence for the person; ``choose_url`` is to be opened in a browser."""

    stage: ConnectionStage
    message: Sentence
    connection_id: UUID | None
    choose_url: Link | None


class PlatformSetup(ResponseModel):
    """How one platform is set up here.

    Attributes:
        credentials: Whether the id of an app is set, and the secret where the platform asks for one.
        redirect_uri: What to register with the platform.
        by_hand: The browser does not come back to the service; the final address is to be pasted.
        publishes: The kinds of posts that this program can publish there; none where it only connects.
        needs_address: Those of them that are refused until the service has a public address for files.
        remarks: What to know before anything is scheduled, each a sentence.
        portal: Where an app is registered with the platform.
        steps: What to do there, each a sentence.
        secret_needed: Whether the platform asks for the secret of the app.
        changeable: Whether the app can be set by ``PUT /platforms/{platform}/app``; else a file tells it.
    """

    platform: ConnectionPlatform
    name: Word
    credentials: bool
    redirect_uri: Address
    by_hand: bool
    publishes: Few[PostType]
    needs_address: Few[PostType] = Field(default_factory=list)
    remarks: Few[Sentence]
    portal: Link = ""
    steps: Few[Sentence] = Field(default_factory=list)
    secret_needed: bool = True
    changeable: bool = False


class SetPlatformApp(RequestModel):
    """What a platform gave for the app that was registered with it.

    ``redirect_uri`` is the address that was registered where the service's own is not taken; the person then
    pastes the address at which the browser ends. What is left out is forgotten.
    """

    client_id: Annotated[Text, Field(min_length=1, max_length=CLIENT_ID_MAX)]
    client_secret: Omittable[Annotated[Text, Field(min_length=1, max_length=CLIENT_SECRET_MAX)]] = None
    redirect_uri: Omittable[HttpUrl] = None


class PlatformSetupList(ResponseModel):
    """The set-up of every platform."""

    data: Few[PlatformSetup]


class CheckOutcome(OpenEnum):
    """``unknown``: it cannot be found out without the consent of a person."""

    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Check(ResponseModel):
    """One thing that was looked at, and what was found, as a sentence."""

    name: Word
    outcome: CheckOutcome
    message: Sentence


class PlatformSelfTest(ResponseModel):
    """``passed`` when nothing failed; what is unknown shows at the first consent."""

    platform: ConnectionPlatform
    passed: bool
    checks: Few[Check]


class ChangeKind(OpenEnum):
    """What an event of the stream is about; ``reset`` says that everything is to be read anew."""

    POST = "post.changed"
    CONNECTION = "connection.changed"
    MEDIA = "media.changed"
    DELIVERY = "delivery.recorded"
    RESET = "reset"


class PostChanged(ResponseModel):
    """A post as it is now; null when it is gone."""

    id: UUID
    post: Post | None


class ConnectionChanged(ResponseModel):
    """A connected account as it is now; null when it is gone."""

    id: UUID
    connection: Connection | None


class MediaChanged(ResponseModel):
    """A file was stored, described, looked into or removed."""

    storage_path: Address


class DeliveryRecorded(ResponseModel):
    """An attempt to deliver was made; ``subscription_id`` is null when the subscription is gone."""

    id: UUID
    subscription_id: UUID | None


class Reset(ResponseModel):
    """The stream begins here: what happened before it is to be read from the lists."""


class PostRangeQuery(PageQuery):
    """Posts by the time of their publication: from ``from`` on, before ``to``."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)

    start: Annotated[Timestamp, Field(alias="from")]
    end: Annotated[Timestamp, Field(alias="to")]
    limit: Annotated[int, Field(ge=1, le=POST_RANGE_LIMIT_MAX)] = PAGE_LIMIT_MAX


class DeliveryDetails(ResponseModel):
    """What was sent to an endpoint, and the status that it answered with.

    The headers are null where nothing was sent; a body that is no text is shown with replacement characters.
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
    """How many calls of one action a key may make.

    Attributes:
        limit: Calls in ``window_seconds``; null where calls are not limited.
        remaining: Calls that are left now.
        full_in_seconds: When all of them are there again.
    """

    action: Action
    limit: Count | None
    remaining: Count | None
    window_seconds: Count
    full_in_seconds: float


class QuotaList(ResponseModel):
    """The limits of every action."""

    data: Few[Quota]
