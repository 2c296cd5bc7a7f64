"""Files on Meta's practice platforms: Reels, unpublished photos of a Page, containers."""

from typing import Any

import httpx
import pytest

from tests.practice.doors import FACEBOOK, INSTAGRAM, Visitor
from tests.practice.test_files import VIDEO, picture


def page(visitor: Visitor, account_field: str = "id") -> tuple[str, dict[str, str]]:
    """Return the first Page's account and the header with its token."""
    fields = f"id,access_token,{account_field}"
    first = visitor.get("/v25.0/me/accounts", fields=fields).json()["data"][0]
    account = first[account_field] if account_field == "id" else first[account_field]["id"]
    return account, {"Authorization": f"Bearer {first['access_token']}"}


def test_nothing_is_published_for_a_person(practice: httpx.Client) -> None:
    visitor = FACEBOOK.enter(practice, account="person")
    account, headers = page(visitor)
    path = f"/facebook/v25.0/{account}/feed"
    assert visitor.post(f"/v25.0/{account}/feed", data={"message": "Hello"}).json()["error"]["code"] == 100
    assert visitor.client.post(path, data={"message": " "}, headers=headers).status_code == 400
    assert visitor.client.post(path, data={"message": "m" * 63_207}, headers=headers).status_code == 400
    assert visitor.client.post(path, data={"message": "Hello"}, headers=headers).status_code == 200
    again = visitor.client.post(path, data={"message": "Hello"}, headers=headers)
    assert again.json()["error"]["code"] == 506
    assert len(visitor.published(account)) == 1


def test_a_reel_goes_on_where_it_was_and_is_finished_when_complete(practice: httpx.Client) -> None:
    visitor = FACEBOOK.enter(practice, account="reels")
    account, headers = page(visitor)
    post, path = visitor.client.post, f"/facebook/v25.0/{account}/video_reels"
    reel = post(path, data={"upload_phase": "start"}, headers=headers).json()
    finish = {"upload_phase": "finish", "video_id": reel["video_id"], "video_state": "PUBLISHED"}
    assert post(path, data=finish, headers=headers).json()["error"]["error_subcode"] == 1363030
    token = {"Authorization": headers["Authorization"].replace("Bearer", "OAuth")}
    about = token | {"offset": "0", "file_size": str(len(VIDEO))}
    assert post(reel["upload_url"], content=VIDEO, headers=about | headers).status_code == 400
    assert post(reel["upload_url"], content=VIDEO, headers=about | {"offset": "5"}).status_code == 400
    assert post(reel["upload_url"], content=VIDEO, headers=about).json() == {"success": True}
    assert post(path, data=finish, headers=headers).json() == {"success": True}
    assert post(path, data=finish, headers=headers).json() == {"success": True}
    assert len(visitor.published(account)) == 1


def test_a_thumbnail_stands_for_a_video_of_the_page_where_it_is_preferred(practice: httpx.Client) -> None:
    visitor = FACEBOOK.enter(practice, account="thumbnails")
    account, headers = page(visitor)
    post, path = visitor.client.post, f"/facebook/v25.0/{account}/video_reels"
    reel = post(path, data={"upload_phase": "start"}, headers=headers).json()
    token = {"Authorization": headers["Authorization"].replace("Bearer", "OAuth")}
    post(reel["upload_url"], content=VIDEO, headers=token | {"offset": "0", "file_size": str(len(VIDEO))})
    finish = {"upload_phase": "finish", "video_id": reel["video_id"], "video_state": "PUBLISHED"}
    post(path, data=finish, headers=headers)
    thumbnails = f"/facebook/v25.0/{reel['video_id']}/thumbnails"

    def told(content: bytes, **fields: str) -> int:
        return post(thumbnails, data=fields, files={"source": content}, headers=headers).status_code

    assert post(thumbnails, data={"is_preferred": "true"}, headers=headers).status_code == 400
    assert told(picture("GIF"), is_preferred="true") == 400
    assert told(picture()) == 200
    assert "poster=" not in practice.get("/published/facebook").text
    assert told(picture(), is_preferred="true") == 200
    assert "poster=" in practice.get("/published/facebook").text
    nothing = post("/facebook/v25.0/1/thumbnails", files={"source": picture()}, headers=headers)
    assert nothing.json()["error"]["code"] == 100


def test_a_metric_that_is_gone_fails_the_call(practice: httpx.Client) -> None:
    visitor = FACEBOOK.enter(practice, account="metrics")
    account, headers = page(visitor)
    made = visitor.client.post(f"/facebook/v25.0/{account}/feed", data={"message": "Hi"}, headers=headers)
    path = f"/facebook/v25.0/{made.json()['id']}/insights"
    for metric, status in (("post_media_view", 200), ("post_impressions", 400), ("", 400)):
        answer = visitor.client.get(path, params={"metric": metric}, headers=headers)
        assert answer.status_code == status


def container(visitor: Visitor, content: bytes) -> dict[str, Any]:
    """Return Instagram's response to a container for an unpublished photo of the Page."""
    account, headers = page(visitor, "instagram_business_account")
    base, client = "/instagram/v25.0", visitor.client
    photo = client.post(
        f"{base}/me/photos", data={"published": "false"}, files={"source": content}, headers=headers
    ).json()
    if "id" not in photo:
        return dict(photo)
    images = client.get(f"{base}/{photo['id']}", params={"fields": "images"}, headers=headers).json()[
        "images"
    ]
    form = {"image_url": images[0]["source"], "caption": "Hello"}
    return dict(client.post(f"{base}/{account}/media", data=form, headers=headers).json())


@pytest.mark.parametrize(
    ("content", "subcode"),
    [
        (picture("PNG"), 2207005),
        (picture(width=300, height=100), 2207009),
        (picture(width=100, height=300), 2207009),
        (b"no picture", 1366046),
    ],
)
def test_instagram_refuses_pictures(practice: httpx.Client, content: bytes, subcode: int) -> None:
    visitor = INSTAGRAM.enter(practice, account="gallery")
    assert container(visitor, content)["error"]["error_subcode"] == subcode


def test_a_container_is_published_once(practice: httpx.Client) -> None:
    visitor = INSTAGRAM.enter(practice, account="once")
    account, headers = page(visitor, "instagram_business_account")
    made = container(visitor, picture())["id"]
    path = f"/instagram/v25.0/{account}/media_publish"
    answers = [visitor.client.post(path, data={"creation_id": made}, headers=headers) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 400]
    state = visitor.client.get(f"/instagram/v25.0/{made}", headers=headers).json()["status_code"]
    assert (state, len(visitor.published(account))) == ("PUBLISHED", 1)


def test_a_reel_on_instagram_that_has_no_bytes_is_not_ready(practice: httpx.Client) -> None:
    visitor = INSTAGRAM.enter(practice, account="waiting")
    account, headers = page(visitor, "instagram_business_account")
    form = {"media_type": "REELS", "upload_type": "resumable"}
    made = visitor.client.post(f"/instagram/v25.0/{account}/media", data=form, headers=headers).json()
    path = f"/instagram/v25.0/{account}/media_publish"
    refused = visitor.client.post(path, data={"creation_id": made["id"]}, headers=headers).json()
    assert (refused["error"]["code"], refused["error"]["error_subcode"]) == (9007, 2207027)


def test_instagram_fetches_nothing_from_elsewhere(practice: httpx.Client) -> None:
    visitor = INSTAGRAM.enter(practice, account="elsewhere")
    account, headers = page(visitor, "instagram_business_account")
    for address in ("https://example.com/a.jpg", "", "file:///etc/passwd"):
        answer = visitor.client.post(
            f"/instagram/v25.0/{account}/media", data={"image_url": address}, headers=headers
        )
        assert answer.json()["error"]["error_subcode"] == 2207052
