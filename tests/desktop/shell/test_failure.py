"""The screen for a calendar that can't be opened."""

from pytestqt.qtbot import QtBot

from app.desktop.shell.failure import FailureScreen


def test_technical_words_are_shown_only_on_request(qtbot: QtBot) -> None:
    screen = FailureScreen("The folder can't be written to.", "[Errno 30] Read-only file system")
    qtbot.addWidget(screen)
    screen.show()
    assert screen.more.isVisible()
    assert not screen.details.isVisible()
    screen.more.click()
    assert screen.details.isVisible()
    assert screen.details.text() == "[Errno 30] Read-only file system"


def test_without_technical_words_none_are_offered(qtbot: QtBot) -> None:
    screen = FailureScreen("The folder can't be written to.", "")
    qtbot.addWidget(screen)
    screen.show()
    assert not screen.more.isVisible()
