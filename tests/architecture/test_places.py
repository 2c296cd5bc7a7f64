"""The page that says where a person meets each endpoint and field names all of them, and nothing else."""

import json
from typing import Any

import pytest

from tests.architecture.sources import ROOT
from tests.places import Row, rows

_API: dict[str, Any] = json.loads((ROOT / "docs/api.json").read_text("utf-8"))


def _endpoints() -> set[tuple[str, str]]:
    """Each endpoint, and each with each of its parameters."""
    found = set()
    for path, item in _API["paths"].items():
        for method, described in item.items():
            names = ["", *(parameter["name"] for parameter in described.get("parameters", []))]
            found |= {(f"{method.upper()} {path}", name) for name in names}
    return found


def _fields() -> set[tuple[str, str]]:
    schemas = _API["components"]["schemas"].items()
    return {(name, field) for name, schema in schemas for field in schema.get("properties", {})}


@pytest.mark.parametrize(("title", "wanted"), [("Endpoints", _endpoints()), ("Fields", _fields())])
def test_everything_has_one_row(title: str, wanted: set[tuple[str, str]]) -> None:
    found = [(row.thing, row.part) for row in rows(title)]

    assert sorted(found) == sorted(wanted)


@pytest.mark.parametrize(
    "row", [*rows("Endpoints"), *rows("Fields")], ids=lambda row: f"{row.thing} {row.part}"
)
def test_a_row_names_a_place_or_a_reason(row: Row) -> None:
    if row.place is None:
        assert len(row.told.removeprefix("—").strip()) > len("missing") - 1
    else:
        assert len(row.place) == 2, row.told
