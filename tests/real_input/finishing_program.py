"""The card of posts that wait for their user, over an in-memory service.

Run as ``python -m tests.real_input.finishing_program FOLDER PICTURE [single]``. With ``single``, three posts
of a connected account wait, instead of one of an account without access. It answers questions about itself,
see `questions`.
"""

import asyncio
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

from PySide6.QtWidgets import QApplication, QWidget

from app.contract.base import format_timestamp
from app.contract.enums import PostingPlatform, PostType
from app.desktop import aio
from app.desktop.finishing.card import FinishingCard
from app.workspace.clock import from_millis, wall_clock
from app.workspace.posts.new import NewPost
from app.workspace.workspace import Workspace
from tests.real_input.questions import Questioned, answer_questions
from tests.workspace.model_by_hand import OFFER
from tests.workspace.model_places import keep_places
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

FILE = "me/coat-0a1b2c3d.jpg"
TEXT = "The long wool coat is back."
_UNDO_MS = 600_000
"""How long Undo is offered, in ms: longer than anybody takes to reach it."""
SINGLE = TEXT, "Orders open at nine.", "Fitting room: the linen jacket."
"""The texts of the posts of a connected account, in the order of their times."""


class Answers(Questioned):
    """Questions about the card."""

    def __init__(self, card: FinishingCard, service: ModelService) -> None:
        self._card, self._service = card, service

    def tile(self) -> list[int] | None:
        """Return where to grab the file on the screen; None before it's there."""
        tile = self._card.content.tile
        return _middle(tile.findChildren(QWidget)[0]) if tile.file is not None else None

    def is_active(self) -> bool:
        """Whether the card has the keyboard."""
        return self._card.isActiveWindow() and QApplication.focusWidget() is not None

    def finished(self) -> list[str]:
        """Return what was reported to the service."""
        return [one for one in self._service.effects if one.startswith("finished")]

    def button(self, name: str) -> list[int]:
        """Return where a button of the card is on the screen."""
        return _middle(getattr(self._card, name))

    def undo(self) -> list[int] | None:
        """Return where Undo is on the screen; None unless it's offered."""
        strip = self._card.strip
        ways = strip.ways() if strip is not None else []
        return _middle(ways[0]) if ways else None

    def shown(self) -> str:
        """Return the text of the post on the card."""
        return self._card.content.text.toPlainText()

    def statuses(self) -> dict[str, str]:
        """Return the status of each post, by its text, as the service has it."""
        return {post["description"]: post["status"] for post in self._service.posts.values()}


def _middle(widget: QWidget) -> list[int]:
    there = widget.mapToGlobal(widget.rect().center())
    return [there.x(), there.y()]


async def plan_single(workspace: Workspace, service: ModelService) -> None:
    """Plan posts of a connected account by hand, and wait until their time has come."""
    account = service.add_account("x")
    await workspace.refresh()
    soon = wall_clock() + 60_000
    workspace.plan(
        [
            NewPost(account, PostingPlatform.X, PostType.TEXT, text, at=soon + number, by_hand=True)
            for number, text in enumerate(SINGLE)
        ]
    )
    await until(lambda: len(service.posts) == len(SINGLE))
    for number, text in enumerate(SINGLE, -len(SINGLE)):
        (post,) = [one for one in service.posts.values() if one["description"] == text]
        due = format_timestamp(from_millis(wall_clock() + number * 60_000))
        post |= {"status": "processing", "scheduled_at": due}
    while len(workspace.finishing.waiting()) < len(SINGLE):
        await workspace.refresh()


async def live(folder: Path, picture: bytes, stop: asyncio.Event, *, is_single: bool) -> int:
    service = ModelService(wall_clock)
    service.offers, service.files[FILE] = ["media", *((OFFER, "finishing") if is_single else ())], picture
    reported = service
    if not is_single:
        reported = places = keep_places(service)
        places.add_post_by_hand(places.add_account("x-by-hand"), wall_clock() - 60_000, TEXT, media=FILE)
    workspace = await Workspace.open(service.client(), folder / "workspace.db", name="Studio")
    await workspace.refresh()
    if is_single:
        await plan_single(workspace, service)
    await workspace.media.library.refresh()
    card = FinishingCard(workspace, ZoneInfo("Europe/Lisbon"), undo_ms=_UNDO_MS)
    card.present(is_asked=True)
    card.move(40, 40)
    say = answer_questions(Answers(card, reported), stop)
    say("ready")
    await stop.wait()
    card.close()
    card.deleteLater()
    await workspace.close()
    return 0


if __name__ == "__main__":
    application = aio.AsyncApplication(["kalends"])
    content = Path(sys.argv[2]).read_bytes()
    single = sys.argv[3:] == ["single"]
    sys.exit(aio.run(application, lambda stop: live(Path(sys.argv[1]), content, stop, is_single=single)))
