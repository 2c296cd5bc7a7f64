"""Writes tables as CSV files that every spreadsheet program opens, and in which nothing runs."""

import asyncio
import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from app.language import tr
from app.workspace import foreign_texts
from app.workspace.messages import Problem

_FORMULA: Final = r"""[ "']*[=+\-@\uff1d\uff0b\uff0d\uff20]"""
"""What programs take for a formula, also in full width, behind a space, in quotes, or guarded already."""
_FIRST: Final = rf"""(?={_FORMULA}|[ "']*[\t\r\n])"""
"""What is guarded at the beginning of a cell."""
_WITHIN: Final = rf"(?={_FORMULA})"
"""What is guarded behind a semicolon, a tab or a line end within a cell.

Excel reads a file with commas as if it had semicolons wherever people write 1,5, and then begins another cell
there. Quotation marks don't keep it from that in the middle of what it takes for a cell.
"""
_UNGUARDED: Final = re.compile(rf"\A{_FIRST}|[;\t\r\n]{_WITHIN}")
_GUARDED: Final = re.compile(rf"\A'{_FIRST}|(?<=[;\t\r\n])'{_WITHIN}")


def guarded(cell: str) -> str:
    """The cell with an apostrophe wherever a program might run it; ``unguarded`` gives it back."""
    return _UNGUARDED.sub(r"\g<0>'", cell)


def unguarded(cell: str) -> str:
    """The cell as it was before ``guarded``."""
    return _GUARDED.sub("", cell)


async def write_table(path: Path, content: Callable[[], bytes]) -> None:
    """Makes a file and writes it, in a thread. Raises Problem."""
    try:
        await asyncio.to_thread(lambda: path.write_bytes(content()))
    except OSError as error:
        text = tr("Couldn't write “{name}”: {why}.", name=path.name, why=foreign_texts.why(error))
        raise Problem(text) from error


def csv_file(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """A file in UTF-8, marked as Excel wants it; cells that look like formulas are guarded."""
    written = io.StringIO(newline="")
    plain = csv.writer(written, lineterminator="\r\n")
    # Most programs, and our own reader, take a space behind a separator for decoration.
    quoted = csv.writer(written, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    for row in (header, *rows):
        cells = [guarded(cell) for cell in row]
        begins_with_space = any(cell.startswith(" ") for cell in cells)
        (quoted if begins_with_space else plain).writerow(cells)
    return written.getvalue().encode("utf-8-sig", "replace")
