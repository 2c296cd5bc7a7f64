"""Writing that goes from one place to another is always in exactly one of them, on the disk as well."""

import asyncio
import json
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import insert, select

from app.workspace.editing.draft import ComposerDraft
from app.workspace.store.tables import settings
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import QUICK, Opened, new_post, opened, settled, until
from tests.workspace.test_opening_rescue import no_room

IDEA, OTHER = ComposerDraft("An idea"), ComposerDraft("Another")


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


def on_disk(folder: Path) -> list[str]:
    """Every text that is written at this moment, be it a draft or in the composer."""
    with sqlite3.connect(folder / "workspace.db") as connection:
        rows = connection.execute(
            "SELECT content FROM drafts UNION ALL SELECT value FROM settings WHERE name = 'composer'"
        ).fetchall()
    connection.close()
    return sorted(kept["text"] for (row,) in rows if (kept := json.loads(row)))


def put_aside(workspace: Opened) -> None:
    workspace.drafts.keep(IDEA)
    workspace.save_composer(None)


def take_up(workspace: Opened) -> None:
    workspace.save_composer(IDEA)
    workspace.drafts.remove([IDEA.draft_id])


@pytest.mark.parametrize(("first", "second"), [(take_up, put_aside), (put_aside, take_up)])
async def test_a_text_between_composer_and_drafts_is_never_in_both_and_never_in_none(
    tmp_path: Path,
    service: ModelService,
    first: Callable[[Opened], None],
    second: Callable[[Opened], None],
) -> None:
    async with opened(tmp_path, service) as workspace:
        first(workspace)
        await until(lambda: workspace.is_writing_kept)
        found: list[list[str]] = []
        workspace._core.database.on_commit(lambda: found.append(on_disk(tmp_path)))
        for number in range(20):
            workspace.drafts.keep(replace(OTHER, title=f"{number}"))
            await asyncio.sleep(0)  # the next change comes while this one is written
            (second, first)[number % 2](workspace)
            await asyncio.sleep(0)
        await until(lambda: workspace.is_writing_kept)
        assert {text for texts in found for text in texts} == {"An idea", "Another"}
        assert all(texts.count("An idea") == 1 for texts in found)


@pytest.mark.parametrize("chosen", [True, False])
async def test_what_was_planned_before_a_kill_is_not_in_the_composer_again(
    tmp_path: Path, service: ModelService, chosen: bool
) -> None:
    """Also where the account was chosen so late that this was not kept any more."""
    account = service.add_account()
    draft = ComposerDraft("An idea", (account,) if chosen else (), at=START + HOUR)

    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        workspace.save_composer(draft)
        assert await workspace.load_composer() == draft
        service.online = False
        workspace.plan([new_post(account, "An idea", key=draft.idempotency_key(account))])
    async with opened(tmp_path, service) as workspace:
        assert await workspace.load_composer() is None
        service.faults += [("POST", "refuse")]
        service.online = True
        await settled(workspace)
    async with opened(tmp_path, service) as workspace:
        assert await workspace.load_composer() is None


async def test_what_was_being_written_is_there_after_a_restart(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        workspace.save_composer(IDEA)
    async with opened(tmp_path, service) as workspace:
        loading = asyncio.create_task(workspace.load_composer())
        await asyncio.sleep(0)
        assert await workspace.load_composer() == IDEA
        assert await loading == IDEA


@pytest.mark.skipif(sys.platform == "win32", reason="file sizes cannot be limited here")
async def test_a_full_disk_is_said_once_however_often_saving_is_tried(
    tmp_path: Path, service: ModelService, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(tmp_path, service) as workspace:
        await settled(workspace)
        with no_room(tmp_path):
            workspace.save_composer(IDEA)
            await until(lambda: caplog.text.count("could not be kept") > 3)
            assert len(workspace.said) == 1
        await until(lambda: workspace.is_writing_kept)
        assert [message.text for message in workspace.said[1:]] == ["Your text is saved now."]


@pytest.mark.skipif(sys.platform == "win32", reason="file sizes cannot be limited here")
async def test_what_a_full_disk_did_not_take_is_saved_at_the_end(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service, pace=replace(QUICK, save_again=600)) as workspace:
        await settled(workspace)
        with no_room(tmp_path):
            workspace.save_composer(IDEA)
            await until(lambda: workspace.said)
    async with opened(tmp_path, service) as workspace:
        assert await workspace.load_composer() == IDEA


async def test_an_unfinished_post_of_another_version_is_set_aside(
    tmp_path: Path, service: ModelService, caplog: pytest.LogCaptureFixture
) -> None:
    other = """{"text": ["a shape", "that comes later"]}"""
    async with opened(tmp_path, service) as workspace:
        await workspace._core.commit(
            lambda rows: rows.execute(insert(settings).values(name="composer", value=other))
        )
    async with opened(tmp_path, service) as workspace:
        assert await workspace.load_composer() is None
        workspace.save_composer(IDEA)
    assert "was set aside" in caplog.text
    async with opened(tmp_path, service) as workspace:
        assert await workspace.load_composer() == IDEA
        kept = await workspace._core.read(lambda rows: rows.scalars(select(settings.c.value)).all())
        assert other in kept
