"""What adapters do: one protocol for every platform, and one for each optional ability. No I/O."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol, runtime_checkable

from app.contract.enums import ConnectionPlatform, PostType
from app.contract.places import PlaceLimits
from app.contract.tiktok import TikTokCreator
from app.platforms.base import (
    AppCredentials,
    BoardPage,
    ContentMetrics,
    Delivered,
    LookBack,
    Profile,
    Publication,
    Published,
    TokenGrant,
)
from app.platforms.card import Card


class Adapter(Protocol):
    """One platform. Every method that calls it raises ``PlatformError``.

    Attributes:
        platform: The platform.
        repeat_window: How long after an ambiguous call the platform refuses an identical one, naming the
            original. None: never repeat without a look.
        keeps: How long the platform keeps what ``prepare`` uploaded.
    """

    @property
    def platform(self) -> ConnectionPlatform: ...

    @property
    def repeat_window(self) -> timedelta | None: ...

    @property
    def keeps(self) -> timedelta: ...

    async def refresh(self, credentials: AppCredentials, refresh_token: str) -> TokenGrant:
        """Return new tokens. Raises ``AUTH_EXPIRED`` only if the refresh token itself was refused."""

    async def profiles(self, access_token: str) -> list[Profile]:
        """Return the accounts that the token can publish to."""

    async def prepare(self, publication: Publication) -> None:
        """Upload the file and create everything that stays invisible until published.

        May be repeated at any time and continues where it stopped, using the publication's steps. Raises
        ``TRANSIENT`` while the platform is processing the file, never ``AMBIGUOUS``.
        """

    async def publish(self, publication: Publication) -> Published | Delivered:
        """Prepare whatever isn't prepared yet, and publish at the publication's departure.

        Calls nothing before that. Returns Delivered only from an ``InboxAdapter``. Raises ``AMBIGUOUS`` if
        the call may have arrived but got no definite response.
        """

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        """Look for a publication whose response was lost.

        Args:
            publication: The publication that was sent.
            since: When the first call that may have published it began: aware, by our clock.
            known: Content ids that belong to other posts.
        """

    def counted_at_once(self, account_identifier: str) -> int:
        """Maximum number of an account's items per call for metrics."""

    async def metrics(
        self, access_token: str, account_identifier: str, content_ids: Collection[str]
    ) -> Sequence[ContentMetrics]:
        """Return the metrics of an account's items, in any order.

        Omits items that are unknown to the platform or have no metrics.
        """


@runtime_checkable
class ConsentAdapter(Adapter, Protocol):
    """A platform whose accounts are connected on a consent page in the browser."""

    def authorization_url(
        self, credentials: AppCredentials, *, redirect_uri: str, state: str, code_challenge: str
    ) -> str:
        """Return the URL of the consent page. ``code_challenge``: PKCE, S256, base64url."""

    async def exchange_code(
        self, credentials: AppCredentials, *, redirect_uri: str, code: str, code_verifier: str
    ) -> TokenGrant:
        """Exchange the code that the browser returned with for tokens."""


@runtime_checkable
class ScopedAdapter(Adapter, Protocol):
    """A platform whose consent page names what the app may do.

    Attributes:
        scopes: Requested for every account.
    """

    @property
    def scopes(self) -> Sequence[str]: ...


def publishing_scopes(card: Card, adapter: Adapter | None) -> frozenset[str]:
    """Return the scopes that publishing needs with the app's login."""
    needed = card.registration.publishing
    return needed.intersection(adapter.scopes) if isinstance(adapter, ScopedAdapter) else needed


@runtime_checkable
class AppAdapter(Protocol):
    """A platform on which an app can sign in without a user."""

    async def check_app(self, credentials: AppCredentials) -> None:
        """Sign in as the app. Raises PlatformError."""


@runtime_checkable
class ReturningAdapter(Adapter, Protocol):
    """A platform that tells without a user whether a redirect address is registered."""

    async def returns_to(self, credentials: AppCredentials, redirect_uri: str) -> bool | None:
        """Whether the consent page returns to an address; None if that can't be told.

        Raises PlatformError.
        """


@runtime_checkable
class GrantedAdapter(Adapter, Protocol):
    """A platform that tells what a token may do."""

    async def granted(self, credentials: AppCredentials, access_token: str) -> frozenset[str] | None:
        """Return the scopes of a token; None if the platform doesn't name any."""


@runtime_checkable
class AuditAdapter(Adapter, Protocol):
    """A platform that hides what apps publish until it has audited them, and says so."""

    async def is_locked(self, access_token: str, content_id: str) -> bool | None:
        """Whether only the author sees an item that was published for everybody; None if it's gone."""


class SignInFault(StrEnum):
    """What is wrong with a handle and an app password, as the code of a PlatformError.

    Attributes:
        HANDLE: The platform doesn't know the handle.
        FORM: The secret doesn't have the form of an app password.
        REFUSED: The platform doesn't accept the app password for this handle.
    """

    HANDLE = "unknown_handle"
    FORM = "not_an_app_password"
    REFUSED = "wrong_app_password"


@runtime_checkable
class FollowersAdapter(Adapter, Protocol):
    """A platform on which ``profiles`` takes many calls, or doesn't accept an account's own token."""

    async def followers(self, access_token: str, account_identifier: str) -> int | None:
        """Return an account's follower count; None if the platform doesn't report it."""


@runtime_checkable
class PasswordAdapter(Adapter, Protocol):
    """A platform whose accounts are connected with an app password."""

    async def sign_in(self, handle: str, app_password: str) -> TokenGrant:
        """Return the tokens of a new session.

        ``handle`` can also be the account's identifier. Raises ``INVALID`` with a ``SignInFault``
        as its code for a wrong handle or app password.
        """


@dataclass(frozen=True, slots=True)
class PushedRequest:
    """A request for consent that a server has received in advance.

    Attributes:
        url: URL of the consent page.
        server: The server that issues the tokens.
        secret: What ``redeem`` needs. Only the service may know it.
    """

    url: str
    server: str
    secret: str = field(repr=False)


@runtime_checkable
class HandleAdapter(PasswordAdapter, Protocol):
    """A network whose servers are found from handles, and receive requests for consent in advance (PAR)."""

    async def push(self, handle: str, *, redirect_uri: str, state: str) -> PushedRequest:
        """Send a request for consent. Raises ``INVALID`` with a ``SignInFault`` for an unknown handle."""

    async def redeem(
        self, server: str, secret: str, *, redirect_uri: str, answer: Mapping[str, str]
    ) -> TokenGrant:
        """Exchange the code in the query that the browser returned with for tokens."""


@runtime_checkable
class ServerAdapter(ConsentAdapter, Protocol):
    """A network of many servers. Kalends registers its app with each server that a user names."""

    async def server_of(self, written: str) -> str:
        """Return the origin of the server that a user names. Raises ``INVALID`` if it isn't one."""

    async def register(self, server: str, redirect_uri: str) -> AppCredentials:
        """Register an app with a server."""

    async def knows(self, app: AppCredentials) -> bool:
        """Whether the app's server still knows it. Servers forget apps that nobody uses."""

    async def limits(self, access_token: str) -> PlaceLimits:
        """Return the limits of the server that the token is for."""

    async def ask_time(self, server: str) -> None:
        """Make the smallest call to a server whose response contains its time. ``server`` is its name.

        Account identifiers end in ``@`` and this name.
        """

    def repeat_window_at(self, access_token: str) -> timedelta | None:
        """Return the ``repeat_window`` of the server that the token is for."""


@runtime_checkable
class SignOutAdapter(Adapter, Protocol):
    """A platform that can end an access before it expires."""

    async def sign_out(self, grant: TokenGrant) -> None:
        """End the session that the tokens belong to, unless it has ended already."""


@runtime_checkable
class PullingAdapter(Adapter, Protocol):
    """A platform that fetches some files itself.

    Attributes:
        pulled: Types of posts whose file must have a public address.
    """

    @property
    def pulled(self) -> frozenset[PostType]: ...


@runtime_checkable
class InboxAdapter(Adapter, Protocol):
    """A platform to whose users' inboxes items can be sent, for them to publish."""

    async def follow(self, publication: Publication) -> Published | None:
        """Return the item if the user has published it; None while it's still in the inbox.

        Raises ``INVALID`` or ``PERMISSION`` if it can't be published any more.
        """


@runtime_checkable
class BoardAdapter(Adapter, Protocol):
    """A platform whose accounts have boards."""

    async def boards(self, access_token: str, *, page_size: int, bookmark: str | None) -> BoardPage:
        """Return a page of the account's boards. Raises ``INVALID`` for an unknown bookmark.

        Args:
            access_token: Token of the account.
            page_size: 1 to 100.
            bookmark: Bookmark of the previous page; None for the first page.
        """


@runtime_checkable
class CreatorAdapter(Adapter, Protocol):
    """A platform that tells for each account which options its creator has."""

    async def creator(self, access_token: str) -> TikTokCreator:
        """Return the account's current options."""
