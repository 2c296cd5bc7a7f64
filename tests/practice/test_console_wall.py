"""The pages that show publications: by platform and account, with files, marked as practice."""

import hashlib
from typing import Any

import httpx
import pytest

from tests.practice.doors import FACEBOOK, PINTEREST, TIKTOK, YOUTUBE, Visitor
from tests.practice.programs import LinkedInProgram, XProgram
from tests.practice.test_files import VIDEO, announce, open_session, picture, pin
from tests.practice.test_page_files import page

NOTICE = "PRACTICE: nothing here reaches the real platform"


def shown(client: httpx.Client, path: str) -> str:
    answer = client.get(path, follow_redirects=True)
    assert answer.status_code == 200, path
    assert NOTICE in answer.text
    assert "<script" not in answer.text
    return answer.text


def test_a_publication_is_shown_with_all_it_has(practice: httpx.Client) -> None:
    visitor = PINTEREST.enter(practice, account="Wall Pinner")
    board = visitor.get("/v5/boards").json()["items"][1]
    link = "https://example.com/?a=1&b=2"
    made = pin(visitor, title="Wool & <b>", description="Line 1\nLine 2", link=link, board_id=board["id"])

    text = shown(practice, f"/pinterest/pin/{made.json()['id']}/")

    for said in ("Wall Pinner", "@wall_pinner", "Wool &amp; &lt;b&gt;", "Line 1\nLine 2", board["name"]):
        assert said in text
    assert 'href="https://example.com/?a=1&amp;b=2"' in text
    digest = hashlib.sha256(picture()).hexdigest()
    assert f'src="/files/{digest}"' in text
    file = practice.get(f"/files/{digest}")
    assert (file.content, file.headers["content-type"]) == (picture(), "image/jpeg")
    assert "sandbox" in file.headers["content-security-policy"]
    assert file.headers["x-content-type-options"] == "nosniff"


def test_a_video_can_be_played_from_anywhere(practice: httpx.Client) -> None:
    visitor = YOUTUBE.enter(practice, account="wall-channel")
    address = open_session(visitor, len(VIDEO)).headers["location"]
    headers = visitor.headers | {"Content-Range": f"bytes 0-{len(VIDEO) - 1}/{len(VIDEO)}"}
    made = practice.put(address, content=VIDEO, headers=headers).json()["id"]

    digest = hashlib.sha256(VIDEO).hexdigest()
    assert f'<video src="/files/{digest}" controls' in shown(practice, f"/youtube/watch?v={made}")
    part = practice.get(f"/files/{digest}", headers={"Range": "bytes=100-199"})
    assert (part.status_code, part.content) == (206, VIDEO[100:200])
    assert part.headers["content-type"] == "video/mp4"


def test_each_platform_and_each_account_has_its_own_page(
    practice: httpx.Client, x: XProgram, linkedin: LinkedInProgram
) -> None:
    other = XProgram.connect(practice, account="wall-other")
    x.publish("From the first on X")
    other.publish("From the other on X")
    linkedin.publish("From LinkedIn")

    everything = shown(practice, "/published")
    on_x = shown(practice, "/published/x")
    of_one = shown(practice, f"/published/x/accounts/{x.user_id}")

    assert all(said in everything for said in ("From the first on X", "From the other on X", "From LinkedIn"))
    assert "From LinkedIn" not in on_x
    assert "From the other on X" in on_x
    assert "From the other on X" not in of_one
    assert "From the first on X" in of_one
    assert 'href="/published/x/accounts/' in of_one


@pytest.mark.parametrize("path", ["/x/anyone/status/{}", "/x/i/web/status/{}"])
def test_a_post_on_x_is_where_the_real_one_would_be(x: XProgram, path: str) -> None:
    made = x.publish(f"Look here {path}").json()["data"]["id"]
    assert "Look here" in shown(x.client, path.format(made))


def test_a_post_on_linkedin_is_where_the_real_one_would_be(linkedin: LinkedInProgram) -> None:
    urn = linkedin.publish("Look here").headers["x-restli-id"]
    assert "Look here" in shown(linkedin.client, f"/linkedin/feed/update/{urn}/")


def test_a_pages_post_is_shown_under_the_pages_name(practice: httpx.Client) -> None:
    visitor = FACEBOOK.enter(practice, account="wall-page")
    account, headers = page(visitor)
    made = practice.post(f"/facebook/v25.0/{account}/feed", data={"message": "Look here"}, headers=headers)
    text = shown(practice, f"/facebook/{made.json()['id']}")
    assert "Wall Page Studio" in text


def test_a_video_on_tiktok_is_found_also_without_a_public_id(practice: httpx.Client) -> None:
    visitor: Visitor = TIKTOK.enter(practice, account="wall-creator")
    target: dict[str, Any] = announce(visitor, len(VIDEO), len(VIDEO), 1, title="Look here").json()["data"]
    headers = {"Content-Range": f"bytes 0-{len(VIDEO) - 1}/{len(VIDEO)}", "Content-Type": "video/mp4"}
    practice.put(target["upload_url"], content=VIDEO, headers=headers)

    assert "Look here" in shown(practice, "/tiktok/@wall_creator")


def test_older_publications_follow(practice: httpx.Client) -> None:
    x = XProgram.connect(practice, account="wall-many")
    for number in range(35):
        x.publish(f"Number {number} of many")
    path = f"/published/x/accounts/{x.user_id}"

    newest = shown(practice, path)

    assert "Number 34 of many" in newest
    assert "Number 4 of many" not in newest
    before = newest.partition('<a href="?before=')[2].partition('"')[0]
    older = shown(practice, f"{path}?before={before}")
    assert "Number 4 of many" in older
    assert "Older" not in older


@pytest.mark.parametrize(
    "path",
    [
        "/published/myspace",
        "/published/x/5",
        "/published/myspace/accounts/5",
        "/files/" + "0" * 64,
        "/files/..%2Fpractice.sqlite3",
        "/files/practice",
    ],
)
def test_what_is_not_there(practice: httpx.Client, path: str) -> None:
    assert practice.get(path).status_code == 404


def test_an_account_that_was_never_connected_has_an_empty_page(practice: httpx.Client) -> None:
    assert "Nothing has been published here yet" in shown(practice, "/published/x/accounts/5?before=x")
