"""Finding posts, drafts and files, and filters."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine, insert

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.database.dialects import sqlite_engine
from app.workspace.editing.draft import ComposerDraft
from app.workspace.posts.planned import PlannedPost, PostFilter
from app.workspace.search import find, matching_posts
from app.workspace.store.tables import MIGRATIONS
from app.workspace.store.tables import posts as post_table
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import new_post, opened, settled, until


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


async def test_words_are_found_by_their_beginnings_whatever_case_and_accents(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    cafe = service.add_post(account, START + HOUR, "Grand opening of our CAFÉ in Málaga")
    other = service.add_post(account, START + 2 * HOUR, "Opening hours")
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 2)
        await settled(workspace)
        assert set((await workspace.search("open")).posts) == {cafe, other}
        assert (await workspace.search("cafe mal")).posts == (cafe,)
        assert (await workspace.search("málaga grand")).posts == (cafe,)
        assert not await workspace.search("closing")
        assert not await workspace.search(' "*()^- ')
        assert await workspace.matching("hours") == frozenset({other})
        assert await workspace.matching("  ") is None
        (planned,) = workspace.plan([new_post(account, "A secret café", START + 3 * HOUR)])
        await until(lambda: not workspace.sync.saving)
        assert set((await workspace.search("caf")).posts) == {cafe, planned}
        service.posts.clear()
        workspace.cancel([planned])
        await workspace.refresh()
        await until(lambda: cafe not in workspace.posts)
        await settled(workspace)
        assert cafe not in (await workspace.search("caf")).posts


@pytest.mark.parametrize("typed", ["🎉", "→", " 50 % 🎉 ", "%", "!?"])
async def test_signs_without_a_word_are_found_where_they_stand(
    tmp_path: Path, service: ModelService, typed: str
) -> None:
    account = service.add_account()
    key = service.add_post(account, START + HOUR, "Now 50 % 🎉 → the shop!?")
    service.add_post(account, START + HOUR, "Nothing of that 🎈")
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 2)
        await settled(workspace)
        draft = workspace.drafts.keep(ComposerDraft(text="50 % 🎉 →!?"))
        await until(lambda: workspace.is_writing_kept)
        assert await workspace.matching(typed) == frozenset({key})
        hits = await workspace.search(typed)
        assert (hits.posts, hits.drafts) == ((key,), (draft.id,))


async def test_drafts_are_kept_found_and_removed_also_after_a_restart(
    tmp_path: Path, service: ModelService
) -> None:
    idea = ComposerDraft(text="An idea about Crème brûlée", texts={"a": "Shorter"}, draft_id="d1")
    async with opened(tmp_path, service) as workspace:
        workspace.drafts.keep(idea)
        workspace.drafts.keep(ComposerDraft(text="Another", draft_id="d2"))
    async with opened(tmp_path, service) as workspace:
        assert {draft.id for draft in workspace.drafts.all()} == {"d1", "d2"}
        kept = workspace.drafts.get("d1")
        assert kept
        assert kept.content == idea
        assert (await workspace.search("creme bru")).drafts == ("d1",)
        assert (await workspace.search("shorter")).drafts == ("d1",)
        workspace.drafts.remove(["d1", "unknown"])
        assert any(changes.drafts for changes in workspace.heard)
    async with opened(tmp_path, service) as workspace:
        assert [draft.id for draft in workspace.drafts.all()] == ["d2"]
        assert not await workspace.search("creme")


async def test_a_file_that_a_post_names_is_known_and_found(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()
    key = service.add_post(account, START + HOUR, "With a picture")
    for post in service.posts.values():
        post |= {"media_storage_path": "me/Übersicht-summer.png", "post_type": "image"}
    async with opened(tmp_path, service) as workspace:
        await until(lambda: key in workspace.posts)
        await settled(workspace)
        assert (await workspace.search("uber")).media == ("me/Übersicht-summer.png",)
        (file,) = await workspace.catalogues.media()
        assert (file.name, file.kind, file.size_bytes) == ("Übersicht-summer.png", PostType.IMAGE, None)
        assert workspace.posts.all()[0].media == "me/Übersicht-summer.png"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    made = sqlite_engine(tmp_path_factory.mktemp("empty") / "workspace.db")
    MIGRATIONS.upgrade(made, "the file")
    yield made
    made.dispose()


@given(typed=st.text())
def test_whatever_is_typed_can_be_looked_for(engine: Engine, typed: str) -> None:
    with engine.connect() as connection:
        assert not find(connection, typed, 5)
        assert matching_posts(connection, typed) == (frozenset() if typed.strip() else None)


def test_of_very_many_hits_those_planned_last_are_put_in_order(tmp_path: Path) -> None:
    made = sqlite_engine(tmp_path / "workspace.db")
    MIGRATIONS.upgrade(made, "the file")
    shared = {
        "account_key": "a",
        "platform": "x",
        "post_type": "text",
        "status": "scheduled",
        "description": "Wool",
        "headline": "Wool",
        "media_storage_path": "",
        "created_at": datetime.now(UTC),
        "reason": "",
        "may_be_live": False,
        "immediate": False,
    }
    with made.begin() as connection:
        rows = [{**shared, "key": f"{number:04}", "at": -number} for number in range(1_200)]
        connection.execute(insert(post_table), rows)
        assert find(connection, "w", 3).posts == ("0200", "0201", "0202")
        assert len(matching_posts(connection, "w") or ()) == 1_200
    made.dispose()


posts = st.builds(
    PlannedPost,
    key=st.text(max_size=3),
    at=st.integers(0, 10),
    account_key=st.sampled_from("ab"),
    platform=st.sampled_from(list(PostingPlatform)),
    post_type=st.sampled_from(list(PostType)),
    status=st.sampled_from(list(PostStatus)),
    headline=st.just(""),
    batch_id=st.sampled_from([None, "b", "c"]),
)
filters = st.builds(
    PostFilter,
    accounts=st.frozensets(st.sampled_from("ab")),
    platforms=st.frozensets(st.sampled_from(list(PostingPlatform)), max_size=3),
    statuses=st.frozensets(st.sampled_from(list(PostStatus)), max_size=3),
    kinds=st.frozensets(st.sampled_from(list(PostType)), max_size=2),
    batches=st.frozensets(st.sampled_from("bc")),
)


@given(filters, st.lists(posts))
def test_a_post_is_let_through_when_every_part_of_the_filter_does(
    chosen: PostFilter, some: list[PlannedPost]
) -> None:
    expected = [
        post
        for post in some
        if post.account_key in (chosen.accounts or {post.account_key})
        and post.platform in (chosen.platforms or {post.platform})
        and post.status in (chosen.statuses or {post.status})
        and post.post_type in (chosen.kinds or {post.post_type})
        and post.batch_id in (chosen.batches or {post.batch_id})
    ]
    assert chosen.select(some) == expected
    assert chosen.select(some, matching=set()) == []


async def test_the_whole_texts_of_many_posts_are_read_at_once(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()
    wanted = {service.add_post(account, START + n * HOUR, "word " * 100 + str(n)): n for n in range(3)}
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        found = await workspace.texts([*wanted, "not there"])
        assert found == {key: "word " * 100 + str(n) for key, n in wanted.items()}
        assert await workspace.texts([]) == {}
