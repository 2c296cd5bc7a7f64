"""What is said of a platform's set-up."""

from collections.abc import Iterable
from typing import Final

from app.contract.companion import PlatformSetup
from app.contract.enums import ConnectionPlatform, PostType
from app.desktop.words import joined
from app.language import sentence_start, tr
from app.platforms.cards import CARDS

_KINDS: Final = {PostType.TEXT: tr("texts"), PostType.IMAGE: tr("images"), PostType.VIDEO: tr("videos")}


def id_name(platform: ConnectionPlatform) -> str:
    """What the platform calls the id of an app."""
    return tr(CARDS[platform].registration.id_name)


def secret_name(platform: ConnectionPlatform) -> str:
    """What the platform calls the secret of an app."""
    return tr(CARDS[platform].registration.secret_name)


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
    return [*told, *remarks(setup)]


def steps(setup: PlatformSetup) -> list[str]:
    """What to do on the platform's pages to register an app, each a sentence.

    They come from the card, in the app's language: the service sends them in English.
    """
    return [tr(step) for step in CARDS[setup.platform].registration.steps]


def remarks(setup: PlatformSetup) -> list[str]:
    """What to know before planning posts, each a sentence; empty where the service has no remarks."""
    known = CARDS[setup.platform].registration.remarks if setup.remarks else ()
    return [tr(remark, name=setup.name) for remark in known]


def _kinds(kinds: Iterable[PostType]) -> str:
    return joined([_KINDS.get(kind, kind.value) for kind in kinds])
