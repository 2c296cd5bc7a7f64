"""Tables as CSV files that every spreadsheet program opens, and in which nothing runs."""

import asyncio
import csv
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from app.workspace.exchange.cells import guarded
from app.workspace.messages import Problem


async def write_table(path: Path, content: Callable[[], bytes]) -> None:
    """Makes a file and writes it, in a thread. Raises Problem."""
    try:
        await asyncio.to_thread(lambda: path.write_bytes(content()))
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise Problem(f"“{path.name}” could not be written: {why}.") from error


def csv_file(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """A file in UTF-8, marked as Excel wants it; cells that look like formulas are guarded."""
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow([guarded(name) for name in header])
    for row in rows:
        writer.writerow([guarded(cell) for cell in row])
    return written.getvalue().encode("utf-8-sig", "replace")
