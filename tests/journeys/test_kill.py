"""Killed at the worst moment, the app and the service lose nothing and do nothing twice."""

import subprocess
import sys

from app.desktop.calendar.days import LocalDays
from tests.journeys.conftest import Play
from tests.journeys.stage import ZONE, Stage
from tests.journeys.test_plan_and_publish import a_week_from_now, plan

DAYS = LocalDays(ZONE)


def test_a_move_that_was_not_sent_when_the_app_was_killed_is_delivered_by_the_next_start(
    stage: Stage, play: Play
) -> None:
    async def before() -> None:
        async with stage.app() as actor:
            account = await actor.connect("linkedin")
            await plan(actor, account, "Kept promise", a_week_from_now(12, 15))

    play(before())
    stage.wire.cut()
    arguments = [stage.folder / "app", stage.wire.base_url, stage.folder / "key"]
    command = [sys.executable, "-m", "tests.journeys.mover", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as mover:
        assert mover.stdout is not None
        assert "moved\n" in iter(mover.stdout.readline, "")
        mover.kill()
    assert stage.wire.sent("PATCH") == []
    stage.wire.mend()

    async def after() -> None:
        async with stage.app() as actor:
            post = actor.post("Kept promise")
            assert DAYS.place(post.at) == (DAYS.place(a_week_from_now(12, 15)).day + 2, 12 * 60 + 15)
            await actor.until(lambda: actor.workspace.sync.waiting == 0)
            assert len(stage.wire.sent("PATCH", "/posts/")) == 1

    play(after())
