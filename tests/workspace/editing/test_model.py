"""The draft as everybody sees it who shows or edits it: without a window."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from app.contract.enums import PostType
from app.contract.tiktok import TikTokCreator, TikTokPrivacy
from app.workspace.drafts.drafts import CONTENT
from app.workspace.editing.boards import Board
from app.workspace.editing.draft import SHARED, ComposerDraft
from app.workspace.editing.model import DraftChange, DraftModel
from app.workspace.editing.obstacles import Place
from app.workspace.editing.schedule import Schedule
from app.workspace.media.upload import UploadState
from app.workspace.messages import Problem
from app.workspace.tiktok import TikTokDraft
from tests.workspace.editing.samples import (
    NOW,
    TOMORROW,
    KnownUploads,
    account,
    accounts,
    model,
    upload,
)

PLATFORMS = "x", "linkedin", "pinterest", "tiktok", "instagram", "youtube"
FILES = (
    upload("photo"),
    upload("other"),
    upload("film", PostType.VIDEO),
    upload("sent", state=UploadState.SENDING),
    upload("failed", state=UploadState.FAILED),
    upload("held", state=UploadState.PAUSED),
)
CREATOR = TikTokCreator(nickname="Okafor", privacy_levels=[TikTokPrivacy.ONLY_ME])
_DRAFT = TypeAdapter(ComposerDraft)

Edit = Callable[[DraftModel], None]

keys = st.sampled_from(PLATFORMS)
versions = st.sampled_from([SHARED, *PLATFORMS, "unknown"])
words = st.sampled_from(["", " ", "Wool", "a" * 281, "<b>", "寿" * 150, "a" * 3_001])
links = st.sampled_from(["", "okafor.studio", " okafor.studio/coat ", "no address"])
boards = st.sampled_from([Board("1", "Linen"), Board("2", "Winter", is_secret=True)])
choices = st.builds(
    TikTokDraft,
    privacy=st.sampled_from(["", "PUBLIC_TO_EVERYONE", "SELF_ONLY"]),
    commercial=st.booleans(),
    your_brand=st.booleans(),
    branded=st.booleans(),
)
minutes = st.integers(-3, 3).map(lambda days: TOMORROW + days * 86_400_000)


def attach(draft: DraftModel, upload_id: str, version: str) -> None:
    """As somebody does who may try a video beside images."""
    found = draft.files.uploads.get(upload_id)
    assert found is not None
    with suppress(Problem):
        draft.attach(found, version)


edits: st.SearchStrategy[Edit] = st.one_of(
    versions.map(lambda version: lambda draft: draft.show_version(version)),
    words.map(lambda text: lambda draft: draft.write_text(text)),
    words.map(lambda text: lambda draft: draft.write_title(text)),
    st.just(DraftModel.use_shared_text),
    st.tuples(words, words).map(lambda both: lambda draft: draft.rewrite(*both)),
    st.tuples(keys, st.booleans()).map(lambda one: lambda draft: draft.switch(one[0], is_on=one[1])),
    st.tuples(st.sampled_from([one.id for one in FILES]), versions).map(
        lambda one: lambda draft: attach(draft, *one)
    ),
    st.just(DraftModel.remove_file),
    st.just(DraftModel.use_shared_file),
    minutes.map(lambda at: lambda draft: draft.set_time(at)),
    st.tuples(keys, boards).map(lambda one: lambda draft: draft.set_board(*one)),
    links.map(lambda link: lambda draft: draft.set_link(link)),
    st.tuples(keys, choices).map(lambda one: lambda draft: draft.choose_tiktok(*one)),
    st.tuples(keys, st.booleans()).map(lambda one: lambda draft: draft.choose_by_hand(one[0], is_on=one[1])),
    st.sampled_from(["", "en_GB", "off"]).map(lambda one: lambda draft: draft.set_language(one)),
)


def edited(made: Iterable[Edit]) -> DraftModel:
    draft = model(*PLATFORMS, uploads=KnownUploads(*FILES))
    for edit in made:
        edit(draft)
    return draft


def told_by(draft: DraftModel) -> list[DraftChange]:
    told: list[DraftChange] = []
    draft.listen(told.append)
    return told


@given(st.lists(edits, max_size=12))
def test_a_draft_that_is_kept_and_loaded_is_the_same(made: list[Edit]) -> None:
    first, again = edited(made), model(*PLATFORMS, uploads=KnownUploads(*FILES))
    again.load(_DRAFT.validate_json(_DRAFT.dump_json(first.draft)))
    assert again.draft == first.draft


@given(st.lists(edits, max_size=12), st.booleans())
def test_obstacles_and_posts_depend_on_the_draft_alone(made: list[Edit], at_once: bool) -> None:
    first, again = edited(made), model(*PLATFORMS, uploads=KnownUploads(*FILES))
    again.load(first.draft)
    assert again.obstacles(at_once=at_once) == first.obstacles(at_once=at_once)
    assert again.new_posts(at_once=at_once) == first.new_posts(at_once=at_once)


@given(st.lists(edits, max_size=12), edits)
def test_an_edit_is_told_exactly_when_the_draft_says_something_else(made: list[Edit], last: Edit) -> None:
    draft = edited(made)
    told, before, version = told_by(draft), draft.draft, draft.version
    last(draft)
    assert any(change.edited for change in told) == (draft.draft != before)
    assert any(change.version for change in told) == (draft.version != version)
    assert len(told) <= 1


@given(st.lists(edits, max_size=12))
def test_the_version_shown_is_that_of_a_chosen_account_or_of_all(made: list[Edit]) -> None:
    draft = edited(made)
    assert draft.version in (SHARED, *draft.accounts.chosen)
    if len(draft.chosen) == 1:
        assert draft.text.of(draft.version) == draft.new_posts()[0].text
    assert not set(draft.accounts.chosen) & set(draft.accounts.waiting)
    assert {*draft.accounts.chosen, *draft.accounts.waiting} == draft.accounts.on


@given(st.lists(edits, max_size=12))
def test_all_files_of_a_draft_are_of_one_kind(made: list[Edit]) -> None:
    draft = edited(made)
    found = [draft.files.upload_for(version) for version in (SHARED, *draft.files.ids.own)]
    assert len({one.post_type for one in found if one is not None}) <= 1


@given(st.lists(edits, max_size=12))
def test_without_obstacles_every_chosen_account_gets_a_post_with_a_key_of_its_own(made: list[Edit]) -> None:
    draft = edited(made)
    posts = draft.new_posts()
    assert [post.account_key for post in posts] == list(draft.accounts.chosen)
    assert len({post.idempotency_key for post in posts}) == len(posts)
    if not draft.obstacles() and draft.awaited is None:
        assert posts
        assert all(post.at is not None and post.at > NOW for post in posts)
        assert all(bool(post.media_storage_path) == (draft.post_type is not PostType.TEXT) for post in posts)


def test_what_is_loaded_is_told_once_and_shows_the_version_for_all() -> None:
    draft = model("x", "linkedin")
    for key in ("x", "linkedin"):
        draft.switch(key, is_on=True)
    draft.show_version("x")
    told = told_by(draft)
    draft.load(ComposerDraft("Wool", ("x", "linkedin"), {"x": "Wool!"}, at=NOW))
    assert [change.loaded for change in told] == [True]
    assert not told[0].edited
    assert (draft.version, draft.text.shared, draft.text.of("x")) == (SHARED, "Wool", "Wool!")


def test_a_new_text_may_keep_the_time_that_was_asked_for() -> None:
    draft = model("x")
    draft.load(ComposerDraft("Wool", at=NOW, zone="Asia/Tokyo"), keeps_time=False)
    assert draft.schedule.at == TOMORROW
    draft.load(ComposerDraft("Wool", at=NOW, zone="Asia/Tokyo"))
    assert (draft.schedule.at, draft.schedule.zone.key) == (NOW, "Asia/Tokyo")
    draft.load(ComposerDraft("Wool"))
    assert draft.schedule.at == NOW


def test_an_account_waits_for_a_kind_of_post_that_it_takes() -> None:
    draft = model("instagram", "x", uploads=KnownUploads(*FILES))
    for key in ("instagram", "x"):
        draft.switch(key, is_on=True)
    assert (draft.accounts.chosen, draft.accounts.waiting) == (("x",), ("instagram",))
    told = told_by(draft)
    attach(draft, "photo", SHARED)
    assert told == [DraftChange(edited=True, file=True, accounts=True)]
    assert draft.accounts.chosen == ("instagram", "x")
    draft.remove_file()
    assert [one.key for one in draft.chosen] == ["x"]


def test_a_new_draft_is_for_the_accounts_of_the_last_one_once_they_are_known() -> None:
    draft = model("x")
    draft.load(ComposerDraft(account_keys=("linkedin", "gone")))
    assert (draft.accounts.chosen, draft.accounts.waiting) == ((), ())
    draft.set_accounts(accounts("x", "linkedin"))
    assert (draft.accounts.chosen, draft.accounts.waiting) == (("linkedin",), ())
    draft.switch("linkedin", is_on=False)
    draft.set_accounts(accounts("x", "linkedin"))
    assert draft.accounts.chosen == ()


def test_an_unfinished_draft_keeps_accounts_that_are_gone() -> None:
    draft = model("x")
    draft.load(ComposerDraft("Wool", ("gone", "x")))
    assert (draft.accounts.chosen, draft.accounts.waiting) == (("x",), ("gone",))


def test_an_account_that_lost_its_access_is_chosen_no_longer_and_its_version_gives_way() -> None:
    draft = model("x", "linkedin")
    for key in ("x", "linkedin"):
        draft.switch(key, is_on=True)
    draft.show_version("x")
    told = told_by(draft)
    draft.set_accounts(accounts("x", "linkedin") | {"x": account("x", "x", is_available=False)})
    assert told == [DraftChange(accounts=True, version=True)]
    assert draft.accounts.reasons["x"] == "Access has expired. Reconnect the account."
    assert draft.accounts.chosen == ("linkedin",)


def test_of_a_single_account_the_text_is_shown_that_it_gets() -> None:
    draft = model("x", "linkedin")
    for key in ("x", "linkedin"):
        draft.switch(key, is_on=True)
    draft.write_text("shared")
    draft.show_version("x")
    draft.write_text("short")
    draft.show_version(SHARED)
    draft.switch("linkedin", is_on=False)
    assert draft.version == "x"
    draft.use_shared_text()
    assert draft.version == SHARED


def test_files_are_for_all_until_one_account_gets_its_own() -> None:
    draft = model("x", "linkedin", uploads=KnownUploads(*FILES))
    for key in ("x", "linkedin"):
        draft.switch(key, is_on=True)
    draft.show_version("x")
    attach(draft, "photo", "x")
    assert draft.files.ids.shared == "photo"
    assert [one.key for one in draft.concerned_by_file] == ["x"]
    attach(draft, "other", "x")
    assert (draft.post_for(draft.chosen[0]).upload, draft.files.ids.own) == (FILES[1], {"x": "other"})
    with pytest.raises(Problem, match="not both"):
        draft.attach(FILES[2], "x")
    draft.show_version(SHARED)
    assert [one.key for one in draft.concerned_by_file] == ["linkedin"]
    attach(draft, "film", SHARED)
    assert draft.files.ids.own == {}
    draft.remove_file()
    assert draft.post_type is PostType.TEXT


def test_uploads_of_the_draft_are_followed_until_it_is_closed() -> None:
    uploads = KnownUploads(*FILES)
    draft = model("x", uploads=uploads)
    attach(draft, "sent", SHARED)
    told = told_by(draft)
    assert [draft.awaited] == [FILES[3]]
    uploads.move(replace(FILES[3], state=UploadState.DONE, storage_path="stored/sent"))
    uploads.move(replace(FILES[0], sent=1))
    assert told == [DraftChange(uploads=True)]
    assert draft.awaited is None
    draft.close()
    uploads.move(FILES[3])
    assert len(told) == 1


@pytest.mark.parametrize(
    ("upload_id", "problem"),
    [
        ("photo", ""),
        ("sent", ""),
        ("failed", "It broke off. Try again, or remove the file."),
        ("held", "The upload of “held.file” is paused. Resume it, or remove the file."),
        ("lost", "Kalends no longer has this file. Attach it again, or remove it."),
    ],
)
def test_a_file_that_will_not_come_by_itself_is_an_obstacle(upload_id: str, problem: str) -> None:
    draft = model("x", uploads=KnownUploads(*FILES))
    draft.load(ComposerDraft("Wool", ("x",), upload_id=upload_id, at=TOMORROW))
    assert [one.text for one in draft.obstacles() if one.place is Place.FILE] == (
        [problem] if problem else []
    )
    assert draft.file_problem == problem


def test_obstacles_come_in_the_order_of_the_fields_and_name_their_places() -> None:
    draft = model("x", "pinterest", "tiktok", uploads=KnownUploads(*FILES), at=NOW)
    assert [(one.place, one.is_early) for one in draft.obstacles()] == [
        (Place.ACCOUNTS, False),
        (Place.TEXT, False),
        (Place.TIME, True),
    ]
    attach(draft, "photo", SHARED)
    for key in ("x", "pinterest", "tiktok"):
        draft.switch(key, is_on=True)
    draft.set_link("no address")
    draft.write_text("a" * 281)
    assert [(one.place, one.account_key) for one in draft.obstacles(at_once=True)] == [
        (Place.TEXT, "x"),
        (Place.BOARD, "pinterest"),
        (Place.LINK, ""),
        (Place.AUDIENCE, "tiktok"),
    ]
    draft.set_board("pinterest", Board("1", "Linen"))
    draft.set_link("okafor.studio")
    draft.choose_tiktok("tiktok", TikTokDraft("PUBLIC_TO_EVERYONE", commercial=True))
    draft.write_text("Wool")
    draft.set_time(TOMORROW)
    assert [one.place for one in draft.obstacles()] == [Place.DISCLOSURE]
    draft.choose_tiktok("tiktok", TikTokDraft("PUBLIC_TO_EVERYONE"))
    assert draft.obstacles() == []
    draft.learn_creator("tiktok", CREATOR)
    assert [one.place for one in draft.obstacles()] == [Place.AUDIENCE]


def test_each_account_gets_what_its_platform_takes() -> None:
    draft = model("pinterest", "x", "tiktok", uploads=KnownUploads(*FILES))
    attach(draft, "photo", SHARED)
    for key in ("pinterest", "x", "tiktok"):
        draft.switch(key, is_on=True)
    draft.rewrite("Wool", " The coat ")
    draft.set_link("okafor.studio")
    draft.set_board("pinterest", Board("1", "Linen"))
    draft.choose_tiktok("tiktok", TikTokDraft("SELF_ONLY"))
    pin, post, photo = draft.new_posts()
    assert (pin.title, pin.link, pin.board_id, pin.board_name) == (
        "The coat",
        "https://okafor.studio",
        "1",
        "Linen",
    )
    assert (post.title, post.link, post.board_id, post.tiktok) == (None, "", "", None)
    assert photo.tiktok is not None
    assert photo.tiktok.privacy == "SELF_ONLY"
    assert {one.media_storage_path for one in (pin, post, photo)} == {"stored/photo"}
    assert {one.at for one in draft.new_posts(at_once=True)} == {None}


def test_where_the_service_keeps_no_choices_for_tiktok_nobody_is_asked() -> None:
    draft = model("tiktok", uploads=KnownUploads(*FILES), asks_tiktok=False)
    draft.load(ComposerDraft("Wool", ("tiktok",), upload_id="photo", at=TOMORROW))
    assert draft.obstacles() == []
    assert draft.new_posts()[0].tiktok is None


def test_by_hand_the_rules_of_the_platforms_own_composer_apply() -> None:
    draft = model("pinterest", "tiktok", "x", uploads=KnownUploads(*FILES))
    attach(draft, "photo", SHARED)
    for key in ("pinterest", "tiktok", "x"):
        draft.switch(key, is_on=True)
    assert [one.place for one in draft.obstacles()] == [Place.BOARD, Place.AUDIENCE]
    for key in ("pinterest", "tiktok"):
        draft.choose_by_hand(key, is_on=True)
    assert draft.obstacles() == []
    pin, photo, post = draft.new_posts()
    assert [one.by_hand for one in (pin, photo, post)] == [True, True, False]
    assert (pin.platform.value, photo.tiktok) == ("pinterest", None)
    draft.write_text("a" * 281)
    draft.choose_by_hand("x", is_on=True)
    assert [(one.place, one.account_key) for one in draft.obstacles()] == [(Place.TEXT, "x")]
    draft.choose_by_hand("tiktok", is_on=False)
    assert [one.place for one in draft.obstacles()] == [Place.TEXT, Place.AUDIENCE]


def test_only_accounts_of_platforms_with_a_composer_are_published_to_by_hand() -> None:
    draft = model("bluesky", "x-by-hand")
    draft.load(ComposerDraft("Wool", ("bluesky", "x-by-hand"), by_hand=("bluesky", "x-by-hand")))
    assert [one.by_hand for one in draft.new_posts()] == [False, False]


def test_a_post_that_gives_way_may_stay_after_all() -> None:
    draft = model("x")
    draft.load(ComposerDraft("Wool", ("x",), replaces="old"))
    told = told_by(draft)
    draft.keep_replaced()
    draft.keep_replaced()
    assert (draft.replaces, told) == ("", [DraftChange(edited=True)])


def test_a_time_that_the_clocks_skip_is_kept_with_the_draft() -> None:
    """Otherwise the post would get the usual time when it's opened again, which is soon."""
    berlin = ZoneInfo("Europe/Berlin")
    draft, again = model("x"), model("x")
    draft.set_schedule(Schedule(datetime.fromisoformat("2027-03-28T02:30"), berlin))
    kept = CONTENT.validate_json(CONTENT.dump_json(draft.draft))
    assert kept.at is None
    again.load(kept)
    assert again.schedule == Schedule(datetime.fromisoformat("2027-03-28T02:30"), berlin)
    assert Place.TIME in [one.place for one in again.obstacles()]
    usual = model("x").schedule
    other = model("x")
    other.load(kept, keeps_time=False)
    assert other.schedule == usual
    again.set_schedule(Schedule(datetime.fromisoformat("2027-03-28T03:30"), berlin))
    assert again.draft.skipped is None
