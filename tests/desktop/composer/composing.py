"""What tests of the composer need to set their scene."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from app.desktop.composer import ComposerPanel
from app.workspace.clock import wall_clock
from app.workspace.editing.draft import ComposerDraft
from app.workspace.workspace import Workspace
from tests.workspace.opened import Opened, until

DAY = 86_400_000

Story = Callable[[Opened, ComposerPanel], Awaitable[None]]


class Compose(Protocol):
    """Plays a story with a composer that shows, for posts at a time in milliseconds or at its own."""

    def __call__(self, story: Story, at: int | None = None) -> None: ...


def tomorrow() -> int:
    return (wall_clock() // DAY + 1) * DAY + DAY // 2


async def ready(panel: ComposerPanel) -> None:
    await until(lambda: not panel.text_box.editor.isReadOnly())


def stored(panel: ComposerPanel, version: str | None = None) -> str:
    """What the service calls the file of a version, or of the one that is shown; empty until it is there."""
    upload = panel.model.files.upload_for(panel.model.version if version is None else version)
    return upload.storage_path if upload is not None and upload.is_done else ""


async def kept(opened: Workspace) -> ComposerDraft | None:
    return await opened.load_composer()
