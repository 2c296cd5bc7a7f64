"""Worlds for the tests of publishing."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from tests.service.publishing.world import FakePlatform, World

Play = Callable[[World], Coroutine[Any, Any, None]]


@pytest.fixture
def play(tmp_path: Path) -> Callable[..., None]:
    """Runs a coroutine function in a new world around the given platforms."""
    import asyncio

    def run(scene: Play, *platforms: FakePlatform, connections_each: int = 1) -> None:
        async def main() -> None:
            world = World(tmp_path, platforms, connections_each)
            try:
                await scene(world)
            finally:
                await world.close()

        asyncio.run(main())

    return run
