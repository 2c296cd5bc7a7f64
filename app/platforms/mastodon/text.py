"""The length of a text on Mastodon, as its ``StatusLengthValidator`` counts it.

Grapheme clusters are counted. Any link counts the same, and a mention counts without its server. Links are
found as by Mastodon's version of twitter-text, but only with known domain endings.
"""

from typing import Final

import regex

from app.contract.graphemes import GRAPHEME
from app.platforms.x.domain_endings import DOMAIN_ENDINGS

_PATH: Final = r"[^\p{White_Space}<>()?]"
_PARENTHESES: Final = rf"\({_PATH}*+(?:\({_PATH}++\){_PATH}*+)?\)"
_PATH_END: Final = r"(?<=[^\p{White_Space}()?!*\"'「」<>;:=,.$%\[\]~&|@]|\))"
_QUERY: Final = r"[A-Za-z0-9!?*'();:&=+$/%#\[\]\-_.,~|@^\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef]"
_QUERY_END: Final = r"(?<=[A-Za-z0-9_&=#/\-\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef])"
_LINK: Final = regex.compile(
    rf"""
    (?<![A-Za-z0-9@\uff20$#\uff03\ufffe\ufeff\uffff])
    (?:https?|dat|dweb|ipfs|ipns|ssb|gopher|gemini)://
    (?:[\p{{L}}\p{{N}}](?:[\p{{L}}\p{{N}}_-]{{0,61}}[\p{{L}}\p{{N}}])?\.)+
    (?P<ending>\p{{L}}+|xn--[A-Za-z0-9-]+)
    (?![A-Za-z0-9@+_-])
    (?::[0-9]+)?
    (?:/(?:(?:{_PATH}|{_PARENTHESES})*{_PATH_END})?)?
    (?:\?{_QUERY}*{_QUERY_END})?
    """,
    regex.VERBOSE | regex.IGNORECASE,
)
_MENTION: Final = regex.compile(
    r"(?<![=/\w])@(?P<name>[A-Za-z0-9_]+(?:[.-]+[A-Za-z0-9_]+)*)@[\w]+(?:[.-]+\w+)*(?![@\uff20/]|\w|://)"
)
_LONGEST: Final = 4096
"""Longer links aren't shortened."""


def mastodon_length(text: str, link_length: int = 23) -> int:
    """Return the length of a text on a server where any link counts ``link_length``."""
    parts, shortened, last = [], 0, 0
    for link in _LINK.finditer(text):
        if link["ending"].lower() in DOMAIN_ENDINGS or link["ending"].lower().startswith("xn--"):
            if link.end() - link.start() > _LONGEST:
                continue
            parts += [text[last : link.start()], " "]
            shortened += link_length - 1
            last = link.end()
    rest = _MENTION.sub(r"@\g<name>", "".join([*parts, text[last:]]))
    return len(GRAPHEME.findall(rest)) + shortened
