"""The setup of the platforms, and the checks that need no consent."""

import asyncio
import ssl
from collections.abc import Collection, Mapping
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from app.contract.enums import ConnectionPlatform, ErrorCode, PostingPlatform, PostType
from app.contract.platform_setup import Check, CheckOutcome, PlatformSelfTest, PlatformSetup, SetupStep
from app.network import ProxyError, Way, abort, connected
from app.platforms.adapters import AppAdapter, ConsentAdapter, ReturningAdapter
from app.platforms.base import FailureKind, PlatformError
from app.platforms.card import Loopback
from app.platforms.cards import CARDS, name_of
from app.service.api.responses import ApiError
from app.service.connections.account_checks import AccountChecks
from app.service.connections.apps import Addresses, OwnApp
from app.service.connections.platforms import Platforms

_PATIENCE_S: Final = 5
_ADDRESS: Final = "redirect_uri"
"""The name of the check of the redirect address."""
_CODE: Final = "kalends-self-test"
"""A code that no platform issued. A platform that knows the app rejects the code, not the app."""
_LOOPBACK_HOSTS: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_NOT_SET: Final = (
    "No app is set up: register one with {name}, then enter its client_id{secret} in Kalends, or in"
    " service.toml under [platforms.{platform}]."
)


class SetUps:
    """The setup of each platform.

    ``hosts`` are the origins this program calls, by platform, with ``way`` as the route. ``unreachable`` are
    the post types whose files need a public address. ``accounts`` looks at connected accounts.
    """

    def __init__(
        self,
        platforms: Platforms,
        addresses: Addresses,
        hosts: Mapping[ConnectionPlatform, Collection[str]],
        *,
        practice: bool,
        unreachable: Mapping[PostingPlatform, Collection[PostType]],
        way: Way | None = None,
        accounts: AccountChecks | None = None,
    ) -> None:
        self._platforms = platforms
        self._addresses = addresses
        self._hosts = hosts
        self._practice = practice
        self._unreachable = unreachable
        self._way = way or Way()
        self._accounts = accounts

    async def set_app(self, platform: ConnectionPlatform, app: OwnApp | None) -> PlatformSetup:
        """Save and use the app of a platform; None removes it.

        Raises ApiError (403) if only the settings can contain apps, or contain this one.
        """
        return (await self.set_apps({platform: app}))[0]

    async def set_apps(self, apps: Mapping[ConnectionPlatform, OwnApp | None]) -> list[PlatformSetup]:
        """Save and use several apps in one write, all of them or none. Raises like `set_app`."""
        kept = self._platforms.apps
        if self._practice:
            raise ApiError(ErrorCode.FORBIDDEN, "Practice platforms don't need an app.")
        if kept is None:
            raise ApiError(ErrorCode.FORBIDDEN, "Apps are set in this service's settings file.")
        for platform in filter(kept.is_in_settings, apps):
            name = name_of(platform)
            raise ApiError(
                ErrorCode.FORBIDDEN, f"The app for {name} is configured in service.toml. Change it there."
            )
        await kept.keep_all(apps)
        return [self._of(platform) for platform in apps]

    def is_changeable(self, platform: ConnectionPlatform) -> bool:
        """Whether the app of a platform can be set here, and not only in the settings file."""
        apps = self._platforms.apps
        return apps is not None and not apps.is_in_settings(platform)

    def all(self) -> list[PlatformSetup]:
        """Return all platforms in the order of the specification."""
        return [self._of(platform) for platform in ConnectionPlatform]

    async def test(self, platform: ConnectionPlatform, account_id: UUID | None = None) -> PlatformSelfTest:
        """Test one platform, also with an account's connection and posts. Takes a few seconds at most."""
        checks = [self._check_credentials(platform), self._check_redirect(platform)]
        checks += await asyncio.gather(
            *(_reach(origin, self._way) for origin in sorted(self._hosts.get(platform, ())))
        )
        if checks[0].outcome is CheckOutcome.PASSED:
            if checks[1].outcome is CheckOutcome.UNKNOWN:
                checks[1] = await self._ask_about_address(platform) or checks[1]
            checks.append(await self._ask_platform(platform))
            checks += await self._look_at_account(platform, account_id)
        passed = all(check.outcome is not CheckOutcome.FAILED for check in checks)
        return PlatformSelfTest(platform=platform, passed=passed, checks=checks)

    async def _look_at_account(self, platform: ConnectionPlatform, account_id: UUID | None) -> list[Check]:
        if self._accounts is None or account_id is None or self._practice:
            return []
        try:
            async with asyncio.timeout(_PATIENCE_S):
                return await self._accounts.of(platform, account_id)
        except TimeoutError:
            return []  # the check of the app says that the platform doesn't respond

    def _of(self, platform: ConnectionPlatform) -> PlatformSetup:
        card = CARDS[platform]
        registration = card.registration
        remarks = () if self._practice else registration.remarks
        return PlatformSetup(
            platform=platform,
            name=card.name,
            credentials=self._check_credentials(platform).outcome is CheckOutcome.PASSED,
            redirect_uri=self._addresses.redirect_uri(platform),
            by_hand=platform in self._addresses.elsewhere,
            publishes=_publishes(platform),
            needs_address=sorted(self._unreachable.get(PostingPlatform(platform.value), ())),
            remarks=[remark.format(name=card.name) for remark in remarks],
            portal=registration.portal,
            steps=[step.text for step in registration.steps],
            secret_needed=registration.secret,
            changeable=self.is_changeable(platform),
            maker=self._maker(platform),
            inbox_only=self._is_inbox_only(platform),
        )

    def _is_inbox_only(self, platform: ConnectionPlatform) -> bool | None:
        """Whether the app asks for no permission to publish directly; None without an inbox."""
        card, app = CARDS[platform], self._platforms.credentials.get(platform)
        if card.inbox is None:
            return None
        return app is not None and bool(card.registration.publishing & app.without_scopes)

    def _maker(self, platform: ConnectionPlatform) -> str:
        own = self._platforms.apps.own(platform) if self._platforms.apps is not None else None
        return own.maker if own is not None else ""

    def _check_credentials(self, platform: ConnectionPlatform) -> Check:
        app, name = self._platforms.credentials.get(platform), name_of(platform)
        secret_needed = CARDS[platform].registration.secret
        if app is None:
            also = " and client_secret" if secret_needed else ""
            return _failed("credentials", _NOT_SET.format(name=name, secret=also, platform=platform.value))
        if secret_needed and not app.client_secret:
            if self.is_changeable(platform):
                return _failed("credentials", f"{name} requires the app's secret. Enter it with the ID.")
            place = f"[platforms.{platform.value}]"
            return _failed("credentials", f"{name} asks for client_secret, which is missing under {place}.")
        return _passed("credentials", "The app's credentials are set.")

    def _check_redirect(self, platform: ConnectionPlatform) -> Check:
        address, name = self._addresses.redirect_uri(platform), name_of(platform)
        parts = urlsplit(address)
        if self._practice:
            return _passed(_ADDRESS, "Practice platforms accept any address.")
        if parts.scheme == "https" and not parts.fragment:
            words = f"{address} has the format {name} requires. Connecting the first account will show"
            return _unknown(_ADDRESS, f"{words} whether it's registered there.")
        if parts.hostname not in _LOOPBACK_HOSTS:
            return _failed(_ADDRESS, f"{address} must start with https and have no fragment.")
        match CARDS[platform].registration.loopback:
            case Loopback.REFUSED:
                words = f"{name} doesn't redirect to {address}. Set public_origin, or"
                return _failed(_ADDRESS, f"{words} redirect_uri under [platforms.{platform.value}].")
            case Loopback.UNSURE:
                words = f"{name} may reject {address}: its documentation requires https, its samples don't."
                return _unknown(_ADDRESS, words)
        words = f"{name} accepts addresses like {address}. Connecting the first account will show"
        return _unknown(_ADDRESS, f"{words} whether it's registered there.")

    async def _ask_about_address(self, platform: ConnectionPlatform) -> Check | None:
        """Ask the platform whether the redirect address is registered; None if it doesn't tell."""
        adapter, address = await self._platforms.adapter(platform), self._addresses.redirect_uri(platform)
        if not isinstance(adapter, ReturningAdapter):
            return None
        try:
            async with asyncio.timeout(_PATIENCE_S):
                returns = await adapter.returns_to(self._platforms.credentials[platform], address)
        except (PlatformError, TimeoutError):
            return None  # the check of the app says so
        name = name_of(platform)
        if returns is None:
            return None
        if returns:
            return _passed(_ADDRESS, f"{address} is registered with {name}.")
        words = (
            f"{address} isn't registered with {name}. Enter exactly this address in the app's settings there."
        )
        return _failed(_ADDRESS, words)

    async def _ask_platform(self, platform: ConnectionPlatform) -> Check:
        """Sign in as the app; where that's impossible, send an invalid code and see what is rejected."""
        adapter, name = await self._platforms.adapter(platform), name_of(platform)
        if not isinstance(adapter, ConsentAdapter):
            return _failed("app", f"This version doesn't support {name}.")
        try:
            async with asyncio.timeout(_PATIENCE_S):
                if isinstance(adapter, AppAdapter):
                    await adapter.check_app(self._platforms.credentials[platform])
                    return _passed("app", f"{name} accepted the app's ID and secret.")
                await adapter.exchange_code(
                    self._platforms.credentials[platform],
                    redirect_uri=self._addresses.redirect_uri(platform),
                    code=_CODE,
                    code_verifier=_CODE * 3,
                )
        except PlatformError as error:
            return _heard(error, name, with_code=not isinstance(adapter, AppAdapter))
        except TimeoutError:
            return _failed("app", f"{name} didn't respond within {_PATIENCE_S} seconds.")
        return _unknown("app", f"{name}'s response says nothing about the app.")


def _heard(error: PlatformError, name: str, *, with_code: bool) -> Check:
    reason = error.message.rstrip(".")
    rejected = _failed("app", f"{name} rejected the app: {reason}. Copy its ID and secret again.")
    match error.kind:
        case FailureKind.PERMISSION:
            return rejected
        case FailureKind.AUTH_EXPIRED | FailureKind.INVALID:
            if not with_code:
                return rejected
            words = f"{name} accepted the app and rejected a made-up code, as it should"
            return _unknown("app", f"{words}: {error.message}")
    return _failed("app", f"Couldn't check with {name}: {error.message}")


async def _reach(origin: str, way: Way) -> Check:
    parts = urlsplit(origin)
    host, name = parts.hostname or "", f"reach {parts.hostname}"
    secure = ssl.create_default_context() if parts.scheme == "https" else None
    port = parts.port or (443 if secure else 80)
    try:
        async with asyncio.timeout(_PATIENCE_S):
            line = await connected(way, host, port, secure=secure is not None)
            server_name = host if secure else None
            _, writer = await asyncio.open_connection(sock=line, ssl=secure, server_hostname=server_name)
    except TimeoutError:
        return _failed(name, f"{host} didn't respond within {_PATIENCE_S} seconds.")
    except ProxyError as error:
        return _failed(name, f"Couldn't reach {host}: {error}")
    except (OSError, ssl.SSLError) as error:
        return _failed(name, f"Couldn't reach {host}: {error.strerror or type(error).__name__}.")
    abort(writer.transport)  # closing would wait up to 30 s for the platform's end of TLS
    return _passed(name, f"{host} can be reached.")


def _publishes(platform: ConnectionPlatform) -> list[PostType]:
    posts = CARDS[platform].posts
    return [kind for kind in PostType if posts is not None and kind in posts.publishable]


def _passed(name: str, message: str) -> Check:
    return _check(name, CheckOutcome.PASSED, message)


def _failed(name: str, message: str) -> Check:
    return _check(name, CheckOutcome.FAILED, message)


def _unknown(name: str, message: str) -> Check:
    return _check(name, CheckOutcome.UNKNOWN, message)


def _check(name: str, outcome: CheckOutcome, message: str) -> Check:
    step = SetupStep.ADDRESS if name == _ADDRESS else SetupStep.KEYS
    return Check(name=name, outcome=outcome, message=message, step=step)
