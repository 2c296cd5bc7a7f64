"""Videos on their way to Bluesky."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from app.contract.enums import ConnectionPlatform, PostType
from app.platforms.base import (
    Cause,
    FailureKind,
    LookBack,
    LookBackOutcome,
    MemorySteps,
    Publication,
    Published,
)
from app.platforms.bluesky.adapter import Bluesky
from tests.platforms.bluesky.test_adapter import DID, connected, document, record_of, stored
from tests.platforms.scripted import NOW, TOKEN, Script, json_answer, publication
from tests.platforms.world import Member, Practice, picture, video

PLATFORM = ConnectionPlatform("bluesky")
BLOB = {"$type": "blob", "ref": {"$link": "bafkreivideo"}, "mimeType": "video/mp4", "size": 300_000}
SERVICE_TOKEN = "a-token-for-the-video-service"
AUTHORIZED = json_answer(200, {"token": SERVICE_TOKEN})
JOB = {"jobId": "job-1", "did": DID, "state": "JOB_STATE_CREATED"}


def status(**more: Any) -> httpx.Response:
    return json_answer(200, {"jobStatus": {**JOB, **more}})


DONE = status(state="JOB_STATE_COMPLETED", blob=BLOB)


def post(**more: Any) -> Publication:
    shown = video(**{"alt_text": "Winding a skein", **more})
    return replace(publication(DID, "Wool", PostType.VIDEO), media=shown)


@pytest.fixture
def member(practice: Practice) -> Member:
    return connected(practice, "vera-video")


def test_a_video_is_converted_by_the_video_service_and_named_in_the_record() -> None:
    asked = post()
    script = Script(document(), AUTHORIZED, json_answer(200, JOB), status(), DONE, stored(asked))
    script.run(PLATFORM, lambda adapter: adapter.publish(asked))
    _, auth, upload, look, _, put = script.requests
    assert dict(auth.url.params) == {
        "aud": "did:web:morel.us-east.host.bsky.network",
        "lxm": "com.atproto.repo.uploadBlob",
        "exp": str(int((NOW + timedelta(minutes=30)).timestamp())),
    }
    assert auth.headers["Authorization"] == f"Bearer {TOKEN}"
    assert upload.url.host == look.url.host == "video.bsky.app"
    assert upload.url.params["did"] == DID
    assert upload.headers["Authorization"] == f"Bearer {SERVICE_TOKEN}"
    assert (upload.headers["Content-Type"], len(upload.content)) == ("video/mp4", 300_000)
    assert look.url.params["jobId"] == "job-1"
    assert "Authorization" not in look.headers
    assert record_of(put)["record"]["embed"] == {
        "$type": "app.bsky.embed.video",
        "video": BLOB,
        "alt": "Winding a skein",
        "aspectRatio": {"width": 1280, "height": 720},
    }


def test_a_video_that_the_service_knows_is_not_converted_again() -> None:
    asked = post()
    known = json_answer(409, {**JOB, "error": "already_exists"})
    script = Script(document(), AUTHORIZED, known, DONE, stored(asked))
    script.run(PLATFORM, lambda adapter: adapter.publish(asked))
    assert record_of(script.requests[-1])["record"]["embed"]["video"] == BLOB


def test_a_description_is_as_long_as_videos_allow() -> None:
    asked = post(alt_text="a" * 1_500)
    script = Script(document(), AUTHORIZED, json_answer(200, JOB), DONE, stored(asked))
    script.run(PLATFORM, lambda adapter: adapter.publish(asked))
    assert record_of(script.requests[-1])["record"]["embed"]["alt"] == "a" * 1_000


def test_a_server_on_this_computer_takes_the_file_itself() -> None:
    asked = post()
    local = document("http://127.0.0.1:2583")
    script = Script(local, json_answer(200, {"blob": BLOB}), stored(asked))
    script.run(PLATFORM, lambda adapter: adapter.publish(asked))
    assert script.requests[1].url.path == "/xrpc/com.atproto.repo.uploadBlob"
    assert record_of(script.requests[-1])["record"]["embed"]["video"] == BLOB


def test_a_video_that_cannot_be_converted_is_refused() -> None:
    failed = status(state="JOB_STATE_FAILED", error="invalid_video", message="The video has no frames")
    script = Script(document(), AUTHORIZED, json_answer(200, JOB), failed)
    error = script.fail(PLATFORM, lambda adapter: adapter.prepare(post()))
    assert (error.kind, error.code, error.cause) == (FailureKind.INVALID, "invalid_video", Cause.FILE)
    assert "The video has no frames" in str(error)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (json_answer(400, {"error": "unconfirmed_email", "message": "Confirm it"}), FailureKind.INVALID),
        (json_answer(401, {"error": "Unauthorized", "message": "No"}), FailureKind.AUTH_EXPIRED),
        (json_answer(429, {"error": "RateLimitExceeded"}), FailureKind.RATE_LIMITED),
        (json_answer(502, {}), FailureKind.TRANSIENT),
        (json_answer(200, {"unexpected": True}), FailureKind.TRANSIENT),
    ],
)
def test_what_refusals_of_an_upload_mean(answer: httpx.Response, kind: FailureKind) -> None:
    script = Script(document(), AUTHORIZED, answer)
    error = script.fail(PLATFORM, lambda adapter: adapter.prepare(post()))
    assert error.kind is kind
    assert SERVICE_TOKEN not in str(error)


def test_a_video_is_uploaded_once_for_all_attempts() -> None:
    asked = replace(post(), steps=MemorySteps())
    first = Script(document(), AUTHORIZED, json_answer(200, JOB), DONE)
    first.run(PLATFORM, lambda adapter: adapter.prepare(asked))
    second = Script(stored(asked))
    second.run(PLATFORM, lambda adapter: adapter.publish(asked))
    assert record_of(second.requests[0])["record"]["embed"]["video"] == BLOB


def test_a_video_that_is_still_being_converted_is_asked_for_again() -> None:
    asked = replace(post(), steps=MemorySteps())
    first = Script(document(), AUTHORIZED, json_answer(200, JOB), json_answer(503, {}))
    assert first.fail(PLATFORM, lambda adapter: adapter.prepare(asked)).kind is FailureKind.TRANSIENT
    second = Script(DONE)
    second.run(PLATFORM, lambda adapter: adapter.prepare(asked))


def test_a_video_arrives_with_its_description(practice: Practice, member: Member) -> None:
    asked = member.with_file("Moving wool", video(alt_text="Winding a skein"))
    published: Published = practice.run(PLATFORM, lambda adapter: adapter.publish(asked))
    [entry] = [
        one
        for one in practice.ledger(member.profile.account_identifier)
        if one["content_id"] == published.content_id
    ]
    assert asked.media is not None
    assert (entry["media_sha256"], entry["labels"]) == (asked.media.sha256, "Winding a skein")


def test_a_lost_answer_is_found(practice: Practice, member: Member) -> None:
    asked = member.with_file("Lost wool", video())
    assert practice.lose(PLATFORM, asked).kind is FailureKind.AMBIGUOUS

    async def look(adapter: Bluesky) -> LookBack:
        return await adapter.look_back(asked, since=datetime.now().astimezone(), known=())

    assert practice.run(PLATFORM, look).outcome is LookBackOutcome.FOUND


def test_a_picture_is_no_video(practice: Practice, member: Member) -> None:
    asked = replace(member.with_file("Still wool", picture()), post_type=PostType.VIDEO)
    error = practice.fail(PLATFORM, lambda adapter: adapter.prepare(asked))
    assert (error.kind, error.code) == (FailureKind.INVALID, "invalid_video")
