"""The composer beside the calendar."""

from app.desktop.composer import ComposerPanel
from app.workspace.composer.draft import ComposerDraft
from tests.gallery.hands import click
from tests.gallery.samples import LONG_TEXT, ZONE, full_studio
from tests.gallery.scene import Screen
from tests.gallery.service import account_id, at
from tests.gallery.stage import Stage
from tests.workspace.media.samples import picture

SCREEN = Screen()
_SHORT = "The long wool coat is back: same pattern, heavier cloth. Orders open on Thursday.\n\n#wool"
_BOTH = (account_id("linkedin"), account_id("x"))
_FOUR = tuple(account_id(name) for name in ("instagram", "linkedin", "x", "pinterest"))
_BOARDS = ("Winter 2026", "Linen, washed and unwashed, by the metre", "Studio", "Autumn 2025")


@SCREEN.scene("composer", has_mockup=True)
async def too_long(stage: Stage) -> None:
    """As in the mock-up: the text is too long for X."""
    await _compose(stage, ComposerDraft(LONG_TEXT, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key))


@SCREEN.scene("composer-ready")
async def ready(stage: Stage) -> None:
    await _compose(stage, ComposerDraft(_SHORT, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key))


@SCREEN.scene("composer-empty")
async def empty(stage: Stage) -> None:
    await _compose(stage, None)


@SCREEN.scene("composer-nothing-chosen")
async def nothing_chosen(stage: Stage) -> None:
    """The primary button was pressed too early."""
    panel = await _compose(stage, None)
    click(panel.frame.schedule)


@SCREEN.scene("composer-other-zone")
async def other_zone(stage: Stage) -> None:
    await _compose(stage, ComposerDraft(_SHORT, _BOTH, at=at(4, "14:30", ZONE), zone="America/New_York"))


@SCREEN.scene("composer-past")
async def past(stage: Stage) -> None:
    await _compose(stage, ComposerDraft(_SHORT, _BOTH, at=at(-1, "09:30", ZONE), zone=ZONE.key))


@SCREEN.scene("composer-practice")
async def practice(stage: Stage) -> None:
    draft = ComposerDraft(_SHORT, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key)
    await _compose(stage, draft, is_practice=True)


@SCREEN.scene("composer-versions")
async def versions(stage: Stage) -> None:
    """X has a text of its own."""
    texts = {account_id("x"): "The long wool coat is back. Orders open on Thursday."}
    draft = ComposerDraft(LONG_TEXT, _BOTH, texts, at=at(4, "09:30", ZONE), zone=ZONE.key)
    panel = await _compose(stage, draft)
    panel.writing.tabs.choose(account_id("x"))


@SCREEN.scene("composer-pin")
async def pin(stage: Stage) -> None:
    """Four accounts and an image, with a title, a board and a link."""
    panel = await _with_image(stage)
    combo = panel.pin.field(account_id("pinterest")).combo
    await stage.until(lambda: combo.count() == len(_BOARDS))
    combo.setCurrentIndex(combo.findText("Winter 2026"))
    combo.activated.emit(combo.currentIndex())
    panel.writing.tabs.tab(account_id("pinterest")).click()


@SCREEN.scene("composer-pin-fields")
async def pin_fields(stage: Stage) -> None:
    """No board is chosen yet, and the link is none."""
    panel = await _with_image(stage)
    combo = panel.pin.field(account_id("pinterest")).combo
    await stage.until(lambda: combo.count() == len(_BOARDS))
    panel.pin.link.setText("the coat")
    click(panel.frame.schedule)
    await stage.settle()
    panel.frame.reveal(panel.pin)


@SCREEN.scene("composer-pin-offline")
async def pin_offline(stage: Stage) -> None:
    """Pinterest cannot be asked for boards."""
    panel = await _with_image(stage, boards=False)
    await stage.until(panel.pin.field(account_id("pinterest")).again.isVisible)
    panel.frame.reveal(panel.pin)


async def _with_image(stage: Stage, *, boards: bool = True) -> ComposerPanel:
    service = full_studio()
    for name in _BOARDS:
        service.add_board(account_id("pinterest"), name)
    house = await stage.house(service)
    house.window.go("calendar")
    (upload,) = await house.workspace.media.add_files([picture(stage.folder, "coat-back.jpg", (1080, 1350))])
    await stage.until(lambda: (found := house.workspace.media.uploads.get(upload.id)) and found.is_done)
    service.online = boards
    draft = ComposerDraft(
        _SHORT,
        _FOUR,
        at=at(4, "09:30", ZONE),
        zone=ZONE.key,
        upload_id=upload.id,
        title="The long wool coat",
        link="okafor.studio/coat",
    )
    house.workspace.save_composer(draft)
    panel = house.compose(None)
    await stage.until(
        lambda: not panel.text_box.editor.isReadOnly() and not panel.file.tile._picture.isNull()
    )
    await stage.settle()
    return panel


async def _compose(stage: Stage, draft: ComposerDraft | None, *, is_practice: bool = False) -> ComposerPanel:
    """Opens the composer on what was being written when the app was used last."""
    house = await stage.house(full_studio(practice=is_practice))
    house.window.go("calendar")
    house.workspace.save_composer(draft)
    panel = house.compose(None if draft else at(2, "09:00", ZONE))
    await stage.until(lambda: not panel.text_box.editor.isReadOnly())
    await stage.settle()
    return panel
