"""How X counts and renders text: weighted length, t.co links, HTML entities.

Source: the twitter-text configuration, version 3.
"""

import hashlib
import html
import string
import unicodedata
from dataclasses import dataclass

import regex  # type: ignore[import-untyped,unused-ignore]  # stubs are optional

LONGEST_TEXT = 280
_URL_WEIGHT = 23
_SHORT_LINK_LENGTH = 10
_SHOWN_LINK_LENGTH = 27
_LIGHT = ((0, 4351), (8192, 8205), (8208, 8223), (8242, 8247))
_ALPHABET = string.ascii_letters + string.digits
# Without a scheme, only domains with a well-known TLD become links.
_ENDINGS = (
    "com|org|net|edu|gov|int|info|biz|name|app|blog|cloud|dev|online|page|shop|site|store|tech|xyz"
    "|ai|at|au|be|br|ca|ch|cn|co|cz|de|dk|es|eu|fi|fr|gr|ie|in|io|it|jp|kr|me|mx|nl|no|nz|pl|pt|ru|se|tv|uk|us"
)
_URL = regex.compile(
    rf"""
    (?<![\w@#$./-])
    (?:https?://(?:[a-z0-9-]{{1,63}}\.)+[a-z]{{2,63}}(?![\w-])
      |(?:[a-z0-9-]{{1,63}}\.)+(?:{_ENDINGS})(?![\w@-]))
    (?::\d{{1,5}})?
    (?:[/?][^\s<>"]*[\w/=&\#%+~$-]|/)?
    """,
    regex.VERBOSE | regex.IGNORECASE,
)
_EMOJI = regex.compile(r"\p{Emoji_Presentation}|\p{Emoji}\uFE0F")
_CASHTAG = regex.compile(r"(?<![\w$])\$[A-Za-z]{1,6}(?:[._][A-Za-z]{1,2})?(?!\w)")


@dataclass(frozen=True)
class Link:
    """A link in a rendered text; the positions count characters of that text."""

    start: int
    end: int
    url: str
    expanded_url: str
    display_url: str


def weighted_length(text: str) -> int:
    """Return the length in X's units: a link 23, an emoji 2, most letters 1, East Asian characters 2."""
    normal = unicodedata.normalize("NFC", text)
    links = len(_URL.findall(normal))
    rest = _URL.sub("", normal)
    return links * _URL_WEIGHT + sum(_weight(cluster) for cluster in regex.findall(r"\X", rest))


def cashtags(text: str) -> int:
    """Return the number of cashtags such as ``$ABC``."""
    return len(_CASHTAG.findall(text))


def shown(text: str, content_id: str) -> tuple[str, list[Link]]:
    """Return the text as in the API, and its links.

    Every URL is replaced by a t.co link, and ``&``, ``<`` and ``>`` are HTML entities.
    """
    parts: list[str] = []
    links: list[Link] = []
    length = last = 0
    for number, match in enumerate(_URL.finditer(text)):
        before = html.escape(text[last : match.start()], quote=False)
        link = _link(match.group(), f"{content_id}:{number}", length + len(before))
        parts += [before, link.url]
        links.append(link)
        length, last = link.end, match.end()
    return "".join(parts) + html.escape(text[last:], quote=False), links


def _weight(cluster: str) -> int:
    """Return the weight of a grapheme cluster."""
    if _EMOJI.search(cluster):
        return 2
    return sum(1 if any(low <= ord(char) <= high for low, high in _LIGHT) else 2 for char in cluster)


def _link(address: str, seed: str, start: int) -> Link:
    digest = hashlib.sha256(seed.encode()).digest()
    short = "https://t.co/" + "".join(_ALPHABET[byte % 62] for byte in digest[:_SHORT_LINK_LENGTH])
    plain = regex.sub(r"^https?://(?:www\.)?", "", address, flags=regex.IGNORECASE)
    display = plain if len(plain) <= _SHOWN_LINK_LENGTH else plain[: _SHOWN_LINK_LENGTH - 1] + "…"
    expanded = address if regex.match("https?://", address, regex.IGNORECASE) else f"http://{address}"
    return Link(start, start + len(short), short, expanded, display)
