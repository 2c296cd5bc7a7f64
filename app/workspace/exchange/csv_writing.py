"""Tables as CSV files that every spreadsheet program opens, and in which nothing runs."""

import asyncio
import csv
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from app.language import tr
from app.workspace import system_words
from app.workspace.exchange.cells import guarded
from app.workspace.messages import Problem


async def write_table(path: Path, content: Callable[[], bytes]) -> None:
    """Makes a file and writes it, in a thread. Raises Problem."""
    try:
        await asyncio.to_thread(lambda: path.write_bytes(content()))
    except OSError as error:
        text = tr("Couldn't write “{name}”: {why}.", name=path.name, why=system_words.why(error))
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
