"""A video in a user's practice inbox: sent once, published by the user, and like any post in ``/api/v1``."""

from collections.abc import Iterator
from typing import Any

import pytest

from app.contract.enums import PostingPlatform, PostType
from tests.service.connections.consenting import connect
from tests.service.publishing.endtoend.files import taken
from tests.service.publishing.endtoend.stage import Stage, wait_for

TIKTOK = PostingPlatform.TIKTOK


@pytest.fixture
def account(stage: Stage) -> Iterator[str]:
    """A TikTok account that publishes to its inbox and has no choice for who can see posts."""
    account = str(connect(stage.caller, stage.person, "tiktok", "inbox user")["id"])
    _set(stage, account, choice=None, inbox=True)
    yield account
    _set(stage, account, inbox=False)


def _set(stage: Stage, account: str, **wanted: object) -> None:
    url = f"{stage.caller.service.base_url}/companion/v1/connections/{account}/tiktok"
    answer = stage.caller.http.put(url, json=wanted)
    assert answer.status_code == 200, answer.text


def _in_inbox(stage: Stage) -> list[str]:
    url = f"{stage.caller.service.base_url}/companion/v1/tiktok/inbox"
    found: list[str] = stage.caller.http.get(url).json()["data"]
    return found


def _sent(stage: Stage, account: str, post_type: PostType) -> dict[str, Any]:
    created = stage.create(
        {
            "social_account_id": account,
            "platform": "tiktok",
            "post_type": post_type.value,
            "description": "Winding wool",
            "media_storage_path": stage.stored(next(taken(TIKTOK, post_type))),
        }
    )
    assert created.status_code == 201, created.text
    post: dict[str, Any] = created.json()
    wait_for(lambda: _in_inbox(stage), lambda found: post["id"] in found)
    return post


def _finish(stage: Stage, action: str) -> None:
    number = stage.practice.get("/tiktok/inbox").text.rsplit('action="/tiktok/inbox/', 1)[1].split('"')[0]
    form = {"action": action, "caption": "Winding wool, by me"}
    assert stage.practice.post(f"/tiktok/inbox/{number}", data=form).status_code == 200


@pytest.mark.parametrize("post_type", [PostType.VIDEO, PostType.IMAGE])
def test_the_user_publishes_a_post_from_the_inbox(stage: Stage, account: str, post_type: PostType) -> None:
    post = _sent(stage, account, post_type)
    path = f"/posts/{post['id']}"
    assert stage.caller.http.get(path).json().keys() == post.keys()
    assert stage.caller.http.get(path).json()["status"] == "processing"
    [attempt] = stage.attempts(post["id"])
    assert (attempt["step"], attempt["outcome"]) == ("hand_over", "in_inbox")
    assert attempt["advice"].startswith("The post is in your TikTok inbox.")

    _finish(stage, "publish")
    ended = stage.ended(post["id"])
    assert (ended["status"], _in_inbox(stage)) == ("posted", [])
    content = stage.content_of(post["id"])
    [entry] = stage.ledger_of(content["content_id"])
    assert entry["text"] == "Winding wool, by me"
    assert stage.event_of(post["id"], "post.published")["content_id"] == content["content_id"]
    [attempt] = stage.attempts(post["id"])
    assert (attempt["step"], attempt["outcome"]) == ("hand_over", "published")


def test_a_post_that_the_user_deletes_there_fails(stage: Stage, account: str) -> None:
    post = _sent(stage, account, PostType.VIDEO)
    _finish(stage, "delete")
    assert stage.ended(post["id"])["status"] == "failed"
    reason = stage.event_of(post["id"], "post.failed")["reason"]
    assert reason.startswith("The post was cancelled on TikTok.")
