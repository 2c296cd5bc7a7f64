"""Earlier texts: kept when much goes at once, and every two minutes; forgotten with their draft."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from sqlalchemy import Connection

from app.database import DiskFullError
from app.workspace.composer.draft import ComposerDraft
from app.workspace.core import Core
from app.workspace.drafts.versions import APART_MS, LOST, VERSIONS_MAX, DraftVersions
from app.workspace.messages import Problem
from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.opened import Opened, opened

LONG = "The long wool coat is back: same pattern, heavier cloth."


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(clock: HandClock) -> ModelService:
    return ModelService(clock)


def write(workspace: Opened, draft: ComposerDraft, text: str) -> ComposerDraft:
    """The draft with another text, as the composer keeps it."""
    after = replace(draft, text=text)
    workspace.versions.note(draft, after)
    return after


async def texts(workspace: Opened, draft: ComposerDraft) -> list[str]:
    return [version.text for version in await workspace.versions.of(draft.draft_id)]


def test_what_goes_at_once_is_kept_and_typing_is_not(tmp_path: Path, service: ModelService) -> None:
    async def story() -> None:
        async with opened(tmp_path, service) as workspace:
            draft = ComposerDraft("")
            for end in range(1, len(LONG) + 1, 5):
                draft = write(workspace, draft, LONG[:end])
            draft = write(workspace, draft, LONG)
            assert await texts(workspace, draft) == []
            draft = write(workspace, draft, LONG[: len(LONG) - LOST + 1])
            assert await texts(workspace, draft) == []
            draft = write(workspace, draft, LONG)
            draft = write(workspace, draft, "")
            assert await texts(workspace, draft) == [LONG]

    asyncio.run(story())


def test_a_version_is_kept_every_two_minutes_of_writing(
    tmp_path: Path, service: ModelService, clock: HandClock
) -> None:
    async def story() -> None:
        async with opened(tmp_path, service) as workspace:
            draft = ComposerDraft("0")
            for number in range(1, VERSIONS_MAX + 5):
                draft = write(workspace, draft, f"{number}")
                draft = write(workspace, draft, f"{number}!")
                clock.now += APART_MS
            found = await texts(workspace, draft)
            assert len(found) == VERSIONS_MAX
            assert found[:2] == [f"{VERSIONS_MAX + 3}!", f"{VERSIONS_MAX + 2}!"]

    asyncio.run(story())


def test_versions_go_with_their_draft(tmp_path: Path, service: ModelService) -> None:
    kept, writing, gone = ComposerDraft(LONG), ComposerDraft(LONG), ComposerDraft(LONG)

    async def story() -> None:
        async with opened(tmp_path, service) as workspace:
            for draft in (kept, writing, gone):
                workspace.versions.keep(draft)
            workspace.drafts.keep(kept)
            workspace.save_composer(writing)
        async with opened(tmp_path, service) as workspace:
            assert [await texts(workspace, draft) for draft in (kept, writing, gone)] == [[LONG], [LONG], []]

    asyncio.run(story())


def test_only_a_changed_text_is_kept(tmp_path: Path, service: ModelService, clock: HandClock) -> None:
    async def story() -> None:
        async with opened(tmp_path, service) as workspace:
            draft = write(workspace, ComposerDraft(LONG), LONG)
            clock.now += APART_MS
            assert not workspace.versions.note(draft, replace(draft, title="Coats"))
            assert await texts(workspace, draft) == []
            assert workspace.versions.note(draft, replace(draft, text=LONG[:-1]))
            assert await texts(workspace, draft) == [LONG]

    asyncio.run(story())


def test_a_text_that_gets_shorter_by_the_limit_is_kept(tmp_path: Path, service: ModelService) -> None:
    async def story() -> None:
        async with opened(tmp_path, service) as workspace:
            draft = write(workspace, ComposerDraft(LONG), LONG[:-LOST])
            assert await texts(workspace, draft) == [LONG]

    asyncio.run(story())


def test_versions_that_cannot_be_read_are_a_problem() -> None:
    class Full:
        async def read(self, _: Callable[[Connection], object]) -> None:
            raise DiskFullError("The disk is full.")

    async def story() -> None:
        versions = DraftVersions(cast("Core", SimpleNamespace(database=Full())))
        with pytest.raises(Problem, match="disk is full"):
            await versions.of("draft")

    asyncio.run(story())
