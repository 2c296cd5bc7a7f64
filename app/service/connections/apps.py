"""The apps registered with the platforms, and their redirect URIs.

Apps come from the settings file or are set by the owner. Apps set by the owner are stored encrypted in the
data folder of a service on one computer, and apply immediately.
"""

import asyncio
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

import structlog
from pydantic import TypeAdapter, ValidationError

from app.contract.enums import ConnectionPlatform
from app.disk import private_folder, set_aside, write_private
from app.platforms.base import AppCredentials
from app.service.store.seal import Seal, SealBrokenError

_log = structlog.get_logger(__name__)

APPS_ROW: Final = UUID("6b1f4a52-0f43-4d0e-9a57-1d3f6f0b8c11")
"""Context for encrypting the file, of which there is only one."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of this installation for platforms and browsers.

    Attributes:
        origin: Origin of the callback, such as ``http://127.0.0.1:17217``.
        elsewhere: Other redirect URIs, for platforms that don't accept ours; the user copies the final
            address from the browser.
    """

    origin: str
    elsewhere: Mapping[ConnectionPlatform, str] = field(default_factory=dict)

    def redirect_uri(self, platform: ConnectionPlatform) -> str:
        """Return the redirect URI to register with the platform."""
        return self.elsewhere.get(platform) or self.callback(platform)

    def callback(self, platform: ConnectionPlatform) -> str:
        """Return the redirect URI at which the browser returns to this service."""
        return f"{self.origin}/callback/{platform.value}"

    def choice(self, token: str) -> str:
        """Return the URL of the page for choosing among several accounts."""
        return self.origin + choice_path(token)


def choice_path(token: str) -> str:
    """Return the path of the choice page. Its secret is in the query, which isn't logged."""
    return f"/choose?token={token}"


def answer_in(address: str) -> tuple[str, dict[str, str]]:
    """Return the path and the platform's parameters in the final address of a browser; none without a URL."""
    try:
        parts = urlsplit(address.strip())
        return parts.path, dict(parse_qsl(parts.query))
    except ValueError:
        return "", {}


@dataclass(frozen=True, slots=True)
class OwnApp:
    """An app's credentials, and the redirect URI registered if the platform doesn't accept ours.

    Attributes:
        more_scopes: As in `AppCredentials`.
        without_scopes: As in `AppCredentials`.
        maker: Who made the setup pack that the app came from; empty without one.
        maker_key: Fingerprint of the key that signed the pack.
    """

    client_id: str
    client_secret: str | None = field(default=None, repr=False)
    redirect_uri: str | None = None
    more_scopes: tuple[str, ...] = ()
    without_scopes: frozenset[str] = frozenset()
    maker: str = ""
    maker_key: str = ""


_SHAPE: Final = TypeAdapter(dict[ConnectionPlatform, OwnApp])


class Apps:
    """The app of every platform. The settings file overrides apps set by the owner.

    Attributes:
        credentials: The credentials; updated with the apps.
        redirects: The redirect URIs registered by the owner instead of ours; updated with the apps.
    """

    def __init__(
        self, path: Path, seal: Seal, from_settings: Mapping[ConnectionPlatform, AppCredentials]
    ) -> None:
        """Load the apps set by the owner. Blocking. Raises OSError.

        Args:
            path: The encrypted file, which needn't exist.
            seal: Seal of the installation.
            from_settings: The apps in the settings file.
        """
        self._path, self._seal, self._from_settings = path, seal, from_settings
        self._is_unread = False
        self._own: dict[ConnectionPlatform, OwnApp] = self._read()
        self._changing = asyncio.Lock()
        self._own_credentials: dict[ConnectionPlatform, AppCredentials] = {}
        self.credentials: Mapping[ConnectionPlatform, AppCredentials] = ChainMap(
            dict(from_settings), self._own_credentials
        )
        self.redirects: dict[ConnectionPlatform, str] = {}
        self._use()

    def is_in_settings(self, platform: ConnectionPlatform) -> bool:
        """Whether the settings file contains the platform's app, so that it can't be set otherwise."""
        return platform in self._from_settings

    def own(self, platform: ConnectionPlatform) -> OwnApp | None:
        """Return the app set by the owner; None if there is none, or the settings override it."""
        return None if self.is_in_settings(platform) else self._own.get(platform)

    def makers(self) -> dict[str, set[str]]:
        """Return the makers whose apps are in use, with the fingerprints of their keys."""
        found: dict[str, set[str]] = {}
        for app in self._own.values():
            if app.maker:
                found.setdefault(app.maker, set()).add(app.maker_key)
        return found

    async def keep(self, platform: ConnectionPlatform, app: OwnApp | None) -> None:
        """Save an app and use it immediately; None removes it. Raises OSError without any change."""
        await self.keep_all({platform: app})

    async def keep_all(self, apps: Mapping[ConnectionPlatform, OwnApp | None]) -> None:
        """Save several apps in one write, like `keep`."""
        async with self._changing:
            merged = {**self._own, **apps}
            changed = {platform: app for platform, app in merged.items() if app is not None}
            await asyncio.to_thread(self._write, changed)
            self._own = changed
            self._use()

    def _use(self) -> None:
        own = {platform: app for platform, app in self._own.items() if not self.is_in_settings(platform)}
        self._own_credentials.clear()
        self.redirects.clear()
        for platform, app in own.items():
            self._own_credentials[platform] = AppCredentials(
                app.client_id, app.client_secret, app.more_scopes, without_scopes=app.without_scopes
            )
            if app.redirect_uri is not None:
                self.redirects[platform] = app.redirect_uri

    def _read(self) -> dict[ConnectionPlatform, OwnApp]:
        try:
            found = _SHAPE.validate_json(self._seal.open(self._path.read_bytes(), APPS_ROW))
        except FileNotFoundError:
            return {}
        except (SealBrokenError, ValidationError) as error:
            _log.warning("the saved apps can't be read; set them again", reason=type(error).__name__)
            self._is_unread = True
            return {}
        return {platform: app for platform, app in found.items() if platform.is_known}

    def _write(self, apps: Mapping[ConnectionPlatform, OwnApp]) -> None:
        private_folder(self._path.parent)
        if self._is_unread:  # the right key may be restored
            set_aside(self._path)
            self._is_unread = False
        write_private(self._path, self._seal.close(_SHAPE.dump_json(dict(apps)).decode(), APPS_ROW))
