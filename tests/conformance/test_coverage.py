"""The suite has no gaps: every sentence of the specification has a rule, or a reason why not."""

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest

from tests.conformance.document import DOCUMENT, plain, sections, sentences, split
from tests.conformance.outcome import BrokenError
from tests.conformance.register import find, rules
from tests.conformance.shapes import check_shape
from tests.conformance.table import gaps, proofs, table
from tests.conformance.unobservable import reasons

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "conformance.md"


def test_every_sentence_has_a_rule_or_a_reason() -> None:
    assert [f"{one.section}: {one.text}" for one in gaps()] == []


def test_no_sentence_has_both() -> None:
    assert [one.text for one in reasons() if one in proofs() and "not shown" not in one.text] == []


def test_the_page_is_what_the_suite_says() -> None:
    assert PAGE.read_text("utf-8") == table(), "write it again: python -m tests.conformance --table"


def test_nothing_of_the_document_is_lost() -> None:
    """Every word is in a sentence, except for headings and table headers."""
    kept = set(_words(" ".join(one.text for one in sentences())))
    lines = DOCUMENT.read_text("utf-8").splitlines()
    heads = {line for line, after in pairwise(lines) if after.startswith("|---")}
    body = [line for line in lines if not line.startswith("#") and line not in heads]
    assert {word for line in body for word in _words(re.sub(r"^\d+\.", "", line))} <= kept


def _words(text: str) -> list[str]:
    return re.findall(r"[\w/{}-]*\w[\w/{}-]*", plain(text))


def test_rules_have_names_of_their_own() -> None:
    ids = [rule.id for rule in rules()]
    assert len(ids) == len(set(ids))
    assert len({rule.name for rule in rules()}) == len(ids)


def test_the_suite_knows_nothing_of_the_program() -> None:
    for file in HERE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.split(".")[0] == "app"], file.name


def test_a_quote_must_fit_one_sentence() -> None:
    assert find("Usage", "Active plan name").text == "plan · Active plan name."
    for quote in ("string", "no such words"):
        with pytest.raises(LookupError):
            find("Usage", quote)


def test_sentences_end_where_they_end() -> None:
    assert list(split("One; two (a; b). `c.d` e. Three.")) == ["One;", "two (a; b).", "`c.d` e.", "Three."]


def test_values_are_read_out_of_the_tables() -> None:
    values = {field.name: field.values for field in sections()["Post (PostDTO)"].fields}
    assert values["post_type"] == {"text", "image", "video"}
    assert values["title"] == frozenset()
    assert sections()["Content history record"].fields[-2].values == {"rest", "mcp", "x402", "web"}


GOOD = {"storage_path": "a/b", "deleted": True}


@pytest.mark.parametrize(
    "wrong",
    [{}, {**GOOD, "deleted": None}, {**GOOD, "deleted": "yes"}, {**GOOD, "storage_path": 7}, [], None],
)
def test_a_wrong_shape_is_seen(wrong: object) -> None:
    check_shape("Media delete result", GOOD)
    with pytest.raises(BrokenError):
        check_shape("Media delete result", wrong)
