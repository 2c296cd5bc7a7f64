"""Making setup packs from this installation's apps, and using the packs of others."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from app.contract.enums import ConnectionPlatform, ErrorCode
from app.contract.packs import (
    MadePack,
    MakePack,
    MakerStanding,
    PackContent,
    PackedApp,
    PackedAppSummary,
    PackSummary,
    UsePack,
)
from app.contract.platform_setup import PlatformSetup
from app.platforms.adapters import ScopedAdapter
from app.platforms.base import AppCredentials
from app.platforms.cards import CARDS, name_of
from app.service import inbox
from app.service.api.responses import ApiError, invalid
from app.service.connections.apps import Addresses, OwnApp
from app.service.connections.maker_key import MakerKey
from app.service.connections.pack_file import (
    PackFault,
    PackRefusedError,
    SignedPack,
    fingerprint,
    open_secrets,
    public_bytes,
    read_pack,
    seal_secrets,
    write_pack,
)
from app.service.connections.platforms import Platforms
from app.service.connections.set_up import SetUps

_FIELDS: Final = {PackFault.PASSPHRASE: "passphrase", PackFault.PASSPHRASE_MISSING: "passphrase"}
_MESSAGES: Final = {
    PackFault.NOT_A_PACK: "isn't a setup pack of Kalends",
    PackFault.NEWER: "was made by a newer version; update Kalends to use it",
    PackFault.TOO_LONG: "is too long for a setup pack",
    PackFault.CHANGED: "was changed after it was signed; ask its maker for a new copy",
    PackFault.PASSPHRASE: "isn't the passphrase of this pack",
    PackFault.PASSPHRASE_MISSING: "is required: the secrets in this pack are encrypted",
}


@dataclass(frozen=True, slots=True)
class Packs:
    """Setup packs of one installation.

    Attributes:
        platforms: Their apps are packed and set.
        addresses: Of this installation.
        set_ups: Decides which apps can be set here.
        now: The current time, aware.
    """

    platforms: Platforms
    addresses: Addresses
    set_ups: SetUps
    now: Callable[[], datetime]

    async def make(self, wanted: MakePack) -> MadePack:
        """Return a signed pack. Raises ApiError (400) for platforms without an app, and OSError."""
        maker_key = self.platforms.maker_key
        if maker_key is None:
            raise ApiError(ErrorCode.FORBIDDEN, "This service has no apps of its own to make a pack from.")
        found = {platform: self._app_of(platform) for platform in wanted.platforms}
        apps = [
            await self._packed(platform, app, with_secret=wanted.passphrase is not None)
            for platform, app in found.items()
        ]
        return await asyncio.to_thread(self._written, wanted, apps, maker_key)

    async def read(self, text: str) -> PackSummary:
        """Check a pack and return what's in it. Stores nothing. Raises ApiError (400)."""
        pack = _opened(text)
        content, maker_key = pack.content, self.platforms.maker_key
        own = await asyncio.to_thread(maker_key.existing) if maker_key is not None else None
        is_own = own is not None and public_bytes(own) == pack.maker_key
        return PackSummary(
            maker=content.maker,
            note=content.note,
            made_at=content.made_at,
            fingerprint=pack.fingerprint,
            standing=MakerStanding.OWN if is_own else self._standing(pack),
            passphrase_needed=content.sealed is not None,
            apps=[self._summary(app) for app in content.apps],
        )

    async def use(self, given: UsePack) -> list[PlatformSetup]:
        """Set the apps of a pack, all of them or none. Raises ApiError and OSError."""
        pack = _opened(given.content)
        wanted = _wanted(pack, given.platforms)
        try:
            secrets = await asyncio.to_thread(open_secrets, pack, given.passphrase)
        except PackRefusedError as error:
            raise _refusal(error) from None
        apps = {app.platform: await self._own(pack, app, secrets.get(app.platform)) for app in wanted}
        return await self.set_ups.set_apps(apps)

    def _app_of(self, platform: ConnectionPlatform) -> AppCredentials:
        app = self.platforms.credentials.get(platform)
        if app is None:
            raise invalid("platforms", f"has no app to pack for {name_of(platform)}", "not_set_up")
        return app

    async def _packed(
        self, platform: ConnectionPlatform, app: AppCredentials, *, with_secret: bool
    ) -> PackedApp:
        return PackedApp(
            platform=platform,
            client_id=app.client_id,
            scopes=[
                *(one for one in await self._base_scopes(platform) if one not in app.without_scopes),
                *app.more_scopes,
            ],
            redirect_uri=self.addresses.redirect_uri(platform),
            has_secret=with_secret and app.client_secret is not None,
        )

    def _written(self, wanted: MakePack, apps: Sequence[PackedApp], maker_key: MakerKey) -> MadePack:
        key = maker_key.open()
        public = public_bytes(key)
        secrets = {
            app.platform: secret
            for app in apps
            if app.has_secret and (secret := self._app_of(app.platform).client_secret) is not None
        }
        sealed = (
            seal_secrets(secrets, wanted.passphrase, apps, public) if wanted.passphrase and secrets else None
        )
        content = PackContent(
            maker=wanted.maker, note=wanted.note, made_at=self.now(), apps=list(apps), sealed=sealed
        )
        file = write_pack(content, key)
        return MadePack(content=file.decode("latin-1"), fingerprint=fingerprint(public))

    async def _base_scopes(self, platform: ConnectionPlatform) -> Sequence[str]:
        adapter = await self.platforms.adapter(platform)
        return adapter.scopes if isinstance(adapter, ScopedAdapter) else ()

    async def _own(self, pack: SignedPack, app: PackedApp, secret: str | None) -> OwnApp:
        base = await self._base_scopes(app.platform)
        is_ours = app.redirect_uri == self.addresses.callback(app.platform)
        return OwnApp(
            client_id=app.client_id,
            client_secret=secret,
            redirect_uri=None if is_ours else app.redirect_uri,
            more_scopes=tuple(scope for scope in app.scopes if scope not in base),
            without_scopes=inbox.refused_scopes(app.platform, inbox_only=_is_inbox_only(app)),
            maker=pack.content.maker,
            maker_key=pack.fingerprint,
        )

    def _standing(self, pack: SignedPack) -> MakerStanding:
        apps = self.platforms.apps
        keys = apps.makers().get(pack.content.maker, set()) if apps is not None else set()
        if not keys:
            return MakerStanding.NEW
        return MakerStanding.KNOWN if keys == {pack.fingerprint} else MakerStanding.CHANGED

    def _summary(self, app: PackedApp) -> PackedAppSummary:
        before = self.platforms.credentials.get(app.platform)
        return PackedAppSummary(
            platform=app.platform,
            name=name_of(app.platform),
            client_id=app.client_id,
            scopes=app.scopes,
            redirect_uri=app.redirect_uri,
            returns=app.redirect_uri == self.addresses.callback(app.platform),
            has_secret=app.has_secret,
            secret_needed=CARDS[app.platform].registration.secret,
            replaces=before is not None and before.client_id != app.client_id,
            changeable=self.set_ups.is_changeable(app.platform),
        )


def _opened(text: str) -> SignedPack:
    try:
        return read_pack(text.encode("latin-1"))
    except UnicodeEncodeError:
        raise _refusal(PackRefusedError(PackFault.NOT_A_PACK)) from None
    except PackRefusedError as error:
        raise _refusal(error) from None


def _wanted(pack: SignedPack, platforms: Collection[ConnectionPlatform] | None) -> list[PackedApp]:
    apps = pack.content.apps
    if platforms is None:
        return list(apps)
    if not {app.platform for app in apps}.issuperset(platforms):
        raise invalid("platforms", "names a platform that isn't in the pack", "not_in_pack")
    return [app for app in apps if app.platform in platforms]


def _refusal(error: PackRefusedError) -> ApiError:
    return invalid(_FIELDS.get(error.fault, "content"), _MESSAGES[error.fault], error.fault.value)


def _is_inbox_only(app: PackedApp) -> bool:
    """Whether a packed app asks only for the user's inbox, where it could also publish directly."""
    card = CARDS[app.platform]
    return card.inbox is not None and not card.registration.publishing <= set(app.scopes)
