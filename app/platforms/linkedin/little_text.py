"""LinkedIn's "little text", the format of a post's commentary.

Unescaped, some characters begin hashtags, mentions and templates, and an open parenthesis silently ends the
text.
"""

import re
from typing import Final

_RESERVED: Final = r"\\|{}@\[\]()<>#*_~"
_TO_ESCAPE: Final = re.compile(rf"[{_RESERVED}]")
_ESCAPED: Final = re.compile(rf"\\([{_RESERVED}])")


def escape(text: str) -> str:
    """Return the commentary that displays exactly this text."""
    return _TO_ESCAPE.sub(r"\\\g<0>", text)


def unescape(commentary: str) -> str:
    """Return the text that one of our commentaries displays."""
    return _ESCAPED.sub(r"\1", commentary)
