"""The checkers themselves: what breaks a rule of a document is found."""

import json
from dataclasses import replace

import pytest

from app.contract.enums import ConnectionPlatform as P
from app.platforms.pinterest.adapter import Pinterest
from app.platforms.youtube.adapter import YouTube
from tests.platforms.scripted import TOKEN, Script, json_answer
from tests.platforms.specs.described import tiktok
from tests.platforms.specs.graph import Graph
from tests.platforms.specs.openapi import OpenApi
from tests.platforms.specs.recording import Exchange
from tests.platforms.specs.test_meta import BEYOND, TABLES
from tests.platforms.specs.test_pinterest import DOCUMENT
from tests.platforms.specs.test_youtube import DOCUMENTS

PIN = {
    "board_id": "1",
    "title": "A title",
    "media_source": {"source_type": "image_base64", "content_type": "image/jpeg", "data": "AAAA"},
}
VIDEO = {"snippet": {"title": "A", "categoryId": "22"}, "status": {"privacyStatus": "public"}}


def asked(method: str, path: str, query: str = "", body: object = None, **headers: str) -> Exchange:
    about = {
        "authorization": "Bearer a",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    if body is not None:
        about["content-type"] = "application/json"
    content = b"" if body is None else json.dumps(body).encode()
    return Exchange(method, path, query, about, content, 200, {}, b"")


def pinterest(call: Exchange) -> list[str]:
    return DOCUMENT.request_violations(call, frozenset(Pinterest.scopes))


def youtube(call: Exchange) -> list[str]:
    return DOCUMENTS["youtube"].request_violations(call, frozenset(YouTube.scopes))


def test_a_pin_that_keeps_the_rules() -> None:
    assert pinterest(asked("POST", "/v5/pins", body=PIN)) == []


@pytest.mark.parametrize(
    ("pin", "about"),
    [
        (PIN | {"title": "a" * 101}, "title"),
        (PIN | {"board_id": "mine"}, "board_id"),
        (PIN | {"link": "a" * 2049}, "link"),
        (PIN | {"colour": "red"}, "colour is not known"),
        (PIN | {"media_source": {**PIN["media_source"], "content_type": "image/gif"}}, "media_source"),  # type: ignore[dict-item]
        (PIN | {"media_source": {"source_type": "video_id"}}, "media_source"),
    ],
)
def test_a_pin_that_breaks_one(pin: dict[str, object], about: str) -> None:
    assert any(about in found for found in pinterest(asked("POST", "/v5/pins", body=pin)))


@pytest.mark.parametrize(
    ("call", "about"),
    [
        (asked("GET", "/v5/boards", "page_size=999"), "page_size"),
        (asked("GET", "/v5/boards", "size=9"), "query size is not known"),
        (asked("GET", "/v5/boards/mine/pins"), "board_id"),
        (asked("GET", "/v5/nothing"), "no such operation"),
        (asked("PATCH", "/v5/pins"), "no such operation"),
        (asked("GET", "/v5/pins/1/analytics", "start_date=2026-01-01&end_date=2026-01-02"), "is missing"),
        (replace(asked("GET", "/v5/user_account"), headers={}), "no token"),
    ],
)
def test_a_call_of_pinterest_that_breaks_one(call: Exchange, about: str) -> None:
    assert any(about in found for found in pinterest(call))


def test_a_token_without_the_scope_is_found() -> None:
    call = asked("POST", "/v5/pins", body=PIN)
    assert DOCUMENT.request_violations(call, frozenset({"pins:read"})) == [
        "post /pins: no token with the scopes that it needs"
    ]


def begun(query: str = "uploadType=resumable&part=snippet,status", body: object = VIDEO) -> Exchange:
    size = {"x_upload_content_type": "video/mp4", "x_upload_content_length": "9"}
    return asked("POST", "/upload/youtube/v3/videos", query, body, **size)


def test_a_video_that_keeps_the_rules() -> None:
    assert youtube(begun()) == []


@pytest.mark.parametrize(
    ("call", "about"),
    [
        (begun("uploadType=resumable"), "part is missing"),
        (begun("uploadType=carrier&part=snippet,status"), "no protocol"),
        (begun("uploadType=resumable&part=snippet"), "status is sent"),
        (begun("uploadType=resumable&part=snippet,status&loud=yes"), "loud is not known"),
        (begun("uploadType=resumable&part=snippet,status&notifySubscribers=yes"), "no boolean"),
        (begun(body={"snippet": {"name": "A"}, "status": {}}), "body.snippet.name is not known"),
        (begun(body={"snippet": {"title": 5}, "status": {}}), "is no string"),
        (begun(body={"snippet": {}, "status": {"privacyStatus": "secret"}}), "is not in the list"),
        (replace(begun(), headers={}), "bytes are not taken"),
        (asked("GET", "/youtube/v3/channels", "part=snippet&maxHeight=5"), "maxHeight is not known"),
        (asked("GET", "/youtube/v3/playlists", "part=snippet"), "no such method"),
    ],
)
def test_a_call_of_youtube_that_breaks_one(call: Exchange, about: str) -> None:
    assert any(about in found for found in youtube(call))


@pytest.mark.parametrize(
    ("method", "path", "query", "about"),
    [
        ("GET", "/v25.0/me/accounts", "fields=id,shoe_size", "shoe_size is not known"),
        ("GET", "/v25.0/me/accounts", "fields=instagram_business_account{id,shoe_size}", "shoe_size"),
        ("GET", "/v25.0/me/accounts", "fields=id&colour=red", "colour is not known"),
        ("GET", "/v25.0/5", "fields=id", "an id of nothing"),
        ("POST", "/v25.0/1/moods", "", "Page has no POST moods"),
        ("GET", "/v25.0/2/insights", "metric=views,loudness", "is no list"),
        ("GET", "/v25.0/2/insights", "", "metric is missing"),
    ],
)
def test_a_call_of_meta_that_breaks_one(method: str, path: str, query: str, about: str) -> None:
    graph = Graph(TABLES, BEYOND)
    pages = {"data": [{"id": "1", "instagram_business_account": {"id": "3"}}]}
    items = {"data": [{"id": "2"}]}
    learned = [
        replace(asked("GET", "/v25.0/me/accounts", "fields=id"), answer=json.dumps(pages).encode()),
        replace(asked("GET", "/v25.0/3/media", "fields=id"), answer=json.dumps(items).encode()),
    ]
    assert [found for call in learned for found in graph.violations(call)] == []
    assert any(about in found for found in graph.violations(asked(method, path, query)))


def test_what_is_asked_of_a_facebook_video_is_what_videos_have() -> None:
    """The post of a video is known at once here, so that the errands never ask for the video itself."""
    script = Script(json_answer(200, {"views": 1}))
    script.run(P.FACEBOOK, lambda adapter: adapter.metrics(TOKEN, "1", ["712"]))
    [sent] = script.requests
    graph = Graph(TABLES, BEYOND)
    page = replace(asked("GET", "/v25.0/me/accounts", "fields=id"), answer=b'{"data": [{"id": "1"}]}')
    begun = replace(
        asked("POST", "/v25.0/1/video_reels", "upload_phase=start"), answer=b'{"video_id": "712"}'
    )
    counted = asked("GET", sent.url.path, sent.url.query.decode())
    assert [found for call in (page, begun, counted) for found in graph.violations(call)] == []


def test_what_was_written_down_finds_a_title_that_is_too_long() -> None:
    body = {
        "post_info": {"title": "a" * 2201, "privacy_level": "SELF_ONLY"},
        "source_info": {
            "source": "FILE_UPLOAD",
            "video_size": 9,
            "chunk_size": 9,
            "total_chunk_count": 1,
        },
    }
    known = OpenApi(tiktok.DOCUMENT, "")
    call = asked("POST", "/v2/post/publish/video/init/", body=body)
    [found] = known.request_violations(call, frozenset({"video.publish"}))
    assert "post_info.title" in found
