"""A client that violates a documented rule is rejected here like on the real platform."""

import base64
import io
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from PIL import Image

from app.practice.identities import ACCOUNTS
from tests.practice.conftest import Clock
from tests.practice.doors import FACEBOOK, INSTAGRAM, PINTEREST, THREADS, TIKTOK, YOUTUBE, Visitor
from tests.practice.programs import LinkedInProgram, XProgram
from tests.practice.test_files import (
    MIB,
    VIDEO,
    announce,
    append,
    begin,
    initialize,
    open_session,
    picture,
    pin,
)
from tests.practice.test_page_files import page

DAY_S = 86_400


# LinkedIn


@pytest.mark.parametrize("kind", ["images", "videos"])
@pytest.mark.parametrize(
    ("header", "value", "code"),
    [
        ("LinkedIn-Version", "", "VERSION_MISSING"),
        ("LinkedIn-Version", "202511", "NONEXISTENT_VERSION"),
        ("X-Restli-Protocol-Version", "1.0.0", "ILLEGAL_ARGUMENT"),
    ],
)
def test_linkedins_files_want_the_headers_of_the_gateway(
    linkedin: LinkedInProgram, kind: str, header: str, value: str, code: str
) -> None:
    answer = linkedin.client.post(
        f"/linkedin/rest/{kind}",
        params={"action": "initializeUpload"},
        json={"initializeUploadRequest": {"owner": linkedin.urn, "fileSizeBytes": 100_000}},
        headers=linkedin.headers | {header: value},
    )
    assert answer.json()["code"] == code


def test_linkedins_addresses_for_files_end_after_a_day(linkedin: LinkedInProgram, clock: Clock) -> None:
    image = initialize(linkedin, "images").json()["value"]["uploadUrl"]
    [part] = initialize(linkedin, "videos", fileSizeBytes=len(VIDEO)).json()["value"]["uploadInstructions"]
    clock.ahead += DAY_S + 1
    late = [
        linkedin.client.put(image, content=picture(), headers=linkedin.headers),
        linkedin.client.put(part["uploadUrl"], content=VIDEO),
    ]
    assert [answer.json()["code"] for answer in late] == ["EXPIRED_UPLOAD_URL"] * 2


def test_linkedins_pictures_go_with_the_token_in_one_piece(linkedin: LinkedInProgram) -> None:
    address = initialize(linkedin, "images").json()["value"]["uploadUrl"]
    assert linkedin.client.put(address, content=picture()).status_code == 401
    assert linkedin.client.put(address, content=picture(), headers=linkedin.headers).status_code == 201
    again = linkedin.client.put(address, content=picture(), headers=linkedin.headers)
    assert again.json()["code"] == "EXPIRED_UPLOAD_URL"


def test_a_description_on_linkedin_has_4086_characters_at_most(linkedin: LinkedInProgram) -> None:
    media = {"id": "urn:li:image:C1", "altText": "a" * 4087}
    answer = linkedin.publish("Hello", content={"media": media})
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_VALUE_FOR_FIELD")


# X


@pytest.fixture
def uploader(practice: httpx.Client) -> XProgram:
    return XProgram.connect(practice, scope=XProgram.SCOPE + " media.write", account="breaking")


def whole(x: XProgram, content: bytes, category: str = "tweet_image") -> httpx.Response:
    return x.client.post(
        "/x/2/media/upload",
        data={"media_category": category},
        files={"media": content},
        headers=x.headers,
    )


def test_files_need_their_own_scope_on_x(x: XProgram) -> None:
    assert whole(x, picture()).status_code == 403
    assert begin(x).status_code == 403


def test_a_picture_on_x_has_5_mb_at_most_and_is_one(uploader: XProgram) -> None:
    assert whole(uploader, picture() + bytes(5 * MIB)).status_code == 400
    assert whole(uploader, picture(), "tweet_video").status_code == 400
    fake = whole(uploader, b"no picture").json()["data"]
    assert fake["processing_info"]["error"]["name"] == "InvalidMedia"
    assert uploader.publish("Hello", media={"media_ids": [fake["id"]]}).status_code == 400


def test_a_segment_on_x_has_5_mb_at_most(uploader: XProgram) -> None:
    media_id = begin(uploader, total_bytes=6 * MIB).json()["data"]["id"]
    assert append(uploader, media_id, "0", bytes(5 * MIB + 1)).status_code == 400


def test_a_gif_on_x_has_15_mb_at_most(uploader: XProgram) -> None:
    gif = {"media_type": "image/gif", "media_category": "tweet_gif"}
    assert begin(uploader, **gif, total_bytes=15 * MIB + 1).status_code == 400
    assert begin(uploader, **gif, total_bytes=15 * MIB).status_code == 200


def test_a_post_on_x_holds_four_pictures_or_one_other_file(uploader: XProgram, clock: Clock) -> None:
    pictures = [whole(uploader, picture()).json()["data"]["id"] for _ in range(5)]
    assert uploader.publish("Five", media={"media_ids": pictures}).status_code == 400
    clip = begin(uploader, total_bytes=len(VIDEO)).json()["data"]["id"]
    append(uploader, clip, "0", VIDEO)
    path = f"/x/2/media/upload/{clip}/finalize"
    assert uploader.client.post(path, headers=uploader.headers).status_code == 200
    clock.ahead -= 1  # however long the answer took, X still works on the file
    early = uploader.publish("Too soon", media={"media_ids": [clip]})
    clock.ahead += 1
    assert early.status_code == 400
    assert uploader.publish("Mixed", media={"media_ids": [pictures[0], clip]}).status_code == 400


def test_a_file_on_x_is_kept_for_a_day(uploader: XProgram, clock: Clock) -> None:
    media_id = whole(uploader, picture()).json()["data"]["id"]
    clock.ahead += DAY_S + 1
    again = XProgram.connect(uploader.client, scope=XProgram.SCOPE + " media.write", account="breaking")
    assert "media IDs are invalid" in again.publish("Late", media={"media_ids": [media_id]}).text


# Pinterest


@pytest.fixture
def pinner(practice: httpx.Client) -> Visitor:
    return PINTEREST.enter(practice, account="breaking")


def test_a_picture_on_pinterest_has_20_mb_at_most(pinner: Visitor) -> None:
    data = base64.b64encode(picture() + bytes(20 * MIB)).decode()
    source = {"source_type": "image_base64", "content_type": "image/jpeg", "data": data}
    assert pin(pinner, media_source=source).status_code == 400


def test_a_pin_needs_a_file_and_a_board(pinner: Visitor) -> None:
    assert pin(pinner, media_source=None).status_code == 400
    assert pinner.post("/v5/pins", json={"title": "No board"}).status_code == 400


def test_pins_on_secret_boards_need_their_own_scope(practice: httpx.Client) -> None:
    reading = PINTEREST.query["scope"] + ",boards:read_secret"
    writing = reading + ",pins:write_secret,pins:read_secret"
    reader = PINTEREST.enter(practice, account="secretive", scope=reading)
    writer = PINTEREST.enter(practice, account="secretive", scope=writing)
    secret = reader.get("/v5/boards", privacy="SECRET").json()["items"][0]["id"]
    assert [pin(visitor, board_id=secret).status_code for visitor in (reader, writer)] == [404, 201]
    assert reader.get(f"/v5/boards/{secret}/pins").status_code == 404


def test_the_store_behind_pinterest_reads_a_form_up_to_its_file(pinner: Visitor) -> None:
    target = pinner.post("/v5/media", json={"media_type": "video"}).json()
    first, *others = target["upload_parameters"].items()
    parts: list[Any] = [(name, (None, value)) for name, value in others]
    late = [*parts, ("file", ("video", VIDEO)), (first[0], (None, first[1]))]
    assert pinner.client.post(target["upload_url"], files=late).status_code == 403


def test_pinterest_takes_no_webm(pinner: Visitor) -> None:
    target = pinner.post("/v5/media", json={"media_type": "video"}).json()
    webm = b"\x1aE\xdf\xa3" + bytes(100)
    pinner.client.post(target["upload_url"], data=target["upload_parameters"], files={"file": webm})
    while (status := pinner.get(f"/v5/media/{target['media_id']}").json()["status"]) == "processing":
        pass
    assert status == "failed"


def test_pinterest_counts_90_days_back(pinner: Visitor, clock: Clock) -> None:
    made = pin(pinner, title="Counted").json()["id"]
    today = datetime.fromtimestamp(clock(), UTC).date()

    def ask(days: int) -> int:
        first = today - timedelta(days=days)
        query = {"start_date": first.isoformat(), "end_date": today.isoformat(), "metric_types": "SAVE"}
        return pinner.get(f"/v5/pins/{made}/analytics", **query).status_code

    assert [ask(days) for days in (90, 91, -1)] == [200, 400, 400]


def test_a_collector_has_more_boards_than_one_page(practice: httpx.Client) -> None:
    visitor = PINTEREST.enter(practice, account=ACCOUNTS[1])
    found: list[str] = []
    query: dict[str, str | int] = {}
    pages = 0
    while True:
        answer = visitor.get("/v5/boards", **query).json()
        found += [board["id"] for board in answer["items"]]
        pages += 1
        if answer["bookmark"] is None:
            break
        query["bookmark"] = answer["bookmark"]
    assert pages >= 3
    assert len(found) == len(set(found)) > 50


# TikTok


def test_tiktoks_addresses_end_after_an_hour(practice: httpx.Client, clock: Clock) -> None:
    visitor = TIKTOK.enter(practice, account="breaking")
    target = announce(visitor, len(VIDEO), len(VIDEO), 1).json()["data"]
    headers = {"Content-Range": f"bytes 0-{len(VIDEO) - 1}/{len(VIDEO)}", "Content-Type": "video/mp4"}
    clock.ahead += 3601
    assert practice.put(target["upload_url"], content=VIDEO, headers=headers).status_code == 403


def test_a_video_on_tiktok_that_is_none_fails_after_all(practice: httpx.Client) -> None:
    visitor = TIKTOK.enter(practice, account="breaking")
    fake = b"no video" * 100
    target = announce(visitor, len(fake), len(fake), 1).json()["data"]
    headers = {"Content-Range": f"bytes 0-{len(fake) - 1}/{len(fake)}", "Content-Type": "video/mp4"}
    assert practice.put(target["upload_url"], content=fake, headers=headers).status_code == 201
    answer = visitor.post("/v2/post/publish/status/fetch/", json={"publish_id": target["publish_id"]})
    assert answer.json()["data"]["fail_reason"] == "file_format_check_failed"


# Instagram


def gallery(practice: httpx.Client, account: str = "breaking") -> tuple[Visitor, str, dict[str, str]]:
    visitor = INSTAGRAM.enter(practice, account=account)
    return visitor, *page(visitor, "instagram_business_account")


def reel(practice: httpx.Client, **form: str) -> httpx.Response:
    _, account, headers = gallery(practice)
    asked = {"media_type": "REELS", "upload_type": "resumable", **form}
    return practice.post(f"/instagram/v25.0/{account}/media", data=asked, headers=headers)


@pytest.mark.parametrize(
    ("form", "subcode"),
    [
        ({"caption": "c" * 2201}, 2207010),
        ({"caption": "#a " * 31}, 2207040),
        ({"caption": "@a " * 21}, 2207040),
        ({"alt_text": "a" * 1001}, None),
    ],
)
def test_words_that_instagram_refuses(
    practice: httpx.Client, form: dict[str, str], subcode: int | None
) -> None:
    answer = reel(practice, **form)
    assert (answer.status_code, answer.json()["error"].get("error_subcode")) == (400, subcode)


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"offset": "5"}, 100),
        ({"file_size": str(301 * MIB)}, 100),
        ({"file_size": ""}, 100),
        ({"Authorization": "Bearer"}, 190),
    ],
)
def test_bytes_that_instagram_refuses(practice: httpx.Client, wrong: dict[str, str], code: int) -> None:
    _, _, page_headers = gallery(practice)
    token = page_headers["Authorization"].removeprefix("Bearer ")
    headers = {"Authorization": f"OAuth {token}", "offset": "0", "file_size": str(len(VIDEO))}
    if "Authorization" in wrong:
        wrong = {"Authorization": f"Bearer {token}"}
    answer = practice.post(reel(practice).json()["uri"], content=VIDEO, headers=headers | wrong)
    assert answer.json()["error"]["code"] == code


def test_a_picture_on_instagram_has_8_mb_at_most(practice: httpx.Client) -> None:
    _, account, headers = gallery(practice)
    base = "/instagram/v25.0"
    large = picture() + bytes(8 * MIB)
    form = {"published": "false"}
    photo = practice.post(f"{base}/me/photos", data=form, files={"source": large}, headers=headers).json()
    images = practice.get(f"{base}/{photo['id']}", params={"fields": "images"}, headers=headers).json()
    address = {"image_url": images["images"][0]["source"]}
    answer = practice.post(f"{base}/{account}/media", data=address, headers=headers)
    assert answer.json()["error"]["error_subcode"] == 2207004


def test_a_container_ends_after_a_day(practice: httpx.Client, clock: Clock) -> None:
    _, account, headers = gallery(practice)
    made = reel(practice).json()["id"]
    clock.ahead += DAY_S + 1
    state = practice.get(f"/instagram/v25.0/{made}", params={"fields": "status_code"}, headers=headers)
    assert state.json()["status_code"] == "EXPIRED"
    path = f"/instagram/v25.0/{account}/media_publish"
    assert practice.post(path, data={"creation_id": made}, headers=headers).status_code == 400


# YouTube


def test_youtube_wants_to_know_what_the_metadata_are(practice: httpx.Client) -> None:
    visitor = YOUTUBE.enter(practice, account="breaking")
    body = {"snippet": {"title": "A title"}, "status": {"privacyStatus": "public"}}

    def reason(query: str, **headers: str) -> str:
        announced = {"X-Upload-Content-Type": "video/mp4", "X-Upload-Content-Length": "1000", **headers}
        path = f"/youtube/upload/youtube/v3/videos?{query}"
        answer = practice.post(path, content=json.dumps(body), headers=visitor.headers | announced)
        return str(answer.json()["error"]["errors"][0]["reason"])

    assert reason("uploadType=resumable&part=snippet") == "missingRequiredParameter"
    assert reason("uploadType=media&part=snippet,status") == "badRequest"
    right = "uploadType=resumable&part=snippet,status"
    assert reason(right, **{"X-Upload-Content-Length": str(274_877_906_945)}) == "mediaBodyRequired"
    assert reason(right, **{"X-Upload-Content-Type": "image/jpeg"}) == "badContent"


def test_a_session_of_nobody_and_one_of_somebody_else(practice: httpx.Client) -> None:
    visitor = YOUTUBE.enter(practice, account="breaking")
    address = open_session(YOUTUBE.enter(practice, account="not-mine"), 1000).headers["location"]
    for wrong in (address, address + "x"):
        headers = visitor.headers | {"Content-Range": "bytes */1000"}
        assert practice.put(wrong, headers=headers).status_code == 404


def test_google_gives_a_refresh_token_once_unless_it_is_asked(practice: httpx.Client) -> None:
    name = "google-again"
    assert "refresh_token" in YOUTUBE.enter(practice, account=name).tokens
    assert "refresh_token" not in YOUTUBE.enter(practice, account=name).tokens
    assert "refresh_token" in YOUTUBE.enter(practice, account=name, prompt="consent").tokens


# Facebook


def test_a_post_of_a_page_has_ten_photos_at_most(practice: httpx.Client) -> None:
    account, headers = page(FACEBOOK.enter(practice, account="breaking"))
    form = {"published": "false"}
    path = f"/facebook/v25.0/{account}"
    photo = practice.post(f"{path}/photos", data=form, files={"source": picture()}, headers=headers).json()
    attached = {"attached_media": json.dumps([{"media_fbid": photo["id"]}] * 11)}
    answer = practice.post(f"{path}/feed", data=attached, headers=headers)
    assert "10 photos" in answer.json()["error"]["message"]


def test_a_photo_of_a_page_has_10_mb_at_most_and_a_usual_kind(practice: httpx.Client) -> None:
    account, headers = page(FACEBOOK.enter(practice, account="breaking"))
    file = io.BytesIO()
    Image.new("RGB", (10, 10)).save(file, "WEBP")
    for content in (picture() + bytes(10 * MIB), file.getvalue()):
        answer = practice.post(
            f"/facebook/v25.0/{account}/photos",
            data={"published": "false"},
            files={"source": content},
            headers=headers,
        )
        assert answer.json()["error"]["error_subcode"] == 1366046


@pytest.mark.parametrize("version", ["v9.0", "v99.0", "v25", "latest"])
@pytest.mark.parametrize("platform", ["facebook", "instagram"])
def test_the_graph_api_has_the_versions_that_it_has(
    practice: httpx.Client, platform: str, version: str
) -> None:
    for path in ("me/accounts", "oauth/access_token", "5"):
        answer = practice.get(f"/{platform}/{version}/{path}")
        assert answer.json()["error"]["code"] == 2500


# Threads


def test_threads_renews_a_long_lived_token_from_the_second_day_on(
    practice: httpx.Client, clock: Clock
) -> None:
    short = THREADS.enter(practice, account="breaking").tokens["access_token"]

    def prolong(path: str, kind: str, token: str) -> httpx.Response:
        query = {"grant_type": kind, "client_secret": "hush", "access_token": token}
        return practice.get(f"/threads/{path}", params=query)

    assert prolong("refresh_access_token", "th_refresh_token", short).status_code == 400
    long = prolong("access_token", "th_exchange_token", short).json()
    assert long["expires_in"] == 60 * DAY_S
    assert prolong("refresh_access_token", "th_refresh_token", long["access_token"]).status_code == 400
    clock.ahead += DAY_S + 1
    renewed = prolong("refresh_access_token", "th_refresh_token", long["access_token"]).json()
    assert renewed["expires_in"] == 60 * DAY_S
    assert renewed["access_token"] != long["access_token"]
