"""Choices for TikTok: kept with a file, for an account, and taken over by posts."""

from typing import Any
from uuid import uuid4

import httpx
import pytest

from app.service.store.tables import posts
from tests.service.media.conftest import links, shelf
from tests.service.media.samples import video
from tests.service.media.shelf import Shelf, refusal
from tests.service.running import Caller
from tests.service.test_envelope import fields

__all__ = ["links", "shelf"]

EVERYONE = {
    "privacy": "PUBLIC_TO_EVERYONE",
    "allow_comments": True,
    "allow_duet": False,
    "allow_stitch": False,
    "your_brand": False,
    "branded_content": False,
    "ai_generated": True,
}
ONLY_ME = {**EVERYONE, "privacy": "SELF_ONLY", "ai_generated": False}


def call(caller: Caller, method: str, path: str, **options: Any) -> httpx.Response:
    return caller.http.request(method, f"{caller.service.base_url}/companion/v1/{path}", **options)


def choose(caller: Caller, path: str, connection_id: str, choice: object) -> httpx.Response:
    return call(caller, "PATCH", f"media/{path}", json={"tiktok": {connection_id: choice}})


def choose_for_account(caller: Caller, connection_id: str, choice: object) -> httpx.Response:
    return call(caller, "PUT", f"connections/{connection_id}/tiktok", json={"choice": choice})


def film(shelf: Shelf) -> str:
    return shelf.store(video(), "clip.mp4", "video/mp4")


def planned(caller: Caller, connection_id: str, path: str, **more: Any) -> str:
    """Schedules a post to TikTok; gives its id."""
    body = {"platform": "tiktok", "post_type": "video", "media_storage_path": path, **more}
    return str(caller.create(connection_id, **body)["id"])


def choice_of(caller: Caller, post_id: str) -> Any:
    answer = call(caller, "GET", f"posts/{post_id}/tiktok")
    assert answer.status_code == 200, answer.text
    return answer.json()["choice"]


def undecided(caller: Caller) -> list[str]:
    found: list[str] = call(caller, "GET", "tiktok/undecided").json()["data"]
    return found


def test_a_file_keeps_a_choice_for_each_account(shelf: Shelf) -> None:
    caller, path = shelf.caller, film(shelf)
    one, other = caller.connect("tiktok", inbox=False), caller.connect("tiktok", inbox=False)
    assert choose(caller, path, one, EVERYONE).json()["tiktok"] == {one: EVERYONE}
    assert choose(caller, path, other, {"privacy": "SELF_ONLY"}).status_code == 200
    call(caller, "PATCH", f"media/{path}", json={"alt_text": "Wool"})
    [listed] = call(caller, "GET", "media").json()["data"]
    assert listed["tiktok"] == {one: EVERYONE, other: {**ONLY_ME, "allow_comments": False}}
    assert choose(caller, path, one, None).json()["tiktok"].keys() == {other}
    assert choose(caller, path, other, None).json()["tiktok"] is None


@pytest.mark.parametrize(
    ("choice", "field"),
    [
        ({}, "privacy"),
        ({"privacy": "EVERYBODY"}, "privacy"),
        ({"privacy": None}, "privacy"),
        ({**EVERYONE, "allow_duet": "yes"}, "allow_duet"),
        ({**ONLY_ME, "branded_content": True}, ""),
        ("everybody", ""),
    ],
)
def test_what_is_no_choice_is_refused(shelf: Shelf, choice: object, field: str) -> None:
    caller, path = shelf.caller, film(shelf)
    account = caller.connect("tiktok", inbox=False)
    end = f".{field}" if field else ""
    assert list(fields(choose(caller, path, account, choice))) == [f"tiktok.{account}{end}"]
    assert list(fields(choose_for_account(caller, account, choice))) == [f"choice{end}"]
    assert shelf.rows()[0]["tiktok"] is None


def test_choices_are_for_own_accounts_on_tiktok(shelf: Shelf, service: Any) -> None:
    caller, path = shelf.caller, film(shelf)
    stranger = service.new_caller()
    for unknown in (str(uuid4()), stranger.connect("tiktok", inbox=False)):
        refusal(choose(caller, path, unknown, EVERYONE), 404)
        refusal(choose_for_account(caller, unknown, EVERYONE), 404)
        refusal(call(caller, "GET", f"connections/{unknown}/tiktok"), 404)
    elsewhere = caller.connect("pinterest")
    assert set(fields(choose(caller, path, elsewhere, EVERYONE)).values()) == {"not_tiktok"}
    assert fields(choose_for_account(caller, elsewhere, EVERYONE)) == {"id": "not_tiktok"}
    assert fields(call(caller, "GET", f"connections/{elsewhere}/tiktok")) == {"id": "not_tiktok"}
    refusal(choose(stranger, path, stranger.connect("tiktok", inbox=False), EVERYONE), 403)


def test_a_file_holds_choices_for_a_hundred_accounts_at_most(shelf: Shelf) -> None:
    caller, path = shelf.caller, film(shelf)
    accounts = [caller.connect("tiktok", inbox=False) for _ in range(101)]
    many = dict.fromkeys(accounts, EVERYONE)
    assert set(fields(call(caller, "PATCH", f"media/{path}", json={"tiktok": many}))) == {"tiktok"}
    *most, last = accounts
    told = call(caller, "PATCH", f"media/{path}", json={"tiktok": dict.fromkeys(most, EVERYONE)})
    assert len(told.json()["tiktok"]) == 100
    assert fields(choose(caller, path, last, EVERYONE)) == {"tiktok": "too_many"}
    assert choose(caller, path, most[0], None).status_code == 200
    assert choose(caller, path, last, EVERYONE).status_code == 200


def test_an_account_keeps_its_choice(shelf: Shelf) -> None:
    caller = shelf.caller
    account, other = caller.connect("tiktok", inbox=False), caller.connect("tiktok", inbox=False)
    for choice in (EVERYONE, ONLY_ME, None):
        kept = {"choice": choice, "inbox": False, "is_fixed": False}
        assert choose_for_account(caller, account, choice).json() == kept
        assert call(caller, "GET", f"connections/{account}/tiktok").json() == kept
    unset = {"choice": None, "inbox": False, "is_fixed": False}
    assert call(caller, "GET", f"connections/{other}/tiktok").json() == unset
    refusal(call(caller, "PUT", f"connections/{account}/tiktok", json={}), 400)


def test_a_post_keeps_the_choice_that_its_file_had(shelf: Shelf) -> None:
    caller, path = shelf.caller, film(shelf)
    account, other = caller.connect("tiktok", inbox=False), caller.connect("tiktok", inbox=False)
    choose_for_account(caller, account, ONLY_ME)
    choose(caller, path, account, EVERYONE)
    first = planned(caller, account, path)
    choose(caller, path, account, ONLY_ME)
    second, third = planned(caller, account, path), planned(caller, other, path)
    assert choice_of(caller, first) == EVERYONE
    assert choice_of(caller, second) == ONLY_ME
    assert choice_of(caller, third) is None
    assert undecided(caller) == [third]


def test_several_posts_at_once_keep_it_too(shelf: Shelf) -> None:
    caller, path = shelf.caller, film(shelf)
    account = caller.connect("tiktok", inbox=False)
    choose(caller, path, account, EVERYONE)
    more = {"platform": "tiktok", "post_type": "video", "media_storage_path": path}
    body = {"posts": [caller.post_body(account, **more)]}
    [post] = caller.http.post("/posts/bulk", json=body).json()["posts"]
    choose(caller, path, account, None)
    assert choice_of(caller, post["id"]) == EVERYONE


def test_a_post_without_its_own_takes_that_of_its_file_and_then_of_its_account(shelf: Shelf) -> None:
    caller, path = shelf.caller, film(shelf)
    account = caller.connect("tiktok", inbox=False)
    post = planned(caller, account, path)
    assert (choice_of(caller, post), undecided(caller)) == (None, [post])
    choose_for_account(caller, account, ONLY_ME)
    assert (choice_of(caller, post), undecided(caller)) == (ONLY_ME, [])
    choose(caller, path, account, EVERYONE)
    assert (choice_of(caller, post), undecided(caller)) == (EVERYONE, [])
    choose_for_account(caller, account, None)
    assert (choice_of(caller, post), undecided(caller)) == (EVERYONE, [])


def test_only_posts_that_wait_are_undecided_soonest_first(shelf: Shelf) -> None:
    caller, path = shelf.caller, film(shelf)
    account = caller.connect("tiktok", inbox=False)
    later = planned(caller, account, path, scheduled_at="2035-01-02T00:00:00Z")
    sooner = planned(caller, account, path, scheduled_at="2035-01-01T00:00:00Z")
    gone = planned(caller, account, path)
    caller.http.delete(f"/posts/{gone}")
    caller.create(caller.connect())
    assert undecided(caller) == [sooner, later]
    out = posts.update().where(posts.c.account_id == caller.account_id).values(status="posted")
    caller.service.database.write_now(lambda rows: rows.execute(out))
    assert undecided(caller) == []


def test_others_see_none_of_it(shelf: Shelf, service: Any) -> None:
    caller, path = shelf.caller, film(shelf)
    post = planned(caller, caller.connect("tiktok", inbox=False), path)
    stranger = service.new_caller()
    refusal(call(stranger, "GET", f"posts/{post}/tiktok"), 404)
    refusal(call(caller, "GET", f"posts/{caller.create(caller.connect())['id']}/tiktok"), 404)
    refusal(call(caller, "GET", f"posts/{uuid4()}/tiktok"), 404)
    assert undecided(stranger) == []


def test_the_calls_of_the_contract_tell_nothing_of_it(shelf: Shelf) -> None:
    caller, path = shelf.caller, film(shelf)
    account = caller.connect("tiktok", inbox=False)
    choose_for_account(caller, account, ONLY_ME)
    choose(caller, path, account, EVERYONE)
    post = planned(caller, account, path)
    for place in (f"/posts/{post}", f"/connections/{account}", "/posts", "/connections"):
        assert "tiktok_" not in caller.http.get(place).text
        assert "PUBLIC_TO_EVERYONE" not in caller.http.get(place).text
