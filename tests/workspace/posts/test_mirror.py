"""Which answers are older than a confirmed change."""

import pytest

from app.workspace.posts import mirror as module
from app.workspace.posts.mirror import Mirror


def test_only_the_last_changes_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that never stops naming new posts must not fill the memory."""
    monkeypatch.setattr(module, "_TOUCHED_MAX", 10)
    mirror = Mirror()
    mirror.touch("first")
    asked = mirror.generation
    for number in range(50):
        mirror.touch(f"post {number}")
        mirror.touch("first")
    assert len(mirror._touched) == 10
    assert mirror.is_older("first", asked)
    assert mirror.is_older("post 49", asked)
    assert not mirror.is_older("post 49", mirror.generation)
