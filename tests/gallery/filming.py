"""What the film for the README shows: a week is planned, and a post is published."""

import gc
import logging
import sys
from pathlib import Path
from typing import Final

import structlog
from PySide6.QtWidgets import QApplication

from app.desktop import qt_language
from app.desktop.calendar.days import Span
from app.desktop.composer import ComposerPanel
from app.desktop.composer.account_chip import AccountChip
from app.desktop.shell.main_controller import MainController
from app.workspace.clock import wall_clock
from tests.gallery.camera import Camera
from tests.gallery.hands import button, card, day, ordinal, pictures, the
from tests.gallery.samples import ZONE
from tests.gallery.scene import SMALL, Scene
from tests.gallery.scenes.history import published_studio
from tests.gallery.service import StudioService, at
from tests.gallery.showing import play
from tests.gallery.stage import Look, Stage, run

_AT: Final = "2026-11-22T19:58:50"
"""A moment before the post is due that is published."""

_TONIGHT: Final = "Sunday notes from the cutting table"
_TEXT: Final = "The long coat is back. Orders open on Thursday."
_WIDTH: Final = 960


def main(file: Path) -> int:
    """Film into a file; return 1 if anything went wrong."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    app = QApplication(["kalends-gallery"])
    qt_language.speak(app)
    gc.freeze()
    failures: list[str] = []

    async def act(stage: Stage) -> None:
        camera = Camera(stage, _WIDTH)
        with camera.running():
            await _act(stage, camera)
        camera.save(file)
        print(f"{camera.seconds:.0f} s in {file}")

    async def nothing(_stage: Stage) -> None:
        """The film is written while the scene plays."""

    async def work() -> None:
        failures.extend(map(str, await play(Scene("recording", act, at=_AT), Look("light", SMALL), nothing)))

    run(app, work())
    sys.stderr.writelines(f"{failure}\n" for failure in failures)
    return 1 if failures else 0


async def _act(stage: Stage, camera: Camera) -> None:
    """Move a post, be refused, look at the hours, write a post, and see one published."""
    service = published_studio()
    due = at(0, "20:00", ZONE)
    tonight = service.plan(due, "linkedin", _TONIGHT, status="scheduled")
    controller = await _open(stage, service)
    pane = controller.calendar
    days = pane.grid.view.viewport()
    await camera.hold(0.6)
    await camera.drag(days, card(pane, "Five questions before you cut"), day(pane, 4))
    await camera.hold(0.8)
    await camera.drag(days, card(pane, "Returns, honestly: what came back and why"), day(pane, -2))
    await camera.hold(0.9)
    await camera.click(pane.toolbar.forward)
    await camera.hold(0.6)
    await camera.click(pane.toolbar.back)
    await camera.hold(0.4)
    for view in ("Week", "Month"):
        await camera.click(button(view, pane.toolbar))
        await camera.hold(1.0)
    await camera.click(button("New post", pane.toolbar))
    await stage.until(lambda: isinstance(controller.window.side, ComposerPanel))
    panel = the(ComposerPanel, controller.window)
    await stage.until(lambda: not panel.text_box.editor.isReadOnly())
    await camera.click(
        next(
            chip for chip in panel.accounts.findChildren(AccountChip) if chip.isVisible() and not chip.reason
        )
    )
    await camera.hold(0.3)
    await camera.write(panel.text_box.editor, _TEXT)
    await camera.hold(0.5)
    await camera.click(button("Close", panel))
    await camera.hold(0.6)
    await camera.go(days, day(pane, -2))
    await stage.until(lambda: wall_clock() >= due)
    service.posts[tonight]["status"] = "posted"
    await controller.workspace.refresh()
    await camera.hold(1.8)


async def _open(stage: Stage, service: StudioService) -> MainController:
    controller = await stage.controller(service)
    controller.window.set_motion("on")
    controller.window.go("calendar")
    controller.calendar.show_span(Span.MONTH, ordinal(0))
    await controller.workspace.analytics.refresh()
    await pictures(stage, controller.calendar)
    await stage.until(lambda: controller.calendar.results.is_at_rest)
    return controller
