"""What is said of a platform's set-up."""

from collections.abc import Iterable
from typing import Final

from app.contract.companion import PlatformSetup
from app.contract.enums import ConnectionPlatform, PostType
from app.desktop.setup.service_words import in_words
from app.desktop.words import joined
from app.language import sentence_start, tr

_KINDS: Final = {PostType.TEXT: tr("texts"), PostType.IMAGE: tr("images"), PostType.VIDEO: tr("videos")}
_ID_NAMES: Final = {
    ConnectionPlatform.TIKTOK: tr("Client key"),
    ConnectionPlatform.PINTEREST: tr("App ID"),
    ConnectionPlatform.INSTAGRAM: tr("App ID"),
    ConnectionPlatform.FACEBOOK: tr("App ID"),
    ConnectionPlatform.THREADS: tr("Threads app ID"),
}
_SECRET_NAMES: Final = {
    ConnectionPlatform.PINTEREST: tr("App secret key"),
    ConnectionPlatform.INSTAGRAM: tr("App secret"),
    ConnectionPlatform.FACEBOOK: tr("App secret"),
    ConnectionPlatform.THREADS: tr("Threads app secret"),
}


def id_name(platform: ConnectionPlatform) -> str:
    """What the platform calls the id of an app."""
    return _ID_NAMES.get(platform, tr("Client ID"))


def secret_name(platform: ConnectionPlatform) -> str:
    """What the platform calls the secret of an app."""
    return _SECRET_NAMES.get(platform, tr("Client secret"))


def state(setup: PlatformSetup, *, practice: bool) -> str:
    """How it stands, in a few words."""
    if practice:
        return tr("Practice")
    if not setup.credentials:
        return tr("No app yet")
    return tr("App set") if setup.changeable else tr("App set in service.toml")


def abilities(setup: PlatformSetup) -> list[str]:
    """What can be done there and what cannot, each a sentence."""
    can = [kind for kind in setup.publishes if kind not in setup.needs_address]
    told = []
    if not setup.publishes:
        told.append(tr("{name} accounts can be connected and viewed, but not posted to.", name=setup.name))
    if can:
        told.append(
            tr("From this computer, Kalends can post {kinds} to {name}.", kinds=_kinds(can), name=setup.name)
        )
    if setup.needs_address:
        told.append(
            tr(
                "{kinds} can't be posted from a private computer: {name} downloads them "
                "from a public address, which this service doesn't have.",
                kinds=sentence_start(_kinds(setup.needs_address)),
                name=setup.name,
            )
        )
    if setup.publishes and (missing := [kind for kind in _KINDS if kind not in setup.publishes]):
        told.append(
            tr(
                "{kinds} can't be posted to {name}.",
                kinds=sentence_start(_kinds(missing)),
                name=setup.name,
            )
        )
    return [*told, *map(in_words, setup.remarks)]


def _kinds(kinds: Iterable[PostType]) -> str:
    return joined([_KINDS.get(kind, kind.value) for kind in kinds])
