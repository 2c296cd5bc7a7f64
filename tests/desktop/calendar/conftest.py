"""A pane on a screen, over a workspace in memory. The tests take place in June 2031."""

from collections.abc import Callable, Iterable

import pytest
from pytestqt.qtbot import QtBot

from app.desktop.calendar import CalendarPane
from app.desktop.calendar.days import Span
from app.workspace.accounts.account import Account
from app.workspace.posts.planned import PlannedPost
from tests.desktop.calendar.hands import ZONE, Hands
from tests.desktop.calendar.memory import MemoryWorkspace, account, instant

MakeHands = Callable[..., Hands]


@pytest.fixture
def take(qtbot: QtBot) -> MakeHands:
    """Makes a pane with posts and puts it on the screen; it is noon of 10 June 2031."""

    def make(
        *posts: PlannedPost,
        span: Span = Span.MONTH,
        day: str = "2031-06-11",
        accounts: Iterable[Account] = (account("studio"),),
        size: tuple[int, int] = (1232, 872),
    ) -> Hands:
        workspace = MemoryWorkspace(posts, accounts, clock=lambda: instant("2031-06-10T11:00"))
        pane = CalendarPane(workspace, ZONE)
        pane.results.around = tuple  # no loop runs here that could read any
        qtbot.addWidget(pane)
        pane.resize(*size)
        pane.show()
        hands = Hands(pane, workspace)
        hands.show(span, day)
        return hands

    return make
