"""Links that X finds in a text, as twitter-text 3.1.0 does, but in time linear in the text's length.

A link is a URL with ``http(s)://``, or a bare domain with a known ending. The library tries one large regular
expression at every position. Here the text is split into runs of characters that are valid in domains, and
each run is read once, label by label.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from app.platforms.x.domain_endings import DOMAIN_ENDINGS

_LONGEST_LABEL: Final = 63
_LONGEST_LINK: Final = 4096
_LONGEST_SHORT_LINK_CODE: Final = 40
_PREFIX: Final = "https://"

_LATIN: Final = (
    "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff\u0100-\u024f\u0253\u0254\u0256\u0257\u0259\u025b\u0263\u0268"
    "\u026f\u0272\u0289\u028b\u02bb\u0300-\u036f\u1e00-\u1eff"
)
_CYRILLIC: Final = "\u0400-\u04ff"
_INVALID: Final = "\ufffe\ufeff\uffff"
_MARKERS: Final = "\u202a-\u202e\u061c\u200e\u200f\u2066-\u2069"
_SPACES: Final = "\x09-\x0d \x85\xa0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
# All characters of domains, including the dots between labels.
_RUN: Final = re.compile(rf"[^!'#%&()*+,\\/:;<=>?@\[\]^{{|}}~${_SPACES}{_INVALID}{_MARKERS}]+")
_JOINTS: Final = "._-"
_BARS_LINK: Final = re.compile(rf"[A-Za-z0-9@\uff20$#\uff03{_INVALID}]")
_SCHEME: Final = re.compile(r"https?://\Z", re.IGNORECASE)
_SCHEME_LENGTH: Final = 8
_ASCII_WORD: Final = re.compile(r"[0-9A-Za-z]+")
_PUNYCODE: Final = re.compile(r"xn--[0-9a-z-]+", re.IGNORECASE)
_FULL_STOPS: Final = re.compile("[\u3002\uff0e\uff61]")
_LATIN_LABELS: Final = re.compile(rf"(?:[a-z0-9{_LATIN}-]+\.)+", re.IGNORECASE)
_LONGEST_ENDING: Final = max(map(len, DOMAIN_ENDINGS))

_PATH_CHAR: Final = rf"[a-z{_CYRILLIC}0-9!*';:=+,.$/%#\[\]\-\u2013_~@|&{_LATIN}]"
_PARENTHESES: Final = rf"\((?:{_PATH_CHAR}+|{_PATH_CHAR}*\({_PATH_CHAR}+\){_PATH_CHAR}*)\)"
_PATH_END: Final = rf"(?:[+\-a-z{_CYRILLIC}0-9=_#/{_LATIN}]|{_PARENTHESES})"
_PATH: Final = rf"/(?:{_PATH_CHAR}*(?:{_PARENTHESES}{_PATH_CHAR}*)*{_PATH_END}|@{_PATH_CHAR}+/)*"
_QUERY: Final = r"\?[a-z0-9!?*'@();:&=+$/%#\[\]\-_.,~|]*[a-z0-9\-_&=#/]"
_TAIL: Final = re.compile(rf"(?::[0-9]+)?(?P<path>{_PATH})?(?:{_QUERY})?", re.IGNORECASE)
_SHORT_LINK: Final = re.compile(rf"https?://t\.co/([a-z0-9]+)(?:{_QUERY})?", re.IGNORECASE)


def find_links(text: str) -> list[tuple[int, int]]:
    """Return start and end of every link, in the order of the text."""
    links: list[tuple[int, int]] = []
    if "." not in text:
        return links
    floor = 0
    for run in _RUN.finditer(text):
        floor = _read_run(text, run.start(), run.end(), floor, links)
    return links


@dataclass(frozen=True, slots=True)
class _Segment:
    """The part of a run between two dots, and the domain that starts there.

    Attributes:
        stop: Position of the next dot, or the end of the run.
        label_end: End of its label.
        underscore: Position of its last underscore, or -1.
        ending: End of the known ending after the dot, or None.
        rest: The domain that starts after the dot, and how far its labels reach; None if the segment's label
            doesn't reach the dot.
    """

    stop: int
    label_end: int
    underscore: int
    ending: int | None
    rest: tuple[int | None, int] | None

    def domain_from(self, at: int) -> tuple[int | None, int]:
        """Return the end of the longest domain starting at ``at``, if any, and how far its labels reach."""
        if self.rest is None:
            return None, self.label_end
        domain_end, reach = self.rest
        own = self.ending if at > self.underscore else None
        return own if domain_end is None else domain_end, reach


class _Run:
    """A run, read once backwards, so that the domain at every position can be looked up."""

    def __init__(self, text: str, start: int, end: int) -> None:
        endings = _endings(text, start, end)
        self.last_dot = max(endings, default=-1)
        self._text = text
        self._segments: list[_Segment] = []
        self._after: tuple[int | None, int] | None = None
        stop = end
        while stop >= start:
            dot = text.rfind(".", start, stop)
            self._add(dot + 1 if dot >= 0 else start, stop, None if stop == end else endings.get(stop))
            stop = dot
        self._segments.reverse()
        self._at = 0

    def domain_from(self, at: int) -> tuple[int | None, int]:
        """Like the segment's method; ``at`` never decreases."""
        if self._text[at] in _JOINTS:
            return None, at
        while self._segments[self._at].stop < at:
            self._at += 1
        return self._segments[self._at].domain_from(at)

    def _add(self, first: int, stop: int, ending: int | None) -> None:
        """Add a segment in front of those already read."""
        label_end = stop
        while label_end > first and self._text[label_end - 1] in _JOINTS:
            label_end -= 1
        underscore = self._text.rfind("_", first, label_end)
        segment = _Segment(stop, label_end, underscore, ending, self._after if label_end == stop else None)
        self._segments.append(segment)
        begins = first < stop and self._text[first] not in _JOINTS
        self._after = segment.domain_from(first) if begins else (None, first)


def _read_run(text: str, start: int, end: int, floor: int, links: list[tuple[int, int]]) -> int:
    """Add the links that start in a run, at or after ``floor``; return the new floor."""
    run = _Run(text, start, end)
    last_dot = run.last_dot
    at = max(start, floor)
    if at == start < last_dot and (scheme := _scheme_before(text, start, floor)) is not None:
        domain_end, _ = run.domain_from(start)
        if domain_end is not None:
            floor = at = _take_with_scheme(text, scheme, start, domain_end, links)
    if at == 0 and last_dot > 1 and text[1] not in _JOINTS and _may_precede(text, 1, floor):
        at = 1  # the first character is rather a separator before a link
    while at < last_dot:
        if text[at] in _JOINTS or not _may_precede(text, at, floor):
            at += 1
            continue
        domain_end, stop = run.domain_from(at)
        if domain_end is None:
            at = _next_place(text, at, stop)
        else:
            floor = at = _take_bare(text, at, domain_end, links)
    return floor


def _endings(text: str, start: int, end: int) -> dict[int, int]:
    """Return the dots followed by a known ending, each with the ending's end."""
    found = {}
    dot = text.find(".", start, end)
    while dot >= 0:
        if (stop := _ending_at(text, dot + 1)) is not None:
            found[dot] = stop
        dot = text.find(".", dot + 1, end)
    return found


def _ending_at(text: str, at: int) -> int | None:
    """Return the end of the known ending that starts at ``at``, if any."""
    if at == len(text) or (text[at].isascii() and not text[at].isalnum()):
        return None
    if punycode := _PUNYCODE.match(text, at):
        return punycode.end()
    if word := _ASCII_WORD.match(text, at):
        ends: Iterable[int] = (word.end(),)
    else:
        ends = _ends_in_other_letters(text, at)
    for end in ends:
        if text[at:end].lower() in DOMAIN_ENDINGS and not _continues(text, end):
            return end
    return None


def _ends_in_other_letters(text: str, at: int) -> Iterable[int]:
    """Return the possible ends of a non-ASCII ending that starts at ``at``, longest first."""
    dot = text.find(".", at, at + _LONGEST_ENDING)
    return range(min(at + _LONGEST_ENDING, len(text)) if dot < 0 else dot, at, -1)


def _continues(text: str, at: int) -> bool:
    """Whether the next character is an ASCII letter, a digit or one of ``@+-``, so no domain ends here."""
    return at < len(text) and text[at].isascii() and (text[at].isalnum() or text[at] in "@+-")


def _scheme_before(text: str, at: int, floor: int) -> int | None:
    """Return the start of an ``http(s)://`` that ends at ``at`` and can start a link."""
    scheme = _SCHEME.search(text, max(0, at - _SCHEME_LENGTH), at)
    if scheme is None or not _may_precede(text, scheme.start(), floor):
        return None
    return scheme.start()


def _may_precede(text: str, at: int, floor: int) -> bool:
    """Whether a link can start here, after a character that isn't part of another link."""
    return at == 0 or (at > floor and not _BARS_LINK.match(text[at - 1]))


def _next_place(text: str, at: int, stop: int) -> int:
    """Return the next possible start of a domain, after one from ``at`` failed on reaching ``stop``.

    In between it would fail for the same reason, except after an underscore, because the label before the
    ending can't contain one.
    """
    underscore = text.find("_", at, stop)
    return underscore if underscore >= 0 else max(stop, at + 1)


def _take_with_scheme(
    text: str, scheme: int, start: int, domain_end: int, links: list[tuple[int, int]]
) -> int:
    """Add a link with a scheme if it is valid; return the end of what was read."""
    tail_end = _tail(text, domain_end).end()
    if not _is_good(text[start:domain_end], tail_end - scheme):
        return tail_end
    end = tail_end
    if short := _SHORT_LINK.match(text, scheme, tail_end):
        if len(short[1]) > _LONGEST_SHORT_LINK_CODE:
            return tail_end
        end = short.end()
    links.append((scheme, end))
    return tail_end


def _take_bare(text: str, start: int, domain_end: int, links: list[tuple[int, int]]) -> int:
    """Add the links of a domain without a scheme; only its parts in Latin letters are links."""
    tail = _tail(text, domain_end)
    domain = text[start:domain_end]
    preceded = start > 0 and text[start - 1] in "-_./"
    if preceded or not _is_good(domain, len(_PREFIX) + tail.end() - start):
        return tail.end()
    found = list(_latin_domains(domain))
    for number, (first, stop) in enumerate(found, 1):
        takes_tail = number == len(found) and tail["path"]
        length = stop - first + (tail.end() - domain_end if takes_tail else 0)
        links.append((start + first, start + first + length))
    return tail.end()


def _tail(text: str, at: int) -> re.Match[str]:
    """Match port, path and query after a domain, all of them optional."""
    tail = _TAIL.match(text, at)
    assert tail is not None  # noqa: S101  all its parts are optional
    return tail


def _latin_domains(domain: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of a domain that are domains in Latin letters."""
    at = 0
    while labels := _LATIN_LABELS.search(domain, at):
        endings = _endings(domain, *labels.span())
        at = endings[max(endings)] if endings else labels.end()
        if endings:
            yield labels.start(), at


def _is_good(domain: str, length: int) -> bool:
    """Whether the domain is valid and the link isn't too long."""
    if length > _LONGEST_LINK or not all(map(_is_short, domain.split("."))):
        return False
    return not domain.startswith("xn--") or any(_latin_domains(domain))


def _is_short(label: str) -> bool:
    """Whether the ASCII form of a label is short enough; non-ASCII full stops divide it.

    That form is never shorter than the label, and computing it takes quadratic time.
    """
    if not 0 < len(label) <= _LONGEST_LABEL:
        return False
    if _FULL_STOPS.search(label) is None and _is_surely_short(label):
        return True
    return len(".".join(map(_encoded, _FULL_STOPS.split(label)))) <= _LONGEST_LABEL


def _is_surely_short(label: str) -> bool:
    """Whether even the longest possible form fits: seven characters for each non-ASCII one."""
    others = sum(not char.isascii() for char in label)
    return len("xn---") + len(label) + 6 * others <= _LONGEST_LABEL


def _encoded(part: str) -> str:
    return part if part.isascii() else f"xn--{part.encode('punycode').decode()}"
