"""What YouTube finds in a video after the last byte, and the cover that it then gets."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import httpx
import pytest

from app.contract.enums import ConnectionPlatform as P
from app.contract.enums import PostType
from app.platforms.base import (
    Cause,
    FailureKind,
    LookBack,
    LookBackOutcome,
    MemorySteps,
    Publication,
    Published,
)
from tests.platforms.scripted import NOW, TOKEN, Script, json_answer, publication
from tests.platforms.world import video

PUBLISHED = Published("abc", "https://www.youtube.com/watch?v=abc")
SESSION = "https://www.googleapis.com/upload/youtube/v3/videos?upload_id=1"


def post() -> Publication:
    return replace(publication("UC1", "Hello", PostType.VIDEO), media=video(400_000))


def script(*looks: httpx.Response) -> Script:
    return Script(
        httpx.Response(200, headers={"Location": SESSION}),
        httpx.Response(308),
        json_answer(200, {"id": "abc"}),
        *looks,
    )


def status(upload_status: str, **more: str) -> httpx.Response:
    return json_answer(200, {"items": [{"status": {"uploadStatus": upload_status, **more}}]})


@pytest.mark.parametrize(
    "looks",
    [
        [status("processed", privacyStatus="public")],
        [json_answer(200, {"items": []})],
        [json_answer(503, {})],
        [json_answer(403, {"error": {"errors": [{"reason": "quotaExceeded"}]}})],
    ],
    ids=["processed", "gone", "unwell", "quota"],
)
def test_what_is_there_is_published(looks: Sequence[httpx.Response]) -> None:
    published = script(*looks).run(P.YOUTUBE, lambda adapter: adapter.publish(post()))
    assert published == PUBLISHED


@pytest.mark.parametrize(
    ("answer", "code", "cause"),
    [
        ({"upload_status": "rejected", "rejectionReason": "duplicate"}, "duplicate", Cause.FILE_COPY),
        ({"upload_status": "rejected", "rejectionReason": "length"}, "length", Cause.FILE_LENGTH),
        ({"upload_status": "rejected", "rejectionReason": "copyright"}, "copyright", Cause.POLICY),
        ({"upload_status": "failed", "failureReason": "codec"}, "codec", Cause.FILE),
        ({"upload_status": "failed"}, "failed", Cause.FILE),
    ],
)
def test_what_youtube_does_not_show_is_a_failure(answer: dict[str, Any], code: str, cause: Cause) -> None:
    error = script(status(**answer)).fail(P.YOUTUBE, lambda adapter: adapter.publish(post()))
    assert (error.kind, error.code, error.cause) == (FailureKind.INVALID, code, cause)
    assert error.message == f"YouTube doesn't show the video: {code}."


def with_cover() -> Publication:
    return replace(post(), media=video(400_000, cover_ms=4_000))


def covered(*answers: httpx.Response | Exception) -> Script:
    return Script(
        httpx.Response(200, headers={"Location": SESSION}),
        httpx.Response(308),
        json_answer(200, {"id": "abc"}),
        status("processed"),
        *answers,
    )


@pytest.mark.parametrize(
    "answer",
    [
        json_answer(200, {"items": []}),
        json_answer(403, {"error": {"message": TOKEN, "errors": [{"reason": "forbidden"}]}}),
        json_answer(401, {"error": {"errors": [{"reason": "authError"}]}}),
        json_answer(429, {}),
        json_answer(500, {}),
        httpx.ReadTimeout("no response"),
        httpx.ConnectError("no network"),
    ],
    ids=["taken", "not allowed", "token ended", "too often", "unwell", "lost", "unreachable"],
)
def test_a_cover_comes_after_the_video_and_changes_nothing_about_it(
    answer: httpx.Response | Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    played = covered(answer)
    assert played.run(P.YOUTUBE, lambda adapter: adapter.publish(with_cover())) == PUBLISHED
    asked = played.requests[-1]
    assert asked.url.path == "/upload/youtube/v3/thumbnails/set"
    assert dict(asked.url.params) == {"uploadType": "media", "videoId": "abc"}
    assert asked.headers["content-type"] == "image/jpeg"
    assert asked.headers["authorization"] == f"Bearer {TOKEN}"
    said = capsys.readouterr()
    assert TOKEN not in said.out + said.err


async def no_picture(_ms: int) -> None:
    return None


async def broken(_ms: int) -> bytes:
    raise RuntimeError


@pytest.mark.parametrize("picture_at", [no_picture, broken])
def test_a_video_without_a_picture_goes_without_a_cover(picture_at: Any) -> None:
    plain = replace(post(), media=video(400_000, cover_ms=4_000, picture_at=picture_at))
    assert covered().run(P.YOUTUBE, lambda adapter: adapter.publish(plain)) == PUBLISHED


def test_what_was_lost_and_found_gets_its_cover_too() -> None:
    lost = with_cover()
    kept = {"Range": "bytes=0-262143"}
    played = Script(
        httpx.Response(200, headers={"Location": SESSION}),
        httpx.Response(308, headers=kept),
        httpx.Response(308, headers=kept),
        httpx.ReadTimeout("no response"),
    )
    error = played.fail(P.YOUTUBE, lambda adapter: adapter.publish(lost))
    assert error.kind is FailureKind.AMBIGUOUS
    looked = Script(json_answer(200, {"id": "abc"}), json_answer(200, {"items": []}))
    found = looked.run(P.YOUTUBE, lambda adapter: adapter.look_back(lost, since=NOW, known=()))
    assert found == LookBack(LookBackOutcome.FOUND, PUBLISHED)
    assert looked.requests[-1].url.path.endswith("/thumbnails/set")


def _began(size: int | None = 400_000) -> Publication:
    """A post whose session was started before."""
    begun = replace(post(), steps=MemorySteps())
    session = {"address": SESSION, "begun_at": NOW.isoformat()} | ({"size": size} if size else {})
    asyncio.run(begun.steps.put("session", json.dumps(session)))
    return begun


def _look(lost: Publication, answer: httpx.Response) -> LookBack:
    script = Script(answer)
    seen: LookBack = script.run(P.YOUTUBE, lambda adapter: adapter.look_back(lost, since=NOW, known=()))
    assert script.requests[0].headers["content-range"] == "bytes */400000"
    return seen


@pytest.mark.parametrize("size", [400_000, None])
def test_a_video_that_is_there_completely_may_be_published(size: int | None) -> None:
    whole = {"Range": "bytes=0-399999"}
    assert _look(_began(size), httpx.Response(308, headers=whole)).outcome is LookBackOutcome.UNKNOWABLE
    partly = httpx.Response(308, headers={"Range": "bytes=0-262143"})
    assert _look(_began(size), partly).outcome is LookBackOutcome.UNSENT
    script = Script(httpx.Response(308, headers=whole), httpx.Response(308, headers=whole))
    lost = _began(size)
    error = script.fail(P.YOUTUBE, lambda adapter: adapter.publish(lost))
    assert (error.kind, error.code) == (FailureKind.AMBIGUOUS, "unfinished")


def test_a_video_is_found_although_its_file_was_deleted() -> None:
    lost = replace(_began(), media=None)
    assert _look(lost, json_answer(200, {"id": "abc"})) == LookBack(LookBackOutcome.FOUND, PUBLISHED)
