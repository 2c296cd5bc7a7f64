"""Worlds for the tests of publishing."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from tests.service.publishing import own_time
from tests.service.publishing.fakes import FakePlatform
from tests.service.publishing.world import World

Scene = Callable[[World], Coroutine[Any, Any, None]]
Played = Callable[..., None]


@pytest.fixture
def play(tmp_path: Path) -> Played:
    """Runs a coroutine function in a new world around the given platforms."""

    def run(scene: Scene, *platforms: FakePlatform, connections_each: int = 1) -> None:
        async def main() -> None:
            world = World(tmp_path, platforms, connections_each)
            try:
                await scene(world)
            finally:
                await world.close()

        own_time.run(main())

    return run
