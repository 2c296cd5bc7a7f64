"""Reads the page that says where a person meets each endpoint and field."""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.architecture.sources import ROOT


@dataclass(frozen=True, slots=True)
class Row:
    """One row: of an endpoint and its parameter, or of an object and its field."""

    thing: str
    part: str
    told: str

    @property
    def place(self) -> tuple[str, ...] | None:
        """Pane and part; None where a reason stands instead."""
        return None if self.told.startswith("—") else tuple(self.told.split(" \u203a "))


def rows(title: str) -> list[Row]:
    """The rows of the table under a heading."""
    return list(_rows(title))


def _rows(title: str) -> Iterator[Row]:
    _, _, after = (ROOT / "docs/places.md").read_text("utf-8").partition(f"\n## {title}\n")
    for line in after.partition("\n## ")[0].splitlines():
        if line.startswith("| `"):
            thing, part, told = (cell.strip() for cell in line.strip("|").split("|"))
            yield Row(thing.strip("`"), part.strip("`"), told)
