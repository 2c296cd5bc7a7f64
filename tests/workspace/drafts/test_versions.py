"""Earlier texts: kept when much goes at once, and every two minutes; forgotten with their draft."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from sqlalchemy import Connection, insert, select

from app.client import ServiceClient
from app.database import Database, DiskFullError
from app.workspace.clock import Pace
from app.workspace.core import Core
from app.workspace.drafts.versions import APART_MS, LOST, VERSIONS_MAX, DraftVersions
from app.workspace.editing.draft import ComposerDraft
from app.workspace.messages import Problem
from app.workspace.store.tables import settings
from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.opened import Opened, opened, until

LONG = "The long wool coat is back: same pattern, heavier cloth."


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(clock: HandClock) -> ModelService:
    return ModelService(clock)


def write(workspace: Opened, draft: ComposerDraft, text: str) -> ComposerDraft:
    """The draft with another text, as the composer keeps it after a pause."""
    after = replace(draft, text=text)
    workspace.versions.note(draft, after)
    return after


async def texts(workspace: Opened, draft: ComposerDraft) -> list[str]:
    return [version.text for version in await workspace.versions.of(draft.draft_id)]


async def test_what_goes_at_once_is_kept_and_typing_is_not(tmp_path: Path, service: ModelService) -> None:
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


async def test_the_own_text_of_an_account_is_kept_when_it_takes_the_shared_one(
    tmp_path: Path, service: ModelService
) -> None:
    own = ComposerDraft("Shared", draft_id="d", texts={"a": "For Instagram", "b": "b"}, titles={"a": "Title"})
    async with opened(tmp_path, service) as workspace:
        workspace.versions.note(own, replace(own, texts={"a": "For Instagram!", "b": "b"}))
        workspace.versions.note(own, replace(own, texts={"a": "For Instagram", "b": ""}))
        assert await workspace.versions.of("d") == ()
        workspace.versions.note(own, replace(own, texts={"b": "b"}, titles={}))
        found = await workspace.versions.of("d")
        assert [(one.text, one.title) for one in found] == [("For Instagram", "Title")]
        workspace.versions.keep(own)
        assert {one.text for one in await workspace.versions.of("d")} == {"Shared", "For Instagram", "b"}


def _shared_text(draft: ComposerDraft, words: str) -> ComposerDraft:
    return replace(draft, text=words)


def _shared_title(draft: ComposerDraft, words: str) -> ComposerDraft:
    return replace(draft, title=words)


def _own_text(draft: ComposerDraft, words: str) -> ComposerDraft:
    return replace(draft, texts={"a": words})


def _own_title(draft: ComposerDraft, words: str) -> ComposerDraft:
    return replace(draft, titles={"a": words})


@pytest.mark.parametrize("cut", [_shared_text, _shared_title, _own_text, _own_title])
async def test_words_deleted_letter_by_letter_are_kept(
    tmp_path: Path, service: ModelService, cut: Callable[[ComposerDraft, str], ComposerDraft]
) -> None:
    whole = cut(ComposerDraft("Short", title="Coats", texts={"b": "b"}, titles={"b": "b"}), LONG)
    async with opened(tmp_path, service) as workspace:
        settled = whole
        for left in range(len(LONG), -1, -1):
            settled = workspace.versions.note(settled, cut(whole, LONG[:left]))
        [found] = await workspace.versions.of(whole.draft_id)
        assert LONG in (found.text, found.title)


async def test_words_typed_again_are_compared_as_they_are_now(tmp_path: Path, service: ModelService) -> None:
    """Otherwise each letter typed after a deletion would be a loss."""
    async with opened(tmp_path, service) as workspace:
        settled = workspace.versions.note(ComposerDraft(LONG, draft_id="d"), ComposerDraft("", draft_id="d"))
        assert settled.text == ""
        settled = workspace.versions.note(settled, ComposerDraft("A coat", draft_id="d"))
        assert settled.text == "A coat"
        settled = workspace.versions.note(settled, ComposerDraft("A coa", draft_id="d"))
        assert settled.text == "A coat"
        assert [one.text for one in await workspace.versions.of("d")] == [LONG]


async def test_another_draft_is_not_compared_with_the_last_one(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        emptied = ComposerDraft()
        assert workspace.versions.note(ComposerDraft("A coat"), emptied) == emptied


async def test_versions_with_the_same_text_and_other_titles_are_kept(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        draft = ComposerDraft("A coat", title="Coats")
        workspace.versions.keep(draft)
        workspace.versions.keep(replace(draft, title="Wool"))
        found = await workspace.versions.of(draft.draft_id)
        assert [one.title for one in found] == ["Wool", "Coats"]


async def test_a_version_is_kept_every_two_minutes_of_writing(
    tmp_path: Path, service: ModelService, clock: HandClock
) -> None:
    async with opened(tmp_path, service) as workspace:
        draft = ComposerDraft("0")
        for number in range(1, VERSIONS_MAX + 5):
            draft = write(workspace, draft, f"{number}")
            draft = write(workspace, draft, f"{number}!")
            clock.now += APART_MS
        found = await texts(workspace, draft)
        assert len(found) == VERSIONS_MAX
        assert found[:2] == [f"{VERSIONS_MAX + 3}!", f"{VERSIONS_MAX + 2}!"]


async def test_versions_go_with_their_draft(tmp_path: Path, service: ModelService) -> None:
    kept, writing, gone = ComposerDraft(LONG), ComposerDraft(LONG), ComposerDraft(LONG)

    async with opened(tmp_path, service) as workspace:
        for draft in (kept, writing, gone):
            workspace.versions.keep(draft)
        workspace.drafts.keep(kept)
        workspace.save_composer(writing)
    async with opened(tmp_path, service) as workspace:
        assert [await texts(workspace, draft) for draft in (kept, writing, gone)] == [[LONG], [LONG], []]


async def test_only_a_changed_text_is_kept(tmp_path: Path, service: ModelService, clock: HandClock) -> None:
    async with opened(tmp_path, service) as workspace:
        draft = write(workspace, ComposerDraft(LONG), LONG)
        clock.now += APART_MS
        workspace.versions.note(draft, replace(draft, title="Coats"))
        assert await texts(workspace, draft) == []
        workspace.versions.note(draft, replace(draft, text=LONG[:-1]))
        assert await texts(workspace, draft) == [LONG]


async def test_a_text_that_gets_shorter_by_the_limit_is_kept(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        draft = write(workspace, ComposerDraft(LONG), LONG[:-LOST])
        assert await texts(workspace, draft) == [LONG]


async def test_a_text_that_was_kept_before_is_kept_once_and_is_the_newest(
    tmp_path: Path, service: ModelService, clock: HandClock
) -> None:
    async with opened(tmp_path, service) as workspace:
        draft = ComposerDraft(LONG)
        for text in (LONG, "Another", LONG):
            workspace.versions.keep(replace(draft, text=text))
            clock.now += 1
        found = await workspace.versions.of(draft.draft_id)
        assert [(one.at - clock.now, one.text) for one in found] == [(-1, LONG), (-2, "Another")]


async def test_a_version_that_was_kept_for_another_reason_counts_as_well(
    tmp_path: Path, service: ModelService, clock: HandClock
) -> None:
    async with opened(tmp_path, service) as workspace:
        draft = write(workspace, ComposerDraft(LONG), LONG[:-1])
        clock.now += APART_MS - 1
        workspace.versions.keep(draft)
        clock.now += 1
        draft = write(workspace, draft, LONG[:-2])
        assert await texts(workspace, draft) == [LONG[:-1]]
        clock.now += APART_MS - 1
        draft = write(workspace, draft, LONG[:-3])
        assert await texts(workspace, draft) == [LONG[:-2], LONG[:-1]]


async def test_blank_texts_are_not_kept(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        draft = ComposerDraft(" \n")
        workspace.versions.keep(draft)
        assert await texts(workspace, draft) == []


@pytest.mark.parametrize("is_written", [False, True])
async def test_only_versions_are_forgotten(tmp_path: Path, service: ModelService, is_written: bool) -> None:
    """Whether something is in the composer or nothing ever was."""
    gone, writing = ComposerDraft(LONG), ComposerDraft(LONG)

    def stored(connection: Connection) -> dict[str, str]:
        found = {row.name: row.value for row in connection.execute(select(settings))}
        found.pop("sync", None)  # written whenever the service was asked
        return found

    async with opened(tmp_path, service) as workspace:
        workspace.versions.keep(gone)
        if is_written:
            workspace.save_composer(writing)
            workspace.versions.keep(writing)
            read = workspace._core.database.read_now
            await until(lambda: "composer" in read(stored))
        other = insert(settings).values(name="other", value="1")
        await workspace._core.database.write(lambda rows: rows.execute(other))
        before = await workspace._core.database.read(stored)
        workspace.versions.forget_old()
        assert await texts(workspace, gone) == []
        assert await texts(workspace, writing) == [LONG] * is_written
        after = await workspace._core.database.read(stored)
        assert after == {name: before[name] for name in before if name != f"versions/{gone.draft_id}"}
        assert len(after) == len(before) - 1


class Broken:
    """A database that fails, or one that can only be written."""

    def __init__(self, error: Exception | None) -> None:
        self._error = error

    async def read(self, _: Callable[[Connection], object]) -> None:
        if self._error:
            raise self._error

    def submit(self, _: Callable[[Connection], None]) -> Future[None]:
        done = Future[None]()
        if self._error:
            done.set_exception(self._error)
        else:
            done.set_result(None)
        return done


def broken(error: Exception | None) -> DraftVersions:
    nobody = cast("ServiceClient", None)
    return DraftVersions(Core(nobody, cast("Database", Broken(error)), HandClock(), Pace()))


@pytest.mark.parametrize(
    ("error", "raised"),
    [(DiskFullError("The disk is full."), Problem), (ZeroDivisionError("a mistake"), ZeroDivisionError)],
)
async def test_versions_that_cannot_be_read_are_a_problem(error: Exception, raised: type[Exception]) -> None:
    with pytest.raises(raised, match=str(error).rstrip(".")):
        await broken(error).of("draft")


@pytest.mark.parametrize("error", [DiskFullError("The disk is full."), None])
def test_a_version_that_cannot_be_written_is_logged(
    caplog: pytest.LogCaptureFixture, error: Exception | None
) -> None:
    broken(error).keep(ComposerDraft(LONG))

    assert ["disk is full" in record.getMessage() for record in caplog.records] == [True] * bool(error)
