"""Files dropped on the calendar: in the composer, spread over free times, and as drafts."""

import asyncio
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, QUrl
from PySide6.QtGui import QColor, QImage, QLinearGradient, QPainter
from PySide6.QtWidgets import QApplication

from app.desktop.calendar.days import Span
from app.desktop.carried import Carried
from app.desktop.composer import ComposerPanel
from app.desktop.drafts import SpreadSheet
from app.desktop.media.preview import Preview
from app.desktop.shell.main_controller import MainController
from app.workspace.editing.draft import ComposerDraft
from app.workspace.slots.slots import Slot
from tests.desktop.composer.composing import stored
from tests.desktop.dragged import entering
from tests.gallery.hands import click, day, ordinal, the
from tests.gallery.samples import ZONE, full_studio
from tests.gallery.scene import Screen
from tests.gallery.service import StudioService, account_id, at
from tests.gallery.shelf import moving
from tests.gallery.stage import Stage
from tests.workspace.media.samples import video
from tests.workspace.model_tiktok import ModelTikTok

SCREEN = Screen()
_MIB = 1024 * 1024
_TEXT = "The long wool coat is back: same pattern, heavier cloth."


@SCREEN.scene("month-drop-file")
async def over_a_day(stage: Stage) -> None:
    """A file is held over a day."""
    controller = await _at_home(stage, full_studio())
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(coat(stage.folder)))])
    _hold(controller, data, day(controller.calendar, 2))


@SCREEN.scene("month-drop-draft")
async def draft_over_a_day(stage: Stage) -> None:
    controller = await _at_home(stage, full_studio())
    controller.workspace.drafts.keep(ComposerDraft("Ideas for the spring run"))
    item = controller.drafts.list.item(0)
    _hold(controller, controller.drafts.list.carried(item), day(controller.calendar, 4))


@SCREEN.scene("month-drop-past")
async def over_a_day_of_before(stage: Stage) -> None:
    controller = await _at_home(stage, full_studio())
    data = QMimeData()
    data.setText(_TEXT)
    _hold(controller, data, day(controller.calendar, -3))


@SCREEN.scene("week-drop-files")
async def over_an_hour(stage: Stage) -> None:
    controller = await _at_home(stage, full_studio())
    controller.calendar.show_span(Span.WEEK, ordinal(3))
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(coat(stage.folder, name))) for name in ("a.jpg", "b.jpg", "c.jpg")])
    port = controller.calendar.grid.view.viewport()
    _hold(controller, data, QPoint(day(controller.calendar, 3).x(), port.height() // 2))


@SCREEN.scene("composer-file-uploading")
async def uploading(stage: Stage) -> None:
    service = full_studio()
    service.held = {"PUT"}
    panel = await _dropped(stage, service, video(stage.folder, "long-coat-walk.mp4", 5 * _MIB // 4))
    await stage.until(lambda: "%" in panel.file.facts.text())


@SCREEN.scene("composer-file-too-early")
async def too_early(stage: Stage) -> None:
    """Scheduling is asked for while the file is on its way: it is done when the file is there."""
    service = full_studio()
    service.held = {"PUT"}
    panel = await _dropped(stage, service, video(stage.folder, "long-coat-walk.mp4", 5 * _MIB // 4))
    await stage.until(lambda: "%" in panel.file.facts.text())
    click(panel.accounts.toggle(account_id("linkedin")))  # which takes no videos as short as this one
    click(panel.frame.schedule)


@SCREEN.scene("composer-file-paused")
async def paused(stage: Stage) -> None:
    """The upload was held back in the media."""
    service = full_studio()
    service.held = {"PUT"}
    panel = await _dropped(stage, service, video(stage.folder, "long-coat-walk.mp4", 5 * _MIB // 4))
    await stage.until(lambda: "%" in panel.file.facts.text())
    await panel._workspace.media.uploads.pause(panel.model.files.ids.of(panel.model.version))


@SCREEN.scene("composer-file-there")
async def there(stage: Stage) -> None:
    service = full_studio()
    service.offers = ("media",)
    panel = await _dropped(stage, service, coat(stage.folder))
    await stage.until(lambda: stored(panel) and panel.alt_text.describe.isVisible())
    await stage.until(lambda: not panel.file.tile._picture.isNull())


@SCREEN.scene("composer-alt-text")
async def alt_text(stage: Stage) -> None:
    """What the picture shows in words, and who gets them."""
    service = full_studio()
    service.offers = ("media",)
    panel = await _dropped(stage, service, coat(stage.folder))
    await stage.until(lambda: stored(panel) and panel.alt_text.describe.isVisible())
    panel.alt_text.open()
    panel.accounts.toggle(account_id("tiktok")).setChecked(True)
    panel.alt_text.alt_text.editor.setPlainText("A long wool coat in rust, seen from the back, on a hanger.")
    await stage.until(lambda: not panel.file.tile._picture.isNull())


@SCREEN.scene("composer-alt-text-long")
async def long_alt_text(stage: Stage) -> None:
    """The description is too long for the service, so the post can't be scheduled."""
    service = full_studio()
    service.offers = ("media",)
    panel = await _dropped(stage, service, coat(stage.folder))
    await stage.until(lambda: stored(panel) and panel.alt_text.describe.isVisible())
    panel.alt_text.open()
    panel.alt_text.alt_text.editor.setPlainText("A long wool coat in rust. " * 40)
    click(panel.frame.schedule)
    await stage.until(lambda: not panel.file.tile._picture.isNull())


@SCREEN.scene("composer-tiktok")
async def tiktok(stage: Stage) -> None:
    """Who can see it on TikTok, and that it is an advertisement."""
    panel = await _for_tiktok(stage)
    field = panel.tiktok.field(account_id("tiktok"))
    field.privacy.setCurrentIndex(0)
    field.privacy.activated.emit(0)
    for box in (field.comments, field.commercial, field.branded):
        box.click()
    await stage.settle()
    panel.frame.reveal(panel.tiktok)


@SCREEN.scene("composer-tiktok-nothing-chosen")
async def tiktok_nothing_chosen(stage: Stage) -> None:
    """Nobody has said who can see it, nor what it promotes."""
    panel = await _for_tiktok(stage)
    panel.tiktok.field(account_id("tiktok")).commercial.click()
    click(panel.frame.schedule)


@SCREEN.scene("composer-video")
async def film(stage: Stage) -> None:
    """The attached video, played from the composer."""
    panel = await _dropped(stage, full_studio(), moving(stage.folder, "spools.mp4"))
    await stage.until(lambda: stored(panel) and not panel.file.tile._picture.isNull())
    click(panel.file.tile)
    await stage.until(lambda: panel.window().findChildren(Preview))
    sheet = the(Preview, panel.window())
    await stage.until(lambda: sheet.canvas.share > 0 and sheet.player.is_open)


@SCREEN.scene("composer-file-failed")
async def failed(stage: Stage) -> None:
    service = full_studio()
    service.room = 10
    panel = await _dropped(
        stage, service, coat(stage.folder, "a-name-that-is-much-too-long-for-its-place.jpg")
    )
    await stage.until(panel.file.again.isVisible)


@SCREEN.scene("composer-file-unfit")
async def unfit(stage: Stage) -> None:
    """One of the accounts does not take the file's shape."""
    panel = await _dropped(stage, full_studio(), coat(stage.folder, "tall.jpg", (540, 960)))
    await stage.until(lambda: stored(panel) and not panel.file.tile._picture.isNull())
    panel.accounts.toggle(account_id("instagram")).setChecked(True)


@SCREEN.scene("drop-files-slots")
async def slots(stage: Stage) -> None:
    """Four files for the next free slots; one cannot be posted."""
    controller = await _at_home(stage, full_studio())
    for platform, minute in (("instagram", 735), ("linkedin", 540), ("tiktok", 1_110)):
        key = account_id(platform)
        await controller.workspace.slots.set(key, [Slot(key, weekday, minute) for weekday in range(5)])
    await _spread(stage, controller)


@SCREEN.scene("drop-files-days")
async def days(stage: Stage) -> None:
    """Without posting times there is one file a day."""
    await _spread(stage, await _at_home(stage, full_studio()))


@SCREEN.scene("drafts")
async def drafts(stage: Stage) -> None:
    """Written, with a file on its way, failed, and nothing but a file."""
    controller = await _at_home(stage, full_studio())
    workspace = controller.workspace
    done, other = await workspace.media.add_files([coat(stage.folder), video(stage.folder, "walk.mp4", _MIB)])
    await stage.until(lambda: all(upload.is_done for upload in workspace.media.uploads.all()))
    gone = video(stage.folder, "gone.mp4", 2 * _MIB)
    file = await workspace.media.look_at([gone])
    gone.unlink()
    (lost,) = await workspace.media.uploads.add(file)
    await stage.until(lambda: workspace.media.uploads.all()[-1].is_failed)
    x, linkedin = account_id("x"), account_id("linkedin")
    for draft in (
        ComposerDraft("Ideas for the spring run"),
        ComposerDraft("", (linkedin,), at=at(3, "09:00", ZONE), upload_id=lost.id),
        ComposerDraft("", (linkedin,), at=at(2, "09:00", ZONE), upload_id=other.id),
        ComposerDraft(_TEXT, (x, linkedin), at=at(1, "12:15", ZONE), upload_id=done.id),
    ):
        workspace.drafts.keep(draft)
    controller.window.go("drafts")
    await stage.until(lambda: controller.drafts.pictures.of(done.id, controller.drafts.devicePixelRatioF()))
    await stage.until(lambda: controller.drafts.is_at_rest)


@SCREEN.scene("drafts-empty")
async def no_drafts(stage: Stage) -> None:
    controller = await stage.controller(full_studio())
    controller.window.go("drafts")


def coat(folder: Path, name: str = "coat-back.jpg", size: tuple[int, int] = (1_000, 1_000)) -> Path:
    """A picture of something warm."""
    picture = QImage(*size, QImage.Format.Format_RGB32)
    shade = QLinearGradient(QPointF(0, 0), QPointF(*size))
    shade.setColorAt(0, QColor("#F0B48C"))
    shade.setColorAt(1, QColor("#B8452C"))
    painter = QPainter(picture)
    painter.fillRect(picture.rect(), shade)
    painter.end()
    picture.save(str(folder / name))
    return folder / name


def _hold(controller: MainController, data: QMimeData, point: QPoint) -> None:
    """Holds something over a point of the days, as another program does."""
    QApplication.sendEvent(controller.calendar.grid.view.viewport(), entering(point, data))


async def _at_home(stage: Stage, service: StudioService) -> MainController:
    controller = await stage.controller(service)
    controller.window.go("calendar")
    return controller


async def _dropped(stage: Stage, service: StudioService, file: Path) -> ComposerPanel:
    controller = await _at_home(stage, service)
    controller.workspace.save_composer(ComposerDraft("", (account_id("x"), account_id("linkedin"))))
    controller.calendar.dropped.emit(Carried(files=(file,)), at(4, "09:30", ZONE))
    await stage.until(lambda: isinstance(controller.window.side, ComposerPanel))
    panel = controller.window.side
    assert isinstance(panel, ComposerPanel)
    await stage.until(lambda: not panel.text_box.editor.isReadOnly())
    panel.text_box.editor.setPlainText(_TEXT)
    await asyncio.sleep(0.12)  # news of bytes come ten times a second
    return panel


async def _for_tiktok(stage: Stage) -> ComposerPanel:
    service = full_studio()
    ModelTikTok(service)
    panel = await _dropped(stage, service, moving(stage.folder, "spools.mp4"))
    await stage.until(lambda: stored(panel) and not panel.file.tile._picture.isNull())
    for name in ("x", "linkedin"):
        panel.accounts.toggle(account_id(name)).setChecked(False)
    panel.accounts.toggle(account_id("tiktok")).setChecked(True)
    await stage.until(lambda: panel.tiktok.field(account_id("tiktok")).creator is not None)
    return panel


async def _spread(stage: Stage, controller: MainController) -> None:
    notes = stage.folder / "price list.pdf"
    notes.write_bytes(b"%PDF-1.7")
    files = [
        coat(stage.folder, "coat-front.jpg"),
        video(stage.folder, "walk.mp4", 3 * _MIB),
        notes,
        coat(stage.folder, "coat-back.jpg"),
    ]
    controller.calendar.dropped.emit(Carried(files=tuple(files)), at(1, "09:00", ZONE))
    await stage.until(lambda: controller.window.findChildren(SpreadSheet))
    the(SpreadSheet, controller.window)
