"""The examples that check a delivery are run: what they accept is genuine, and nothing else is."""

import hashlib
import hmac
from collections.abc import Callable
from pathlib import Path

import pytest

from app.workspace.webhooks.webhooks import SNIPPETS
from tests.snippets import LANGUAGES, Check

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
RAW = '{"event_type":"post.published","data":{"text":"Café 🧵 \\"quoted\\""}}'.encode()
GOOD = "sha256=" + hmac.new(SECRET.encode(), RAW, hashlib.sha256).hexdigest()


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_what_is_genuine_is_accepted(language: Callable[[Path], Check], tmp_path: Path) -> None:
    check = language(tmp_path)
    assert check(RAW, GOOD, SECRET)
    assert not check(RAW + b" ", GOOD, SECRET)
    assert not check(RAW, GOOD[:-1] + ("0" if GOOD[-1] != "0" else "1"), SECRET)
    assert not check(RAW, GOOD, SECRET + "x")
    assert not check(RAW, "", SECRET)


def test_there_is_an_example_in_each_of_the_four_languages() -> None:
    assert [name for name, _code in SNIPPETS.values()] == ["Python", "Node", "PHP", "Go"]
