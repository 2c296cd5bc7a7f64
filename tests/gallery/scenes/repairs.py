"""A file that the chosen platforms refuse, and the copy that they take."""

from pathlib import Path

from app.desktop.composer import ComposerPanel
from app.desktop.composer.part_sheet import PartSheet
from app.workspace.editing.draft import ComposerDraft
from tests.gallery.hands import click
from tests.gallery.samples import ZONE, full_studio
from tests.gallery.scene import Screen
from tests.gallery.service import account_id, at
from tests.gallery.stage import Stage
from tests.media.samples import made_video, photo

SCREEN = Screen()
_TEXT = "The long wool coat is back: same pattern, heavier cloth. Orders open on Thursday."


@SCREEN.scene("repair-offer")
async def offer(stage: Stage) -> None:
    """A tall WebP image, which Instagram wants neither so tall nor as WebP."""
    await _compose(stage, photo(stage.folder, "coat-back.webp", (1080, 1920)), "instagram", "linkedin")


@SCREEN.scene("repair-part")
async def part(stage: Stage) -> None:
    """Choosing what is kept of it."""
    panel = await _compose(stage, photo(stage.folder, "coat-back.webp", (1080, 1920)), "instagram")
    click(panel.repair.part)
    await stage.until(lambda: _picture_is_there(panel))


@SCREEN.scene("repair-trim")
async def trim(stage: Stage) -> None:
    """Four minutes of video, where X allows 140 seconds."""
    panel = await _compose(stage, made_video(stage.folder, "walk.mp4", seconds=240, rate=1), "x")
    click(panel.repair.part)
    (sheet,) = panel.window().findChildren(PartSheet)
    assert sheet.strip is not None
    await stage.until(lambda: sheet.strip is not None and sheet.strip.is_full)
    sheet.strip.setValue(42_000)


@SCREEN.scene("repair-several")
async def several(stage: Stage) -> None:
    """Three platforms, and one copy for all of them."""
    await _compose(stage, photo(stage.folder, "coat.gif", (1080, 1350)), "tiktok", "pinterest", "instagram")


@SCREEN.scene("repair-running")
async def running(stage: Stage) -> None:
    """The copy is being made."""
    panel = await _compose(stage, photo(stage.folder, "coat-back.webp", (1080, 1920)), "instagram")
    panel.repair.show_progress(0.4)


def _picture_is_there(panel: ComposerPanel) -> bool:
    (sheet,) = panel.window().findChildren(PartSheet)
    return sheet.crop is not None and not sheet.crop._picture.isNull()


async def _compose(stage: Stage, path: Path, *platforms: str) -> ComposerPanel:
    controller = await stage.controller(full_studio())
    controller.window.go("calendar")
    (upload,) = await controller.workspace.media.add_files([path])
    await stage.until(lambda: (found := controller.workspace.media.uploads.get(upload.id)) and found.is_done)
    accounts = tuple(account_id(name) for name in platforms)
    controller.workspace.save_composer(
        ComposerDraft(_TEXT, accounts, at=at(4, "09:30", ZONE), zone=ZONE.key, upload_id=upload.id)
    )
    panel = controller.panels.compose(None)
    await stage.until(lambda: not panel.text_box.editor.isReadOnly() and panel.repair.isVisible())
    await stage.settle()
    return panel
