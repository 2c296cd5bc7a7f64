"""HTML from outside, read in time linear in its length, whatever it contains.

``html.parser`` raises on some malformed declarations, and takes quadratic time for tags that never end. This
follows the tokenizer of the HTML standard: a tag or a comment without an end lasts until the end of the text.
"""

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

_NAME: Final = re.compile(r"(/?)([A-Za-z][^\s/>]*+)")
_ATTRIBUTE: Final = re.compile(
    r"[\s/]*+([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:\"([^\"]*+)(?:\"|\Z)|'([^']*+)(?:'|\Z)|([^\s>]*+)))?"
)
_REST: Final = re.compile(r"[^>]*+(?:>|\Z)")
_RAW: Final = frozenset({"title", "textarea", "script", "style", "xmp", "iframe", "noembed", "noframes"})
"""Elements that contain no tags."""
_ENDS: Final = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in _RAW}
_HUGE_NUMBER: Final = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9A-Fa-f]{8,});?")
"""References that mean no character; ``html.unescape`` raises ValueError for very long ones."""
_NO_CHARACTER: Final = "\ufffd"


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag, with names in lower case. Of an attribute that is repeated, the first counts."""

    name: str
    is_end: bool
    attributes: Mapping[str, str]


def unescaped(text: str) -> str:
    """Return the text with its character references resolved."""
    return html.unescape(_HUGE_NUMBER.sub(_NO_CHARACTER, text))


def tokens(source: str) -> Iterator[Tag | str]:
    """Yield tags and texts in order. Comments and declarations are left out, and texts aren't joined."""
    at = 0
    while at < len(source):
        opening = source.find("<", at)
        if opening < 0:
            opening = len(source)
        if opening > at:
            yield unescaped(source[at:opening])
        if opening == len(source):
            return
        if (name := _NAME.match(source, opening + 1)) is None:
            at = _end_of_comment(source, opening)
            if at == opening + 1:
                yield "<"
            continue
        tag, at, is_whole = _tag(source, name)
        if not is_whole:
            return
        yield tag
        if tag.name in _RAW and not tag.is_end:
            closing = _ENDS[tag.name].search(source, at)
            end = closing.start() if closing else len(source)
            if end > at:
                yield unescaped(source[at:end]) if tag.name in {"title", "textarea"} else source[at:end]
            at = end


def _tag(source: str, name: re.Match[str]) -> tuple[Tag, int, bool]:
    """Return a tag, the place behind it, and whether it ends before the text does."""
    attributes: dict[str, str] = {}
    at = name.end()
    while found := _ATTRIBUTE.match(source, at):
        value = next((each for each in found.groups()[1:] if each is not None), "")
        attributes.setdefault(found[1].lower(), unescaped(value))
        at = found.end()
    end = _REST.match(source, at)
    rest = end[0] if end else ""
    return Tag(name[2].lower(), bool(name[1]), attributes), at + len(rest), rest.endswith(">")


def _end_of_comment(source: str, opening: int) -> int:
    """Return the place behind a comment or a declaration; behind the ``<`` if that is only a sign."""
    if source.startswith(("<!-->", "<!--->"), opening):
        return source.index(">", opening) + 1
    if source.startswith("<!--", opening):
        end = source.find("-->", opening + 4)
        return end + 3 if end >= 0 else len(source)
    if source.startswith(("<!", "<?", "</"), opening):
        end = source.find(">", opening)
        return end + 1 if end >= 0 else len(source)
    return opening + 1
