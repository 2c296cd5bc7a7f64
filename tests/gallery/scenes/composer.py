"""The composer beside the calendar."""

from app.desktop.composer import ComposerPanel
from app.workspace.composer.draft import ComposerDraft
from tests.gallery.hands import click
from tests.gallery.samples import LONG_TEXT, ZONE, full_studio
from tests.gallery.scene import Screen
from tests.gallery.service import account_id, at
from tests.gallery.stage import Stage

SCREEN = Screen()
_SHORT = "The long wool coat is back: same pattern, heavier cloth. Orders open on Thursday.\n\n#wool"
_BOTH = (account_id("linkedin"), account_id("x"))


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


async def _compose(stage: Stage, draft: ComposerDraft | None, *, is_practice: bool = False) -> ComposerPanel:
    """Opens the composer on what was being written when the app was used last."""
    house = await stage.house(full_studio(practice=is_practice))
    house.window.go("calendar")
    house.workspace.save_composer(draft)
    panel = house.compose(None if draft else at(2, "09:00", ZONE))
    await stage.until(lambda: not panel.text_box.editor.isReadOnly())
    await stage.settle()
    return panel
