"""What the service says of its self-test, in the language that is spoken.

The service speaks English. Its own sentences are said again here; what a platform said, and what a service
of another version says, stays as it is.
"""

from typing import Final

from app.language import gettext_noop
from app.workspace.service_words import KnownSentences

_SENTENCES: Final = frozenset(
    (
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
    gettext_noop("This version doesn't support {name}."),
    gettext_noop("{name} didn't respond within {seconds} seconds."),
    gettext_noop("{name}'s response says nothing about the app."),
    gettext_noop("{name} rejected the app: {reason}"),
    gettext_noop("{name} accepted the app and rejected a made-up code, as it should: {reason}"),
    gettext_noop("Couldn't check with {name}: {reason}"),
    gettext_noop("Couldn't reach {host}: {why}."),
    gettext_noop("{host} can be reached."),
)


_KNOWN: Final = KnownSentences(_SENTENCES, _WITH_VALUES)


def in_words(said: str) -> str:
    """A sentence of the service, where it is known; else as it was said."""
    return _KNOWN.say(said) or said
