"""Which emoji were used last."""

from pathlib import Path

import pytest

from app.workspace.editing.snippets import RECENT_MAX
from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.opened import opened


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


async def test_the_newest_comes_first_and_none_stands_twice(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        await workspace.emoji.load()
        assert (workspace.emoji.recent, workspace.emoji.tone) == ((), 0)
        for text in ("🦊", "🧶", "🦊"):
            await workspace.emoji.use(text)
        await workspace.emoji.like(3)
    async with opened(tmp_path, service) as workspace:
        await workspace.emoji.load()
        assert (workspace.emoji.recent, workspace.emoji.tone) == (("🦊", "🧶"), 3)
        for number in range(2 * RECENT_MAX):
            await workspace.emoji.use(chr(0x1F400 + number))
        assert len(workspace.emoji.recent) == RECENT_MAX
        assert workspace.emoji.tone == 3


async def test_one_used_before_the_earlier_ones_were_read_replaces_none(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        await workspace.emoji.use("🦊")
        await workspace.emoji.like(3)
    async with opened(tmp_path, service) as workspace:
        await workspace.emoji.use("🧶")
        assert (workspace.emoji.recent, workspace.emoji.tone) == (("🧶", "🦊"), 3)
    async with opened(tmp_path, service) as workspace:
        await workspace.emoji.like(4)
        assert (workspace.emoji.recent, workspace.emoji.tone) == (("🧶", "🦊"), 4)
