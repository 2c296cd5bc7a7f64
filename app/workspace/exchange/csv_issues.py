"""What is wrong with a row, and where."""

from dataclasses import dataclass

from app.workspace.exchange.csv_columns import Column


@dataclass(frozen=True, slots=True)
class Issue:
    """A sentence in the column where something can be fixed; None for the whole row.

    If ``blocks`` is False, it's only a remark. ``fix`` is what the cell should probably say; "" if unknown.
    """

    column: Column | None
    text: str
    blocks: bool = True
    fix: str = ""
