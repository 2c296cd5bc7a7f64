"""What a user reads says it in plain English: none of the patterns that read as translated."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from words import ROOT

from tests.language.test_catalogues import CATALOGUES, read

_PATTERNS = {
    "say again, recreated, rebuilt": r"\banew\b",
    "name who does it": r"\b(whoever|whichever|no one)\b",
    "say who gets or logs it": r"\b(is|are) told\b",
    "isn't a ..., there is no ...": r"(?<!there )\b(is|are) no (?!longer\b|more\b)\w+",
    "takes precedence over": r"\bgoes before\b",
    "also, in addition to": r"\bbeside(s)? (that|the)\b",
    "fixed": r"\b(mended|put right)\b",
    "publish, published": r"\b(go|goes|went) out\b|\bnot out yet\b",
    "immediately, in one request": r"\bat once\b",
    "by itself, automatically": r"\bof its own accord\b",
    "can't, isn't, doesn't: contractions": r"\b(cannot|(is|are|was|were|do|does|did|could|has|have) not)\b",
}
_PAGES = (ROOT / "README.md", *sorted((ROOT / "docs/guide").glob("*.md")))


def _sentences() -> Iterator[str]:
    for message in read(CATALOGUES[0]):  # which has every sentence of the code, as another test checks
        yield from message.id if isinstance(message.id, (tuple, list)) else (message.id,)


@pytest.mark.parametrize("instead", _PATTERNS)
def test_sentences_of_the_window_read_as_english(instead: str) -> None:
    pattern = re.compile(_PATTERNS[instead], re.IGNORECASE)
    assert [sentence for sentence in _sentences() if pattern.search(sentence)] == []


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.name)
def test_the_guide_reads_as_english(page: Path) -> None:
    text = page.read_text("utf-8")
    found = {instead: re.findall(pattern, text, re.IGNORECASE) for instead, pattern in _PATTERNS.items()}
    assert {instead: hits for instead, hits in found.items() if hits} == {}
