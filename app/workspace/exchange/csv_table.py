"""CSV files: read as tolerantly as possible, and written so that every spreadsheet can open them."""

import asyncio
import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from app.disk import write_whole
from app.language import figure, tr
from app.workspace import foreign_texts
from app.workspace.messages import Problem

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""UTF-32 comes before UTF-16, because its mark starts with that of UTF-16."""
_USUAL: Final = "cp1252"
_SAVED_BY_SPREADSHEETS: Final = [
    *(_USUAL, "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258"),
    *("cp932", "gb18030", "big5", "cp949", "mac_roman"),
]
_SAMPLE: Final = 64 * 1024
_AS_GOOD: Final = 0.05
"""Guesses whose chaos differs by less are equally good; the usual encoding is preferred then."""
ROWS_MAX: Final = 10_000
BYTES_MAX: Final = 32 * 1024 * 1024
_SEPARATORS: Final = (",", ";", "\t", "|")
_SAMPLE_LINES: Final = 60
_REPAIRS_MAX: Final = 50
"""Maximum number of unclosed quotation marks to repair; in a file with more, they aren't quotation marks."""


def encoding_of(content: bytes) -> str:
    """Return the most likely encoding, by its Python name."""
    for mark, name in _MARKS:
        if content.startswith(mark):
            return name
    if (wide := _unmarked_utf16(content)) is not None:
        return wide
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return _guessed(content)
    return "utf-8"


def decoded(content: bytes, encoding: str) -> str:
    """Return the text; undecodable bytes become U+FFFD."""
    return content.decode(encoding, "replace").removeprefix("\ufeff")


def _unmarked_utf16(content: bytes) -> str | None:
    """Detect UTF-16 without a byte order mark, by its zero bytes: other encodings of text have few."""
    head = content[:4096]
    if len(head) < 4:
        return None
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) * 5 < len(head) or min(even, odd) * 5 > max(even, odd):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _guessed(content: bytes) -> str:
    """Guess the encoding from the lines that aren't ASCII, because the others are the same in all of them."""
    from charset_normalizer import from_bytes  # slow to import, and few files need it

    telling = b"\n".join(line for line in content[:_SAMPLE].splitlines() if not line.isascii())
    found = from_bytes(telling or content[:_SAMPLE], cp_isolation=_SAVED_BY_SPREADSHEETS)
    best = found.best()
    if best is None:
        return _USUAL
    usual = next((one for one in found if one.encoding == _USUAL), None)
    if usual is not None and usual.chaos - best.chaos < _AS_GOOD and usual.coherence >= best.coherence:
        return _USUAL
    return best.encoding


@dataclass(frozen=True, slots=True)
class Record:
    """A row of the file.

    Attributes:
        line: Its first line, counted from 1 as in editors.
        cells: As many as the table has columns.
        surplus: Cells beyond the last column.
    """

    line: int
    cells: tuple[str, ...]
    surplus: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """The contents of a file, and notes about problems in it, as messages."""

    header: tuple[str, ...]
    records: tuple[Record, ...]
    encoding: str
    separator: str
    has_header: bool
    notes: tuple[str, ...] = ()

    def corrected(self, record: Record, index: int, text: str) -> "Table":
        """Return the table with one cell changed."""
        cells = (*record.cells[:index], text, *record.cells[index + 1 :])
        changed = replace(record, cells=cells)
        return replace(self, records=tuple(changed if one is record else one for one in self.records))

    def column(self, index: int) -> list[str]:
        """Return the cells of a column."""
        return [record.cells[index] for record in self.records]


@dataclass(slots=True)
class _Rows:
    """The rows found so far, each with its line, and the lines with broken quotation marks."""

    found: list[tuple[int, list[str]]] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)


def read_table(content: bytes, *, encoding: str = "", has_header: bool = True) -> Table:
    """Read a file; never fails. ``encoding`` is detected if it's empty.

    Without a header, columns are named by their number.
    """
    encoding = encoding or encoding_of(content)
    lines = list(io.StringIO(decoded(content, encoding), newline=""))
    separator, first = _separator(lines)
    rows = _read(lines, first, separator)
    header = _header(rows.found, has_header=has_header)
    body = rows.found[1:] if has_header else rows.found
    records = tuple(_record(line, cells, len(header)) for line, cells in body[:ROWS_MAX])
    left_out_from = body[ROWS_MAX][0] if len(body) > ROWS_MAX else 0
    lossy = any("\ufffd" in line for line in lines)
    notes = tuple(_notes(left_out_from, rows.broken, lossy=lossy))
    return Table(header, records, encoding, separator, has_header, notes)


def numbered(index: int) -> str:
    """Return the name of an unnamed column. Always English: remembered interpretations are stored by it."""
    return f"Column {index + 1}"


def _notes(left_out_from: int, broken: Sequence[int], *, lossy: bool) -> Iterator[str]:
    if left_out_from:
        yield tr(
            "The file has more than {most} rows. Rows from line {line} on are skipped; "
            "move them to a second file.",
            most=figure(f"{ROWS_MAX:,}"),
            line=figure(f"{left_out_from:,}"),
        )
    if broken:
        at = ", ".join(str(line) for line in broken[:5]) + (" …" if len(broken) > 5 else "")
        yield tr("Missing closing quotation mark. Check line {lines}.", lines=at)
    if lossy:
        yield tr("Some characters couldn't be read. If they matter, save the file as UTF-8.")


def _header(found: Sequence[tuple[int, list[str]]], *, has_header: bool) -> tuple[str, ...]:
    if not has_header:
        usual = Counter(len(cells) for _, cells in found[:_SAMPLE_LINES]).most_common(1)
        return tuple(map(numbered, range(usual[0][0] if usual else 0)))
    named = [" ".join(cell.split()) for cell in found[0][1]] if found else []
    while named and not named[-1]:
        named.pop()
    return tuple(name or numbered(index) for index, name in enumerate(named))


def _record(line: int, cells: list[str], width: int) -> Record:
    tidy = [unguarded(cell) for cell in cells[:width]]
    tidy += [""] * (width - len(tidy))
    return Record(line, tuple(tidy), tuple(cell for cell in cells[width:] if cell.strip()))


def _separator(lines: Sequence[str]) -> tuple[str, int]:
    """Return the separator, and the index of the table's first line."""
    told = lines[0].strip().strip('"').lower() if lines else ""
    if told.startswith("sep=") and len(told) <= len("sep=") + 1:
        return told[len("sep=") :] or "\t", 1
    return max(_SEPARATORS, key=lambda separator: _order_in(lines, separator)), 0


def _order_in(lines: Sequence[str], separator: str) -> tuple[float, int]:
    """Rate how well a separator fits the first rows: the share that has as many cells as the first one."""
    rows = _read(lines[:_SAMPLE_LINES], 0, separator).found
    if not rows or len(rows[0][1]) < 2:
        return 0.0, 0
    width = len(rows[0][1])
    return sum(len(cells) == width for _, cells in rows) / len(rows), width


def _read(lines: Sequence[str], start: int, separator: str) -> _Rows:
    """Return all rows that aren't empty. A row with an unclosed quotation mark ends with its line."""
    rows = _Rows()
    while start < len(lines) and len(rows.found) <= ROWS_MAX + 1:
        start = _read_from(lines, start, separator, rows)
    return rows


def _read_from(lines: Sequence[str], start: int, separator: str, rows: _Rows) -> int:
    """Read until the end, or until a broken row; return the index of the line to continue with."""
    if len(rows.broken) > _REPAIRS_MAX:
        _add(rows, start, lines[start].rstrip("\r\n").split(separator))
        return start + 1
    reader = csv.reader(lines[start:], delimiter=separator, skipinitialspace=separator != "\t")
    begins = start
    try:
        for cells in reader:
            ends = start + reader.line_num
            if ends == len(lines) and ends - begins > 1 and _is_open(lines[begins:], separator):
                break
            _add(rows, begins, cells)
            begins = ends
            if len(rows.found) > ROWS_MAX + 1:
                return ends
        else:
            return len(lines)
    except csv.Error:  # an implausibly long cell: its quotation mark isn't one
        pass
    rows.broken.append(begins + 1)
    _add(rows, begins, lines[begins].rstrip("\r\n").split(separator))
    return begins + 1


def _add(rows: _Rows, index: int, cells: list[str]) -> None:
    if any(cell.strip() for cell in cells):
        rows.found.append((index + 1, cells))


def _is_open(lines: Sequence[str], separator: str) -> bool:
    """Whether a row ends inside quotation marks."""
    closed = list(csv.reader([*lines, '"'], delimiter=separator, skipinitialspace=separator != "\t"))
    return len(closed) == 1


_FORMULA: Final = r"""[ "']*[=+\-@\uff1d\uff0b\uff0d\uff20]"""
"""Text that programs read as a formula, also in full width, after a space, in quotes, or already guarded."""
_FIRST: Final = rf"""(?={_FORMULA}|[ "']*[\t\r\n])"""
"""Text guarded at the start of a cell."""
_WITHIN: Final = rf"(?={_FORMULA})"
"""Text guarded after a semicolon, a tab or a line end within a cell.

In countries with a decimal comma, Excel expects semicolons as separators even in a file with commas, and
starts a cell there. Quotation marks in the middle of a cell don't prevent that.
"""
_UNGUARDED: Final = re.compile(rf"\A{_FIRST}|[;\t\r\n]{_WITHIN}")
_GUARDED: Final = re.compile(rf"\A'{_FIRST}|(?<=[;\t\r\n])'{_WITHIN}")


def guarded(cell: str) -> str:
    """Prefix an apostrophe wherever a program might read a formula; ``unguarded`` reverts it."""
    return _UNGUARDED.sub(r"\g<0>'", cell)


def unguarded(cell: str) -> str:
    """Revert ``guarded``."""
    return _GUARDED.sub("", cell)


async def write_table(path: Path, content: Callable[[], bytes]) -> None:
    """Build the contents and write the file, in a thread. Raises Problem; an earlier file then stays."""
    try:
        await asyncio.to_thread(lambda: write_whole(path, content()))
    except OSError as error:
        text = tr("Couldn't write “{name}”: {why}.", name=path.name, why=foreign_texts.why(error))
        raise Problem(text) from error


def csv_file(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Return a CSV file in UTF-8 with the byte order mark that Excel needs; formulas are guarded."""
    written = io.StringIO(newline="")
    plain = csv.writer(written, lineterminator="\r\n")
    # Most programs, and our own reader, ignore a space after a separator.
    quoted = csv.writer(written, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    for row in (header, *rows):
        cells = [guarded(cell) for cell in row]
        begins_with_space = any(cell.startswith(" ") for cell in cells)
        (quoted if begins_with_space else plain).writerow(cells)
    return written.getvalue().encode("utf-8-sig", "replace")
