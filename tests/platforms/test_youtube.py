"""What YouTube finds in a video after the last byte."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import httpx
import pytest

from app.contract.enums import ConnectionPlatform as P
from app.contract.enums import PostType
from app.platforms.base import Cause, FailureKind, Publication, Published
from tests.platforms.scripted import Script, json_answer, publication
from tests.platforms.world import video

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
    assert published == Published("abc", "https://www.youtube.com/watch?v=abc")


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
    assert error.message == f"YouTube does not show the video: {code}."
