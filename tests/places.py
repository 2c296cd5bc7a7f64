"""Reads ``docs/places.md``, which lists where the app uses each endpoint and field."""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.architecture.sources import ROOT


@dataclass(frozen=True, slots=True)
class Row:
    """A row for an endpoint and parameter, or for an object and field."""

    thing: str
    part: str
    told: str

    @property
    def place(self) -> tuple[str, ...] | None:
        """Pane and part; None if the row has a reason instead."""
        return None if self.told.startswith("—") else tuple(self.told.split(" \u203a "))


def rows(title: str) -> list[Row]:
    """Return the rows of the table below a heading."""
    return list(_rows(title))


def _rows(title: str) -> Iterator[Row]:
    _, _, after = (ROOT / "docs/places.md").read_text("utf-8").partition(f"\n## {title}\n")
    for line in after.partition("\n## ")[0].splitlines():
        if line.startswith("| `"):
            thing, part, told = (cell.strip() for cell in line.strip("|").split("|"))
            yield Row(thing.strip("`"), part.strip("`"), told)
