"""Accounts whose posts go to the user's inbox: the setting, its default, and how many may wait there."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import select, update

from app.contract.enums import ConnectionPlatform
from app.platforms.base import Profile, TokenGrant
from app.service.connections.rows import ConnectionWriter
from app.service.store.seal import KEY_BYTES, Seal
from app.service.store.tables import attempts, connections, contents, posts
from tests.service.media.conftest import links, shelf
from tests.service.media.shelf import Shelf
from tests.service.running import Caller
from tests.service.test_envelope import fields
from tests.service.test_tiktok_choices import call, film, undecided

__all__ = ["links", "shelf"]


def settings(caller: Caller, account: str) -> dict[str, Any]:
    answer = call(caller, "GET", f"connections/{account}/tiktok")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def change(caller: Caller, account: str, **wanted: object) -> httpx.Response:
    return call(caller, "PUT", f"connections/{account}/tiktok", json=wanted)


def plan(shelf: Shelf, account: str, at: datetime) -> httpx.Response:
    body = {
        "social_account_id": account,
        "platform": "tiktok",
        "post_type": "video",
        "description": "Wool",
        "media_storage_path": film(shelf),
        "scheduled_at": at.isoformat(),
    }
    return shelf.caller.http.post("/posts", json=body)


def in_days(caller: Caller, days: float) -> datetime:
    return caller.service.clock() + timedelta(days=days)


def published(caller: Caller, account: str, content_id: str, step: str = "publish") -> None:
    """An item of the account that is out."""
    now, post_id = caller.service.clock(), uuid4()
    item = {"account_id": caller.account_id, "post_id": post_id, "content_id": content_id}
    about = {"connection_id": UUID(account), "platform": "tiktok", "created_via": "rest", "created_at": now}
    attempt = {"step": step, "outcome": "published", "started_at": now, "finished_at": now}
    write = caller.service.database.write_now
    write(lambda rows: rows.execute(contents.insert().values(id=uuid4(), **item, **about)))
    write(lambda rows: rows.execute(attempts.insert().values(id=uuid4(), **item, **attempt)))


@pytest.mark.parametrize(
    ("content_id", "step", "goes_to_inbox"),
    [
        ("7301234567890123456", "publish", False),
        ("7301234567890123456", "repeat", False),
        ("7301234567890123456", "hand_over", True),  # the user published it
        ("v_pub_file~v2-1.7301234567890123456", "publish", True),  # only its author sees it
    ],
)
def test_posts_go_to_the_inbox_until_one_was_published_for_everybody(
    caller: Caller, content_id: str, step: str, goes_to_inbox: bool
) -> None:
    account = caller.connect("tiktok")
    assert settings(caller, account) == {"choice": None, "inbox": True, "is_fixed": False}
    published(caller, caller.connect("tiktok"), content_id, step)
    assert settings(caller, account)["inbox"] is goes_to_inbox


def test_the_setting_of_an_account_counts(caller: Caller) -> None:
    account = caller.connect("tiktok")
    choice = {"privacy": "SELF_ONLY"}
    assert change(caller, account, choice=choice).json()["inbox"] is True
    direct = change(caller, account, inbox=False).json()
    assert (direct["inbox"], direct["choice"]["privacy"]) == (False, "SELF_ONLY")
    published(caller, account, "7301234567890123456")
    assert change(caller, account, inbox=True).json()["inbox"] is True
    assert change(caller, account, inbox=None).json()["inbox"] is False
    assert change(caller, account).status_code == 400
    assert change(caller, caller.connect("x"), inbox=True).status_code == 400


def test_a_post_for_the_inbox_needs_no_choice(shelf: Shelf) -> None:
    caller, account = shelf.caller, shelf.caller.connect("tiktok")
    post_id = plan(shelf, account, in_days(caller, 1)).json()["id"]
    assert undecided(caller) == []
    change(caller, account, inbox=False)
    assert undecided(caller) == [post_id]


def test_a_sixth_post_within_a_day_is_refused(shelf: Shelf) -> None:
    caller, account = shelf.caller, shelf.caller.connect("tiktok")
    start = in_days(caller, 3)
    hours = [0, 5, 10, 15, 23]
    planned = [plan(shelf, account, start + timedelta(hours=one)).json()["id"] for one in hours]

    refused = plan(shelf, account, start + timedelta(hours=12))
    assert (refused.status_code, list(fields(refused))) == (400, ["scheduled_at"])
    assert "5 other posts for the TikTok inbox" in refused.text
    other = plan(shelf, account, start + timedelta(hours=24))
    assert other.status_code == 201

    moved = {"scheduled_at": (start + timedelta(hours=1)).isoformat()}
    assert caller.http.patch(f"/posts/{planned[0]}", json=moved).status_code == 400  # with the one at 24 h
    assert caller.http.get(f"/posts/{planned[0]}").json()["scheduled_at"] != moved["scheduled_at"]
    caller.http.delete(f"/posts/{planned[1]}")
    assert caller.http.patch(f"/posts/{planned[0]}", json=moved).status_code == 200
    change(caller, account, inbox=False)
    assert plan(shelf, account, start + timedelta(hours=12)).status_code == 201


def test_what_the_user_has_finished_no_longer_counts(shelf: Shelf) -> None:
    caller, account = shelf.caller, shelf.caller.connect("tiktok")
    start = in_days(caller, 3)
    for _ in range(5):
        assert plan(shelf, account, start).status_code == 201
    assert plan(shelf, account, start).status_code == 400
    done = update(posts).where(posts.c.connection_id == UUID(account)).values(status="posted")
    caller.service.database.write_now(lambda rows: rows.execute(done))
    assert plan(shelf, account, start).status_code == 201


@pytest.mark.parametrize(
    ("platform", "practice", "scopes", "expected"),
    [
        ("tiktok", False, {"video.publish", "video.upload"}, None),
        ("tiktok", False, None, None),
        ("tiktok", False, {"video.publish"}, None),
        ("tiktok", True, {"video.publish", "video.upload"}, False),
        ("x", False, None, False),
    ],
)
def test_a_new_account_has_the_default_if_it_may_use_the_inbox(
    caller: Caller, platform: str, practice: bool, scopes: set[str] | None, expected: bool | None
) -> None:
    writer = ConnectionWriter(Seal(bytes(KEY_BYTES)), caller.service.clock, practice=practice)
    grant = TokenGrant("access", None, None, scopes=None if scopes is None else frozenset(scopes))
    profile, new_id = Profile("person-17"), uuid4()
    store, read = caller.service.database.write_now, caller.service.database.read_now
    name = ConnectionPlatform(platform)
    store(lambda rows: writer.store(rows, caller.account_id, name, new_id, profile, grant))
    kept = select(connections.c.inbox).where(connections.c.id == new_id)
    assert read(lambda rows: rows.scalar(kept)) is expected

    changed = update(connections).where(connections.c.id == new_id).values(inbox=True)
    store(lambda rows: rows.execute(changed))
    store(lambda rows: writer.store(rows, caller.account_id, name, uuid4(), profile, grant))
    assert read(lambda rows: rows.scalar(kept)) is True, "connecting again changes no setting"


@pytest.mark.parametrize(
    ("scopes", "is_fixed", "goes_to_inbox"),
    [
        ({"video.publish", "video.upload"}, False, True),
        ({"user.info.basic", "video.upload"}, True, True),  # TikTok refused Direct Post to the app
        ({"video.publish"}, True, False),
        (None, False, True),
    ],
)
def test_granted_permissions_decide_where_posts_can_go(
    caller: Caller, scopes: set[str] | None, is_fixed: bool, goes_to_inbox: bool
) -> None:
    account = str(connected(caller, scopes))
    assert settings(caller, account) == {"choice": None, "inbox": goes_to_inbox, "is_fixed": is_fixed}
    refused = change(caller, account, inbox=not goes_to_inbox)
    assert refused.status_code == (400 if is_fixed else 200)
    if is_fixed:
        assert list(fields(refused)) == ["inbox"]
        assert "permissions don't include" in refused.text
    assert change(caller, account, inbox=goes_to_inbox).status_code == 200
    assert change(caller, account, inbox=None).status_code == 200


def test_connecting_again_with_more_permissions_lifts_the_restriction(caller: Caller) -> None:
    account = str(connected(caller, {"video.upload"}))
    assert change(caller, account, inbox=False).status_code == 400
    assert str(connected(caller, None)) == account
    assert settings(caller, account)["is_fixed"], "a platform that names no permissions changes nothing"
    assert str(connected(caller, {"video.upload", "video.publish"})) == account
    assert not settings(caller, account)["is_fixed"]
    assert change(caller, account, inbox=False).status_code == 200


def connected(caller: Caller, scopes: set[str] | None) -> UUID:
    """A TikTok account whose user granted these permissions."""
    writer = ConnectionWriter(Seal(bytes(KEY_BYTES)), caller.service.clock)
    grant = TokenGrant("access", None, None, scopes=None if scopes is None else frozenset(scopes))
    owner, profile, new_id = caller.account_id, Profile("person-18"), uuid4()
    return caller.service.database.write_now(
        lambda rows: writer.store(rows, owner, ConnectionPlatform.TIKTOK, new_id, profile, grant)
    )


def test_posts_that_nobody_chose_for_are_named_once_the_app_publishes_for_everybody(shelf: Shelf) -> None:
    caller, account = shelf.caller, shelf.caller.connect("tiktok")
    post = plan(shelf, account, in_days(caller, 3)).json()["id"]
    assert undecided(caller) == []
    published(caller, account, "7301234567890123456")
    assert undecided(caller) == [post]
