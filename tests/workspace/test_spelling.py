"""Dictionaries, the person's own words, and the language of new drafts."""

from pathlib import Path

import pytest

from app.workspace.spelling import OFF, SystemDictionaries
from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.opened import opened
from tests.workspace.spelling_samples import FewWords, give


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


async def test_own_words_are_kept_and_ignored_ones_forgotten(tmp_path: Path, service: ModelService) -> None:
    words = ["wool", "Okafor", "selvedge", "Selvedge", "шерсть"]

    async with opened(tmp_path, service) as workspace:
        await give(workspace, FewWords())
        assert await workspace.spelling.unknown("en_GB", words) == {"Okafor", "selvedge", "Selvedge"}
        await workspace.spelling.add("selvedge")
        workspace.spelling.ignore("Okafor")
        assert await workspace.spelling.unknown("en_GB", words) == set()
    async with opened(tmp_path, service) as workspace:
        await give(workspace, FewWords())
        assert await workspace.spelling.unknown("en_GB", words) == {"Okafor"}
        await workspace.spelling.remove("Selvedge")
        assert await workspace.spelling.unknown("en_GB", words) == {"Okafor", "selvedge", "Selvedge"}


@pytest.mark.parametrize(
    ("languages", "locale", "usual"),
    [
        (("de_DE", "en_GB", "en_US"), "en_US", "en_US"),
        (("de_DE", "en_GB"), "en_AU", "en_GB"),
        (("de_DE",), "pt_PT", "de_DE"),
        ((), "pt_PT", OFF),
    ],
)
async def test_new_drafts_are_in_the_nearest_language(
    tmp_path: Path, service: ModelService, languages: tuple[str, ...], locale: str, usual: str
) -> None:
    async with opened(tmp_path, service) as workspace:
        await give(workspace, FewWords((*languages, "")))
        workspace.spelling.languages = languages
        assert workspace.spelling.usual(locale) == usual
        await workspace.spelling.prefer(OFF)
        assert workspace.spelling.usual(locale) == OFF


def test_what_the_system_has_is_asked_and_where_it_has_none_nothing_is_wrong() -> None:
    system = SystemDictionaries()
    languages = system.languages()
    for language in languages[:1]:
        assert system.unknown(language, ["qqxzv"]) == {"qqxzv"}
        assert isinstance(system.suggest(language, "qqxzv"), list)
    assert system.unknown("no_such_language", ["qqxzv"]) == set()
    assert system.suggest("no_such_language", "qqxzv") == []
