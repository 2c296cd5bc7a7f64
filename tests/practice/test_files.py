"""Files on the practice platforms: what real ones reject is rejected here."""

import base64
import io
import json
from typing import Any

import httpx
import pytest
from PIL import Image

from tests.practice.doors import PINTEREST, TIKTOK, YOUTUBE, Visitor
from tests.practice.programs import LinkedInProgram, XProgram

MIB = 1024 * 1024
VIDEO = b"\x00\x00\x00\x18ftypmp42" + b"v" * 100_000


def picture(kind: str = "JPEG", width: int = 64, height: int = 64) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (width, height), "teal").save(file, kind)
    return file.getvalue()


# LinkedIn


def initialize(linkedin: LinkedInProgram, kind: str, **asked: Any) -> httpx.Response:
    body = {"initializeUploadRequest": {"owner": linkedin.urn, **asked}}
    params = {"action": "initializeUpload"}
    return linkedin.client.post(f"/linkedin/rest/{kind}", params=params, json=body, headers=linkedin.headers)


def test_linkedin_wants_an_owner_and_a_size_it_takes(linkedin: LinkedInProgram) -> None:
    assert initialize(linkedin, "images", owner="urn:li:person:other").status_code == 403
    assert initialize(linkedin, "videos", fileSizeBytes=1000).json()["code"] == "INVALID_VALUE_FOR_FIELD"
    params = {"action": "initializeUpload"}
    answer = linkedin.client.post(
        "/linkedin/rest/images", params=params, content="[", headers=linkedin.headers
    )
    assert answer.json()["code"] == "MISSING_FIELD"


def test_linkedins_parts_come_without_a_token_and_are_named_in_order(linkedin: LinkedInProgram) -> None:
    target = initialize(linkedin, "videos", fileSizeBytes=len(VIDEO)).json()["value"]
    [part] = target["uploadInstructions"]
    assert (part["firstByte"], part["lastByte"]) == (0, len(VIDEO) - 1)
    put = linkedin.client.put
    assert put(part["uploadUrl"], content=VIDEO, headers=linkedin.headers).status_code == 400
    assert put(part["uploadUrl"], content=VIDEO[:-1]).status_code == 400
    tag = put(part["uploadUrl"], content=VIDEO).headers["etag"].strip('"')
    for tags, status in (([], 400), (["wrong"], 400), ([tag], 200), ([tag], 200)):
        asked = {"video": target["video"], "uploadToken": "", "uploadedPartIds": tags}
        finished = linkedin.client.post(
            "/linkedin/rest/videos",
            params={"action": "finalizeUpload"},
            json={"finalizeUploadRequest": asked},
            headers=linkedin.headers,
        )
        assert finished.status_code == status


def test_linkedin_names_a_place_for_a_thumbnail_where_it_is_asked_to(linkedin: LinkedInProgram) -> None:
    plain = initialize(linkedin, "videos", fileSizeBytes=len(VIDEO), uploadThumbnail=False).json()["value"]
    assert "thumbnailUploadUrl" not in plain
    target = initialize(linkedin, "videos", fileSizeBytes=len(VIDEO), uploadThumbnail=True).json()["value"]
    place, put = target["thumbnailUploadUrl"], linkedin.client.put
    assert put(place, content=picture(), headers=linkedin.headers).status_code == 400
    assert put(place, content=picture("GIF")).status_code == 400
    assert put(place, content=picture() + bytes(10 * 1024 * 1024)).status_code == 413
    assert put(place, content=picture()).status_code == 201


def test_a_post_on_linkedin_with_a_file_of_nobody(linkedin: LinkedInProgram) -> None:
    for urn, code in (("urn:li:image:C999999", "INVALID_IMAGE_ID"), ("urn:li:video:x", "INVALID_VIDEO_ID")):
        answer = linkedin.publish("Hello", content={"media": {"id": urn}})
        assert (answer.status_code, answer.json()["code"]) == (400, code)
    target = initialize(linkedin, "images").json()["value"]["image"]
    waiting = linkedin.publish("Hello", content={"media": {"id": target}})
    assert waiting.json()["code"] == "MEDIA_ASSET_WAITING_UPLOAD"
    assert linkedin.published() == []


# X


@pytest.fixture
def uploader(practice: httpx.Client) -> XProgram:
    return XProgram.connect(practice, scope=XProgram.SCOPE + " media.write", account="uploader")


def begin(x: XProgram, **asked: Any) -> httpx.Response:
    body = {"media_type": "video/mp4", "media_category": "tweet_video", "total_bytes": len(VIDEO)}
    return x.client.post("/x/2/media/upload/initialize", json=body | asked, headers=x.headers)


def append(x: XProgram, media_id: str, index: str, content: bytes) -> httpx.Response:
    return x.client.post(
        f"/x/2/media/upload/{media_id}/append",
        data={"segment_index": index},
        files={"media": content},
        headers=x.headers,
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"media_category": "tweet_song"},
        {"media_type": "video/webm"},
        {"total_bytes": 0},
        {"total_bytes": 513 * MIB},
        {"total_bytes": "many"},
    ],
)
def test_x_refuses_to_begin(uploader: XProgram, wrong: dict[str, Any]) -> None:
    assert begin(uploader, **wrong).status_code == 400


def test_x_wants_every_segment(uploader: XProgram) -> None:
    media_id = begin(uploader).json()["data"]["id"]
    for index in ("-1", "1000", "a"):
        assert append(uploader, media_id, index, VIDEO).status_code == 400
    assert append(uploader, media_id, "1", VIDEO[50_000:]).status_code == 200
    finalize = f"/x/2/media/upload/{media_id}/finalize"
    assert uploader.client.post(finalize, headers=uploader.headers).status_code == 400
    assert append(uploader, media_id, "0", VIDEO[:50_000]).status_code == 200
    assert uploader.client.post(finalize, headers=uploader.headers).status_code == 200
    assert append(uploader, media_id, "2", VIDEO).status_code == 400


def test_a_file_of_somebody_else_cannot_be_posted(uploader: XProgram, practice: httpx.Client) -> None:
    media_id = begin(uploader).json()["data"]["id"]
    for wrong in (media_id, "5", "x"):
        answer = uploader.publish("Hello", media={"media_ids": [wrong]})
        assert (answer.status_code, "media IDs are invalid" in answer.text) == (400, True)
    other = XProgram.connect(practice, scope=XProgram.SCOPE + " media.write", account="somebody-else")
    status = other.get("/x/2/media/upload", command="STATUS", media_id=media_id)
    assert status.status_code == 400


# Pinterest


@pytest.fixture
def pinner(practice: httpx.Client) -> Visitor:
    return PINTEREST.enter(practice, account="pinner")


def pin(visitor: Visitor, **more: Any) -> httpx.Response:
    board = visitor.get("/v5/boards").json()["items"][0]["id"]
    source = {
        "source_type": "image_base64",
        "content_type": "image/jpeg",
        "data": base64.b64encode(picture()).decode(),
    }
    return visitor.post("/v5/pins", json={"board_id": board, "media_source": source} | more)


def test_secret_boards_need_their_own_scope(practice: httpx.Client, pinner: Visitor) -> None:
    scope = PINTEREST.query["scope"] + ",boards:read_secret"
    everything = PINTEREST.enter(practice, account="pinner", scope=scope)
    seen, all_of_them = (visitor.get("/v5/boards").json()["items"] for visitor in (pinner, everything))
    assert {board["privacy"] for board in all_of_them} - {board["privacy"] for board in seen} == {"SECRET"}
    assert everything.get("/v5/boards", privacy="SECRET").json()["items"] == [all_of_them[-1]]


def test_boards_by_pages(pinner: Visitor) -> None:
    first = pinner.get("/v5/boards", page_size=4).json()
    second = pinner.get("/v5/boards", page_size=4, bookmark=first["bookmark"]).json()
    assert [len(first["items"]), len(second["items"]), second["bookmark"]] == [4, 2, None]
    for wrong in ({"page_size": 0}, {"page_size": 251}, {"bookmark": "@"}, {"bookmark": "Ym9hcmQ6eA=="}):
        assert pinner.get("/v5/boards", **wrong).status_code == 400


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        ({"title": "t" * 101}, 400),
        ({"description": "d" * 801}, 400),
        ({"alt_text": "a" * 501}, 400),
        ({"link": "l" * 2049}, 400),
        ({"board_id": "abc"}, 400),
        ({"board_id": "12345"}, 404),
        ({"media_source": {"source_type": "image_base64", "content_type": "image/gif", "data": "AA=="}}, 400),
        ({"media_source": {"source_type": "image_base64", "content_type": "image/png", "data": "AAAA"}}, 400),
        ({"media_source": {"source_type": "video_id", "media_id": "5"}}, 404),
    ],
)
def test_a_wrong_pin_is_refused(pinner: Visitor, wrong: dict[str, Any], status: int) -> None:
    assert pin(pinner, **wrong).status_code == status


def test_the_same_pin_is_taken_twice_and_listed_newest_first(practice: httpx.Client) -> None:
    visitor = PINTEREST.enter(practice, account="twice")
    made = [pin(visitor, title="Same").json() for _ in range(2)]
    listed = visitor.get(f"/v5/boards/{made[0]['board_id']}/pins").json()["items"]
    page = visitor.client.get("/").text
    assert all(said in page for said in ("<strong>Same</strong>", "with a file", made[0]["board_id"]))
    assert [item["id"] for item in listed] == [made[1]["id"], made[0]["id"]]


def test_the_store_behind_pinterest_takes_only_the_form_that_was_signed(pinner: Visitor) -> None:
    target = pinner.post("/v5/media", json={"media_type": "video"}).json()
    form, url = target["upload_parameters"], target["upload_url"]
    send = pinner.client.post
    files = {"file": VIDEO}
    assert send(url, data=form | {"policy": "other"}, files=files).status_code == 403
    assert send(url, data=form, files=files, headers=pinner.headers).status_code == 400
    status = f"/v5/media/{target['media_id']}"
    assert pinner.get(status).json()["status"] == "registered"
    assert send(url, data=form, files=files).status_code == 204
    assert pinner.get(status).json()["status"] in {"processing", "succeeded"}


def test_a_video_pin_needs_a_cover(pinner: Visitor) -> None:
    target = pinner.post("/v5/media", json={"media_type": "video"}).json()
    pinner.client.post(target["upload_url"], data=target["upload_parameters"], files={"file": VIDEO})
    while pinner.get(f"/v5/media/{target['media_id']}").json()["status"] != "succeeded":
        pass
    answer = pin(pinner, media_source={"source_type": "video_id", "media_id": target["media_id"]})
    assert (answer.status_code, "cover" in answer.json()["message"]) == (400, True)


# TikTok


@pytest.fixture
def creator(practice: httpx.Client) -> Visitor:
    return TIKTOK.enter(practice, account="creator")


def announce(visitor: Visitor, size: int, chunk: int, count: int, **post: Any) -> httpx.Response:
    source = {"source": "FILE_UPLOAD", "video_size": size, "chunk_size": chunk, "total_chunk_count": count}
    about = {"title": "Hello", "privacy_level": "SELF_ONLY", **post}
    return visitor.post("/v2/post/publish/video/init/", json={"post_info": about, "source_info": source})


@pytest.mark.parametrize(
    ("size", "chunk", "count", "status"),
    [
        (MIB, MIB, 1, 200),
        (64 * MIB, 64 * MIB, 1, 200),
        (65 * MIB, 65 * MIB, 1, 400),
        (70 * MIB, 10 * MIB, 7, 200),
        (75 * MIB, 10 * MIB, 7, 200),
        (75 * MIB, 10 * MIB, 8, 400),
        (20 * MIB, 4 * MIB, 5, 400),
        (5 * 1024 * MIB, 64 * MIB, 80, 400),
        (0, 0, 0, 400),
    ],
)
def test_tiktoks_rules_for_chunks(creator: Visitor, size: int, chunk: int, count: int, status: int) -> None:
    assert announce(creator, size, chunk, count).status_code == status


def test_what_tiktok_refuses_to_announce(creator: Visitor) -> None:
    assert announce(creator, MIB, MIB, 1, title="😀" * 1101).status_code == 400
    wrong = announce(creator, MIB, MIB, 1, privacy_level="EVERYBODY")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (403, "privacy_level_option_mismatch")


def test_tiktoks_chunks_come_in_order_with_their_type(creator: Visitor) -> None:
    size = len(VIDEO)
    target = announce(creator, size, size, 1).json()["data"]

    def put(span: str, kind: str = "video/mp4", content: bytes = VIDEO) -> int:
        headers = {"Content-Range": span, "Content-Type": kind}
        return creator.client.put(target["upload_url"], content=content, headers=headers).status_code

    assert put(f"bytes 1-{size - 1}/{size}") == 416
    assert put(f"bytes 0-{size - 1}/{size + 1}") == 416
    assert put(f"bytes 0-{size - 1}/{size}", "text/plain") == 400
    assert put(f"bytes 0-{size - 1}/{size}", content=VIDEO[:-1]) == 400
    assert put(f"bytes 0-{size - 1}/{size}") == 201
    assert put(f"bytes 0-{size - 1}/{size}") == 403


def test_tiktok_shows_fields_by_scope(creator: Visitor) -> None:
    shown = creator.get("/v2/user/info/", fields="open_id,display_name").json()["data"]["user"]
    assert shown["display_name"] == "Creator"
    missed = creator.get("/v2/user/info/", fields="open_id,follower_count")
    assert (missed.status_code, missed.json()["error"]["code"]) == (400, "scope_permission_missed")
    assert creator.get("/v2/user/info/", fields="shoe_size").status_code == 400


# YouTube


@pytest.fixture
def channel(practice: httpx.Client) -> Visitor:
    return YOUTUBE.enter(practice, account="channel")


def open_session(visitor: Visitor, size: int, **snippet: Any) -> httpx.Response:
    body = {"snippet": {"title": "A title", **snippet}, "status": {"privacyStatus": "public"}}
    headers = {"X-Upload-Content-Type": "video/mp4", "X-Upload-Content-Length": str(size)}
    return visitor.client.post(
        "/youtube/upload/youtube/v3/videos?uploadType=resumable&part=snippet,status",
        content=json.dumps(body),
        headers=visitor.headers | headers,
    )


@pytest.mark.parametrize(
    ("snippet", "reason"),
    [
        ({"title": ""}, "invalidTitle"),
        ({"title": "t" * 101}, "invalidTitle"),
        ({"title": "a < b"}, "invalidTitle"),
        ({"description": "ü" * 2501}, "invalidDescription"),
        ({"description": "<b>"}, "invalidDescription"),
    ],
)
def test_youtube_refuses_metadata(channel: Visitor, snippet: dict[str, str], reason: str) -> None:
    answer = open_session(channel, 1000, **snippet)
    assert (answer.status_code, answer.json()["error"]["errors"][0]["reason"]) == (400, reason)


@pytest.mark.parametrize(
    ("content", "kind", "video", "reason"),
    [
        (picture(), "image/jpeg", "nothing", "videoNotFound"),
        (picture("GIF"), "image/jpeg", "", "invalidImage"),
        (picture(), "image/gif", "", "badContent"),
        (picture() + bytes(2 * 1024 * 1024), "image/jpeg", "", "uploadTooLarge"),
    ],
)
def test_youtube_refuses_thumbnails(
    channel: Visitor, content: bytes, kind: str, video: str, reason: str
) -> None:
    address = open_session(channel, len(VIDEO)).headers["location"]
    headers = channel.headers | {"Content-Range": f"bytes 0-{len(VIDEO) - 1}/{len(VIDEO)}"}
    made = channel.client.put(address, content=VIDEO, headers=headers).json()["id"]
    answer = channel.client.post(
        "/youtube/upload/youtube/v3/thumbnails/set",
        params={"videoId": video or made},
        content=content,
        headers=channel.headers | {"Content-Type": kind},
    )
    assert answer.json()["error"]["errors"][0]["reason"] == reason


def test_youtube_lets_nobody_else_set_a_thumbnail(practice: httpx.Client, channel: Visitor) -> None:
    address = open_session(channel, len(VIDEO)).headers["location"]
    headers = channel.headers | {"Content-Range": f"bytes 0-{len(VIDEO) - 1}/{len(VIDEO)}"}
    made = channel.client.put(address, content=VIDEO, headers=headers).json()["id"]
    other = YOUTUBE.enter(practice, account="another-channel")
    answer = practice.post(
        "/youtube/upload/youtube/v3/thumbnails/set",
        params={"videoId": made},
        content=picture(),
        headers=other.headers | {"Content-Type": "image/png"},
    )
    assert answer.status_code == 403


def test_youtubes_chunks_are_whole_units_in_order(channel: Visitor) -> None:
    size = 300 * 1024
    content = VIDEO[:16] + bytes(size - 16)
    address = open_session(channel, size).headers["location"]

    def put(span: str, part: bytes) -> httpx.Response:
        headers = channel.headers | {"Content-Range": span}
        return channel.client.put(address, content=part, headers=headers)

    assert put(f"bytes 0-99999/{size}", content[:100_000]).status_code == 400
    assert put(f"bytes 262144-{size - 1}/{size}", content[262_144:]).status_code == 400
    empty = put(f"bytes */{size}", b"")
    assert (empty.status_code, "range" in empty.headers) == (308, False)
    kept = put(f"bytes 0-262143/{size}", content[:262_144])
    assert (kept.status_code, kept.headers["range"]) == (308, "bytes=0-262143")
    done = put(f"bytes 262144-{size - 1}/{size}", content[262_144:])
    assert (done.status_code, len(done.json()["id"])) == (200, 11)
    assert put(f"bytes */{size}", b"").json()["id"] == done.json()["id"]
