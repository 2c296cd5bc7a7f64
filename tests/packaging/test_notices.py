"""The notices name everything that is shipped, and every text they point at is there."""

import pytest
from notices import ASSETS, OUTPUT, ROOT, locked


def test_every_locked_library_is_listed_in_its_version() -> None:
    text = OUTPUT.read_text("utf-8")
    assert [name for name, versions in locked().items() if f"| {name} | {versions} | " not in text] == []


@pytest.mark.parametrize(("work", "licence", "path"), ASSETS)
def test_what_the_repository_carries_has_its_licence(work: str, licence: str, path: str) -> None:
    assert (ROOT / path).stat().st_size > 0
    assert f"| {work} | {licence} | `{path}` |" in OUTPUT.read_text("utf-8")


def test_the_licences_of_qt_are_shipped() -> None:
    for name, title in {
        "LGPL-3.0": "GNU LESSER GENERAL PUBLIC LICENSE",
        "GPL-3.0": "GNU GENERAL PUBLIC LICENSE",
    }.items():
        assert title in (ROOT / "packaging" / "licences" / f"{name}.txt").read_text("utf-8")
