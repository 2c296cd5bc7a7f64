"""Paths, modules and links in the pages for developers exist."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

_PAGES = (*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md")
_PATH = re.compile(r"`((?:app|docs|packaging|resources|tests)/[\w./-]*\w/?)`")
_PLACEHOLDER = re.compile(r"\b(?:CODE|ICON|KEY|NAME|NNNN_WHAT_IT_DOES|SECTION|TABLE)\b")
"""A part of a path that differs from one addition to the next; some file has such a path."""
_MODULE = re.compile(r"python -m ((?:app|tests)(?:\.\w+)*)")
_LINK = re.compile(r"\]\((?!https?:|#)([^)\s]+)\)")


def _missing(page: Path) -> Iterator[str]:
    text = page.read_text("utf-8")
    for path in _PATH.findall(text):
        if not any(ROOT.glob(_PLACEHOLDER.sub("*", path))):
            yield path
    for module in _MODULE.findall(text):
        place = ROOT / module.replace(".", "/")
        if not (place.is_dir() or place.with_suffix(".py").is_file()):
            yield module
    for link in _LINK.findall(text):
        target, _, anchor = link.partition("#")
        file = page.parent / target
        if not file.exists() or (anchor and anchor not in _anchors(file)):
            yield link


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    "path",
    ["app/desktop/NAME/pain.py", "app/desktop/NAMES/pane.py", "app/desktops/NAME/pane.py", "app/desks"],
)
def test_a_path_that_leads_nowhere_is_seen(tmp_path: Path, path: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"`app/desktop/NAME/pane.py` and `{path}`", "utf-8")

    assert list(_missing(page)) == [path]


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.name)
def test_a_page_names_only_what_exists(page: Path) -> None:
    assert list(_missing(page)) == []
