"""Nothing that was planned is lost, and nothing is done twice, when the app is killed."""

import asyncio
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import opened, settled

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")


@pytest.mark.parametrize("how", ["unsent", "unanswered"])
def test_after_a_kill_the_post_is_made_once(tmp_path: Path, how: str) -> None:
    killed = subprocess.run(
        [sys.executable, "-m", "tests.workspace.killed", str(tmp_path), how], timeout=180, check=False
    )
    assert killed.returncode == -signal.SIGKILL

    service = ModelService(HandClock())
    if how == "unanswered":
        state = pickle.loads((tmp_path / "service").read_bytes())  # noqa: S301  written by our own child
        service = ModelService(HandClock(), **state)
        assert service.effects == ["Hello"]

    async def start_again() -> None:
        async with opened(tmp_path, service) as workspace:
            await settled(workspace)
            assert [(post.headline, post.at) for post in workspace.posts] == [("Hello", START + 2 * HOUR)]

    asyncio.run(start_again())
    assert service.effects == ["Hello"]
