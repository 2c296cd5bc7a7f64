"""What is wrong with a row, and where."""

from dataclasses import dataclass

from app.workspace.exchange.csv_columns import Column


@dataclass(frozen=True, slots=True)
class Issue:
    """A sentence in the column where something can be put right; None for the row as a whole.

    One that is no hindrance (``blocks`` is False) is a remark. ``fix`` is what the cell probably should say;
    "" where nobody knows.
    """

    column: Column | None
    text: str
    blocks: bool = True
    fix: str = ""
