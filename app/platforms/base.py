"""What every platform adapter takes, gives and raises. No I/O."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum, StrEnum, auto
from typing import Final, Protocol, runtime_checkable

from app.contract.enums import ConnectionPlatform, PostType
from app.contract.tiktok import TikTokChoice, TikTokCreator

Clock = Callable[[], datetime]
"""Tells the time, aware."""


class FailureKind(StrEnum):
    """What a failure means for the next step.

    ``AMBIGUOUS`` is for a creating call alone: it may have been carried out, so it must never be repeated
    without a look-back. Every other kind says for certain that nothing was published.
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
    """What is behind a failure, where the platform's code tells: a person is told what to do by it.

    It changes nothing about the next step, which follows from the kind alone.
    """

    # The program, and the app that is registered with the platform
    PROGRAM = "program"  # the call itself was not understood
    OUTDATED = "outdated"  # the version of the API has been sunset
    APP = "app"  # the app is refused, or lacks a product
    APP_UNREVIEWED = "app_unreviewed"
    APP_QUOTA = "app_quota"
    CREDITS = "credits"
    RENEWAL = "renewal"  # no new tokens, for a reason that is not known
    # The account
    SCOPE = "scope"
    RESTRICTED = "restricted"
    SPAM = "spam"
    PRIVACY = "privacy"
    UNDECIDED = "undecided"  # nobody chose who can see the post
    NO_CHANNEL = "no_channel"
    # The file
    FILE = "file"  # its format, or what is in it
    FILE_SIZE = "file_size"
    FILE_LENGTH = "file_length"
    FILE_SHAPE = "file_shape"
    FILE_COPY = "file_copy"  # the account has it already
    FILE_GONE = "file_gone"  # the platform lost what was sent ahead
    FILE_ADDRESS = "file_address"  # it cannot be fetched
    # The words and where they go
    TEXT = "text"
    TEXT_LENGTH = "text_length"
    TITLE = "title"
    LINK = "link"
    BOARD = "board"
    POLICY = "policy"
    CALLED_OFF = "called_off"


@dataclass(frozen=True, slots=True)
class Published:
    """What the platform made of a publication; ``url`` is where people see it."""

    content_id: str
    url: str | None


class PlatformError(Exception):
    """A call to a platform that did not succeed.

    Attributes:
        kind: What it means for the next step.
        code: The platform's own code, such as ``ACCESS_DENIED``, or ours when there was no answer.
        message: The platform's own words, shortened and without any token, or ours.
        retry_after: Seconds to wait before the next call, when the platform says so.
        existing: The item that a ``DUPLICATE`` copies, when the platform names it.
        cause: What is behind it; None where the kind says all that is known.
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
    """What identifies this program to a platform. A public client has no secret.

    Attributes:
        more_scopes: What is asked for beside the scopes that every app gets, once the platform has admitted
            this one to more.
    """

    client_id: str
    client_secret: str | None = field(default=None, repr=False)
    more_scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TokenGrant:
    """The tokens of one consent.

    Attributes:
        refresh_token: What ``Adapter.refresh`` takes; on Meta's platforms that is an access token of its
            own. None where the platform gave none; a refresh without one keeps the former.
        expires_at: Aware UTC time at which the access token ends; None when the platform does not say.
    """

    access_token: str = field(repr=False)
    refresh_token: str | None = field(repr=False)
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class Profile:
    """An account that a token can publish to. What a platform does not tell is None.

    Attributes:
        grant: The account's own tokens, where they differ from those of the consent (a Facebook Page has its
            own); None: those of the consent are good for it.
    """

    account_identifier: str
    display_name: str | None = None
    username: str | None = None
    avatar_url: str | None = None
    is_verified: bool | None = None
    follower_count: int | None = None
    grant: TokenGrant | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Board:
    """A board of Pinterest. What the platform does not tell is None."""

    id: str
    name: str
    description: str | None
    privacy: str | None
    pin_count: int | None


@dataclass(frozen=True, slots=True)
class BoardPage:
    """One page of boards; ``bookmark`` leads to the next one and is None on the last."""

    boards: list[Board]
    bookmark: str | None


@dataclass(frozen=True, slots=True)
class ContentMetrics:
    """How an item does by now. A number that the platform does not report is None."""

    content_id: str
    views: int | None
    likes: int | None
    comments: int | None
    shares: int | None


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
        size: Bytes.
        content_type: Media type, such as ``image/jpeg``.
        sha256: Of the bytes, in hexadecimal.
        width: Pixels, as shown; None where it is not known, like ``height`` and ``duration_ms``.
        alt_text: What the picture shows, for those who do not see it.
        cover_ms: The moment of a video whose picture stands for it, in milliseconds; None for the first one.
        address: Gives an https address, in US-ASCII, at which anybody can fetch the file for a day; None
            where the internet does not reach it.
        open: Opens the file at a byte; leaving the context closes it.
        picture_at: Makes the picture that a video shows at a moment, in milliseconds: a JPEG of at most 2 MB;
            None where that cannot be done. It may take seconds.
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


class Steps(Protocol):
    """What is remembered of a publication from one run of the program to the next, under short names."""

    async def get(self, name: str) -> str | None:
        """What was put last under the name."""

    async def put(self, name: str, value: str) -> None:
        """Remembers a value; it is on the disk when this returns."""


class MemorySteps:
    """Steps that end with the program: for publications that need none."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    async def get(self, name: str) -> str | None:
        return self._values.get(name)

    async def put(self, name: str, value: str) -> None:
        self._values[name] = value


class Departure(Protocol):
    """When, and until when, the calls that publish a post may be sent.

    A post is made ready up to its first call ahead of its time, and waits there. A process that stood still,
    such as one on a computer that slept, may wake up while another process has taken over its posts: what it
    hasn't sent by then it must not send any more.
    """

    @property
    def has_departed(self) -> bool:
        """Whether calls may begin already."""
        ...

    async def depart(self) -> None:
        """Wait until calls may begin; return immediately where they may already."""
        ...

    def holds(self) -> bool:
        """Whether a call that publishes may still be sent; asked right before it is."""
        ...


class _AnyTime:
    has_departed: Final = True

    async def depart(self) -> None:
        return None

    def holds(self) -> bool:
        return True


ANY_TIME: Final[Departure] = _AnyTime()
"""The departure of a publication that nothing holds back."""


@dataclass(frozen=True, slots=True)
class Publication:
    """One post on its way to one account.

    Attributes:
        media: The file; None with texts.
        board_id: The board that a pin goes to; ``board_name`` is for people alone.
        link: The address that a pin leads to.
        tiktok: What the creator chose for TikTok; None where nobody has.
        steps: Where uploads under way are remembered.
        departure: Waited for before the first call of ``publish``, and asked before each that publishes.
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
    steps: Steps = field(default_factory=MemorySteps, repr=False, compare=False)
    departure: Departure = field(default=ANY_TIME, repr=False, compare=False)


class LookBackOutcome(Enum):
    """What a look for a publication showed.

    ABSENT: the platform shows everything the publication could be among, and it isn't there.
    UNSENT: as far as the publication's steps tell, it was never published. That proves nothing where the
    steps may be older than the call.
    UNKNOWABLE: the platform doesn't show what would be needed to tell.
    """

    FOUND = auto()
    ABSENT = auto()
    UNSENT = auto()
    UNKNOWABLE = auto()


@dataclass(frozen=True, slots=True)
class LookBack:
    """What a look for a publication showed; ``item`` is set when it was found."""

    outcome: LookBackOutcome
    item: Published | None = None


class Adapter(Protocol):
    """One platform. Every method that talks to it raises ``PlatformError``.

    Attributes:
        platform: Which one.
        repeat_window: How long after an ambiguous call an identical one is refused by the platform, naming
            the original. None: never repeat without a look-back.
        keeps: How long what ``prepare`` brought there can be counted on.
    """

    @property
    def platform(self) -> ConnectionPlatform: ...

    @property
    def repeat_window(self) -> timedelta | None: ...

    @property
    def keeps(self) -> timedelta: ...

    def authorization_url(
        self, credentials: AppCredentials, *, redirect_uri: str, state: str, code_challenge: str
    ) -> str:
        """Where a browser asks the person for consent. ``code_challenge``: PKCE, S256, base64url."""

    async def exchange_code(
        self, credentials: AppCredentials, *, redirect_uri: str, code: str, code_verifier: str
    ) -> TokenGrant:
        """The tokens for the code that came with the browser."""

    async def refresh(self, credentials: AppCredentials, refresh_token: str) -> TokenGrant:
        """New tokens. ``AUTH_EXPIRED`` only when the platform refused the refresh token itself."""

    async def profiles(self, access_token: str) -> list[Profile]:
        """The accounts that the token can publish to."""

    async def prepare(self, publication: Publication) -> None:
        """Bring everything there that nobody sees yet: the file, containers, sessions.

        It may be repeated at any time and goes on where it was: what was reached is in the publication's
        steps. It raises ``TRANSIENT`` while the platform still works on the file, never ``AMBIGUOUS``.
        """

    async def publish(self, publication: Publication) -> Published:
        """Publish at the publication's departure, after preparing what is not prepared yet.

        It calls nothing before that. ``AMBIGUOUS`` whenever it may have arrived and no definite answer came.
        """

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        """Look for a publication whose answer was lost.

        Args:
            publication: What was sent.
            since: Aware time, by our clock, of the first call that may have published it.
            known: Content ids that belong to other posts.
        """

    def counted_at_once(self, account_identifier: str) -> int:
        """Maximum number of an account's items whose numbers one call tells."""

    async def metrics(
        self, access_token: str, account_identifier: str, content_ids: Collection[str]
    ) -> Sequence[ContentMetrics]:
        """How items of an account do, in any order.

        Items that the platform does not know, or shows no numbers of, are left out.
        """


@runtime_checkable
class PullingAdapter(Adapter, Protocol):
    """A platform that fetches some files itself.

    Attributes:
        pulled: Kinds of posts whose file has to lie at a public address.
    """

    @property
    def pulled(self) -> frozenset[PostType]: ...


@runtime_checkable
class BoardAdapter(Adapter, Protocol):
    """A platform whose accounts have boards."""

    async def boards(self, access_token: str, *, page_size: int, bookmark: str | None) -> BoardPage:
        """A page of the account's boards. ``INVALID`` for a bookmark that the platform does not know.

        Args:
            access_token: Of the account.
            page_size: 1 to 100.
            bookmark: Of the page before; None for the first page.
        """


@runtime_checkable
class CreatorAdapter(Adapter, Protocol):
    """A platform that says for each account what its creator may choose."""

    async def creator(self, access_token: str) -> TikTokCreator:
        """What the account may choose now."""
