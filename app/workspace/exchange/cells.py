"""Cells that look like formulas: spreadsheet programs run them, so they are never written as they are."""

import re
from typing import Final

_FORMULA: Final = re.compile("'*[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20]")
"""Beginnings that spreadsheet programs take for a formula, also in full width, and those already guarded."""


def guarded(cell: str) -> str:
    """The cell with an apostrophe before it where a program might run it; ``unguarded`` gives it back."""
    return f"'{cell}" if _FORMULA.match(cell) else cell


def unguarded(cell: str) -> str:
    """The cell as it was before ``guarded``."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
