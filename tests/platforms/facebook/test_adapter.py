"""Facebook's videos: where they go, and covers, which come later and change nothing about them."""

from dataclasses import replace

import httpx
import pytest

from app.contract.enums import ConnectionPlatform as P
from app.contract.enums import PostType
from app.platforms.base import FailureKind, LookBack, LookBackOutcome, Publication, Published
from tests.platforms.scripted import NOW, TOKEN, Script, Step, json_answer, publication
from tests.platforms.world import video

PUBLISHED = Published("5_9", "https://www.facebook.com/5_9")
STARTED = json_answer(
    200, {"upload_session_id": "7", "video_id": "8", "start_offset": "0", "end_offset": "300000"}
)
BROUGHT = json_answer(200, {"start_offset": "300000", "end_offset": "300000"})
FINISHED = json_answer(200, {"success": True, "post_id": "5_9"})
TAKEN = json_answer(200, {"success": True})


def post() -> Publication:
    return replace(publication("5", post_type=PostType.VIDEO), media=video(cover_ms=4_000))


@pytest.mark.parametrize(
    "answer",
    [
        TAKEN,
        json_answer(400, {"error": {"code": 100, "message": f"Invalid thumbnail {TOKEN}"}}),
        json_answer(400, {"error": {"code": 190, "error_subcode": 463, "message": "expired"}}),
        json_answer(500, {}),
        httpx.ReadTimeout("no response"),
    ],
    ids=["taken", "refused", "token ended", "unwell", "lost"],
)
def test_a_cover_changes_nothing_about_a_post(answer: Step, capsys: pytest.CaptureFixture[str]) -> None:
    script = Script(STARTED, BROUGHT, FINISHED, answer)
    assert script.run(P.FACEBOOK, lambda adapter: adapter.publish(post())) == PUBLISHED
    asked = script.requests[-1]
    assert asked.url.path.endswith("/8/thumbnails")
    assert b'name="is_preferred"\r\n\r\ntrue' in asked.content
    assert b'name="source"; filename="cover.jpg"' in asked.content
    said = capsys.readouterr()
    assert TOKEN not in said.out + said.err


def test_what_was_lost_and_found_gets_its_cover_too() -> None:
    lost = post()
    script = Script(STARTED, BROUGHT, httpx.ReadTimeout("no response"))
    error = script.fail(P.FACEBOOK, lambda adapter: adapter.publish(lost))
    assert error.kind is FailureKind.AMBIGUOUS
    there = {"status": {"publishing_phase": {"status": "complete"}}, "post_id": "5_9"}
    looked = Script(json_answer(200, there), TAKEN)
    found = looked.run(P.FACEBOOK, lambda adapter: adapter.look_back(lost, since=NOW, known=()))
    assert found == LookBack(LookBackOutcome.FOUND, PUBLISHED)
    assert looked.requests[-1].url.path.endswith("/8/thumbnails")


@pytest.mark.parametrize("shown", ["9", "5_9"])
def test_a_post_is_known_by_its_id_with_the_pages(shown: str) -> None:
    """Facebook leaves out the Page's id in what it tells of a video's post."""
    finished = json_answer(200, {"success": True, "post_id": shown})
    script = Script(STARTED, BROUGHT, finished, TAKEN)
    assert script.run(P.FACEBOOK, lambda adapter: adapter.publish(post())) == PUBLISHED

    there = json_answer(200, {"status": {"publishing_phase": {"status": "complete"}}, "post_id": shown})
    script = Script(STARTED, BROUGHT, TAKEN, there, TAKEN)
    assert script.run(P.FACEBOOK, lambda adapter: adapter.publish(post())) == PUBLISHED

    lost = post()
    Script(STARTED, BROUGHT, httpx.ReadTimeout("no response")).fail(
        P.FACEBOOK, lambda adapter: adapter.publish(lost)
    )
    found = Script(there, TAKEN).run(P.FACEBOOK, lambda adapter: adapter.look_back(lost, since=NOW, known=()))
    assert found == LookBack(LookBackOutcome.FOUND, PUBLISHED)


@pytest.mark.parametrize("shown", ["", "x", "5_", "5_9_1"])
def test_a_video_whose_post_has_an_unreadable_id_is_known_by_its_own(shown: str) -> None:
    there = json_answer(200, {"status": {"publishing_phase": {"status": "complete"}}, "post_id": shown})
    lost = post()
    Script(STARTED, BROUGHT, httpx.ReadTimeout("no response")).fail(
        P.FACEBOOK, lambda adapter: adapter.publish(lost)
    )
    found = Script(there, TAKEN).run(P.FACEBOOK, lambda adapter: adapter.look_back(lost, since=NOW, known=()))
    assert found == LookBack(LookBackOutcome.FOUND, Published("8", "https://www.facebook.com/8"))


def test_a_video_goes_to_the_host_for_videos_and_everything_else_does_not() -> None:
    script = Script(STARTED, BROUGHT, FINISHED, TAKEN)
    script.run(P.FACEBOOK, lambda adapter: adapter.publish(post()))
    asked = [(request.url.host, request.url.path) for request in script.requests]
    assert asked == [
        *[("graph-video.facebook.com", "/v25.0/5/videos")] * 3,
        ("graph.facebook.com", "/v25.0/8/thumbnails"),
    ]


def test_a_published_video_whose_post_cannot_be_read_is_published() -> None:
    unreadable = {"error": {"code": 100, "error_subcode": 33, "message": "Object with ID '8' does not exist"}}
    script = Script(STARTED, BROUGHT, TAKEN, json_answer(400, unreadable), TAKEN)
    shown = script.run(P.FACEBOOK, lambda adapter: adapter.publish(post()))
    assert shown.content_id == "8"


def test_a_video_that_facebook_cannot_process_is_refused() -> None:
    script = Script(STARTED, BROUGHT, TAKEN, json_answer(200, {"status": {"video_status": "error"}}))
    error = script.fail(P.FACEBOOK, lambda adapter: adapter.publish(post()))
    assert (error.kind, error.code) == (FailureKind.INVALID, "video_status")


def _sees(**status: object) -> LookBackOutcome:
    lost = post()
    script = Script(STARTED, BROUGHT, httpx.ReadTimeout("no response"))
    assert script.fail(P.FACEBOOK, lambda adapter: adapter.publish(lost)).kind is FailureKind.AMBIGUOUS
    looked = Script(json_answer(200, {"status": status}))
    seen = looked.run(P.FACEBOOK, lambda adapter: adapter.look_back(lost, since=NOW, known=()))
    assert isinstance(seen, LookBack)
    return seen.outcome


def test_a_finished_video_is_not_published_before_it_is_processed() -> None:
    waiting, uploaded = {"status": "not_started"}, {"status": "complete", "bytes_transferred": 151626}
    processing = {"video_status": "processing", "uploading_phase": uploaded, "processing_phase": waiting}
    assert _sees(**processing, publishing_phase=waiting) is LookBackOutcome.UNKNOWABLE
    assert _sees(publishing_phase=waiting) is LookBackOutcome.UNKNOWABLE


def test_a_video_whose_upload_nobody_finished_was_never_sent() -> None:
    waiting, uploaded = {"status": "not_started"}, {"status": "complete"}
    complete = {"video_status": "upload_complete", "uploading_phase": uploaded}
    assert _sees(**complete, publishing_phase=waiting) is LookBackOutcome.UNSENT
    partial = {"video_status": "processing", "uploading_phase": {"status": "in_progress"}}
    assert _sees(**partial, publishing_phase=waiting) is LookBackOutcome.UNSENT
    assert _sees(**partial) is LookBackOutcome.UNKNOWABLE
