"""The service's texts, in the app's language.

A service speaks English. One of our sentences with one of its sentences inside would change language halfway,
so an unknown sentence is omitted and shown in the details.
"""

import re
from collections.abc import Collection, Iterable
from typing import Final

from app.language import current, gettext_noop, tr
from app.workspace import system_words


def _pattern(sentence: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", sentence)
    found = (f"(?P<{part}>.+?)" if number % 2 else re.escape(part) for number, part in enumerate(parts))
    return re.compile("".join(found), re.DOTALL)


class KnownSentences:
    """Sentences of the service that are in our catalogues.

    Args:
        whole: sentences without values.
        with_values: sentences with ``{name}`` where a value is; ``{why}`` is what the system said.
    """

    def __init__(self, whole: Collection[str], with_values: Iterable[str] = ()) -> None:
        self._whole = frozenset(whole)
        self._patterns = tuple((_pattern(sentence), sentence) for sentence in with_values)

    def say(self, said: str) -> str | None:
        """Return the sentence in the language that is spoken; None when it isn't one of these."""
        if said in self._whole:
            return tr(said)
        for pattern, sentence in self._patterns:
            if found := pattern.fullmatch(said):
                values = found.groupdict()
                if "why" in values:
                    values["why"] = system_words.in_words(values["why"])
                return tr(sentence, **values)
        return None


KNOWN: Final = KnownSentences(
    (
        gettext_noop("The address is private or reserved. Only public addresses are allowed."),
        gettext_noop("That isn't a valid address. It should look like https://example.com/path."),
        gettext_noop("The address must not contain a username or password."),
        gettext_noop("The host must be a plain name such as example.com, or a plain IP address."),
        gettext_noop("The address must start with https://."),
        gettext_noop("The address must start with http or https://."),
        gettext_noop("The server is sending the file too slowly."),
        gettext_noop("The server says this isn't an image or video."),
        gettext_noop("The file isn't a supported image or video."),
        gettext_noop("The upload stalled. Send it again."),
        gettext_noop("must be in the future"),
    ),
    (
        gettext_noop("The endpoint didn't respond within {seconds} seconds."),
        gettext_noop(
            "The endpoint responded with {status}. Redirects aren't followed; use the "
            "address it redirects to."
        ),
        gettext_noop("The endpoint responded with {status}."),
        gettext_noop("The server responded with status {status}."),
    ),
)
"""The most likely texts: refused URLs, imports, uploads and deliveries."""

_OPENING: Final = "cannot be used. "
"""Continues a field's name; the sentence behind it says all."""


def in_own_language(said: str) -> str:
    """Return a sentence of the service in the language that is spoken; "" when it isn't known in it."""
    said = said.strip().removeprefix(_OPENING)
    known = KNOWN.say(said) or KNOWN.say(f"{said}.")
    return known or (said if current() == "en" else "")
