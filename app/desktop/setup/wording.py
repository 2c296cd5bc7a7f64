"""What is said of a platform's set-up."""

from collections.abc import Iterable
from typing import Final

from app.contract.companion import PlatformSetup
from app.contract.enums import ConnectionPlatform, PostType
from app.desktop.words import joined

_KINDS: Final = {PostType.TEXT: "texts", PostType.IMAGE: "images", PostType.VIDEO: "videos"}
_ID_NAMES: Final = {
    ConnectionPlatform.TIKTOK: "Client key",
    ConnectionPlatform.PINTEREST: "App ID",
    ConnectionPlatform.INSTAGRAM: "App ID",
    ConnectionPlatform.FACEBOOK: "App ID",
    ConnectionPlatform.THREADS: "Threads app ID",
}
_SECRET_NAMES: Final = {
    ConnectionPlatform.PINTEREST: "App secret key",
    ConnectionPlatform.INSTAGRAM: "App secret",
    ConnectionPlatform.FACEBOOK: "App secret",
    ConnectionPlatform.THREADS: "Threads app secret",
}


def id_name(platform: ConnectionPlatform) -> str:
    """What the platform calls the id of an app."""
    return _ID_NAMES.get(platform, "Client ID")


def secret_name(platform: ConnectionPlatform) -> str:
    """What the platform calls the secret of an app."""
    return _SECRET_NAMES.get(platform, "Client secret")


def state(setup: PlatformSetup, *, practice: bool) -> str:
    """How it stands, in a few words."""
    if practice:
        return "Practice"
    if not setup.credentials:
        return "No app yet"
    return "App set" if setup.changeable else "App set in service.toml"


def abilities(setup: PlatformSetup) -> list[str]:
    """What can be done there and what cannot, each a sentence."""
    can = [kind for kind in setup.publishes if kind not in setup.needs_address]
    told = []
    if not setup.publishes:
        told.append(f"Nothing is posted to {setup.name}: accounts are connected and shown.")
    if can:
        told.append(f"Kalends posts {_kinds(can)} to {setup.name} from this computer.")
    if setup.needs_address:
        told.append(
            f"{_kinds(setup.needs_address).capitalize()} cannot be posted from a private computer: "
            f"{setup.name} fetches them from a public address, which the service does not have."
        )
    if setup.publishes and (missing := [kind for kind in _KINDS if kind not in setup.publishes]):
        told.append(f"{_kinds(missing).capitalize()} cannot be posted to {setup.name}.")
    return [*told, *setup.remarks]


def _kinds(kinds: Iterable[PostType]) -> str:
    return joined([_KINDS.get(kind, kind.value) for kind in kinds])
