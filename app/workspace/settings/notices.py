"""The third-party notices: works that Kalends uses, and the texts of their licences."""

import re
from dataclasses import dataclass
from typing import Final

_TEXTS: Final = "## Licence texts"
_CELLS: Final = re.compile(r"(?<!\\)\|")
_SECTION: Final = re.compile(r"^### ([^\n]+)\n\n~~~text\n(.*?)\n~~~$", re.MULTILINE | re.DOTALL)
_MARKUP: Final = re.compile(r"[`<>]")
_BETWEEN: Final = re.compile(r"\s+(?:AND|OR|WITH)\s+")
_LATER: Final = re.compile(r"-(?:or-later|only)$")
_NOT_TOLD: Final = "not told"


@dataclass(frozen=True, slots=True)
class Work:
    """A work of others.

    Attributes:
        name: Its name.
        version: Its version; "" if unknown.
        licence: Name of its licence, usually an SPDX expression.
        facts: What else the notices say, by column, such as its source.
        texts: Texts of the licence and of its authors' notices.
    """

    name: str
    version: str
    licence: str
    facts: tuple[tuple[str, str], ...] = ()
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Notices:
    """The paragraphs before the tables, and the works, sorted by name."""

    introduction: tuple[str, ...]
    works: tuple[Work, ...]


def read_notices(page: str) -> Notices:
    """Read the page that `packaging/notices.py` makes; lines that aren't as expected are left out."""
    head, _, rest = page.partition("\n## ")
    tables, _, texts = rest.partition(_TEXTS)
    found: dict[str, list[str]] = {}
    for names, text in _SECTION.findall(texts):
        for name in {names, *names.split(", ")}:
            found.setdefault(name.casefold(), []).append(text)
    works: dict[tuple[str, str], Work] = {}
    columns: list[str] = []
    for line in tables.splitlines():
        cells = [_plain(cell) for cell in _CELLS.split(line)[1:-1]]
        if not cells:
            columns = []
        elif not columns:
            columns = cells
        elif not set(cells[0]) <= {"-"}:
            work = _work(dict(zip(columns, cells, strict=False)), cells[0], found)
            works.setdefault((work.name.casefold(), work.version), work)
    paragraphs = [" ".join(one.split()) for one in head.split("\n\n")[1:]]
    return Notices(
        tuple(_plain(one) for one in paragraphs if one), tuple(works[key] for key in sorted(works))
    )


def _work(row: dict[str, str], name: str, texts: dict[str, list[str]]) -> Work:
    version = row.get("Version", "")
    facts = [
        (column, value)
        for column, value in list(row.items())[1:]
        if column not in {"Version", "Licence"} and value
    ]
    return Work(
        name,
        "" if version == _NOT_TOLD else version,
        row.get("Licence", ""),
        tuple(facts),
        tuple(texts.get(name.casefold()) or _of_licence(row.get("Licence", ""), texts)),
    )


def _of_licence(expression: str, texts: dict[str, list[str]]) -> list[str]:
    """Return the texts of licences that the page has under their own names."""
    names = (_LATER.sub("", name) for name in _BETWEEN.split(expression))
    return [text for name in names for text in texts.get(name.casefold(), ())]


def _plain(cell: str) -> str:
    return _MARKUP.sub("", cell).replace("\\|", "|").strip()
