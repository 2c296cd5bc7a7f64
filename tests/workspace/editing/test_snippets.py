"""Texts that are saved under a name."""

import asyncio
from pathlib import Path

import pytest

from app.workspace.editing.snippets import NAME_MAX, SNIPPETS_MAX
from app.workspace.messages import Problem
from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.opened import opened


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


async def test_texts_are_kept_by_name_and_replaced(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        assert await workspace.snippets.load() == {}
        await workspace.snippets.keep("Wool", "#wool #slow")
        await workspace.snippets.keep(" linen \n tags ", "#linen\n")
        await workspace.snippets.keep("Wool", "#wool")
    async with opened(tmp_path, service) as workspace:
        assert list((await workspace.snippets.load()).items()) == [
            ("linen tags", "#linen"),
            ("Wool", "#wool"),
        ]
        await workspace.snippets.remove(["Wool", "unknown"])
        assert list(workspace.snippets.all()) == ["linen tags"]


async def test_what_is_deleted_and_saved_in_quick_succession_is_all_done(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        for name in ("Coats", "Linen", "Wool"):
            await workspace.snippets.keep(name, f"#{name}")
        await asyncio.gather(
            workspace.snippets.remove(["Coats"]),
            workspace.snippets.remove(["Wool"]),
            workspace.snippets.keep("Silk", "#silk"),
        )
        assert list(workspace.snippets.all()) == ["Linen", "Silk"]
    async with opened(tmp_path, service) as workspace:
        assert list(await workspace.snippets.load()) == ["Linen", "Silk"]


@pytest.mark.parametrize(("name", "text"), [("", "words"), ("  ", "words"), ("name", " \n")])
async def test_what_has_no_name_or_no_words_is_refused(
    tmp_path: Path, service: ModelService, name: str, text: str
) -> None:
    async with opened(tmp_path, service) as workspace:
        with pytest.raises(Problem):
            await workspace.snippets.keep(name, text)
        assert workspace.snippets.all() == {}


async def test_names_and_numbers_end_somewhere(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        for number in range(SNIPPETS_MAX):
            await workspace.snippets.keep(f"{number} " + "n" * 200, "words")
        assert max(map(len, workspace.snippets.all())) == NAME_MAX
        with pytest.raises(Problem):
            await workspace.snippets.keep("one more", "words")
        await workspace.snippets.keep("0 " + "n" * 200, "other words")
