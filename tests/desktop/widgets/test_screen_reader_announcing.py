"""What is announced after a pause: each text once, unless something else has said it."""

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.desktop.widgets import screen_reader
from app.desktop.widgets.screen_reader import PausedAnnouncer


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    heard: list[str] = []
    monkeypatch.setattr(screen_reader, "announce", lambda _source, text: heard.append(text))
    return heard


def test_the_newest_text_is_said_once(qtbot: QtBot, said: list[str]) -> None:
    source = QWidget()
    qtbot.addWidget(source)
    announcer = PausedAnnouncer(source)
    for text in ("one", "two", "three"):
        announcer.tell(text)
    qtbot.waitUntil(lambda: bool(said))
    announcer.tell("three")
    qtbot.wait(1_000)
    assert said == ["three"]


def test_what_something_else_has_said_is_skipped_but_counts(qtbot: QtBot, said: list[str]) -> None:
    """A refusal names the problem at once; that it's fixed is said even if it was before."""
    source = QWidget()
    qtbot.addWidget(source)
    announcer = PausedAnnouncer(source)
    announcer.tell("All fixed.")
    qtbot.waitUntil(lambda: said == ["All fixed."])
    announcer.tell("Choose a board.")
    announcer.skip()
    announcer.tell("All fixed.")
    qtbot.waitUntil(lambda: len(said) > 1)
    assert said == ["All fixed."] * 2
