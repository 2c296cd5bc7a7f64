"""Texts about platform setup: what to register, and the results of the service's self-test."""

from collections.abc import Iterable
from typing import Final

from app.contract.enums import ConnectionPlatform, PostType
from app.contract.platform_setup import PlatformSetup
from app.desktop.words import date_long, joined
from app.language import gettext_noop, sentence_start, tr
from app.platforms.card import Step
from app.platforms.cards import CARDS
from app.workspace.advice import in_own_words
from app.workspace.foreign_texts import KnownSentences

_SENTENCES: Final = frozenset(
    (
        *(card.registration.hidden_advice for card in CARDS.values() if card.registration.hidden_advice),
        *(card.registration.testing.text for card in CARDS.values() if card.registration.testing),
        gettext_noop("The app's credentials are set."),
        gettext_noop("Practice platforms accept any address."),
    )
)
_WITH_VALUES: Final = (
    gettext_noop(
        "No app is set up: register one with {name}, then enter its client_id and client_secret in "
        "Kalends, or in service.toml under [platforms.{platform}]."
    ),
    gettext_noop(
        "No app is set up: register one with {name}, then enter its client_id in Kalends, or in "
        "service.toml under [platforms.{platform}]."
    ),
    gettext_noop("{name} requires the app's secret. Enter it with the ID."),
    gettext_noop("{name} asks for client_secret, which is missing under [platforms.{platform}]."),
    gettext_noop(
        "{address} has the format {name} requires. Connecting the first account "
        "will show whether it's registered there."
    ),
    gettext_noop("{address} must start with https and have no fragment."),
    gettext_noop(
        "{name} doesn't redirect to {address}. Set public_origin, or redirect_uri "
        "under [platforms.{platform}]."
    ),
    gettext_noop("{name} may reject {address}: its documentation requires https, its samples don't."),
    gettext_noop(
        "{name} accepts addresses like {address}. Connecting the first account will "
        "show whether it's registered there."
    ),
    gettext_noop("{address} is registered with {name}."),
    gettext_noop(
        "{address} isn't registered with {name}. Enter exactly this address in the app's settings there."
    ),
    gettext_noop("{name} granted every permission that publishing needs."),
    gettext_noop("Everybody can see your last post on {name}."),
    gettext_noop("Your last post on {name} was published."),
    gettext_noop("This version doesn't support {name}."),
    gettext_noop("{name} didn't respond within {seconds} seconds."),
    gettext_noop("{name}'s response says nothing about the app."),
    gettext_noop("{name} accepted the app's ID and secret."),
    gettext_noop("{name} rejected the app: {reason}. Copy its ID and secret again."),
    gettext_noop("{name} accepted the app and rejected a made-up code, as it should: {reason}"),
    gettext_noop("Couldn't check with {name}: {reason}"),
    gettext_noop("Couldn't reach {host}: {why}."),
    gettext_noop("{host} can be reached."),
)


_KNOWN: Final = KnownSentences(_SENTENCES, _WITH_VALUES)
_REFUSED_POST: Final = KnownSentences(
    (),
    (
        gettext_noop("{name} refused your last post. {advice} {name} said: {said}"),
        gettext_noop("{name} refused your last post. {advice}"),
    ),
)
_KINDS: Final = {PostType.TEXT: tr("texts"), PostType.IMAGE: tr("images"), PostType.VIDEO: tr("videos")}


def in_words(said: str) -> str:
    """Return a sentence of the service in the app's language, or unchanged if it's unknown."""
    if (refused := _REFUSED_POST.find(said)) is not None:
        sentence, values = refused
        return tr(sentence, **values | {"advice": in_own_words(values["advice"])})
    return _KNOWN.say(said) or said


def id_name(platform: ConnectionPlatform) -> str:
    """Return the platform's name for the ID of an app."""
    return tr(CARDS[platform].registration.id_name)


def secret_name(platform: ConnectionPlatform) -> str:
    """Return the platform's name for the secret of an app."""
    return tr(CARDS[platform].registration.secret_name)


def state(setup: PlatformSetup, *, practice: bool) -> str:
    """Return the state of the setup, in a few words."""
    if practice:
        return tr("Practice")
    if not setup.credentials:
        return tr("Secret missing") if setup.maker else tr("No app yet")
    if setup.maker:
        return tr("App of {maker}", maker=setup.maker)
    return tr("App registered") if setup.changeable else tr("Registered in service.toml")


def abilities(setup: PlatformSetup) -> list[str]:
    """Return what is possible on the platform and what isn't, each in a sentence."""
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


def steps(setup: PlatformSetup) -> list[Step]:
    """Return the steps for registering an app on the platform's pages.

    They come from the card, in the app's language: the service sends them in English.
    """
    return [step._replace(text=tr(step.text)) for step in CARDS[setup.platform].registration.steps]


def checked(setup: PlatformSetup) -> str:
    """Return when the steps were last checked; "" if unknown."""
    day = CARDS[setup.platform].registration.as_of
    return tr("Checked on {day}.", day=date_long(day)) if day else ""


def remarks(setup: PlatformSetup) -> list[str]:
    """Return what to know before scheduling posts, each in a sentence; empty if the service sends none."""
    known = CARDS[setup.platform].registration.remarks if setup.remarks else ()
    return [tr(remark, name=setup.name) for remark in known]


def _kinds(kinds: Iterable[PostType]) -> str:
    return joined([_KINDS.get(kind, tr("other content")) for kind in kinds])
