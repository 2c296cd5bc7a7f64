"""Whether an item on a platform is a publication. Wrongly ruling one out publishes a post twice."""

import re
import unicodedata
from typing import Final

from app.platforms.publication import LONGEST_TEXT, same_text

_WEB_ADDRESS: Final = re.compile(r"https?://[!-~]+", re.IGNORECASE)
_LINKED: Final = re.compile(r"://|\w\.\w")


def compare(*traits: bool | None, is_edited: bool | None) -> bool | None:
    """Return whether an item is a publication, from what both have in common.

    Only a difference in an item that its author hasn't edited since rules it out.

    Args:
        traits: Whether the item has each trait of the publication; None if it can't be told.
        is_edited: Whether the item may have been edited; None if the platform doesn't tell.
    """
    if all(traits):
        return True
    return False if is_edited is False and False in traits else None


def shows_text(shown: str, wanted: str, names: re.Pattern[str] | None = None) -> bool | None:
    """Return whether an item shows a text; None if it differs only in what platforms may rewrite.

    Those are links, punctuation, white space, invisible characters, emoji, and the names for ``names`` in
    the wanted text.
    """
    if same_text(shown, wanted):
        return True
    if len(shown) > LONGEST_TEXT:
        return False
    pieces = [_letters(piece) for piece in (names.split(wanted) if names else [wanted])]
    return None if _is_made_of(pieces, _letters(shown)) else False


def has_link(text: str) -> bool:
    """Return whether a platform may find a link in a text."""
    return _LINKED.search(text) is not None


def _is_made_of(pieces: list[str], text: str) -> bool:
    """Whether a text begins with the first piece, ends with the last, and has the others between them."""
    if len(pieces) == 1:
        return text == pieces[0]
    first, *middle, last = pieces
    if len(text) < len(first) + len(last) or not (text.startswith(first) and text.endswith(last)):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in middle:
        at = text.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return True


def _letters(text: str) -> str:
    """Return the letters and digits of a text, without its links."""
    plain = unicodedata.normalize("NFKC", _WEB_ADDRESS.sub(" ", text)).casefold()
    words = (word for word in plain.split() if not has_link(word))
    return "".join(char for word in words for char in word if char.isalnum())
