"""Only the command for it publishes a cancelled post after all, as seen at the service."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton

from app.contract.enums import PostStatus
from app.desktop.calendar.days import Span
from app.desktop.widgets.states import MessageStrip
from tests.journeys.conftest import Play
from tests.journeys.stage import Actor, Stage
from tests.journeys.test_plan_and_publish import DAYS, a_week_from_now, plan

ALT, SHIFT = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier


async def there(actor: Actor, key: str) -> PostStatus:
    """Return the post's status at the service, once everything was sent."""
    await actor.until(lambda: actor.workspace.sync.waiting == 0 and not actor.workspace.sync.saving)
    post_id = actor.workspace._core.mirror.service_id(key)
    assert post_id is not None
    return (await actor.workspace._core.client.get_post(post_id)).status


def press_in_message(actor: Actor, words: str) -> None:
    """Click the button of the newest message."""
    strip = actor.application.window.messages.findChildren(MessageStrip)[-1]
    (button,) = [one for one in strip.findChildren(QAbstractButton) if one.text() == words]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_neither_a_key_nor_a_drag_brings_a_cancelled_post_back(stage: Stage, play: Play) -> None:
    async def journey() -> None:
        async with stage.app() as actor:
            account = await actor.connect("linkedin")
            at = a_week_from_now(9, 0)
            key = await plan(actor, account, "Called off", at)
            day = DAYS.place(at).day
            actor.controller.calendar.show_span(Span.MONTH, day)
            actor.application.window.go("calendar")
            actor.choose("Called off")
            actor.press(Qt.Key.Key_Delete)
            assert await there(actor, key) is PostStatus.CANCELLED
            for arrow in (Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Down):
                actor.press(arrow, ALT)
            actor.drag(actor.card("Called off"), actor.day(day + 2))
            assert await there(actor, key) is PostStatus.CANCELLED
            assert actor.post("Called off").at == at
            assert stage.wire.sent("PATCH", "/posts/") == []
            told = actor.application.window.messages.texts()
            assert told[0].startswith("Cancelled: “Called off”, ")
            assert told[1:] == ["It's cancelled. To publish it after all, choose “Schedule again”."]

            actor.press(Qt.Key.Key_R, SHIFT)
            assert await there(actor, key) is PostStatus.SCHEDULED
            assert "“Called off” is scheduled again for" in actor.application.window.messages.texts()[-1]
            press_in_message(actor, "Undo")
            assert await there(actor, key) is PostStatus.CANCELLED

    play(journey())
