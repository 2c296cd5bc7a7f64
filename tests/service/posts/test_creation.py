"""What a create call stores and refuses: on any network, by hand, with a key, with a file."""

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Table, insert, select

from app.contract.base import format_timestamp
from app.contract.companion import CreateAnyPost, PlacePost
from app.contract.enums import PostingPlatform, PostType
from app.contract.places import PlaceLimits
from app.contract.posts import BulkCreateResult, CreatePost
from app.database import Database
from app.service.accounts.accounts import Plan, create_account
from app.service.api.responses import ApiError
from app.service.posts.creating import BulkCreation, Created, Creation
from app.service.store.reach import Reach
from app.service.store.tables import connections, events, idempotency_keys, media, posts
from tests.stores import service_store

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
LATER = format_timestamp(NOON + timedelta(hours=1))
NONE_UNREACHABLE: Mapping[PostingPlatform, set[PostType]] = {}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with closing(service_store(tmp_path_factory.mktemp("creation"))) as database:
        yield database


@dataclass
class Author:
    """An account of its own, and what it has."""

    database: Database
    id: UUID = field(default_factory=uuid4)

    def __post_init__(self) -> None:
        self.id = self.database.write_now(lambda rows: create_account(rows, "Ines", Plan.LOCAL, NOON))

    def add(self, table: Table, **row: Any) -> UUID:
        added = {"id": uuid4(), "account_id": self.id, "created_at": NOON, **row}
        self.database.write_now(lambda rows: rows.execute(insert(table).values(added)))
        return UUID(str(added["id"]))

    def connect(self, platform: str = "linkedin", **columns: Any) -> UUID:
        named = {"account_identifier": uuid4().hex, "display_name": "Robin", "access_token": b"sealed"}
        return self.add(connections, platform=platform, **{"is_available": True, **named, **columns})

    def add_file(self, content_type: str = "image/png", **columns: Any) -> str:
        path = f"{self.id}/{uuid4().hex[:8]}"
        facts = {"kind": content_type.partition("/")[0], "content_type": content_type, "size_bytes": 200_000}
        self.add(media, storage_path=path, sha256="0" * 64, **{**facts, **columns})
        return path

    def creation(self, account: UUID, reach: Reach = Reach.SPECIFIED, **given: Any) -> Creation:
        """A call for a text on LinkedIn in an hour, but for what is given."""
        more = {
            name: given.pop(name)
            for name in ("limits", "batch_id", "new_id", "unreachable")
            if name in given and (name != "batch_id" or "overrides" in given)
        }
        given.pop("overrides", None)
        now = given.pop("now", NOON)
        unreachable = more.pop("unreachable", NONE_UNREACHABLE)
        return Creation(self.id, body(account, reach, **given), now, unreachable, reach=reach, **more)

    def create(self, account: UUID, reach: Reach = Reach.SPECIFIED, **given: Any) -> Created:
        return self.database.write_now(self.creation(account, reach, **given).store)

    def refusal(self, account: UUID, reach: Reach = Reach.SPECIFIED, **given: Any) -> list[tuple[str, str]]:
        """The fields and kinds of what is wrong with a call; nothing is stored."""
        before = len(self.rows(posts))
        with pytest.raises(ApiError) as caught:
            self.create(account, reach, **given)
        assert len(self.rows(posts)) == before
        return [(issue.field, issue.type) for issue in caught.value.details] or [("", caught.value.code)]

    def rows(self, table: Table) -> list[Any]:
        mine = select(table).where(table.c.account_id == self.id).order_by(table.c.created_at)
        return list(self.database.read_now(lambda rows: rows.execute(mine).all()))


def body(account: UUID, reach: Reach, **given: Any) -> CreatePost:
    sent = {
        "social_account_id": str(account),
        "platform": "linkedin",
        "post_type": "text",
        "description": "Hello",
        "scheduled_at": LATER,
        **given,
    }
    kept = json.dumps({name: value for name, value in sent.items() if value is not None})
    model = CreatePost if reach is Reach.SPECIFIED else CreateAnyPost
    return model.model_validate_json(kept)


@pytest.fixture
def author(database: Database) -> Author:
    return Author(database)


def test_a_post_by_hand_keeps_its_options_and_follows_the_rules_of_the_platforms_own_composer(
    author: Author,
) -> None:
    account = author.connect("bluesky")
    made = author.create(account, Reach.ALL, platform="bluesky", options={"language": "de"})
    assert (type(made.post), made.replayed) == (PlacePost, False)
    [row] = author.rows(posts)
    assert (row.options, row.by_hand) == (
        {"content_warning": None, "visibility": None, "language": "de"},
        False,
    )
    author.create(author.connect("x"), Reach.ALL, platform="x", by_hand=True)
    row = author.rows(posts)[-1]
    assert {one.by_hand for one in author.rows(posts)} == {False, True}
    assert [one.options for one in author.rows(posts) if one.by_hand] == [None]


@pytest.mark.parametrize(
    ("platform", "is_offered"), [("x", True), ("linkedin", True), ("bluesky", False), ("mastodon", False)]
)
def test_only_some_platforms_take_posts_by_hand(author: Author, platform: str, is_offered: bool) -> None:
    account = author.connect(platform)
    given: dict[str, Any] = {"platform": platform, "by_hand": True}
    if is_offered:
        assert author.create(account, Reach.ALL, **given).post.status == "scheduled"
        return
    creation = author.creation(account, Reach.ALL, **given)
    [issue] = creation.issues
    assert (issue.field, issue.type) == ("by_hand", "not_offered")
    assert issue.message == f"isn't possible for posts on {platform}"
    assert author.refusal(account, Reach.ALL, **given) == [("by_hand", "not_offered")]


PIN = {"post_type": "image", "media_storage_path": "a/b"}
FILM = {"post_type": "video", "media_storage_path": "a/b"}


@pytest.mark.parametrize(
    ("platform", "given", "issues"),
    [
        ("bluesky", {"options": {"visibility": "unlisted"}}, [("options.visibility", "unsupported")]),
        ("mastodon", {"options": {"visibility": "unlisted"}}, []),
        ("youtube", {**FILM, "title": "x" * 101}, [("title", "too_long")]),
        ("youtube", {**FILM, "title": "x" * 100}, []),
        ("pinterest", PIN, [("pinterest_board_id", "missing")]),
        ("pinterest", {**PIN, "pinterest_board_id": "1"}, []),
        ("x", {"description": "x" * 281}, [("description", "too_long")]),
        ("x", {"post_type": "image"}, [("media_storage_path", "missing")]),
        ("x", {"scheduled_at": format_timestamp(NOON)}, [("scheduled_at", "time_past")]),
        ("x", {"scheduled_at": format_timestamp(NOON + timedelta(milliseconds=1))}, []),
        ("x", {"scheduled_at": None}, []),
    ],
)
def test_the_rules_get_the_whole_post(
    platform: str, given: dict[str, Any], issues: list[tuple[str, str]]
) -> None:
    post = body(uuid4(), Reach.ALL, platform=platform, **given)
    creation = Creation(uuid4(), post, NOON, NONE_UNREACHABLE, reach=Reach.ALL)
    assert [(issue.field, issue.type) for issue in creation.issues] == issues


def test_by_hand_no_file_needs_a_public_address(author: Author) -> None:
    account = author.connect("instagram")
    given: dict[str, Any] = {
        "platform": "instagram",
        "post_type": "image",
        "media_storage_path": author.add_file("image/jpeg"),
    }
    unreachable = {PostingPlatform.INSTAGRAM: {PostType.IMAGE}}
    refused = author.refusal(account, Reach.ALL, **given, unreachable=unreachable)
    assert refused == [("post_type", "no_public_address")]
    author.create(account, Reach.ALL, **given, by_hand=True, unreachable=unreachable)


@pytest.mark.parametrize(
    ("is_available", "at", "by_hand", "is_taken"),
    [
        (True, None, False, True),
        (False, None, False, False),
        (False, LATER, False, True),
        (False, None, True, True),
    ],
)
def test_without_access_posts_can_wait_or_be_published_by_hand(
    author: Author, is_available: bool, at: str | None, by_hand: bool, is_taken: bool
) -> None:
    account = author.connect(is_available=is_available)
    given: dict[str, Any] = {"scheduled_at": at, "by_hand": by_hand}
    if is_taken:
        made = author.create(account, Reach.ALL, **given).post
        assert made.status == ("queued" if at is None else "scheduled")
        assert made.scheduled_at == (NOON if at is None else NOON + timedelta(hours=1))
    else:
        issue = ("social_account_id", "account_unavailable")
        assert author.refusal(account, Reach.ALL, **given) == [issue]


@pytest.mark.parametrize(
    ("reach", "seen"),
    [(Reach.SPECIFIED, {"x"}), (Reach.COMPANION, {"bluesky"}), (Reach.ALL, {"x", "bluesky"})],
    ids=str,
)
def test_an_account_has_to_be_within_reach_ones_own_and_on_the_platform(
    author: Author, reach: Reach, seen: set[str]
) -> None:
    accounts = {platform: author.connect(platform) for platform in ("x", "bluesky")}
    for platform, account in accounts.items():
        for caller in (author, Author(author.database)):
            given = {"platform": platform if reach is not Reach.SPECIFIED else "x"}
            if platform in seen and caller is author:
                assert author.create(account, reach, **given).post.platform == platform
            else:
                assert caller.refusal(account, reach, **given) == [("", "not_found")]
    other = accounts[min(seen)]
    with pytest.raises(ApiError, match=f"must match the account, which is on {min(seen)}"):
        author.create(other, reach, platform="linkedin")


def test_a_batch_of_the_call_takes_the_place_of_the_posts_own(author: Author) -> None:
    account = author.connect()
    assert author.create(account, batch_id="mine").post.batch_id == "mine"
    assert author.create(account).post.batch_id is None
    theirs = author.creation(account, batch_id="theirs", overrides=True)
    assert author.database.write_now(theirs.store).post.batch_id == "theirs"


def test_an_id_is_random_unless_one_is_given(author: Author) -> None:
    account, given = author.connect(), uuid4()
    assert author.create(account).post.id != author.create(account).post.id
    assert author.create(account, new_id=lambda: given).post.id == given


def test_a_key_stores_a_post_once_for_each_api(author: Author) -> None:
    """Keys of the companion API are stored in another form, so the other API never meets one."""
    account = author.connect()
    hand = author.connect("bluesky")
    place: dict[str, Any] = {"platform": "bluesky", "idempotency_key": "k"}
    first = author.create(account, idempotency_key="k")
    other = author.create(hand, Reach.COMPANION, **place)
    assert [first.replayed, other.replayed] == [False, False]
    assert author.create(account, idempotency_key="k") == Created(first.post, replayed=True)
    assert author.create(hand, Reach.COMPANION, **place).replayed
    assert author.create(account, Reach.ALL, idempotency_key="all").replayed is False
    keys = {row.idempotency_key: row for row in author.rows(idempotency_keys)}
    assert {key[:10] for key in keys} == {"k", "all", "companion\n"}
    assert keys["k"].post_id == first.post.id
    assert len(author.rows(posts)) == 3


def test_a_key_is_refused_for_other_content_and_for_a_deleted_post(author: Author) -> None:
    account = author.connect()
    made = author.create(account, idempotency_key="k", batch_id="a").post
    sames: list[dict[str, Any]] = [{"batch_id": "b"}, {"scheduled_at": LATER.replace("Z", "+00:00")}]
    for same in sames:
        assert author.create(account, idempotency_key="k", **same).post == made
    others: list[dict[str, Any]] = [{"description": "Bye"}, {"scheduled_at": None}, {"title": "T"}]
    for other in others:
        with pytest.raises(ApiError, match="was already used for a post with other content"):
            author.create(account, idempotency_key="k", **other)
    author.database.write_now(lambda rows: rows.execute(posts.delete().where(posts.c.id == made.id)))
    with pytest.raises(ApiError, match="was used for a post that has been deleted since"):
        author.create(account, idempotency_key="k")


def test_a_replay_asks_neither_for_the_account_nor_for_the_rules(author: Author) -> None:
    account = author.connect()
    made = author.create(account, idempotency_key="k").post
    moved = connections.update().where(connections.c.id == account).values(platform="x")
    author.database.write_now(lambda rows: rows.execute(moved))
    late = author.creation(account, idempotency_key="k", now=NOON + timedelta(days=1))
    assert [issue.type for issue in late.issues] == ["time_past"]
    author.database.read_now(late.check_account)
    assert author.database.write_now(late.store) == Created(made, replayed=True)
    with pytest.raises(ApiError, match="must match the account"):
        author.database.read_now(author.creation(account, idempotency_key="new").check_account)


def test_every_problem_is_named_in_one_answer(author: Author) -> None:
    account = author.connect("x")
    path = author.add_file("image/png", size_bytes=10**9)
    given: dict[str, Any] = {
        "platform": "x",
        "description": "x" * 281,
        "post_type": "image",
        "media_storage_path": path,
    }
    assert author.refusal(account, **given, now=NOON + timedelta(hours=1)) == [
        ("scheduled_at", "time_past"),
        ("description", "too_long"),
        ("media_storage_path", "too_large"),
    ]


def test_a_file_has_to_be_there_and_of_the_kind_of_the_post(author: Author) -> None:
    account, path = author.connect(), author.add_file("video/mp4")
    image: dict[str, Any] = {"post_type": "image"}
    assert author.refusal(account, **image) == [("media_storage_path", "missing")]
    unknown = f"{author.id}/unknown"
    assert author.refusal(account, **image, media_storage_path=unknown) == [
        ("media_storage_path", "media_missing")
    ]
    with pytest.raises(ApiError, match="must be the image to publish, but the file is of type video"):
        author.create(account, **image, media_storage_path=path)
    assert len(author.refusal(account, media_storage_path=path)) == 1, "a text has no file"
    assert author.create(account).post.media_storage_path == ""


def test_limits_of_the_accounts_server_apply(author: Author) -> None:
    account, path = author.connect("mastodon"), author.add_file("image/png", size_bytes=2_000)
    given: dict[str, Any] = {"platform": "mastodon", "post_type": "image", "media_storage_path": path}
    limits = PlaceLimits(text_max=4, image_bytes_max=1_000)
    assert author.refusal(account, Reach.ALL, **given, limits=limits) == [
        ("description", "too_long"),
        ("media_storage_path", "too_large"),
    ]
    author.create(account, Reach.ALL, **given)


def test_a_post_to_tiktok_takes_the_choice_of_its_file_for_its_account(author: Author) -> None:
    account, other = author.connect("tiktok"), author.connect()
    choice = {"privacy": "SELF_ONLY"}
    path = author.add_file("video/mp4", tiktok={str(account): choice, str(other): choice})
    video: dict[str, Any] = {"post_type": "video", "media_storage_path": path}
    by_id = {}
    for one, platform in ((account, "tiktok"), (other, "linkedin"), (author.connect("tiktok"), "tiktok")):
        by_id[author.create(one, platform=platform, **video).post.id] = choice if one == account else None
    assert {row.id: row.tiktok for row in author.rows(posts)} == by_id


def test_an_inbox_takes_five_posts_within_a_day_and_any_number_by_hand(author: Author) -> None:
    account = author.connect("tiktok", inbox=True)
    path = author.add_file("video/mp4")
    given: dict[str, Any] = {"platform": "tiktok", "post_type": "video", "media_storage_path": path}
    for number in range(5):
        at = format_timestamp(NOON + timedelta(hours=1, minutes=number))
        author.create(account, Reach.ALL, **given, scheduled_at=at)
    for soon in (LATER, None):
        assert author.refusal(account, Reach.ALL, **given, scheduled_at=soon) == [
            ("scheduled_at", "inbox_full")
        ]
    author.create(account, Reach.ALL, **given, by_hand=True)
    far = format_timestamp(NOON + timedelta(days=2))
    author.create(account, Reach.ALL, **given, scheduled_at=far)


def test_only_a_scheduled_post_is_an_event(author: Author) -> None:
    account = author.connect()
    author.create(account, scheduled_at=None)
    made = author.create(account, batch_id="b").post
    [event] = author.rows(events)
    assert (event.type, event.created_at) == ("post.scheduled", NOON)
    assert json.loads(event.data) == {
        "post_id": str(made.id),
        "platform": "linkedin",
        "social_account_id": str(account),
        "batch_id": "b",
    }


def bulk(author: Author, *items: Mapping[str, Any], **given: Any) -> BulkCreateResult:
    """Run a bulk call like its route does."""
    creation = BulkCreation(author.id, items, NOON, given.pop("unreachable", NONE_UNREACHABLE), **given)
    author.database.read_now(creation.check_accounts)
    creation.check_texts()
    return author.database.write_now(creation.store)


def test_each_post_of_a_bulk_call_is_stored_refused_or_there_already(author: Author) -> None:
    account, lost = author.connect(), author.connect("x", is_available=False)
    good = json.loads(body(account, Reach.SPECIFIED).model_dump_json(exclude_unset=True))
    author.create(account, idempotency_key="mine")
    result = bulk(
        author,
        good,
        {**good, "idempotency_key": "mine"},
        {**good, "social_account_id": str(uuid4())},
        {**good, "title": 7, "post_type": "song"},
        {**good, "description": "x" * 3_001},
        {**good, "platform": "x"},
        {name: value for name, value in good.items() if name != "scheduled_at"}
        | {"social_account_id": str(lost), "platform": "x"},
        {**good, "batch_id": "mine"},
    )
    assert (result.total, result.inserted, result.duplicates, len(result.rejected)) == (8, 2, 1, 5)
    assert {post.batch_id for post in result.posts} == {str(result.batch_id)}
    rejected = result.rejected
    assert [one["index"] for one in rejected] == [2, 3, 4, 5, 6]
    assert [one["code"] for one in rejected] == ["not_found", *["validation_error"] * 4]
    fields = [[issue["field"] for issue in one["details"]["errors"]] for one in rejected]
    assert fields == [
        [],
        ["posts.3.post_type", "posts.3.title"],
        ["posts.4.description"],
        ["posts.5.platform"],
        ["posts.6.social_account_id"],
    ]
    assert rejected[0]["message"] == "There is no such social account."
    assert rejected[3]["message"] == "posts.5.platform: must match the account, which is on linkedin"
    keys = [row.idempotency_key for row in author.rows(idempotency_keys)]
    assert sorted(keys) == sorted(["mine", f"{result.batch_id}:0", f"{result.batch_id}:7"])


def test_an_item_that_is_wrong_as_a_whole_is_named_by_its_place(author: Author) -> None:
    post = json.loads(body(author.connect("instagram"), Reach.SPECIFIED).model_dump_json(exclude_unset=True))
    path = author.add_file("image/jpeg")
    image: dict[str, Any] = {
        **post,
        "platform": "instagram",
        "post_type": "image",
        "media_storage_path": path,
    }
    given: dict[str, Any] = {"unreachable": {PostingPlatform.INSTAGRAM: {PostType.IMAGE}}}
    [refused] = bulk(author, image, **given).rejected
    assert [issue["type"] for issue in refused["details"]["errors"]] == ["no_public_address"]
    assert bulk(author).total == 0
    assert bulk(author, image).inserted == 1


def test_a_bulk_call_has_ids_of_its_own(author: Author) -> None:
    post = json.loads(body(author.connect(), Reach.SPECIFIED).model_dump_json(exclude_unset=True))
    ids = iter(UUID(int=uuid4().int) for _ in range(3))
    expected: list[UUID] = []

    def new_id() -> UUID:
        expected.append(next(ids))
        return expected[-1]

    result = bulk(author, post, post, new_id=new_id)
    assert [str(result.batch_id), *(str(one.id) for one in result.posts)] == [str(one) for one in expected]
    assert bulk(author, post).batch_id != bulk(author, post).batch_id


def test_texts_are_checked_before_anything_is_stored(author: Author) -> None:
    """In a thread of its own, because it takes long."""
    good = json.loads(body(author.connect(), Reach.SPECIFIED).model_dump_json(exclude_unset=True))
    creation = BulkCreation(author.id, [good, {**good, "social_account_id": str(uuid4())}], NOON, {})
    items = creation._read
    assert all(isinstance(item, Creation) for item in items)
    author.database.read_now(creation.check_accounts)
    assert isinstance(items[1], ApiError)
    assert items[1].__traceback__ is None
    creation.check_texts()
    assert "issues" in vars(items[0])
