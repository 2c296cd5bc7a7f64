"""Where X sees links in a text: what twitter-text 3.1.0 finds, in time linear in the length of the text.

A link is an address with ``http(s)://``, or a domain alone whose ending is a known one. The library tries
one large expression at every place of the text; here the text is cut into runs of characters that domains
may hold, and each run is read once, label by label.
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
# Everything that a domain may hold, with the dots between its labels.
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
    """Start and end of every link, in the order of the text."""
    links: list[tuple[int, int]] = []
    if "." not in text:
        return links
    floor = 0
    for run in _RUN.finditer(text):
        floor = _read_run(text, run.start(), run.end(), floor, links)
    return links


@dataclass(frozen=True, slots=True)
class _Segment:
    """What is between two dots of a run, and which domain begins with it.

    Attributes:
        stop: Where the next dot is, or the run ends.
        underscore: The last one in it; -1 where there is none.
        ending: Where the known ending stops that follows the dot; None where none does.
        rest: The domain that begins behind the dot, and how far its labels reach; None where the segment's
            label does not reach the dot.
        label_end: Where its label ends.
    """

    stop: int
    label_end: int
    underscore: int
    ending: int | None
    rest: tuple[int | None, int] | None

    def domain_from(self, at: int) -> tuple[int | None, int]:
        """The end of the longest domain that begins at ``at``, if any, and how far its labels reach."""
        if self.rest is None:
            return None, self.label_end
        domain_end, reach = self.rest
        own = self.ending if at > self.underscore else None
        return own if domain_end is None else domain_end, reach


class _Run:
    """A run, read once from its end to its beginning, so that a domain can be looked up at every place."""

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
        """As of the segment; ``at`` never goes back."""
        if self._text[at] in _JOINTS:
            return None, at
        while self._segments[self._at].stop < at:
            self._at += 1
        return self._segments[self._at].domain_from(at)

    def _add(self, first: int, stop: int, ending: int | None) -> None:
        """Reads a segment, whose followers were read before."""
        label_end = stop
        while label_end > first and self._text[label_end - 1] in _JOINTS:
            label_end -= 1
        underscore = self._text.rfind("_", first, label_end)
        segment = _Segment(stop, label_end, underscore, ending, self._after if label_end == stop else None)
        self._segments.append(segment)
        begins = first < stop and self._text[first] not in _JOINTS
        self._after = segment.domain_from(first) if begins else (None, first)


def _read_run(text: str, start: int, end: int, floor: int, links: list[tuple[int, int]]) -> int:
    """Adds the links that begin in a run. Before ``floor`` everything is taken; gives the new floor."""
    run = _Run(text, start, end)
    last_dot = run.last_dot
    at = max(start, floor)
    if at == start < last_dot and (scheme := _scheme_before(text, start, floor)) is not None:
        domain_end, _ = run.domain_from(start)
        if domain_end is not None:
            floor = at = _take_with_scheme(text, scheme, start, domain_end, links)
    if at == 0 and last_dot > 1 and text[1] not in _JOINTS and _may_precede(text, 1, floor):
        at = 1  # the first character rather stands before a link than in it
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
    """The dots that a known ending follows, each with the end of it."""
    found = {}
    dot = text.find(".", start, end)
    while dot >= 0:
        if (stop := _ending_at(text, dot + 1)) is not None:
            found[dot] = stop
        dot = text.find(".", dot + 1, end)
    return found


def _ending_at(text: str, at: int) -> int | None:
    """Where the known ending stops that begins at ``at``."""
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
    """Where an ending may stop that begins at ``at`` and is not in ASCII, the longest first."""
    dot = text.find(".", at, at + _LONGEST_ENDING)
    return range(min(at + _LONGEST_ENDING, len(text)) if dot < 0 else dot, at, -1)


def _continues(text: str, at: int) -> bool:
    """Whether an ASCII letter, a digit or one of ``@+-`` stands here, before which no domain ends."""
    return at < len(text) and text[at].isascii() and (text[at].isalnum() or text[at] in "@+-")


def _scheme_before(text: str, at: int, floor: int) -> int | None:
    """Where ``http(s)://`` begins that ends at ``at`` and may begin a link."""
    scheme = _SCHEME.search(text, max(0, at - _SCHEME_LENGTH), at)
    if scheme is None or not _may_precede(text, scheme.start(), floor):
        return None
    return scheme.start()


def _may_precede(text: str, at: int, floor: int) -> bool:
    """Whether a link may begin here, after a character that belongs to no other link."""
    return at == 0 or (at > floor and not _BARS_LINK.match(text[at - 1]))


def _next_place(text: str, at: int, stop: int) -> int:
    """Where a domain may begin after one that began at ``at`` and failed when ``stop`` was reached.

    Between the two it fails for the same reason, unless an underscore comes before it: the label before the
    ending may not hold one.
    """
    underscore = text.find("_", at, stop)
    return underscore if underscore >= 0 else max(stop, at + 1)


def _take_with_scheme(
    text: str, scheme: int, start: int, domain_end: int, links: list[tuple[int, int]]
) -> int:
    """Adds a link with a scheme when it is a good one; gives the end of what was read."""
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
    """Adds the links of a domain without a scheme, of which only parts in Latin letters are links."""
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
    """Port, path and query after a domain; each may be missing."""
    tail = _TAIL.match(text, at)
    assert tail is not None  # noqa: S101  every part of it is optional
    return tail


def _latin_domains(domain: str) -> Iterator[tuple[int, int]]:
    """The parts of a domain that are domains in Latin letters themselves."""
    at = 0
    while labels := _LATIN_LABELS.search(domain, at):
        endings = _endings(domain, *labels.span())
        at = endings[max(endings)] if endings else labels.end()
        if endings:
            yield labels.start(), at


def _is_good(domain: str, length: int) -> bool:
    """Whether a name server could know the domain, and the link is not too long."""
    if length > _LONGEST_LINK or not all(map(_is_short, domain.split("."))):
        return False
    return not domain.startswith("xn--") or any(_latin_domains(domain))


def _is_short(label: str) -> bool:
    """Whether the ASCII form of a label is short enough; other full stops than the common one part it.

    That form is never shorter than the label, and finding it takes quadratic time.
    """
    if not 0 < len(label) <= _LONGEST_LABEL:
        return False
    if _FULL_STOPS.search(label) is None and _is_surely_short(label):
        return True
    return len(".".join(map(_encoded, _FULL_STOPS.split(label)))) <= _LONGEST_LABEL


def _is_surely_short(label: str) -> bool:
    """Whether even the longest form of a label fits: seven characters for each that is not ASCII."""
    others = sum(not char.isascii() for char in label)
    return len("xn---") + len(label) + 6 * others <= _LONGEST_LABEL


def _encoded(part: str) -> str:
    return part if part.isascii() else f"xn--{part.encode('punycode').decode()}"
