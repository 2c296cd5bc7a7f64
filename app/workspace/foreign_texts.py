"""Texts of the operating system and the service, in the app's language.

A service speaks English. One of our sentences with one of its sentences inside would change language halfway,
so an unknown sentence is omitted and shown in the details.
"""

import errno
import os
import re
from collections.abc import Collection, Iterable
from types import MappingProxyType
from typing import Final

from app.language import current, gettext_noop, tr

_BY_NUMBER: Final = MappingProxyType(
    {
        errno.ENOSPC: tr("the disk is full"),
        errno.EDQUOT: tr("your disk quota is used up"),
        errno.EFBIG: tr("the file is too large"),
        errno.EACCES: tr("permission denied"),
        errno.EPERM: tr("the system doesn't allow it"),
        errno.EROFS: tr("the disk is read-only"),
        errno.EIO: tr("the disk reported an error"),
        errno.ENOENT: tr("it doesn't exist"),
        errno.ENOTDIR: tr("it isn't a folder"),
        errno.EISDIR: tr("it's a folder"),
        errno.ENAMETOOLONG: tr("the name is too long"),
        errno.EEXIST: tr("it already exists"),
        errno.ENOTEMPTY: tr("the folder isn't empty"),
        errno.EBUSY: tr("it's in use"),
        errno.EMFILE: tr("too many files are open"),
        errno.ECONNREFUSED: tr("the connection was refused"),
        errno.ECONNRESET: tr("the connection was closed"),
        errno.ENETUNREACH: tr("the network can't be reached"),
        errno.EHOSTUNREACH: tr("the computer can't be reached"),
    }
)
_WORDS: Final = MappingProxyType(
    {os.strerror(number).lower(): words for number, words in _BY_NUMBER.items()}
    | {
        "name or service not known": tr("unknown host name"),
        "temporary failure in name resolution": tr("host names can't be resolved right now"),
    }
)
"""By what the C library says."""


def why(error: OSError) -> str:
    """Some words for the middle or the end of a sentence."""
    said = error.strerror or str(error)
    if said.lower() in _WORDS or current() == "en":
        return in_words(said)
    # The system's own words may be in any language, so that a number is all that can be said of the others.
    known = _BY_NUMBER.get(error.errno or 0)
    return known or (tr("system error {number}", number=error.errno) if error.errno else in_words(said))


def in_words(said: str) -> str:
    """The same of what another process was told; unknown words are left out of other languages."""
    if known := _WORDS.get(said.lower()):
        return known
    return said.lower() if current() == "en" else tr("an unknown error")


_LONGEST: Final = 1_000
"""Characters of the longest sentence that is compared with those that contain values."""


def _pattern(sentence: str) -> re.Pattern[str]:
    named: set[str] = set()

    def found(number: int, part: str) -> str:
        if number % 2 == 0:
            return re.escape(part)
        if part in named:
            return f"(?P={part})"
        named.add(part)
        return f"(?P<{part}>.*?)"

    parts = re.split(r"\{(\w+)\}", sentence)
    return re.compile("".join(found(*one) for one in enumerate(parts)), re.DOTALL)


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
        return tr(found[0], **found[1]) if (found := self.find(said)) is not None else None

    def find(self, said: str) -> tuple[str, dict[str, str]] | None:
        """Return which of these it is, with its values in the language that is spoken; None for another."""
        if said in self._whole:
            return said, {}
        if len(said) > _LONGEST:
            return None
        for pattern, sentence in self._patterns:
            if found := pattern.fullmatch(said):
                values = found.groupdict()
                if "why" in values:
                    values["why"] = in_words(values["why"])
                return sentence, values
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
        gettext_noop("There isn't enough storage left for this file. Delete files you no longer need."),
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
