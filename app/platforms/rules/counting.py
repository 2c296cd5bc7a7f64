"""The length of a text on each platform."""

from typing import Final

import regex

from app.contract.enums import PostingPlatform
from app.platforms.card import TextUnit
from app.platforms.rules.tables import RULES

_GRAPHEME: Final = regex.compile(r"\X")


def measure(platform: PostingPlatform, text: str) -> int:
    """Return the length of a text in the platform's unit; in code points for an unknown platform."""
    rules = RULES.get(platform)
    return count(TextUnit.CODE_POINTS if rules is None else rules.text_unit, text)


def count(unit: TextUnit, text: str) -> int:
    """Return the length of a text in a unit. Lone surrogates count like their replacement character."""
    match unit:
        case TextUnit.X_WEIGHT:
            from app.platforms.x.text import weighted_length  # its patterns take 10 ms to compile

            return weighted_length(text)
        case TextUnit.UTF8_BYTES:
            return sum(1 if char < "\x80" else len(char.encode(errors="surrogatepass")) for char in text)
        case TextUnit.UTF16_UNITS:
            return len(text) + sum(char > "\uffff" for char in text)
        case TextUnit.GRAPHEMES:
            return len(_GRAPHEME.findall(text))
        case TextUnit.CODE_POINTS:
            return len(text)
