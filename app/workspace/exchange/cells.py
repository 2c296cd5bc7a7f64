"""Escapes cells that look like formulas, because spreadsheet programs would run them."""

import re
from typing import Final

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
