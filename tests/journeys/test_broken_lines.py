"""Moves over a line that breaks in the middle: in the end service, mirror and screen agree, and a person
was told the truth."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget

from app.contract.enums import PostingPlatform, PostType
from app.desktop.calendar.days import Span
from app.desktop.changes import ConflictPanel
from app.workspace.posts.new import NewPost
from tests.journeys.agreement import DAYS, Other, agree, spoken
from tests.journeys.conftest import Play
from tests.journeys.stage import Actor, Stage
from tests.journeys.test_plan_and_publish import a_week_from_now
from tests.journeys.wiretap import Break, How, Wiretap
from tests.workspace.programs import RealService

TEXTS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


@pytest.fixture(scope="module")
def lasting(programs: RealService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One account and one app folder for all tests here."""
    folder, service = tmp_path_factory.mktemp("lines"), programs.with_new_account()
    stage = Stage(folder, service, Wiretap(service.base_url, Path(service.ca_file), folder))
    yield stage
    stage.wire.close()


@pytest.fixture
def stage(lasting: Stage) -> Iterator[Stage]:
    """The stage with a working connection, no recorded requests and no posts."""
    lasting.wire.mend()
    lasting.wire.breaks.clear()
    lasting.wire.requests.clear()
    yield lasting
    asyncio.run(_clear(lasting))


async def _clear(stage: Stage) -> None:
    other = Other(stage.service.client())
    await other.delete(*await other.state())
    await other.close()


class Week:
    """Five posts, one per working day of a week, the month that contains them, and another client."""

    def __init__(self, stage: Stage, actor: Actor, other: Other) -> None:
        self.stage = stage
        self.actor = actor
        self.other = other
        self.monday = DAYS.place(a_week_from_now(9, 0)).day - 2
        self._said_before: list[str] = []

    async def plan(self) -> None:
        actor = self.actor
        accounts = list(actor.workspace.accounts) or [await actor.connect("linkedin")]
        await actor.until(lambda: not len(actor.workspace.posts))  # it knows what was deleted
        await actor.workspace._core.write(lambda _rows: None)  # their drafts are written
        await actor.until(lambda: actor.workspace._salvage._timer is None)  # and messages are shown
        self._said_before = self._all_said()  # about posts that another test moved last
        actor.workspace.plan(
            [
                NewPost(accounts[0], PostingPlatform.LINKEDIN, PostType.TEXT, text, at=self.at(number))
                for number, text in enumerate(TEXTS)
            ]
        )
        actor.application.window.go("calendar")
        actor.controller.calendar.show_span(Span.MONTH, self.monday + 2)
        await self.agree()

    def at(self, day: int, hour: int = 9) -> int:
        """Return twenty past an hour on a day of the week."""
        return DAYS.instant(self.monday + day, hour * 60 + 20)

    async def agree(self) -> dict[str, int]:
        """Return the weekday of each post, once all agree."""
        there = await agree(self.stage, self.actor, self.other)
        assert {status for _, status in there.values()} <= {"scheduled"}
        return {text: DAYS.place(at).day - self.monday for text, (at, _) in there.items()}

    def drag_all(self) -> None:
        """Drag all five posts one day ahead."""
        actor = self.actor
        actor.choose(*TEXTS)
        actor.drag(actor.card("Wednesday"), actor.day(self.monday + 3))

    def drag(self, text: str, days: int) -> None:
        actor = self.actor
        actor.drag(actor.card(text), actor.day(DAYS.place(actor.post(text).at).day + days))

    def undo(self) -> None:
        self.actor.press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)

    async def breaks(self, text: str, how: How | int, times: int = 1) -> None:
        """Make the next calls that move a post fail."""
        path = str(await self.other.id_of(text))
        self.stage.wire.breaks.append(Break("PATCH", how, path=path, times=times))

    @property
    def said(self) -> list[str]:
        """Return the messages about this week's posts."""
        return [text for text in self._all_said() if text not in self._said_before]

    def _all_said(self) -> list[str]:
        return self.actor.application.window.messages.texts()


AS_PLANNED = {text: number for number, text in enumerate(TEXTS)}
A_DAY_ON = {text: number + 1 for number, text in enumerate(TEXTS)}


def journey(stage: Stage, play: Play, tale: Callable[[Week], Awaitable[None]]) -> None:
    """Run a journey with a new week."""

    async def whole() -> None:
        other = Other(stage.service.client())
        try:
            async with stage.app() as actor:
                week = Week(stage, actor, other)
                await week.plan()
                await tale(week)
        finally:
            await other.close()

    play(whole())


def test_a_move_arrives_once_whichever_way_its_call_breaks(stage: Stage, play: Play) -> None:
    async def tale(week: Week) -> None:
        breaks: tuple[tuple[How | int, int], ...] = (
            ("unsent", 1),
            ("lost", 1),
            (429, 1),
            (503, 3),
            ("unsent", 3),
        )
        for number, (how, times) in enumerate(breaks):
            text = TEXTS[number]
            await week.breaks(text, how, times)
            week.drag(text, 2)
            assert await week.agree() == {**AS_PLANNED, text: number + 2}
            week.undo()
            assert await week.agree() == AS_PLANNED
        assert week.said == []

    journey(stage, play, tale)


def test_a_refused_move_returns_says_why_and_leaves_nothing_to_undo(stage: Stage, play: Play) -> None:
    async def tale(week: Week) -> None:
        before = week.actor.workspace.undo_label
        await week.breaks("Tuesday", 400)
        week.drag("Tuesday", 2)
        assert week.actor.workspace.undo_label == "Move post"
        assert await week.agree() == AS_PLANNED
        assert week.said == ["“Tuesday” wasn't moved: Broken with 400."]
        assert week.actor.workspace.undo_label == before

    journey(stage, play, tale)


def test_of_a_group_some_are_refused_and_the_others_move(stage: Stage, play: Play) -> None:
    async def tale(week: Week) -> None:
        await week.breaks("Monday", 400)
        await week.breaks("Tuesday", "lost")
        await week.breaks("Wednesday", 500, times=3)
        await week.breaks("Thursday", 400)
        await week.breaks("Friday", "unsent")
        week.drag_all()
        assert await week.agree() == {**A_DAY_ON, "Monday": 0, "Thursday": 3}
        (said,) = week.said
        assert said.startswith("2 posts weren't moved. “")
        (shown,) = [one for one in week.actor.said() if said in one]
        assert "“Monday” wasn't moved: Broken with 400." in shown
        assert "“Thursday” wasn't moved: Broken with 400." in shown
        assert "Tuesday" not in shown
        week.undo()
        assert await week.agree() == AS_PLANNED

    journey(stage, play, tale)


def marked_as_waiting(week: Week) -> list[str]:
    """Return the names of cards shown as waiting, which happens a moment after the workspace knows."""
    return [name for name in spoken(week.actor) if name.endswith("waiting to sync")]


def test_a_line_that_breaks_between_two_of_a_group_delivers_the_rest_later(stage: Stage, play: Play) -> None:
    async def tale(week: Week) -> None:
        stage.wire.breaks.append(Break("PATCH", "cut", after=2))
        week.drag_all()
        await week.actor.until(lambda: not week.actor.workspace.sync.connected)
        status = week.actor.application.window.status.accessibleName()
        assert status.startswith("Offline")
        assert "changes waiting" in status
        await week.actor.until(lambda: len(marked_as_waiting(week)) == week.actor.workspace.sync.waiting >= 3)
        assert await week.other.state() != {}
        stage.wire.mend()
        assert await week.agree() == A_DAY_ON
        assert week.said == []
        week.undo()
        assert await week.agree() == AS_PLANNED

    journey(stage, play, tale)


def test_posts_that_others_moved_or_deleted_meanwhile_are_chosen_and_told_of(
    stage: Stage, play: Play
) -> None:
    async def tale(week: Week) -> None:
        stage.wire.cut()
        week.drag_all()
        await week.actor.until(lambda: not week.actor.workspace.sync.connected)
        await week.other.move("Monday", week.at(6))
        await week.other.move("Tuesday", week.at(6, hour=12))
        await week.other.delete("Friday")
        stage.wire.mend()
        await week.actor.until(lambda: week.actor.workspace.sync.conflicts == 2)
        await week.actor.until(lambda: week.actor.workspace.sync.waiting == 2)
        await week.actor.until(lambda: any("Friday" in text for text in week.said))
        assert "“Friday” wasn't moved: it no longer exists." in week.said
        about_both = "2 posts were changed elsewhere before your changes were sent."
        await week.actor.until(lambda: about_both in "\n".join(week.actor.said()))
        (shown,) = [text for text in week.actor.said() if "changed elsewhere" in text]
        assert "“Monday”" in shown
        assert "“Tuesday”" in shown
        marked = [name for name in spoken(week.actor) if "changed elsewhere" in name]
        assert [name.split(",")[0] for name in marked] == ["Monday", "Tuesday"]
        week.actor.controller.panels.show_conflicts()
        panel = week.actor.application.window.side
        assert isinstance(panel, ConflictPanel)
        press(panel, "Monday", "Keep mine")
        press(panel, "Tuesday", "Keep theirs")
        left = {text: day for text, day in A_DAY_ON.items() if text != "Friday"}
        assert await week.agree() == {**left, "Tuesday": 6}
        assert week.actor.workspace.conflicts == []
        week.undo()
        assert await week.agree() == {**left, "Tuesday": 6, "Monday": 6, "Wednesday": 2, "Thursday": 3}

    journey(stage, play, tale)


def press(panel: ConflictPanel, headline: str, label: str) -> None:
    """Press a button on a post's card."""
    card = next(card for card in panel.findChildren(QWidget) if card.accessibleName() == headline)
    button = next(one for one in card.findChildren(QPushButton) if one.text() == label)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
