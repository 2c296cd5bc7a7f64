"""The card of a post that waits for its user, over an in-memory service.

Run as ``python -m tests.real_input.finishing_program FOLDER PICTURE``. It answers questions about itself, see
`questions`.
"""

import asyncio
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

from PySide6.QtWidgets import QApplication, QWidget

from app.desktop import aio
from app.desktop.finishing.card import FinishingCard
from app.workspace.clock import wall_clock
from app.workspace.workspace import Workspace
from tests.real_input.questions import Questioned, answer_questions
from tests.workspace.model_places import ModelPlaces, keep_places
from tests.workspace.model_service import ModelService

FILE = "me/coat-0a1b2c3d.jpg"
TEXT = "The long wool coat is back."


class Answers(Questioned):
    """Questions about the card."""

    def __init__(self, card: FinishingCard, places: ModelPlaces) -> None:
        self._card, self._places = card, places

    def tile(self) -> list[int] | None:
        """Return where to grab the file on the screen; None before it's there."""
        tile = self._card.tile
        return _middle(tile.findChildren(QWidget)[0]) if tile.file is not None else None

    def is_active(self) -> bool:
        """Whether the card has the keyboard."""
        return self._card.isActiveWindow() and QApplication.focusWidget() is not None

    def finished(self) -> list[str]:
        """Return what was reported to the service."""
        return [one for one in self._places.effects if one.startswith("finished")]


def _middle(widget: QWidget) -> list[int]:
    there = widget.mapToGlobal(widget.rect().center())
    return [there.x(), there.y()]


async def live(folder: Path, picture: bytes, stop: asyncio.Event) -> int:
    service = ModelService(wall_clock)
    service.offers, service.files[FILE] = ["media"], picture
    places = keep_places(service)
    places.add_post_by_hand(places.add_account("x-by-hand"), wall_clock() - 60_000, TEXT, media=FILE)
    workspace = await Workspace.open(service.client(), folder / "workspace.db", name="Studio")
    await workspace.refresh()
    await workspace.media.library.refresh()
    card = FinishingCard(workspace, ZoneInfo("Europe/Lisbon"))
    card.present(is_asked=True)
    card.move(40, 40)
    say = answer_questions(Answers(card, places), stop)
    say("ready")
    await stop.wait()
    card.close()
    card.deleteLater()
    await workspace.close()
    return 0


if __name__ == "__main__":
    application = aio.AsyncApplication(["kalends"])
    content = Path(sys.argv[2]).read_bytes()
    sys.exit(aio.run(application, lambda stop: live(Path(sys.argv[1]), content, stop)))
