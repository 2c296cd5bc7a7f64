"""A program that has a file fetched from an address, and is killed while the service fetches it.

Run as ``python -m tests.workspace.media.killed_fetching FOLDER``.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

import httpx

from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.opened import opened, until

URL = "https://okafor.studio/linen.jpg"


class DeadlyService(ModelService):
    """Takes the order, and then the one who asked is no more."""

    def answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("attach-from-url"):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().answer(request)


async def main(folder: Path) -> None:
    async with opened(folder, DeadlyService(HandClock())) as workspace:
        workspace.media.imports.begin(URL)
        await until(lambda: False)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
