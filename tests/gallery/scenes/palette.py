"""What leads to everything by typing, and the help for the keyboard."""

from PySide6.QtTest import QTest

from app.desktop.palette import KeyboardHelp, Palette
from app.desktop.shell.main_controller import MainController
from app.language import tr
from app.workspace.editing.draft import ComposerDraft
from tests.gallery.hands import the
from tests.gallery.samples import full_studio, odd_texts
from tests.gallery.scene import Screen
from tests.gallery.service import StudioService, account_id
from tests.gallery.stage import Stage

SCREEN = Screen()
_DRAFTS = ("Wool care, one card per week", "Lookbook outtakes for the newsletter")


@SCREEN.scene("palette")
async def untyped(stage: Stage) -> None:
    """Nothing is typed yet; two commands were used before."""
    controller = await _studio(stage)
    for name in (tr("Show month"), tr("Go to today")):
        _use(controller, name)
    controller.finder.open_palette()


@SCREEN.scene("palette-commands")
async def commands(stage: Stage) -> None:
    await _typed(stage, await _studio(stage), "mo")


@SCREEN.scene("palette-results")
async def results(stage: Stage) -> None:
    await _typed(stage, await _studio(stage), "look")


@SCREEN.scene("palette-date")
async def date(stage: Stage) -> None:
    await _typed(stage, await _studio(stage), "3 march")


@SCREEN.scene("palette-plan")
async def plan(stage: Stage) -> None:
    """A post typed with its time."""
    await _typed(stage, await _studio(stage), "friday 15:00 Our wool is back")


@SCREEN.scene("search")
async def search(stage: Stage) -> None:
    controller = await _studio(stage)
    controller.finder.open_search()
    await _type(stage, "wool")


@SCREEN.scene("search-untyped")
async def search_untyped(stage: Stage) -> None:
    (await _studio(stage)).finder.open_search()


@SCREEN.scene("search-nothing")
async def nothing(stage: Stage) -> None:
    controller = await _studio(stage)
    controller.finder.open_search()
    await _type(stage, "velvet")


@SCREEN.scene("search-odd-texts")
async def odd(stage: Stage) -> None:
    controller = await _studio(stage, odd_texts())
    controller.finder.open_search()
    await _type(stage, "c")


@SCREEN.scene("search-all-chosen")
async def all_chosen(stage: Stage) -> None:
    """All posts that match are chosen on the calendar."""
    controller = await _studio(stage)
    controller.finder.open_search()
    await _type(stage, "studio")
    palette = the(Palette, controller.window)
    await stage.until(palette.footer.all.isVisible)
    palette.choose_all()


@SCREEN.scene("keyboard")
async def keyboard(stage: Stage) -> None:
    controller = await _studio(stage)
    controller.finder.show_keyboard()
    the(KeyboardHelp, controller.window)


async def _studio(stage: Stage, service: StudioService | None = None) -> MainController:
    controller = await stage.controller(service or full_studio())
    controller.window.go("calendar")
    for text in _DRAFTS:
        controller.workspace.drafts.keep(ComposerDraft(text, (account_id("instagram"),)))
    await stage.until(lambda: controller.workspace.is_writing_kept)
    await stage.settle()
    return controller


async def _typed(stage: Stage, controller: MainController, text: str) -> None:
    controller.finder.open_palette()
    await _type(stage, text)


async def _type(stage: Stage, text: str) -> None:
    if stage.window is not None:
        palette = the(Palette, stage.window)
        QTest.keyClicks(palette.line, text)
        await stage.until(lambda: not palette.is_waiting)
        await stage.settle()


def _use(controller: MainController, name: str) -> None:
    owner, command = next(
        (owner, one) for owner in controller.finder.sets() for one in owner.all() if one.name == name
    )
    controller.finder.run_command(owner, command)
