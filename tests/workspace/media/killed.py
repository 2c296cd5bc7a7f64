"""A program that attaches a file to what is being written, and is killed while the file is on its way.

Run as ``python -m tests.workspace.media.killed FOLDER``.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from app.workspace.editing.draft import ComposerDraft
from app.workspace.workspace import Workspace
from tests.workspace.media.samples import SlowLine, video
from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.opened import QUICK, until


async def main(folder: Path) -> None:
    line = SlowLine(ModelService(HandClock()))
    workspace = await Workspace.open(
        line.client(), folder / "workspace.db", name="Test", clock=line.service.clock, pace=QUICK
    )
    (upload,) = await workspace.media.add_files([video(folder, "walk.mp4", 2_000_000)])
    workspace.save_composer(ComposerDraft("Autumn", upload_id=upload.id))
    await until(lambda: line.uploads == 1 and workspace.is_writing_kept)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
