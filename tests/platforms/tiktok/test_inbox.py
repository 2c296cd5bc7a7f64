"""What goes to the user's TikTok inbox: sent without a choice, followed until the user has published it."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from app.contract.enums import ConnectionPlatform as P
from app.contract.enums import PostType
from app.contract.tiktok import TikTokChoice, TikTokPrivacy
from app.platforms.base import (
    Cause,
    Delivered,
    FailureKind,
    LookBackOutcome,
    MemorySteps,
    PlatformError,
    Publication,
    Published,
)
from tests.platforms.scripted import Script, json_answer
from tests.platforms.tiktok.test_adapter import OK, announced, creator, post, stands
from tests.platforms.world import Member, Practice, connect, video

CHUNKS = 11 * 1024 * 1024
NEVER = datetime(2026, 1, 1, tzinfo=UTC)


def for_inbox(kind: PostType = PostType.VIDEO, **more: Any) -> Publication:
    return replace(post(None, kind), to_inbox=True, steps=MemorySteps(), **more)


def paths(script: Script) -> list[str]:
    return [request.url.path for request in script.requests]


def test_a_video_needs_no_choice_and_is_told_nothing_of_its_text() -> None:
    script = Script(announced(), httpx.Response(201), stands("SEND_TO_USER_INBOX"))
    assert script.run(P.TIKTOK, lambda one: one.publish(for_inbox())) == Delivered()
    assert paths(script)[0] == "/v2/post/publish/inbox/video/init/"
    assert json.loads(script.requests[0].content).keys() == {"source_info"}


def test_a_photo_takes_its_text_along() -> None:
    accepted = json_answer(200, {"data": {"publish_id": "p.1"}, **OK})
    script = Script(accepted, stands("SEND_TO_USER_INBOX"))
    assert script.run(P.TIKTOK, lambda one: one.publish(for_inbox(PostType.IMAGE))) == Delivered()
    asked = json.loads(script.requests[0].content)
    assert (asked["post_mode"], asked["media_type"]) == ("MEDIA_UPLOAD", "PHOTO")
    assert asked["post_info"] == {"description": "Good morning"}


def test_a_video_whose_status_is_not_known_yet_is_there() -> None:
    script = Script(announced(), httpx.Response(201), json_answer(400, {"error": {"code": "invalid_params"}}))
    assert script.run(P.TIKTOK, lambda one: one.publish(for_inbox())) == Delivered()


def test_it_is_there_although_another_process_has_cleared_its_notes_meanwhile() -> None:
    class Notes(MemorySteps):
        are_cleared = False

        async def get(self, name: str) -> str | None:
            return None if self.are_cleared else await super().get(name)

    notes = Notes()

    class Ended(Script):
        def __call__(self, request: httpx.Request) -> httpx.Response:
            if request.url.path.endswith("/status/fetch/"):
                notes.are_cleared = True
            return super().__call__(request)

    script = Ended(announced(), httpx.Response(201), json_answer(400, {"error": {"code": "invalid_params"}}))
    sent = replace(for_inbox(), steps=notes)
    assert script.run(P.TIKTOK, lambda one: one.publish(sent)) == Delivered()


def test_a_full_inbox_is_named() -> None:
    refusal = json_answer(
        403, {"error": {"code": "spam_risk_too_many_pending_share", "message": "At most 5"}}
    )
    error = Script(refusal).fail(P.TIKTOK, lambda one: one.publish(for_inbox()))
    assert (error.kind, error.cause) == (FailureKind.QUOTA, Cause.INBOX_FULL)


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        (stands("PROCESSING_UPLOAD", uploaded_bytes=100_000), None),
        (stands("SEND_TO_USER_INBOX"), None),
        (stands("PUBLISH_COMPLETE", publicaly_available_post_id=[71]), "71"),
        (stands("PUBLISH_COMPLETE"), "v.1"),
    ],
)
def test_a_post_is_followed_until_it_is_published(there: httpx.Response, expected: str | None) -> None:
    waiting = for_inbox()
    Script(announced(), httpx.Response(201), stands("SEND_TO_USER_INBOX")).run(
        P.TIKTOK, lambda one: one.publish(waiting)
    )
    item = Script(there).run(P.TIKTOK, lambda one: one.follow(waiting))
    assert (item and item.content_id) == expected


@pytest.mark.parametrize(
    ("reason", "kind", "cause"),
    [
        ("file_format_check_failed", FailureKind.INVALID, Cause.FILE),
        ("publish_cancelled", FailureKind.INVALID, Cause.CALLED_OFF),
        ("spam_risk", FailureKind.PERMISSION, Cause.SPAM),
        ("auth_removed", FailureKind.INVALID, None),  # asking again with another token would not help
        ("internal", FailureKind.INVALID, None),
    ],
)
def test_what_failed_in_the_inbox_is_over(reason: str, kind: FailureKind, cause: Cause | None) -> None:
    waiting = for_inbox()
    Script(announced(), httpx.Response(201), stands("SEND_TO_USER_INBOX")).run(
        P.TIKTOK, lambda one: one.publish(waiting)
    )
    error = Script(stands("FAILED", fail_reason=reason)).fail(P.TIKTOK, lambda one: one.follow(waiting))
    assert (error.kind, error.code, error.cause) == (kind, reason, cause)


@pytest.mark.parametrize(
    ("status", "code"), [(403, "http_403"), (400, "invalid_publish_id"), (403, "scope_not_authorized")]
)
def test_a_refused_question_says_nothing_about_a_post(status: int, code: str) -> None:
    waiting = for_inbox()
    script = Script(announced(), httpx.Response(201), stands("SEND_TO_USER_INBOX"))
    script.run(P.TIKTOK, lambda one: one.publish(waiting))
    refused = json_answer(status, {"error": {"code": code, "message": "no"}})
    error = Script(refused).fail(P.TIKTOK, lambda one: one.follow(waiting))
    assert (error.kind, error.code) == (FailureKind.TRANSIENT, code)


def test_without_its_upload_nothing_is_claimed_about_a_post() -> None:
    error = Script().fail(P.TIKTOK, lambda one: one.follow(for_inbox()))
    assert (error.kind, error.code) == (FailureKind.TRANSIENT, "no_upload")


def test_another_way_is_another_announcement_until_the_last_chunk() -> None:
    """A direct post is announced, then the account's setting changes: the announcement publishes nothing."""
    steps = MemorySteps()
    direct = replace(post(TikTokChoice(privacy=TikTokPrivacy.ONLY_ME)), media=video(CHUNKS), steps=steps)
    Script(creator("SELF_ONLY"), announced(), httpx.Response(206)).run(
        P.TIKTOK, lambda one: one.prepare(direct)
    )
    script = Script(announced(2), httpx.Response(206), httpx.Response(201), stands("SEND_TO_USER_INBOX"))
    given = script.run(P.TIKTOK, lambda one: one.publish(replace(direct, to_inbox=True, tiktok=None)))
    assert given == Delivered()

    again = Script(stands("SEND_TO_USER_INBOX"))  # nothing is sent a second time, whatever the setting is now
    assert again.run(P.TIKTOK, lambda one: one.publish(direct)) == Delivered()
    assert paths(again) == ["/v2/post/publish/status/fetch/"]


def test_an_older_database_does_not_send_a_video_again() -> None:
    there = stands("SEND_TO_USER_INBOX")
    script = Script(announced(), httpx.Response(403), there, stands("SEND_TO_USER_INBOX"))
    assert script.run(P.TIKTOK, lambda one: one.publish(for_inbox(media=video(CHUNKS)))) == Delivered()


@pytest.fixture
def member(practice: Practice) -> Member:
    return connect(practice, P.TIKTOK)


def sent(practice: Practice, member: Member, text: str = "Wool") -> Publication:
    """A video that is in the user's practice inbox."""
    waiting = replace(member.with_file(text, video()), to_inbox=True, tiktok=None)
    assert practice.run(P.TIKTOK, lambda adapter: adapter.publish(waiting)) == Delivered()
    return waiting


def follow(practice: Practice, waiting: Publication) -> Published | None:
    item = practice.run(P.TIKTOK, lambda adapter: adapter.follow(waiting))
    assert item is None or isinstance(item, Published)
    return item


def finish(practice: Practice, action: str = "publish", caption: str = "Wool") -> None:
    """Does what the user does on the practice platform's page, with the newest file."""
    number = practice.http.get("/tiktok/inbox").text.rsplit('action="/tiktok/inbox/', 1)[1].split('"')[0]
    answer = practice.http.post(f"/tiktok/inbox/{number}", data={"action": action, "caption": caption})
    assert answer.status_code in {200, 303}


def test_the_user_publishes_what_is_in_the_inbox(practice: Practice, member: Member) -> None:
    waiting = sent(practice, member)
    assert follow(practice, waiting) is None
    assert practice.ledger(member.profile.account_identifier) == []
    finish(practice)
    item = follow(practice, waiting)
    [entry] = practice.ledger(member.profile.account_identifier)
    assert item is not None
    assert item.content_id == entry["content_id"]
    assert "Wool" in practice.http.get(item.url or "", follow_redirects=True).text


def test_the_user_deletes_what_is_in_the_inbox(practice: Practice, member: Member) -> None:
    waiting = sent(practice, member)
    finish(practice, "delete")
    with pytest.raises(PlatformError) as caught:
        follow(practice, waiting)
    assert caught.value.cause is Cause.CALLED_OFF


def test_a_sixth_file_is_refused(practice: Practice, member: Member) -> None:
    for number in range(5):
        sent(practice, member, f"Wool {number}")
    sixth = replace(member.with_file("One more", video()), to_inbox=True, tiktok=None)
    error = practice.fail(P.TIKTOK, lambda adapter: adapter.publish(sixth))
    assert error.cause is Cause.INBOX_FULL
    finish(practice)
    assert practice.run(P.TIKTOK, lambda adapter: adapter.publish(sixth)) == Delivered()


def test_what_its_user_deleted_before_a_look_is_not_sent_again(practice: Practice, member: Member) -> None:
    waiting = replace(member.with_file("Wool", video()), to_inbox=True, tiktok=None)
    practice.lose(P.TIKTOK, waiting, comes=False)
    finish(practice, "delete")
    for _ in range(2):
        seen = practice.run(P.TIKTOK, lambda adapter: adapter.look_back(waiting, since=NEVER, known=()))
        assert seen.outcome is LookBackOutcome.DELIVERED
    with pytest.raises(PlatformError) as caught:
        follow(practice, waiting)
    assert caught.value.cause is Cause.CALLED_OFF


@pytest.mark.parametrize("is_finished", [False, True])
def test_a_lost_answer_is_found(practice: Practice, member: Member, is_finished: bool) -> None:
    waiting = replace(member.with_file("Wool", video()), to_inbox=True, tiktok=None)
    error = practice.lose(P.TIKTOK, waiting, comes=False)
    assert error.kind is FailureKind.AMBIGUOUS
    if is_finished:
        finish(practice)
    seen = practice.run(P.TIKTOK, lambda adapter: adapter.look_back(waiting, since=NEVER, known=()))
    assert seen.outcome is (LookBackOutcome.FOUND if is_finished else LookBackOutcome.DELIVERED)
