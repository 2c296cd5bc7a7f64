"""Drafts: in memory immediately, on disk soon, and never in place of one another."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from app.workspace.drafts.drafts import Draft, put_new_drafts
from app.workspace.editing.draft import ComposerDraft
from tests.workspace.model_service import HOUR, HandClock, ModelService
from tests.workspace.opened import Opened, opened, until


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(clock: HandClock) -> ModelService:
    return ModelService(clock)


def texts(workspace: Opened) -> list[str]:
    return [draft.content.text for draft in workspace.drafts.all()]


async def test_of_drafts_changed_in_the_same_moment_the_last_one_comes_first(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        first = workspace.drafts.keep(ComposerDraft("first"))
        workspace.drafts.keep(ComposerDraft("second"))
        workspace.drafts.keep(replace(first.content, text="first, changed"))
        assert texts(workspace) == ["first, changed", "second"]


async def test_the_draft_that_was_changed_last_comes_first_also_after_a_restart(
    tmp_path: Path, service: ModelService, clock: HandClock
) -> None:
    begun = clock.now

    async with opened(tmp_path, service) as workspace:
        first = workspace.drafts.keep(ComposerDraft("first"))
        assert (first.created_at, first.updated_at) == (begun, begun)
        clock.now += HOUR
        workspace.drafts.keep(ComposerDraft("second"))
        workspace.drafts.keep(ComposerDraft("third"))
        assert texts(workspace) == ["third", "second", "first"]
        clock.now += HOUR
        await until(lambda: workspace.is_writing_kept)
        changed = workspace.drafts.keep(replace(first.content, text="first, changed", title="Wool"))
        assert (changed.created_at, changed.updated_at) == (begun, begun + 2 * HOUR)
        assert texts(workspace) == ["first, changed", "third", "second"]
    async with opened(tmp_path, service) as workspace:
        assert workspace.drafts.get(first.id) == changed
        assert texts(workspace)[0] == "first, changed"
        for word in ("changed", "wool"):
            assert (await workspace.search(word)).drafts == (first.id,)


async def test_every_text_and_title_of_a_draft_is_found(tmp_path: Path, service: ModelService) -> None:
    content = ComposerDraft("alpha", title="beta", texts={"a": "gamma"}, titles={"a": "delta"})

    async with opened(tmp_path, service) as workspace:
        draft = workspace.drafts.keep(content)
        await until(lambda: workspace.is_writing_kept)
        for word in ("alpha", "beta", "gamma", "delta"):
            assert (await workspace.search(word)).drafts == (draft.id,)


async def test_a_change_of_drafts_is_told_and_only_that(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:

        def told() -> int:
            return sum(changes.drafts for changes in workspace.heard)

        draft = workspace.drafts.keep(ComposerDraft("An idea"))
        await until(lambda: told() == 1)
        workspace.drafts.take_in([Draft(ComposerDraft("Another"), 1, 1)])
        await until(lambda: told() == 2)
        assert texts(workspace) == ["An idea", "Another"]
        workspace.drafts.remove(["unknown"])
        workspace.drafts.remove([draft.id])
        await until(lambda: told() == 3)
        await until(lambda: workspace.is_writing_kept)
        assert told() == 3
        assert texts(workspace) == ["Another"]
        assert workspace.drafts.get(draft.id) is None


async def test_the_last_of_several_quick_changes_of_a_draft_is_saved(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        for name, is_left in (("restored", True), ("removed", False)):
            draft = workspace.drafts.keep(ComposerDraft(name))
            workspace.drafts.remove([draft.id])
            workspace.drafts.keep(draft.content)
            if not is_left:
                workspace.drafts.remove([draft.id])
    async with opened(tmp_path, service) as workspace:
        assert texts(workspace) == ["restored"]


async def test_new_drafts_take_no_others_place(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        kept = workspace.drafts.keep(ComposerDraft("mine"))
        await until(lambda: workspace.is_writing_kept)
        other, new = replace(kept.content, text="theirs"), ComposerDraft("new")
        made = [Draft(other, 5, 6), Draft(new, 7, 8)]
        database = workspace._core.database
        assert await database.write(lambda rows: put_new_drafts(rows, made)) == [new.draft_id]
    async with opened(tmp_path, service) as workspace:
        assert workspace.drafts.get(kept.id) == kept
        assert workspace.drafts.get(new.draft_id) == made[1]


async def test_a_draft_of_another_version_is_left_as_it_is(tmp_path: Path, service: ModelService) -> None:
    def contents() -> dict[str, str]:
        with sqlite3.connect(tmp_path / "workspace.db") as connection:
            found = dict(connection.execute("SELECT id, content FROM drafts"))
        connection.close()
        return found

    async with opened(tmp_path, service) as workspace:
        gone, foreign, kept = (workspace.drafts.keep(ComposerDraft(text)) for text in ("a", "b", "c"))
    with sqlite3.connect(tmp_path / "workspace.db") as connection:
        connection.execute("UPDATE drafts SET content = '[7]' WHERE id = ?", (foreign.id,))
    connection.close()
    async with opened(tmp_path, service) as workspace:
        assert set(texts(workspace)) == {"a", "c"}
        workspace.drafts.remove([gone.id])
    assert set(contents()) == {foreign.id, kept.id}
    assert contents()[foreign.id] == "[7]"
