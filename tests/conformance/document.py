"""The specification, split into sections, table rows, and sentences.

Reads the sentences from ``specification.md`` itself, so none can be forgotten.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

DOCUMENT: Final = Path(__file__).with_name("specification.md")

# A sentence ends at a full stop or a semicolon that no lower-case word of an abbreviation precedes.
_END = re.compile(r"(?<=[.;])\s+(?=\S)")
_ITEM = re.compile(r"(?:-|\d+\.)\s+")
# A description that is nothing but a list of values, perhaps behind a few words and a colon.
_ENUM = re.compile(r"(?:[A-Z][a-z ]+: )?`[^`]+`(?:(?:, | or )`[^`]+`)+[.;].*")


@dataclass(frozen=True, slots=True)
class Field:
    """A table row: name, type as written, and listed values."""

    name: str
    type: str
    description: str
    values: frozenset[str]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a section; in a table, a sentence of a cell with the row's name."""

    section: str
    text: str


@dataclass(slots=True)
class Section:
    """A heading with its content, in the order of the document."""

    name: str
    sentences: list[Sentence] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)


def plain(text: str) -> str:
    """Return text without Markdown, for comparison and display."""
    return re.sub(r"\s+", " ", text.replace("`", "").replace("**", "")).strip()


@cache
def sections() -> Mapping[str, Section]:
    """Return every section of the specification by heading."""
    found: dict[str, Section] = {}
    section = Section("")
    header: Sequence[str] = ()
    for line in DOCUMENT.read_text("utf-8").splitlines():
        if line.startswith("#"):
            section = found.setdefault(name := line.lstrip("# "), Section(name))
            header = ()
        elif not line.startswith("|"):
            header = ()
            _add(section, [plain(one) for one in split(_ITEM.sub("", line, count=1))])
        elif not header:
            header = _cells(line)
        elif not set(line) <= set("|- "):
            _add_row(section, header, _cells(line))
    return MappingProxyType(found)


@cache
def sentences() -> tuple[Sentence, ...]:
    """Return every sentence of the specification, in order."""
    return tuple(sentence for section in sections().values() for sentence in section.sentences)


def rows(section: str, *names: str) -> Sequence[str]:
    """Return the sentences with the types of a table's fields, and values that a row only lists."""
    found = []
    for one in sections()[section].fields:
        if not names or one.name in names:
            found += [text for text in _texts(section) if _is_type_of(one, text)]
    return list(dict.fromkeys(found))


def _texts(section: str) -> Sequence[str]:
    return [sentence.text for sentence in sections()[section].sentences]


def _is_type_of(one: Field, text: str) -> bool:
    label, _, rest = text.partition(" · ")
    listed = one.values and rest == plain(next(split(one.description)))
    return one.name in label.split(", ") and (rest.split(" · ")[0] == one.type or bool(listed))


def split(text: str) -> Iterator[str]:
    """Yield the sentences of a text, without splitting brackets."""
    begin = 0
    for end in _END.finditer(text):
        before = text[begin : end.start()]
        if all(before.count(a) == before.count(b) for a, b in ("()", "{}", "[]")):
            yield before
            begin = end.end()
    if text[begin:].strip():
        yield text[begin:]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split(" |")]


def _add(section: Section, texts: Sequence[str]) -> None:
    section.sentences.extend(Sentence(section.name, text) for text in texts)


def _add_row(section: Section, header: Sequence[str], cells: Sequence[str]) -> None:
    label = plain(cells[0])
    if header[0] == "State":
        _add(section, [plain(" · ".join(cells))])
    elif header[:2] == ["Field", "Type"]:
        _add_field(section, cells, label)
    else:
        label = " ".join(plain(cell) for cell in cells[:-1])
        _add(section, [f"{label} · {plain(one)}" for one in split(cells[-1])])


def _add_field(section: Section, cells: Sequence[str], label: str) -> None:
    description = cells[-1]
    listed = cells[1].startswith("string") and _ENUM.fullmatch(description)
    values = re.findall(r"`([^`]+)`", next(split(description))) if listed else []
    kind = " · ".join(plain(cell) for cell in cells[1:-1])
    for name in label.split(", "):
        section.fields.append(Field(name, plain(cells[1]), description, frozenset(values)))
    _add(section, [f"{label} · {kind}"])
    _add(section, [f"{label} · {plain(one)}" for one in split(description)])
