"""What adapters receive and return: apps, tokens, publications, results and errors. No I/O."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, StrEnum, auto
from typing import Final, NamedTuple, Protocol
from uuid import UUID, uuid4

from app.contract.enums import WORD_MAX, ConnectionPlatform, PostType
from app.contract.limits import ACCOUNT_IDENTIFIER_MAX
from app.contract.places import PlaceOptions
from app.contract.tiktok import TikTokChoice

Clock = Callable[[], datetime]
"""Returns the current time, aware."""


class TimeSource(NamedTuple):
    """Where a time comes from.

    Attributes:
        platform: The platform that sent it.
        server: Name of the server, if it isn't the platform's own: anyone's, so its clock may be wrong.
    """

    platform: ConnectionPlatform
    server: str = ""


HeardTime = Callable[[TimeSource, datetime, float], None]
"""Called with a time and the event loop's time of the request."""


class FailureKind(StrEnum):
    """What a failure means for the next step.

    ``AMBIGUOUS`` only applies to publishing calls: the call may have succeeded, so it must never be repeated
    without a look. Every other kind means that nothing was published.
    """

    AUTH_EXPIRED = "auth_expired"
    PERMISSION = "permission"
    RATE_LIMITED = "rate_limited"
    QUOTA = "quota"
    INVALID = "invalid"
    DUPLICATE = "duplicate"
    TRANSIENT = "transient"
    AMBIGUOUS = "ambiguous"


class Cause(StrEnum):
    """The cause of a failure, if the platform's error code reveals it. Determines the advice to the user.

    The next step doesn't depend on it, but only on the kind.
    """

    # The program, and the app registered with the platform
    PROGRAM = "program"  # the platform didn't understand the call
    OUTDATED = "outdated"  # this version of the API has been sunset
    APP = "app"  # the app is rejected, or lacks a product
    APP_UNREVIEWED = "app_unreviewed"
    TRIAL = "trial"  # the app has trial access, which doesn't cover the call
    APP_QUOTA = "app_quota"
    CREDITS = "credits"
    INBOX_FULL = "inbox_full"  # too many items wait for the user on the platform
    RENEWAL = "renewal"  # no new tokens, for an unknown reason
    # The account
    SCOPE = "scope"
    RESTRICTED = "restricted"
    SPAM = "spam"
    PRIVACY = "privacy"
    UNDECIDED = "undecided"  # the user didn't choose an audience
    NO_CHANNEL = "no_channel"
    # The file
    FILE = "file"  # its format or content
    FILE_SIZE = "file_size"
    FILE_LENGTH = "file_length"
    FILE_SHAPE = "file_shape"
    FILE_COPY = "file_copy"  # the account already has it
    FILE_GONE = "file_gone"  # the platform lost the file uploaded ahead of time
    FILE_ADDRESS = "file_address"  # the platform couldn't fetch it
    # The text and its destination
    TEXT = "text"
    TEXT_LENGTH = "text_length"
    TITLE = "title"
    LINK = "link"
    BOARD = "board"
    POLICY = "policy"
    CALLED_OFF = "called_off"


@dataclass(frozen=True, slots=True)
class Published:
    """A published item; ``url`` is its public page."""

    content_id: str
    url: str | None


@dataclass(frozen=True, slots=True)
class Delivered:
    """An item in the user's inbox on the platform, who publishes it there."""


class PlatformError(Exception):
    """A failed call to a platform.

    Attributes:
        kind: What it means for the next step.
        code: The platform's error code, such as ``ACCESS_DENIED``, or ours without a response.
        message: The platform's message, shortened and without tokens, or ours.
        retry_after: Seconds to wait before the next call, if the platform says so.
        existing: The item that a ``DUPLICATE`` copies, if the platform names it.
        cause: The cause; None if only the kind is known.
    """

    def __init__(
        self,
        kind: FailureKind,
        code: str,
        message: str,
        *,
        retry_after: float | None = None,
        existing: Published | None = None,
        cause: Cause | None = None,
    ) -> None:
        super().__init__(f"{kind.value} ({code}): {message}")
        self.kind = kind
        self.code = code
        self.message = message
        self.retry_after = retry_after
        self.existing = existing
        self.cause = cause


@dataclass(frozen=True, slots=True)
class AppCredentials:
    """The app registered with a platform. Public clients have no secret.

    Attributes:
        more_scopes: Scopes to request in addition to the default ones, which the platform must have approved
            for the app.
        server: Origin of the server that the app is registered with, on networks of many servers.
        without_scopes: Default scopes not to request, because the platform refused them to the app.
    """

    client_id: str
    client_secret: str | None = field(default=None, repr=False)
    more_scopes: tuple[str, ...] = ()
    server: str = ""
    without_scopes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TokenGrant:
    """The tokens of one consent.

    Attributes:
        refresh_token: Argument for ``Adapter.refresh``; on Meta's platforms, itself an access token. None if
            the platform returned none; after a refresh, the former one stays valid.
        expires_at: When the access token expires, aware, in UTC; None if the platform doesn't say.
        ends_at: When the user has to sign in again although the tokens can be renewed until then; None if
            there is no such time.
        scopes: What the user and the platform granted; None if the platform doesn't say.
    """

    access_token: str = field(repr=False)
    refresh_token: str | None = field(repr=False)
    expires_at: datetime | None
    ends_at: datetime | None = None
    scopes: frozenset[str] | None = None


COUNT_MAX: Final = 2**31 - 1
"""Largest number of followers or pins that is believed: what the store can hold."""
METRIC_MAX: Final = 10**15
"""Largest metric that is believed, so that the store can hold sums of many."""


def _within(number: int | None, most: int) -> int | None:
    """Cut a number from a platform, because anybody may run a server of some networks."""
    return None if number is None else min(max(number, 0), most)


_LINK_MAX: Final = 8_192
_NOT_IN_LINES: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


def _line(text: str | None) -> str | None:
    """Cut a name from a platform, and replace what no database stores."""
    return None if text is None else _NOT_IN_LINES.sub(" ", text[:WORD_MAX])


@dataclass(frozen=True, slots=True)
class Profile:
    """An account that a token can publish to. Values the platform doesn't return are None.

    Raises PlatformError for an identifier that is too long to be stored: cut, it could be another account's.

    Attributes:
        grant: The account's own tokens, if it has any (a Facebook Page does); None if those of the consent
            work.
    """

    account_identifier: str
    display_name: str | None = None
    username: str | None = None
    avatar_url: str | None = None
    is_verified: bool | None = None
    follower_count: int | None = None
    grant: TokenGrant | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if len(self.account_identifier) > ACCOUNT_IDENTIFIER_MAX:
            message = f"The account's identifier has more than {ACCOUNT_IDENTIFIER_MAX} characters."
            raise PlatformError(FailureKind.INVALID, "identifier_too_long", message)
        object.__setattr__(self, "follower_count", _within(self.follower_count, COUNT_MAX))
        for name in ("display_name", "username"):
            object.__setattr__(self, name, _line(getattr(self, name)))
        if self.avatar_url is not None and len(self.avatar_url) > _LINK_MAX:
            object.__setattr__(self, "avatar_url", None)  # a part of it leads nowhere


@dataclass(frozen=True, slots=True)
class Board:
    """A Pinterest board. Values Pinterest doesn't return are None."""

    id: str
    name: str
    description: str | None
    privacy: str | None
    pin_count: int | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "pin_count", _within(self.pin_count, COUNT_MAX))
        object.__setattr__(self, "name", _line(self.name))


@dataclass(frozen=True, slots=True)
class BoardPage:
    """One page of boards. ``bookmark`` leads to the next page; None on the last."""

    boards: list[Board]
    bookmark: str | None


@dataclass(frozen=True, slots=True)
class ContentMetrics:
    """Current metrics of an item. Numbers the platform doesn't report are None."""

    content_id: str
    views: int | None
    likes: int | None
    comments: int | None
    shares: int | None

    def __post_init__(self) -> None:
        for name in ("views", "likes", "comments", "shares"):
            object.__setattr__(self, name, _within(getattr(self, name), METRIC_MAX))


Chunks = AsyncIterator[bytes]
"""Bytes in pieces of any size."""


async def _nowhere() -> str | None:
    return None


async def _no_picture(_ms: int) -> bytes | None:
    return None


@dataclass(frozen=True, slots=True)
class Media:
    """The file of a publication.

    Attributes:
        size: Size in bytes.
        content_type: Media type, such as ``image/jpeg``.
        sha256: Hash of the bytes, in hexadecimal.
        width: Width in pixels, as displayed; None if unknown, like ``height`` and ``duration_ms``.
        alt_text: Description of the picture for people who can't see it.
        cover_ms: Position of a video's cover frame, in ms; None for the first frame.
        address: Returns an https URL, in ASCII, at which anyone can fetch the file for a day; None if the
            service can't be reached from the internet.
        open: Opens the file at an offset, as a context manager.
        picture_at: Returns the frame of a video at a position in ms, as a JPEG of at most 2 MB; None if that
            fails. May take seconds.
    """

    size: int
    content_type: str
    sha256: str
    open: Callable[[int], AbstractAsyncContextManager[Chunks]] = field(repr=False)
    width: int | None = None
    height: int | None = None
    duration_ms: int | None = None
    alt_text: str | None = None
    cover_ms: int | None = None
    address: Callable[[], Awaitable[str | None]] = field(default=_nowhere, repr=False, compare=False)
    picture_at: Callable[[int], Awaitable[bytes | None]] = field(
        default=_no_picture, repr=False, compare=False
    )


@dataclass(frozen=True, slots=True)
class WebContent:
    """What is at a public address.

    Attributes:
        url: Where it was found, after redirects.
        content_type: Lowercase, without parameters; empty if the server doesn't send it.
        body: Its beginning.
        is_whole: Whether that is all of it.
    """

    url: str
    content_type: str
    body: bytes = field(repr=False)
    is_whole: bool = True


async def _nothing_there(_url: str, _bytes_max: int) -> WebContent | None:
    return None


class Steps(Protocol):
    """Values of a publication that survive a restart, under short names."""

    async def get(self, name: str) -> str | None:
        """Return the last value stored as ``name``."""

    async def put(self, name: str, value: str) -> None:
        """Store a value durably."""


class MemorySteps:
    """Steps in memory, for publications without uploads."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    async def get(self, name: str) -> str | None:
        return self._values.get(name)

    async def put(self, name: str, value: str) -> None:
        self._values[name] = value


class Departure(Protocol):
    """When, and until when, the calls that publish a post may be sent.

    A post is prepared up to its first call ahead of time, and waits there. If its process was suspended,
    another process may have taken over the post, so calls that weren't sent by then must not be sent any
    more.
    """

    @property
    def has_departed(self) -> bool:
        """Whether calls may begin."""
        ...

    async def depart(self) -> None:
        """Wait until calls may begin."""
        ...

    def holds(self) -> bool:
        """Whether a publishing call may still be sent; checked right before sending it."""
        ...


class _AnyTime:
    has_departed: Final = True

    async def depart(self) -> None:
        return None

    def holds(self) -> bool:
        return True


ANY_TIME: Final[Departure] = _AnyTime()
"""The departure of a publication that may be sent any time."""


@dataclass(frozen=True, slots=True)
class Publication:
    """A post to publish to one account.

    Attributes:
        post_id: Identifies the post in every attempt to publish it.
        media: The file; None for text posts.
        board_id: The board to pin to; ``board_name`` is only for display.
        link: Destination of a pin.
        tiktok: The creator's choice for TikTok; None without one.
        to_inbox: Whether the item goes to the user's inbox on the platform, who publishes it there.
        options: Options on a companion network; None without any.
        alt_text_max: The longest alt text that the account's server takes; None if it's unknown.
        steps: Stores the progress of uploads.
        departure: Awaited before the first call of ``publish``, and checked before each publishing call.
        fetch: Returns at most so many bytes of what is at a public address; None if that fails.
    """

    account_identifier: str
    username: str | None
    access_token: str = field(repr=False)
    post_type: PostType
    title: str | None
    text: str
    media: Media | None = None
    board_id: str | None = None
    board_name: str | None = None
    link: str | None = None
    tiktok: TikTokChoice | None = None
    to_inbox: bool = False
    options: PlaceOptions | None = None
    alt_text_max: int | None = None
    post_id: UUID = field(default_factory=uuid4)
    steps: Steps = field(default_factory=MemorySteps, repr=False, compare=False)
    departure: Departure = field(default=ANY_TIME, repr=False, compare=False)
    fetch: Callable[[str, int], Awaitable[WebContent | None]] = field(
        default=_nothing_there, repr=False, compare=False
    )


class LookBackOutcome(Enum):
    """Result of a look for a publication.

    Attributes:
        FOUND: It was found.
        DELIVERED: It is in the user's inbox.
        ABSENT: The platform lists everything the publication could be among, and it isn't there.
        UNSENT: By the publication's steps, it was never published. This proves nothing if the steps were
            lost, or may be older than the call.
        UNKNOWABLE: The platform doesn't show enough to tell.
    """

    FOUND = auto()
    DELIVERED = auto()
    ABSENT = auto()
    UNSENT = auto()
    UNKNOWABLE = auto()


@dataclass(frozen=True, slots=True)
class LookBack:
    """Result of a look for a publication; ``item`` is set if it was found."""

    outcome: LookBackOutcome
    item: Published | None = None
