"""What only the companion API offers: its networks, and posts in inboxes.

No answer of the specified API may show accounts and posts on these networks. It shows a post in an inbox like
any other.
"""

import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import httpx
import pytest

from tests.conformance.practice import Practice
from tests.conformance.shapes import POST, check_shape, field_names
from tests.conformance.shared import Shared
from tests.conformance.stage import Stage, in_future
from tests.conformance.target import Target
from tests.conformance.wire import Answer, Client

NETWORK: Final = "bluesky"
SERVERS: Final = "mastodon"
_PREFIX: Final = "/companion/v1/places"
_APP_PASSWORD: Final = "abcd-efgh-2345-6789"
_PATIENCE_S: Final = 30


def add_companions(target: Target) -> list[str]:
    """Give the owner of each key accounts with planned, cancelled and published posts.

    Returns what identifies them: the networks, and IDs of accounts and posts.
    """
    assert target.practice_url is not None
    practice = Practice(target.practice_url, target.trusted["main"])
    found = [NETWORK, SERVERS]
    for key in (*(target.key(name) for name in ("main", "other", "quota")), *target.spare_keys):
        with Client(target.base_url, key, target.trusted["main"]) as client:
            for place in (
                _connect(client),
                _connect_in_browser(client, practice),
                _connect_server(client, practice),
            ):
                found += _fill(client, place)
            _await_published(client)
    return found


def _connect(client: Client) -> Any:
    handle = f"c{secrets.token_hex(6)}.bsky.social"
    return _call(client, "POST", "", {"platform": NETWORK, "handle": handle, "app_password": _APP_PASSWORD})


def _connect_in_browser(client: Client, practice: Practice) -> Any:
    handle = f"b{secrets.token_hex(6)}"
    begun = _call(client, "POST", "/initiate", {"platform": NETWORK, "server": f"{handle}.bsky.social"})
    practice.consent(begun["connect_url"], handle)
    return next(place for place in _call(client, "GET", "")["data"] if place["sign_in_by"] is not None)


def _connect_server(client: Client, practice: Practice) -> Any:
    begun = _call(client, "POST", "/initiate", {"platform": SERVERS, "server": "wool.example"})
    practice.consent(begun["connect_url"], f"c{secrets.token_hex(6)}")
    places = _call(client, "GET", "")["data"]
    return next(place for place in places if place["platform"] == SERVERS)


def _fill(client: Client, place: Any) -> Iterator[str]:
    yield place["id"]
    yield place["account_identifier"]
    for scheduled_at in (in_future(), in_future(days=3), None):
        post = _post(client, place, scheduled_at)
        yield post["id"]
    cancelled = _post(client, place, in_future())
    yield cancelled["id"]
    _call(client, "DELETE", f"/posts/{cancelled['id']}")


def _await_published(client: Client) -> None:
    until = time.monotonic() + _PATIENCE_S
    while len(_call(client, "GET", "/content-history")["data"]) < 2:
        assert time.monotonic() < until, "not everything was published"
        time.sleep(0.1)


def _post(client: Client, place: Any, scheduled_at: str | None) -> Any:
    body = {
        "social_account_id": place["id"],
        "platform": place["platform"],
        "post_type": "text",
        "description": f"Companion {secrets.token_hex(6)}",
    }
    return _call(client, "POST", "/posts", body | ({"scheduled_at": scheduled_at} if scheduled_at else {}))


def _call(client: Client, method: str, path: str, body: Any = None) -> Any:
    content = None if body is None else json.dumps(body).encode()
    answer = client.send(method, path, content=content, prefix=_PREFIX)
    assert answer.status < 300, answer.text
    return answer.body


@contextmanager
def watching(hidden: list[str]) -> Iterator[list[str]]:
    """Collect every call of the specified API whose answer shows something hidden."""
    leaks: list[str] = []
    send = Client.send

    def watch(self: Client, method: str, path: str, **more: Any) -> Answer:
        answer = send(self, method, path, **more)
        if more.get("prefix", "/api/v1") == "/api/v1":
            leaks.extend(f"{answer.call} shows {word}" for word in hidden if word in answer.text)
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "send", watch)
        yield leaks


@contextmanager
def post_in_inbox(shared: Shared) -> Iterator[None]:
    """Keep a post in its user's TikTok inbox, and check what the specified API says about it and its end."""
    with Stage(shared) as stage:
        account = stage.fresh_connection("tiktok")
        choice = json.dumps({"inbox": True}).encode()
        path = f"/connections/{account['id']}/tiktok"
        chosen = stage.api.send("PUT", path, content=choice, prefix="/companion/v1")
        assert chosen.status == 200, chosen.text
        video = stage.video()
        body = stage.text_post(account, post_type="video", media_storage_path=video, scheduled_at=None)
        post = stage.post(body)
        stage.wait_for(
            "a post to reach the inbox", lambda: _in_inboxes(stage), lambda all_: post["id"] in all_
        )
        yield
        waiting = stage.api.get(f"/posts/{post['id']}").given()
        check_shape(POST, waiting)
        assert waiting.keys() == field_names(POST)
        assert (waiting["status"], waiting["posted_at"]) == ("processing", None)
        assert not _records(stage, post)
        _finish(stage, body["description"])
        check_shape(POST, stage.ended(post["id"], "posted"))
        [record] = stage.wait_for("its record", lambda: _records(stage, post), bool)
        check_shape("Content history record", record)


def _in_inboxes(stage: Stage) -> Any:
    return stage.api.send("GET", "/tiktok/inbox", prefix="/companion/v1").body["data"]


def _records(stage: Stage, post: Any) -> list[Any]:
    listed = stage.api.get("/content-history", platform="tiktok", limit=100).given()["data"]
    return [one for one in listed if one["scheduled_post_id"] == post["id"]]


def _finish(stage: Stage, caption: str) -> None:
    """Publish the newest item of the practice inbox, as its user does."""
    trusted = stage.target.trusted["main"]
    address = str(stage.target.practice_url)
    with httpx.Client(base_url=address, verify=trusted, trust_env=False, follow_redirects=True) as person:
        number = person.get("/tiktok/inbox").text.split('action="/tiktok/inbox/', 1)[1].split('"')[0]
        form = {"action": "publish", "caption": caption}
        assert person.post(f"/tiktok/inbox/{number}", data=form).status_code == 200
