"""One motion: its moments, its end, and what ends it."""

import gc

import pytest
from PySide6.QtCore import QEasingCurve, QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.desktop import motion
from app.desktop.commands import Command, CommandSet
from app.desktop.motion import switch, tokens
from app.desktop.motion.tokens import Timing
from app.desktop.widgets import Button

SHORT = Timing(60, QEasingCurve.Type.Linear)
LONG = Timing(60_000)


class Played:
    """The moments and ends of a motion that a test has played."""

    def __init__(self) -> None:
        self.moments: list[float] = []
        self.ends = 0

    def end(self) -> None:
        self.ends += 1

    def play(self, owner: QObject, timing: Timing = LONG, *, unasked: bool = False) -> motion.Run | None:
        return motion.play(owner, timing, self.moments.append, self.end, unasked=unasked)


@pytest.fixture
def played() -> Played:
    return Played()


@pytest.mark.parametrize("mode", ["off", "system"])
def test_without_motion_only_the_end_shows(qapp: QObject, played: Played, mode: motion.Mode) -> None:
    motion.choose(mode)
    assert played.play(qapp) is None
    assert (played.moments, played.ends) == ([], 1)
    assert not motion.is_moving()


@pytest.mark.parametrize(
    ("mode", "system", "moves"),
    [("system", False, False), ("system", True, True), ("on", False, True), ("off", True, False)],
)
def test_the_users_choice_takes_precedence_over_the_systems(
    mode: motion.Mode, system: bool, moves: bool
) -> None:
    motion.choose(mode)
    switch.set_system(allows=system)
    assert motion.is_on() is moves


@pytest.mark.usefixtures("moving")
def test_a_motion_starts_with_its_start_and_ends_once(qtbot: QtBot, qapp: QObject, played: Played) -> None:
    played.play(qapp, SHORT)
    assert played.moments[0] == 0
    qtbot.waitUntil(lambda: played.ends > 0)
    qtbot.wait(50)
    assert played.ends == 1
    assert played.moments == sorted(played.moments)
    assert played.moments[-1] == 1
    assert not motion.is_moving()


@pytest.mark.usefixtures("moving")
def test_the_next_action_ends_every_motion_and_still_arrives(qtbot: QtBot, played: Played) -> None:
    editor, other = QLineEdit(), QWidget()
    qtbot.addWidget(editor)
    qtbot.addWidget(other)
    editor.show()
    for owner in (editor, other):
        played.play(owner)
    QTest.keyClick(editor, Qt.Key.Key_K)
    assert played.ends == 2
    assert editor.text() == "k"

    clicked: list[bool] = []
    button = QPushButton("Go")
    qtbot.addWidget(button)
    button.clicked.connect(lambda: clicked.append(True))
    played.play(other)
    QTest.mouseMove(button)
    assert played.ends == 2
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert played.ends == 3
    assert clicked == [True]


@pytest.mark.usefixtures("moving")
def test_a_motion_ends_silently_with_its_owner(qtbot: QtBot, played: Played) -> None:
    owner = QWidget()
    run = played.play(owner)
    assert run is not None
    owner.deleteLater()
    qtbot.waitUntil(lambda: not motion.is_moving())
    moments = len(played.moments)
    del owner
    gc.collect()
    qtbot.wait(40)
    run.finish()
    motion.finish_all()
    assert (len(played.moments), played.ends) == (moments, 0)


@pytest.mark.usefixtures("moving")
def test_events_are_watched_only_while_something_moves(qtbot: QtBot, played: Played) -> None:
    """A filter that sees all events of the app would slow every one of them."""
    widget = QWidget()
    qtbot.addWidget(widget)
    run = played.play(widget)
    assert run is not None
    assert motion.is_moving()
    run.finish()
    run.finish()
    assert played.ends == 1
    assert not motion.is_moving()


@pytest.mark.usefixtures("moving")
def test_keys_show_the_end_immediately(qtbot: QtBot, played: Played) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    commands = CommandSet(window)
    commands.add(Command("Turn", "General", lambda: played.play(window), keys=("Ctrl+T",)))
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(window, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
    assert (played.moments, played.ends) == ([], 1)

    button = Button("Turn")
    qtbot.addWidget(button)
    button.clicked.connect(lambda: played.play(window))
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Space):
        QTest.keyClick(button, key)
    assert (played.moments, played.ends) == ([], 3)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert played.moments == [0]
    assert motion.is_moving()


@pytest.mark.usefixtures("moving")
def test_what_nobody_asked_for_moves_during_a_key_too(qapp: QObject, played: Played) -> None:
    with motion.still():
        played.play(qapp, unasked=True)
    assert played.moments == [0]


def test_answers_to_an_action_take_at_most_150_ms() -> None:
    timings = {name: value for name, value in vars(tokens).items() if isinstance(value, Timing)}
    longer = {name for name, timing in timings.items() if timing.ms > 150}
    assert longer == {"REFUSED", "PUBLISHED"}
