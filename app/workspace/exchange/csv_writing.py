"""Tables as CSV files that every spreadsheet program opens, and in which nothing runs. Pure."""

import csv
import io
from collections.abc import Iterable, Sequence

from app.workspace.exchange.cells import guarded


def csv_file(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """A file in UTF-8, marked as Excel wants it; cells that look like formulas are guarded."""
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow([guarded(name) for name in header])
    for row in rows:
        writer.writerow([guarded(cell) for cell in row])
    return written.getvalue().encode("utf-8-sig", "replace")
