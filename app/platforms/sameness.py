"""Whether an item on a platform is the one that was sent, though platforms tidy texts up."""

import re
import unicodedata
from typing import Final

_SCHEME: Final = re.compile(r"https?://", re.IGNORECASE)
_LAST_SLASH: Final = re.compile(r"/(?=\s|$)")


def same_text(one: str, other: str) -> bool:
    """Whether two texts are the same but for white space, composition and how links are written out."""
    return _canonical(one) == _canonical(other)


def _canonical(text: str) -> str:
    plain = _SCHEME.sub("", unicodedata.normalize("NFC", text))
    return " ".join(_LAST_SLASH.sub("", plain).split())
