"""The types of a card: everything about one platform that is plain data.

Cards are read by the service, and by the app before its window opens, so nothing here imports an adapter,
HTTP or Qt. Frozen dataclasses would take three times as long to import as named tuples.
"""

from collections.abc import Mapping
from datetime import date, timedelta
from enum import Enum, auto
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import urlsplit

from app.contract.enums import ConnectionPlatform, PostType
from app.language import gettext_noop


class Hosts(NamedTuple):
    """Base addresses of one platform, without a trailing slash, and the versions of its API.

    Attributes:
        consent: Opened in a browser to ask for consent.
        issuer: Issues tokens.
        api: Everything else.
        version: API version that calls name in a header or in their path.
        login_version: Version of the consent page and token endpoints, if it differs.
        reports: Analytics, if they have a host of their own.
        reports_version: API version of ``reports``.
        videos: Video uploads, if they have a host of their own.
        people: Where published posts are seen, if it isn't ``consent``.
        directory: Tells which server an account is on, on networks that have such a directory.
        uploads: Domains in addition to that of ``api`` that upload addresses may be on.
    """

    consent: str
    issuer: str
    api: str
    version: str
    login_version: str = ""
    reports: str = ""
    reports_version: str = ""
    videos: str = ""
    people: str = ""
    directory: str = ""
    uploads: tuple[str, ...] = ()

    @property
    def seen_at(self) -> str:
        """Where published posts are seen."""
        return self.people or self.consent

    def takes_files(self, address: str) -> bool:
        """Whether a file and its token may be sent to an address that the platform handed out."""
        try:
            given, known = urlsplit(address), urlsplit(self.api)
            host, port = given.hostname or "", given.port
        except ValueError:
            return False
        if given.scheme != known.scheme or given.username is not None:
            return False
        is_listed = port is None and any(host == name or host.endswith(f".{name}") for name in self.uploads)
        return is_listed or (host, port) == (known.hostname, known.port)


class Loopback(Enum):
    """Whether a platform redirects to ``http://127.0.0.1:PORT``; ``UNSURE``: its documentation is unclear."""

    TAKEN = auto()
    REFUSED = auto()
    UNSURE = auto()


class Step(NamedTuple):
    """A step of registering an app: a sentence, and the page on which it's done; "" for the page before."""

    text: str
    link: str = ""


class Registration(NamedTuple):
    """How to register an app with a platform. Sentences are in English and in the catalogues.

    Attributes:
        loopback: Whether it redirects to the user's own computer.
        portal: Where apps are registered.
        steps: What to do there.
        remarks: What to know before planning posts, each a sentence; ``{name}`` is the platform's name.
        secret: Whether it issues tokens only to an app with a secret.
        id_name: Its name for an app's id.
        secret_name: Its name for an app's secret.
        as_of: When all of this was checked.
        publishing: Scopes that publishing needs, of those that the adapter requests.
        permission_advice: What to do if one of them wasn't granted; a sentence in English.
        hidden_advice: What to do if only the author sees posts, in English; empty where that can't happen.
        audit: Where to ask for an audit.
        testing: What to do if access ends soon because the app is in testing; None where that can't happen.
    """

    loopback: Loopback
    portal: str
    steps: tuple[Step, ...]
    remarks: tuple[str, ...] = ()
    secret: bool = True
    id_name: str = gettext_noop("Client ID")
    secret_name: str = gettext_noop("Client secret")
    as_of: date | None = None
    publishing: frozenset[str] = frozenset()
    permission_advice: str = ""
    hidden_advice: str = ""
    audit: str = ""
    testing: Step | None = None


class Access(Enum):
    """How long access to an account lasts.

    HOURS: the service renews it with a refresh token, as long as it's needed.
    WEEKS: the service renews it well before it ends.
    UNTIL_EXPIRY: the account has to be connected again.
    """

    HOURS = auto()
    WEEKS = auto()
    UNTIL_EXPIRY = auto()


class SignIn(Enum):
    """How an account is connected.

    CONSENT: on the platform's consent page in a browser, for an app that is registered with the platform.
    HANDLE: on the consent page of the server that the account's handle leads to, or with an app password,
        which the user creates on the platform.
    BY_HAND: not at all. The user publishes its posts.
    OWN_SERVER: on the consent page of a server that the user names, where Kalends registers its app itself.
    """

    CONSENT = auto()
    HANDLE = auto()
    BY_HAND = auto()
    OWN_SERVER = auto()


class TextUnit(Enum):
    """What a platform counts in a text."""

    CODE_POINTS = "code points"
    UTF16_UNITS = "UTF-16 units"
    UTF8_BYTES = "UTF-8 bytes"
    X_WEIGHT = "weighted characters of X"
    GRAPHEMES = "grapheme clusters"
    MASTODON = "grapheme clusters, with short links and mentions"


class PlatformRules(NamedTuple):
    """The limits of posts on one platform; None where it has none.

    Attributes:
        source: Where the limits are documented.
        text_max: Longest text, counted in ``text_unit``.
        post_types: Types of posts that the platform takes.
        publishable: Those of them that Kalends can publish.
        text_unit: What is counted in texts.
        link_length: What any link counts, in units that shorten links.
        text_bytes_max: Longest text in UTF-8 bytes, in addition to ``text_max``.
        image_text_max: Longest text with an image, if it differs from ``text_max``.
        title_types: Types of posts whose title is sent; the others' titles are ignored.
        title_max: Longest title, counted in ``title_unit``.
        title_unit: What is counted in titles; of the units, those that count single characters.
        title_needed: A title is required; the first line of the text replaces a missing one.
        forbidden: Characters that neither title nor text may contain.
        hashtags_max: Maximum number of hashtags in a text.
        mentions_max: Maximum number of mentions in a text.
        cashtags_max: Maximum number of cashtags (``$ABC``) in a text.
        board_needed: Every post goes to a board.
        alt_text_types: Types of posts whose file can have alt text.
        alt_text_max: Longest alt text, in code points; longer ones are cut.
        takes_cover: A frame of a video can be chosen as its cover.
        options: Fields of ``PlaceOptions`` that posts can have.
    """

    source: str
    text_max: int
    post_types: frozenset[PostType]
    publishable: frozenset[PostType] = frozenset()
    text_unit: TextUnit = TextUnit.CODE_POINTS
    link_length: int = 23
    text_bytes_max: int | None = None
    image_text_max: int | None = None
    title_types: frozenset[PostType] = frozenset()
    title_max: int | None = None
    title_unit: TextUnit = TextUnit.CODE_POINTS
    title_needed: bool = False
    forbidden: str = ""
    hashtags_max: int | None = None
    mentions_max: int | None = None
    cashtags_max: int | None = None
    board_needed: bool = False
    alt_text_types: frozenset[PostType] = frozenset()
    alt_text_max: int = 0
    takes_cover: bool = False
    options: frozenset[str] = frozenset()

    def text_max_of(self, post_type: PostType) -> int:
        """Return the longest text of a type of post."""
        if post_type is PostType.IMAGE and self.image_text_max is not None:
            return self.image_text_max
        return self.text_max


class FileRules(NamedTuple):
    """The files that one platform takes with one type of post; None or empty for no known limit.

    Attributes:
        source: Where the rules are documented.
        content_types: Media types; empty for any image or any video.
        bytes_max: Largest file.
        gif_bytes_max: Largest GIF, if it differs.
        bytes_min: Smallest file.
        pixels_max: Width times height, exclusive.
        side: Smallest and largest width and height, in pixels.
        width_max: Largest width, in pixels.
        ratio: Smallest and largest width divided by height.
        duration_ms: Shortest and longest duration.
        video_codecs: Accepted video codecs.
        audio_codecs: Accepted audio codecs.
        frame_rate: Lowest and highest frame rate, per second.
        pulled: The platform takes no bytes; it fetches the file from a public address.
    """

    source: str
    content_types: frozenset[str] = frozenset()
    bytes_max: int | None = None
    gif_bytes_max: int | None = None
    bytes_min: int = 1
    pixels_max: int | None = None
    side: tuple[int, int] | None = None
    width_max: int | None = None
    ratio: tuple[float, float] | None = None
    duration_ms: tuple[int, int] | None = None
    video_codecs: frozenset[str] = frozenset()
    audio_codecs: frozenset[str] = frozenset()
    frame_rate: tuple[float, float] | None = None
    pulled: bool = False


class DailyCap(NamedTuple):
    """The maximum number of posts a day.

    It isn't enforced: the platform refuses posts above it, and the app warns of them beforehand.

    Attributes:
        posts: How many.
        source: Where the number is documented.
        midnight: Time zone in which the day begins; empty for any 24 hours.
        per_app: Shared by all accounts that are connected through one app.
    """

    posts: int
    source: str
    midnight: str = ""
    per_app: bool = False


class Pace(NamedTuple):
    """The maximum number of publishing calls of one account within any span of this length."""

    calls: int
    within: timedelta


class Inbox(NamedTuple):
    """Where a platform puts items that the user finishes in its app.

    Attributes:
        posts: Maximum number of posts that may wait there, of those sent within 24 hours.
        scope: What the consent must give access to.
        source: Where this is documented.
    """

    posts: int
    scope: str
    source: str


class Pages(NamedTuple):
    """Pages of a platform that the app can link to; "" for missing ones.

    Attributes:
        content_id: Regular expression of the content ids that ``content`` can be made from.
        content: Page of a post, with ``{}`` for its id.
        own: Page that shows the posts of the signed-in user, or leads there.
        account: Page of an account, with ``{}`` for its handle.
        compose: Page on which the user writes a post, with ``{}`` for its text if it takes one.
    """

    content_id: str = ""
    content: str = ""
    own: str = ""
    account: str = ""
    compose: str = ""


class Brand(NamedTuple):
    """How the app shows a platform.

    Attributes:
        color: ``#RRGGBB``; empty for black, which dark themes invert.
        mark: Its mark is ``resources/icons/brands/MARK.svg``; empty for the card's key.
        is_tile: The mark is a filled tile, with the glyph cut out of it.
        account_color: Place in the app's row of account colours that the first account gets.
        at_sign: Handles are written with ``@``.
        subscribers: Followers are called subscribers.
    """

    color: str = ""
    mark: str = ""
    is_tile: bool = False
    account_color: int | None = None
    at_sign: bool = False
    subscribers: bool = False


class Card(NamedTuple):
    """Everything about one platform that is plain data.

    The platforms of the specification are listed in ``app.contract.enums``. A card with another key is a
    companion network: its accounts and posts are under ``/companion/v1`` and never appear in ``/api/v1``.

    Attributes:
        key: Identifies it in the API, in settings and in the database, such as ``linkedin``.
        name: How the platform writes its name.
        hosts: Where it is reached.
        registration: How to register an app with it.
        access: How long access to an account lasts.
        posts: What can be posted; None where accounts are only connected.
        files: Which files it takes, by type of post.
        daily_cap: None where it documents none.
        inbox: The user's inbox for posts that they publish there; None without one.
        pace: None where it documents none.
        pages: Pages to link to.
        brand: How the app shows it.
        sign_in: How an account is connected.
        consent_opens: What a consent has to give access to, such as "a Page that you may post for".
        other_names: Further names that people write in a table of posts.
    """

    key: str
    name: str
    hosts: Hosts
    registration: Registration
    access: Access
    posts: PlatformRules | None = None
    files: Mapping[PostType, FileRules] = MappingProxyType({})
    daily_cap: DailyCap | None = None
    inbox: Inbox | None = None
    pace: Pace | None = None
    pages: Pages = Pages()
    brand: Brand = Brand()
    sign_in: SignIn = SignIn.CONSENT
    consent_opens: str = "an account"
    other_names: tuple[str, ...] = ()

    @property
    def is_companion(self) -> bool:
        """Whether this is a network beyond the specification."""
        return not ConnectionPlatform(self.key).is_known

    @property
    def is_by_hand(self) -> bool:
        """Whether the user publishes the posts. Nothing calls the platform."""
        return self.sign_in is SignIn.BY_HAND

    @property
    def has_servers(self) -> bool:
        """Whether accounts are on servers that users name, or that their handles lead to."""
        return self.sign_in in {SignIn.OWN_SERVER, SignIn.HANDLE}
