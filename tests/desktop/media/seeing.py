"""The pane of files, and what it tells."""

import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from PIL import Image

from app.desktop.media import MediaPane
from app.desktop.media.queue_row import QueueRow
from app.workspace.messages import Message
from app.workspace.workspace import Workspace
from tests.desktop.running import LISBON, shown
from tests.workspace.opened import until

MIB = 1024 * 1024


def jpeg(edge: int) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (edge, edge), "brown").save(content, "JPEG")
    return content.getvalue()


class Seen:
    """The pane, and what it told."""

    def __init__(self, pane: MediaPane) -> None:
        self.pane = pane
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
        yield Seen(pane)
