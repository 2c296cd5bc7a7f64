"""A program that plans a post and is killed: with the answer of the service on its way, or with nothing sent.

Run as ``python -m tests.workspace.killed FOLDER unsent|unanswered``.
"""

import asyncio
import os
import pickle
import signal
import sys
from pathlib import Path

import httpx

from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import new_post, opened, until


class DeadlyService(ModelService):
    """Makes the post, and then the one who asked is no more."""

    folder: Path

    def answer(self, request: httpx.Request) -> httpx.Response:
        response = super().answer(request)
        if request.method == "POST":
            state = {"posts": self.posts, "keys": self.keys, "effects": self.effects}
            (self.folder / "service").write_bytes(pickle.dumps(state))
            os.kill(os.getpid(), signal.SIGKILL)
        return response


async def main(folder: Path, how: str) -> None:
    service = DeadlyService(HandClock())
    service.folder = folder
    service.online = how == "unanswered"
    async with opened(folder, service) as workspace:
        (key,) = workspace.plan([new_post("0f3c1f0e-6b56-4d0e-8d4e-1f6d3c2b1a00", "Hello")])
        workspace.move({key: START + 2 * HOUR})
        await until(lambda: workspace._journal.is_saved(key))
        if how == "unsent":
            os.kill(os.getpid(), signal.SIGKILL)
        await until(lambda: False)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
