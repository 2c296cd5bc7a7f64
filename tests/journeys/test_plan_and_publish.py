"""Connect, plan, drag, publish: the main job, with real programs and a real mouse."""

from datetime import datetime, timedelta

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.desktop.calendar.days import LocalDays, Span
from app.desktop.calendar.geometry import HOUR_HEIGHT
from app.workspace.posts.new import NewPost
from app.workspace.time.wall import monday_of
from tests.journeys.conftest import Play
from tests.journeys.stage import ZONE, Actor, Stage, now_ms

DAYS = LocalDays(ZONE)


def a_week_from_now(hour: int, minute: int) -> int:
    """Return a wall-clock time on the Wednesday after next Sunday, so that its week is in the future."""
    wednesday = monday_of(DAYS.today()) + 9
    return DAYS.instant(wednesday, hour * 60 + minute)


async def plan(actor: Actor, account: str, text: str, at: int) -> str:
    post = NewPost(
        account_key=account,
        platform=PostingPlatform(actor.workspace.accounts[account].platform),
        post_type=PostType.TEXT,
        text=text,
        at=at,
    )
    key = actor.workspace.plan([post])[0]
    await actor.until(lambda: actor.workspace.sync.waiting == 0)
    return key


def test_the_composer_plans_a_post_for_two_accounts(stage: Stage, play: Play) -> None:
    async def journey() -> None:
        async with stage.app() as actor:
            accounts = [await actor.connect("linkedin"), await actor.connect("x")]
            panel = actor.controller.panels.compose(a_week_from_now(9, 30))
            await actor.until(lambda: not panel.text_box.editor.isReadOnly())
            for key in accounts:
                panel.accounts.toggle(key).setChecked(True)
            panel.text_box.editor.setFocus()
            QTest.keyClicks(panel.text_box.editor, "Returns, honestly")
            QTest.mouseClick(panel.frame.schedule, Qt.MouseButton.LeftButton)

            posts = actor.workspace.posts.all()
            assert [post.headline for post in posts] == ["Returns, honestly"] * 2
            assert {post.at for post in posts} == {a_week_from_now(9, 30)}
            await actor.until(lambda: actor.workspace.sync.waiting == 0)
            [together] = stage.wire.sent("POST", "/posts")
            assert together.path == "/api/v1/posts/bulk"

    play(journey())


def test_a_drag_in_the_month_keeps_the_time_of_day(stage: Stage, play: Play) -> None:
    async def journey() -> None:
        async with stage.app() as actor:
            account = await actor.connect("linkedin")
            key = await plan(actor, account, "Swatch day", a_week_from_now(12, 15))
            day = DAYS.place(a_week_from_now(12, 15)).day
            actor.controller.calendar.show_span(Span.MONTH, day)
            actor.application.window.go("calendar")

            actor.drag(actor.card("Swatch day"), actor.day(day + 2))

            moved = actor.workspace.posts.get(key)
            assert moved is not None
            assert DAYS.place(moved.at) == (day + 2, 12 * 60 + 15)
            await actor.until(lambda: actor.workspace.sync.waiting == 0)
            assert len(stage.wire.sent("PATCH", "/posts/")) == 1
            actor.workspace.undo()
            await actor.until(lambda: actor.workspace.sync.waiting == 0)
            assert len(stage.wire.sent("PATCH", "/posts/")) == 2
            assert DAYS.place(actor.post("Swatch day").at) == (day, 12 * 60 + 15)

    play(journey())


def test_a_drag_in_the_week_snaps_to_a_quarter_of_an_hour(stage: Stage, play: Play) -> None:
    async def journey() -> None:
        async with stage.app() as actor:
            account = await actor.connect("x")
            await plan(actor, account, "Fitting notes", a_week_from_now(9, 0))
            day = DAYS.place(a_week_from_now(9, 0)).day
            actor.application.window.go("calendar")
            actor.controller.calendar.show_span(Span.WEEK, day)
            start = actor.card("Fitting notes")
            across = actor.day(day + 1).x() - actor.day(day).x()

            actor.drag(start, start + QPoint(across, round(HOUR_HEIGHT * 2.2)))

            assert DAYS.place(actor.post("Fitting notes").at) == (day + 1, 11 * 60 + 15)
            await actor.until(lambda: actor.workspace.sync.waiting == 0)
            assert len(stage.wire.sent("PATCH", "/posts/")) == 1

    play(journey())


def test_alt_and_arrows_move_and_a_refused_move_changes_nothing(stage: Stage, play: Play) -> None:
    async def journey() -> None:
        async with stage.app() as actor:
            account = await actor.connect("linkedin")
            await plan(actor, account, "Winter board", a_week_from_now(13, 0))
            day = DAYS.place(a_week_from_now(13, 0)).day
            actor.application.window.go("calendar")
            actor.controller.calendar.show_span(Span.MONTH, day)
            view = actor.controller.calendar.grid.view
            QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=actor.card("Winter board"))

            QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
            assert DAYS.place(actor.post("Winter board").at).day == day + 1
            for _ in range(4):
                QTest.keyClick(view, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)

            assert DAYS.place(actor.post("Winter board").at).day >= DAYS.today()
            assert actor.application.window.messages.texts() != []

    play(journey())


def test_a_due_post_is_in_the_ledger_once_soon_after_its_time(stage: Stage, play: Play) -> None:
    async def journey() -> None:
        async with stage.app() as actor:
            account = await actor.connect("linkedin")
            key = await plan(actor, account, "Right on time", a_week_from_now(9, 0))
            due = now_ms() + 4_000
            actor.workspace.move({key: due})
            await actor.until(
                lambda: (post := actor.post("Right on time")).status is PostStatus.POSTED or post.published
            )

            entries = stage.entries("Right on time")
            assert len(entries) == 1
            received = datetime.fromisoformat(entries[0]["received_at"])
            late = received - datetime.fromtimestamp(due / 1_000, received.tzinfo)
            assert timedelta() <= late < timedelta(seconds=30)  # a benchmark measures punctuality

    play(journey())


def test_moves_made_without_a_network_arrive_when_it_is_back(stage: Stage, play: Play) -> None:
    async def journey() -> None:
        async with stage.app() as actor:
            account = await actor.connect("linkedin")
            key = await plan(actor, account, "Patience", a_week_from_now(9, 0))
            stage.wire.cut()
            actor.workspace.move({key: a_week_from_now(10, 0)})
            await actor.until(lambda: not actor.workspace.sync.connected)
            assert actor.workspace.sync.waiting == 1
            stage.wire.mend()
            await actor.until(lambda: actor.workspace.sync.waiting == 0)
            # Calls from before the connection was restored may still fail after the move has arrived.
            await actor.until(lambda: actor.workspace.sync.connected)

    play(journey())
