"""The pane of files, and what it tells."""

import io
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Protocol

from PIL import Image

from app.desktop.media.pane import MediaPane
from app.desktop.media.queue_row import QueueRow
from app.workspace.clock import Pace
from app.workspace.messages import Message
from app.workspace.workspace import Workspace
from tests.desktop.running import LISBON, shown
from tests.workspace.media.samples import SlowLine
from tests.workspace.opened import QUICK, until

MIB = 1024 * 1024


def jpeg(edge: int) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (edge, edge), "brown").save(content, "JPEG")
    return content.getvalue()


class Seen:
    """The pane over a workspace and its files, and what it told."""

    def __init__(self, pane: MediaPane, workspace: Workspace) -> None:
        self.pane = pane
        self.workspace = workspace
        self.media = workspace.media
        self.said: list[Message] = []
        pane.told.connect(self.said.append)

    def names(self) -> list[str]:
        rows = range(self.pane.model.rowCount())
        return [item.name for row in rows if (item := self.pane.model.item(row))]

    async def until_listed(self, *names: str) -> None:
        await until(lambda: sorted(self.names()) == sorted(names))

    def choose(self, *paths: str) -> None:
        self.pane.grid.choose(list(paths))

    def row(self, number: int = 0) -> QueueRow:
        return self.pane.queue.rows()[number]


@asynccontextmanager
async def seen(opened: Workspace) -> AsyncIterator[Seen]:
    async with shown(MediaPane(opened, LISBON), (1_000, 700)) as pane:
        yield Seen(pane, opened)


class OnPane(Protocol):
    """Plays a story on the pane, from its first look at the service to its end."""

    def __call__(
        self, story: Callable[[Seen], Awaitable[None]], *, line: SlowLine | None = None, pace: Pace = QUICK
    ) -> None:
        """``line``: the one to the service, where it is slow."""
