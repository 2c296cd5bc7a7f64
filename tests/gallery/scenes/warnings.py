"""What will fail of what is planned."""

from datetime import UTC, datetime, timedelta

from app.contract.base import format_timestamp
from app.desktop.calendar.days import Span
from app.desktop.shell.main_controller import MainController
from app.workspace.editing.draft import ComposerDraft
from app.workspace.warnings.warning import WarningKind
from app.workspace.workspace import Workspace
from tests.gallery.hands import ordinal
from tests.gallery.samples import LONG_TEXT, ZONE, empty_studio, this_monday, week_studio
from tests.gallery.scene import Screen
from tests.gallery.service import StudioService, at
from tests.gallery.stage import Stage
from tests.workspace.media.samples import video

SCREEN = Screen()


@SCREEN.scene("warnings", has_mockup=True)
async def listed(stage: Stage) -> None:
    """Warnings of every kind, next to their week."""
    controller = await _week(stage, _troubled())
    controller.panels.show_warnings()
    await stage.settle()


@SCREEN.scene("warnings-month")
async def month(stage: Stage) -> None:
    """The signs on the cards of a month."""
    controller = await _week(stage, _troubled())
    controller.calendar.show_span(Span.MONTH)


@SCREEN.scene("warnings-service")
async def of_the_service(stage: Stage) -> None:
    """Full storage, a full day, and a subscription that nobody pays for."""
    service = week_studio(week=1)
    service.tells_usage, service.room = True, 2_000_000
    service.subscription = {"status": "past_due", "current_period_end": format_timestamp(_in_days(3))}
    service.connect("tiktok", "Okafor Studio", "okaforstudio", _in_days(-90))
    for number in range(17):
        moment = at(this_monday() + 8, "07:00", ZONE) + number * 3_600_000
        service.plan(moment, "tiktok", f"Behind the scenes, part {number + 1}", kind="video")
    service.held = {"PUT"}
    controller = await stage.controller(service)
    workspace = controller.workspace
    video_file = video(stage.folder, "studio-tour.mp4", 3_000_000)
    [upload] = await workspace.media.uploads.add(await workspace.media.look_at([video_file]))
    moment = at(this_monday() + 9, "09:00", ZONE)
    workspace.drafts.keep(ComposerDraft("The tour", at=moment, upload_id=upload.id))
    controller.window.go("calendar")
    controller.calendar.show_span(Span.WEEK, ordinal(this_monday() + 7))
    await stage.until(lambda: {WarningKind.NO_ROOM, WarningKind.SUBSCRIPTION} <= _kinds(workspace))
    controller.panels.show_warnings()
    await stage.settle()


@SCREEN.scene("warnings-off")
async def usually_off(stage: Stage) -> None:
    """Posts of the early morning, on a computer that is on in the day."""
    service = _troubled()
    monday = this_monday() + 7
    service.plan(at(monday + 1, "05:30", ZONE), "instagram", "Before sunrise", kind="image")
    late = service.plan(at(monday + 4, "23:45", ZONE), "x", "Good night")
    controller = await _week(stage, service)
    _attend(controller.workspace)
    controller.workspace.move({str(late): at(monday + 4, "23:40", ZONE)})
    await stage.until(lambda: WarningKind.USUALLY_OFF in _kinds(controller.workspace))
    controller.panels.show_warnings()
    await stage.settle()


@SCREEN.scene("warnings-of-a-post")
async def of_a_post(stage: Stage) -> None:
    """What the inspector says of a post that will fail."""
    controller = await _week(stage, _troubled())
    key = next(one.key for one in controller.workspace.warnings.listed if one.kind is WarningKind.RULE)
    controller.panels.inspect(key)
    await stage.settle()


@SCREEN.scene("warnings-none")
async def nothing(stage: Stage) -> None:
    controller = await stage.controller(empty_studio())
    controller.window.go("calendar")
    controller.panels.show_warnings()
    await stage.settle()


def _troubled() -> StudioService:
    service = week_studio(week=1)
    monday = this_monday() + 7
    service.plan(at(monday, "10:50", ZONE), "x", "Small batch maths, continued")
    service.plan(at(monday + 2, "15:30", ZONE), "x", LONG_TEXT)
    service.plan(at(monday + 3, "18:00", ZONE), "linkedin", "Five questions before you cut")
    return service


def _kinds(workspace: Workspace) -> set[WarningKind]:
    return {one.kind for one in workspace.warnings.listed}


def _in_days(days: int) -> datetime:
    return datetime.now(UTC) + timedelta(days=days)


def _attend(workspace: Workspace) -> None:
    """Kalends ran from eight to eight in the last four weeks."""
    attendance = workspace._watch._sources.attendance
    assert attendance is not None
    for days in range(27, 0, -1):
        for hour in range(8, 20):
            attendance.presence.note(at(-days, f"{hour:02}:00", ZONE))


async def _week(stage: Stage, service: StudioService) -> MainController:
    controller = await stage.controller(service)
    controller.window.go("calendar")
    controller.calendar.show_span(Span.WEEK, ordinal(this_monday() + 7))
    await stage.until(lambda: controller.workspace.warnings.by_key)
    await stage.settle()
    return controller
