"""Killed at the worst moment, app and service lose nothing and do nothing twice."""

import subprocess
import sys
import time

import pytest

from app.desktop.calendar.days import LocalDays, Span
from tests.journeys.agreement import Other, agree
from tests.journeys.conftest import Play
from tests.journeys.stage import ZONE, Stage
from tests.journeys.test_plan_and_publish import a_week_from_now, plan
from tests.journeys.wiretap import Break

DAYS = LocalDays(ZONE)


def move_and_kill(stage: Stage, sent: int) -> None:
    """Let another program drag all posts two days ahead, and kill it after some attempts to send moves."""
    arguments = [stage.folder / "app", stage.wire.base_url, stage.folder / "key"]
    command = [sys.executable, "-m", "tests.journeys.mover", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as mover:
        assert mover.stdout is not None
        assert "moved\n" in iter(mover.stdout.readline, "")
        while len(stage.wire.sent("PATCH")) < sent:
            time.sleep(0.02)
        mover.kill()


@pytest.mark.variation
def test_a_move_that_was_not_sent_when_the_app_was_killed_is_delivered_by_the_next_start(
    stage: Stage, play: Play
) -> None:
    async def before() -> None:
        async with stage.app() as actor:
            account = await actor.connect("linkedin")
            await plan(actor, account, "Kept promise", a_week_from_now(12, 15))

    play(before())
    stage.wire.cut()
    move_and_kill(stage, sent=0)
    assert stage.wire.sent("PATCH") == []
    stage.wire.mend()

    async def after() -> None:
        async with stage.app() as actor:
            post = actor.post("Kept promise")
            assert DAYS.place(post.at) == (DAYS.place(a_week_from_now(12, 15)).day + 2, 12 * 60 + 15)
            await actor.until(lambda: actor.workspace.sync.waiting == 0)
            assert len(stage.wire.sent("PATCH", "/posts/")) == 1

    play(after())


def test_a_group_of_which_a_part_was_sent_when_the_app_was_killed_arrives_as_a_whole(
    stage: Stage, play: Play
) -> None:
    """The connection breaks between two posts of the group, and the app is killed before it's back."""
    texts = ("First", "Second", "Third")

    async def before() -> None:
        async with stage.app() as actor:
            account = await actor.connect("linkedin")
            for number, text in enumerate(texts):
                await plan(actor, account, text, a_week_from_now(9 + 2 * number, 15))

    play(before())
    stage.wire.breaks.append(Break("PATCH", "cut", after=1))
    move_and_kill(stage, sent=2)
    stage.wire.mend()
    day = DAYS.place(a_week_from_now(9, 15)).day

    async def after() -> None:
        other = Other(stage.service.client())
        async with stage.app() as actor:
            actor.controller.calendar.show_span(Span.MONTH, day)
            there = await agree(stage, actor, other)
            assert {text: DAYS.place(at).day for text, (at, _) in there.items()} == dict.fromkeys(
                texts, day + 2
            )
            assert actor.workspace.undo_label == "Move 3 posts"
            actor.workspace.undo()
            there = await agree(stage, actor, other)
            assert {DAYS.place(at).day for at, _ in there.values()} == {day}
            assert actor.application.window.messages.texts() == []
        await other.close()

    play(after())
