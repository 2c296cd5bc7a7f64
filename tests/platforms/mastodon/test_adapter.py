"""Publishing, looking back and counting, against answers from a script and against the stand-in."""

import json
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import httpx
import pytest

from app.contract.enums import PostType
from app.contract.places import PlaceOptions, Visibility
from app.platforms.base import (
    Cause,
    ContentMetrics,
    FailureKind,
    LookBack,
    LookBackOutcome,
    PlatformError,
    Publication,
    Published,
)
from tests.platforms.mastodon.people import PLATFORM, access, ledger_account, member_of, post_of
from tests.platforms.scripted import NOW, Script, Step, json_answer
from tests.platforms.world import Member, Practice, picture, video

WARNED = PlaceOptions(content_warning="Spoilers", visibility=Visibility.UNLISTED, language="de")


def status(number: int = 7, **more: object) -> dict[str, object]:
    about = {"id": str(number), "created_at": NOW.isoformat(), "url": f"https://wool.example/@robin/{number}"}
    return about | more


def body_of(request: httpx.Request) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(request.content)
    return body


# Publishing


def test_a_status_is_created_with_its_options_and_a_key() -> None:
    post = post_of("Wool", options=WARNED)
    script = Script(json_answer(200, status()))
    published: Published = script.run(PLATFORM, lambda adapter: adapter.publish(post))
    assert published == Published("7@wool.example", "https://wool.example/@robin/7")
    [request] = script.requests
    assert str(request.url) == "https://wool.example/api/v1/statuses"
    assert body_of(request) == {
        "status": "Wool",
        "spoiler_text": "Spoilers",
        "sensitive": True,
        "visibility": "unlisted",
        "language": "de",
    }


def test_attempts_of_a_post_share_a_key_and_other_posts_have_others() -> None:
    def key_of(one: Publication) -> str:
        script = Script(json_answer(200, status()))
        script.run(PLATFORM, lambda adapter: adapter.publish(one))
        return script.requests[0].headers["idempotency-key"]

    post = post_of()
    assert key_of(post) == key_of(replace(post, access_token=access(keeps_keys=False))) != key_of(post_of())
    assert str(post.post_id) not in key_of(post)


@pytest.mark.parametrize("address", ["javascript:alert(1)", None, "x" * 5000])
def test_an_address_that_is_none_is_not_shown(address: str | None) -> None:
    script = Script(json_answer(200, status(url=address)))
    published: Published = script.run(PLATFORM, lambda adapter: adapter.publish(post_of()))
    assert published.url is None


@pytest.mark.parametrize(
    ("step", "kind", "cause"),
    [
        (json_answer(401, {"error": "The access token was revoked"}), FailureKind.AUTH_EXPIRED, None),
        (
            json_answer(403, {"error": "This action is outside the authorized scopes"}),
            FailureKind.PERMISSION,
            Cause.SCOPE,
        ),
        (
            json_answer(403, {"error": "Your login is currently disabled"}),
            FailureKind.PERMISSION,
            Cause.RESTRICTED,
        ),
        (json_answer(403, {"error": "This action is not allowed"}), FailureKind.PERMISSION, None),
        (
            json_answer(422, {"error": "Validation failed: Text character limit of 500 exceeded"}),
            FailureKind.INVALID,
            Cause.TEXT_LENGTH,
        ),
        (
            json_answer(422, {"error": "Validation failed: Text can't be blank"}),
            FailureKind.INVALID,
            Cause.TEXT,
        ),
        (json_answer(422, {"error": "Media 4 not found"}), FailureKind.INVALID, Cause.FILE_GONE),
        (
            json_answer(422, {"error": "Cannot attach files that have not finished processing. Try again"}),
            FailureKind.TRANSIENT,
            None,
        ),
        (json_answer(404, {"error": "Record not found"}), FailureKind.INVALID, None),
        (json_answer(429, {"error": "Too many requests"}), FailureKind.RATE_LIMITED, None),
        (json_answer(500, {"error": "Internal Server Error"}), FailureKind.AMBIGUOUS, None),
        (json_answer(503, {}), FailureKind.AMBIGUOUS, None),
        (httpx.Response(302, headers={"Location": "/login"}), FailureKind.AMBIGUOUS, None),
        (httpx.Response(200, text="<html>"), FailureKind.AMBIGUOUS, None),
        (json_answer(200, {"id": "../7", "created_at": NOW.isoformat()}), FailureKind.AMBIGUOUS, None),
        (httpx.ReadTimeout("late"), FailureKind.AMBIGUOUS, None),
    ],
)
def test_what_answers_to_a_status_mean(step: Step, kind: FailureKind, cause: Cause | None) -> None:
    error = Script(step).fail(PLATFORM, lambda adapter: adapter.publish(post_of()))
    assert (error.kind, error.cause) == (kind, cause)


@pytest.mark.parametrize(
    ("reset", "seconds"),
    [
        ((NOW + timedelta(seconds=90)).isoformat(), 90),
        ((NOW + timedelta(seconds=90)).isoformat().replace("+00:00", "Z"), 90),
        ((NOW - timedelta(seconds=90)).isoformat(), 0),
        ((NOW + timedelta(days=90)).isoformat(), 86_400),
        (str(int(NOW.timestamp()) + 90), 90),
        ((NOW + timedelta(seconds=90)).replace(tzinfo=None).isoformat(), 90),
        ((NOW + timedelta(seconds=90)).astimezone(timezone(timedelta(hours=2))).isoformat(), 90),
        (str(int(NOW.timestamp()) - 90), 0),
        ("99999999999", 86_400),
        ("999999999999", None),
        ("9" * 40, None),
        ("\u00b2", None),
        ("", None),
        ("soon", None),
    ],
)
def test_the_wait_that_the_server_asks_for(reset: str, seconds: float | None) -> None:
    for status, expected in ((429, seconds), (403, None)):
        headers = {b"x-ratelimit-reset": reset.encode()}
        answer = httpx.Response(status, json={"error": "Too many"}, headers=headers)
        error = Script(answer).fail(PLATFORM, lambda adapter: adapter.publish(post_of()))
        assert error.retry_after == expected


WORDS = [
    (403, "Insufficient_scope", FailureKind.PERMISSION, Cause.SCOPE),
    (403, "Your account is suspended", FailureKind.PERMISSION, Cause.RESTRICTED),
    (403, "Your account is pending", FailureKind.PERMISSION, Cause.RESTRICTED),
    (403, "Your address isn't confirmed", FailureKind.PERMISSION, Cause.RESTRICTED),
    (403, "Your account has moved", FailureKind.PERMISSION, Cause.RESTRICTED),
    (422, "The file was not yet processed", FailureKind.TRANSIENT, None),
    (422, "The text is too long", FailureKind.INVALID, Cause.TEXT_LENGTH),
    (422, "Not found: media", FailureKind.INVALID, Cause.FILE_GONE),
    (422, "media_ids are invalid", FailureKind.INVALID, Cause.FILE_GONE),
    (422, "File size must be less than 16 MB", FailureKind.INVALID, Cause.FILE_SIZE),
    (422, "The image is too large", FailureKind.INVALID, Cause.FILE_SIZE),
    (422, "The video's resolution is too high", FailureKind.INVALID, Cause.FILE_SHAPE),
    (422, "The image's dimensions are unsupported", FailureKind.INVALID, Cause.FILE_SHAPE),
    (422, "The video's frame rate is too high", FailureKind.INVALID, Cause.FILE_SHAPE),
    (422, "The file is broken", FailureKind.INVALID, Cause.FILE),
    (422, "Can't attach more than 4", FailureKind.INVALID, Cause.FILE),
    (422, "The text is odd", FailureKind.INVALID, Cause.TEXT),
    (422, "The status is odd", FailureKind.INVALID, Cause.TEXT),
    (422, "It is blank", FailureKind.INVALID, Cause.TEXT),
    (422, "Something else", FailureKind.INVALID, None),
    (413, "Whatever", FailureKind.INVALID, Cause.FILE_SIZE),
    (413, "", FailureKind.INVALID, Cause.FILE_SIZE),
]


def refusal(status: int, body: dict[str, str]) -> PlatformError:
    return Script(json_answer(status, body)).fail(PLATFORM, lambda adapter: adapter.publish(post_of()))


@pytest.mark.parametrize(("status", "words", "kind", "cause"), WORDS)
def test_the_words_of_a_refusal_say_why_if_its_status_agrees(
    status: int, words: str, kind: FailureKind, cause: Cause | None
) -> None:
    for body in ({"error": words}, {"error": "Odd", "error_description": words}):
        error = refusal(status, body)
        assert (error.kind, error.cause) == (kind, cause)
        assert error.code == f"http_{status}"
        assert error.message == (words or body.get("error") or f"The server answered {status}.")
    assert refusal(503, {"error": words}).kind is FailureKind.AMBIGUOUS
    assert refusal(404, {"error": words}).cause is None


def test_a_refusal_that_is_not_json_has_its_status() -> None:
    script = Script(httpx.Response(413, text="<html>"))
    error = script.fail(PLATFORM, lambda adapter: adapter.publish(post_of()))
    assert (error.cause, error.message) == (Cause.FILE_SIZE, "The server answered 413.")


def test_the_standard_header_says_it_better() -> None:
    reset = (NOW + timedelta(seconds=90)).isoformat()
    answer = json_answer(429, {"error": "Too many"}, x_ratelimit_reset=reset, retry_after="7")
    error = Script(answer).fail(PLATFORM, lambda adapter: adapter.publish(post_of()))
    assert error.retry_after == 7


# Files


def test_a_file_is_waited_for_and_described() -> None:
    post = post_of(post_type=PostType.IMAGE, media=picture(alt_text="Two skeins of wool"), alt_text_max=9)
    script = Script(
        json_answer(202, {"id": "4", "url": None}),
        json_answer(206, {"id": "4", "url": None}),
        json_answer(200, {"id": "4", "url": "https://wool.example/4.jpg"}),
        json_answer(200, status()),
    )
    script.run(PLATFORM, lambda adapter: adapter.publish(post))
    sent, *looks, created = script.requests
    assert sent.url.path == "/api/v2/media"
    assert b"\r\n\r\nTwo skein\r\n" in sent.content
    assert [one.url.path for one in looks] == ["/api/v1/media/4"] * 2
    assert body_of(created)["media_ids"] == ["4"]


def test_a_file_that_is_there_is_not_sent_again() -> None:
    post = post_of(post_type=PostType.IMAGE, media=picture())
    ready = json_answer(200, {"id": "4", "url": "https://wool.example/4.jpg"})
    Script(ready).run(PLATFORM, lambda adapter: adapter.prepare(post))
    script = Script(json_answer(200, status()))
    script.run(PLATFORM, lambda adapter: adapter.publish(post))
    assert body_of(script.requests[0])["media_ids"] == ["4"]


def test_software_without_a_call_for_processing_is_not_waited_for() -> None:
    post = post_of(post_type=PostType.IMAGE, media=picture())
    script = Script(json_answer(202, {"id": "4", "url": "https://wool.example/4.jpg"}), json_answer(404, {}))
    script.run(PLATFORM, lambda adapter: adapter.prepare(post))


@pytest.mark.parametrize(
    ("steps", "kind", "cause"),
    [
        ([json_answer(413, {})], FailureKind.INVALID, Cause.FILE_SIZE),
        (
            [json_answer(422, {"error": "Validation failed: File size must be less than 16 MB"})],
            FailureKind.INVALID,
            Cause.FILE_SIZE,
        ),
        (
            [json_answer(422, {"error": "Validation failed: File content type is invalid"})],
            FailureKind.INVALID,
            Cause.FILE,
        ),
        (
            [
                json_answer(202, {"id": "4"}),
                json_answer(422, {"error": "Error processing thumbnail for media"}),
            ],
            FailureKind.INVALID,
            Cause.FILE,
        ),
        ([json_answer(500, {"error": "Error processing"})], FailureKind.TRANSIENT, None),
        ([json_answer(200, {})], FailureKind.TRANSIENT, None),
        ([httpx.ReadTimeout("late")], FailureKind.TRANSIENT, None),
    ],
)
def test_what_answers_to_a_file_mean(steps: list[Step], kind: FailureKind, cause: Cause | None) -> None:
    post = post_of(post_type=PostType.IMAGE, media=picture())
    error = Script(*steps).fail(PLATFORM, lambda adapter: adapter.prepare(post))
    assert (error.kind, error.cause) == (kind, cause)


# Looking back


def look(post: Publication, *steps: Step, known: Collection[str] = ()) -> LookBack:
    seen: LookBack = Script(*steps).run(
        PLATFORM, lambda adapter: adapter.look_back(post, since=NOW, known=known)
    )
    return seen


def listed(*statuses: dict[str, object]) -> httpx.Response:
    return json_answer(200, list(statuses))


OLD = status(1, created_at=(NOW - timedelta(hours=1)).isoformat())


def test_a_post_is_found_by_the_text_it_was_written_with() -> None:
    source = json_answer(200, {"id": "7", "text": "Good morning", "spoiler_text": ""})
    seen = look(post_of(), listed(status(), OLD), source)
    assert seen == LookBack(
        LookBackOutcome.FOUND, Published("7@wool.example", "https://wool.example/@robin/7")
    )


@pytest.mark.parametrize(
    "source",
    [{"text": "Food", "spoiler_text": ""}, {"text": "", "spoiler_text": "Food"}],
    ids=["as Mastodon stores it", "as it was sent"],
)
def test_a_post_is_found_whose_warning_has_become_its_text(source: dict[str, object]) -> None:
    post = replace(post_of(), text="", options=PlaceOptions(content_warning="Food"))
    assert look(post, listed(status(), OLD), json_answer(200, source)).outcome is LookBackOutcome.FOUND
    shown = status(content=f"<p>{source['text']}</p>", spoiler_text=source["spoiler_text"])
    assert look(post, listed(shown, OLD), json_answer(404, {})).outcome is LookBackOutcome.FOUND


def test_an_edited_status_proves_nothing() -> None:
    edited = status(edited_at=NOW.isoformat())
    seen = look(
        post_of(), listed(edited, OLD), json_answer(200, {"text": "Good evening", "spoiler_text": ""})
    )
    assert seen.outcome is LookBackOutcome.UNKNOWABLE


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        ([listed()], LookBackOutcome.ABSENT),
        ([listed(OLD)], LookBackOutcome.ABSENT),
        ([listed(status(application={"name": "Web"}), OLD)], LookBackOutcome.ABSENT),
        (
            [listed(status(application={"name": "Kalends"}), OLD), json_answer(200, {"text": "Other"})],
            LookBackOutcome.ABSENT,
        ),
        (
            [listed(status(), OLD), json_answer(200, {"text": "Good morning", "spoiler_text": "Look"})],
            LookBackOutcome.ABSENT,
        ),
        ([listed(status(content="<p>Other</p>"), OLD), json_answer(404, {})], LookBackOutcome.UNKNOWABLE),
        ([listed(status(), OLD), json_answer(404, {})], LookBackOutcome.UNKNOWABLE),
        ([listed(status(content="<p>Good morning</p>"), OLD), json_answer(404, {})], LookBackOutcome.FOUND),
    ],
)
def test_what_the_accounts_statuses_prove(answers: list[Step], outcome: LookBackOutcome) -> None:
    assert look(post_of(), *answers).outcome is outcome


def test_a_status_of_another_post_is_not_this_one() -> None:
    assert look(post_of(), listed(status(), OLD), known={"7@wool.example"}).outcome is LookBackOutcome.ABSENT


def test_every_page_is_read_until_the_time_of_the_post() -> None:
    script = Script(listed(status(9, application={"name": "Web"})), listed(OLD))
    seen = script.run(PLATFORM, lambda adapter: adapter.look_back(post_of(), since=NOW, known=()))
    assert seen.outcome is LookBackOutcome.ABSENT
    assert script.requests[0].url.path == "/api/v1/accounts/109/statuses"
    assert [one.url.params.get("max_id") for one in script.requests] == [None, "9"]


def test_more_pages_than_are_read_prove_nothing() -> None:
    pages = [listed(status(99 - number, application={"name": "Web"})) for number in range(10)]
    assert look(post_of(), *pages).outcome is LookBackOutcome.UNKNOWABLE


def test_a_server_whose_clock_is_behind_still_finds_the_post() -> None:
    behind = NOW - timedelta(hours=2)
    page = json_answer(
        200,
        [status(created_at=behind.isoformat())],
        date=behind.strftime("%a, %d %b %Y %H:%M:%S GMT"),
    )
    source = json_answer(200, {"text": "Good morning"})
    assert look(post_of(), page, listed(), source).outcome is LookBackOutcome.FOUND


def test_mentions_and_links_are_read_as_servers_show_them() -> None:
    shown = (
        '<p>Hi <span class="h-card"><a href="https://kim.example/@kim">@<span>kim</span></a></span>,<br />'
        '<a href="https://example.com/wool"><span class="invisible">https://</span>'
        '<span class="ellipsis">example.com</span><span class="invisible">/wool</span></a></p><p>&lt;3</p>'
    )
    post = post_of("Hi @kim@kim.example,\nhttps://example.com/wool\n\n<3")
    answers = [listed(status(content=shown), OLD), json_answer(404, {})]
    assert look(post, *answers).outcome is LookBackOutcome.FOUND


@pytest.mark.parametrize("step", [json_answer(401, {}), json_answer(500, {}), json_answer(200, {})])
def test_a_look_without_an_answer_fails(step: Step) -> None:
    Script(step).fail(PLATFORM, lambda adapter: adapter.look_back(post_of(), since=NOW, known=()))


def test_a_repeat_is_safe_only_where_keys_count() -> None:
    async def window(adapter: Any, token: str) -> timedelta | None:
        found: timedelta | None = adapter.repeat_window_at(token)
        return found

    hour = Script().run(PLATFORM, lambda adapter: window(adapter, access()))
    never = Script().run(PLATFORM, lambda adapter: window(adapter, access(keeps_keys=False)))
    assert (hour, never) == (timedelta(hours=1), None)


# Counts


def test_counts_of_posts_that_are_there() -> None:
    counted = status(7, favourites_count=3, replies_count=2, reblogs_count=1)
    script = Script(json_answer(200, counted), json_answer(404, {"error": "Record not found"}))
    ids = ["7@wool.example", "8@wool.example", "7@elsewhere.example", "at://x", "../7@wool.example"]
    found = script.run(PLATFORM, lambda adapter: adapter.metrics(access(), "109@wool.example", ids))
    assert found == [ContentMetrics("7@wool.example", None, 3, 2, 1)]
    assert [one.url.path for one in script.requests] == ["/api/v1/statuses/7", "/api/v1/statuses/8"]


# The stand-in


@pytest.fixture(scope="module")
def member(practice: Practice) -> Member:
    return member_of(practice)


def entries(practice: Practice, member: Member, text: str) -> list[dict[str, Any]]:
    return [one for one in practice.ledger(ledger_account(member)) if one["text"] == text]


@pytest.mark.parametrize(
    "server", ["wool.example", "gotosocial.example", "akkoma.example", "pixelfed.example"]
)
def test_every_software_takes_posts(practice: Practice, server: str) -> None:
    member = member_of(practice, server)
    post = replace(member.with_file(f"On {server}", picture(alt_text="Two skeins")), options=WARNED)
    published: Published = practice.run(PLATFORM, lambda adapter: adapter.publish(post))
    [entry] = entries(practice, member, post.text)
    assert post.media is not None
    assert (entry["media_sha256"], entry["title"]) == (post.media.sha256, "Spoilers")
    assert entry["labels"] == "unlisted, de, Two skeins"
    assert post.text in practice.http.get(str(published.url), follow_redirects=True).text
    seen: LookBack = practice.run(
        PLATFORM, lambda adapter: adapter.look_back(post, since=datetime.now(UTC), known=())
    )
    assert seen.item == published


def test_a_video_is_processed_first(practice: Practice, member: Member) -> None:
    post = member.with_file("A video", video())
    practice.run(PLATFORM, lambda adapter: adapter.prepare(post))
    assert entries(practice, member, "A video") == []
    practice.run(PLATFORM, lambda adapter: adapter.publish(post))
    assert len(entries(practice, member, "A video")) == 1


def test_a_lost_answer_is_found_and_a_repeat_doubles_nothing(practice: Practice, member: Member) -> None:
    post = member.post("Lost, and found")

    def look() -> LookBack:
        seen: LookBack = practice.run(
            PLATFORM, lambda adapter: adapter.look_back(post, since=datetime.now(UTC), known=())
        )
        return seen

    assert look() == LookBack(LookBackOutcome.ABSENT)
    practice.order(PLATFORM, "publish", "timeout_after_accept", account=ledger_account(member))
    error = practice.fail(PLATFORM, lambda adapter: adapter.publish(post), hasty=True)
    assert error.kind is FailureKind.AMBIGUOUS
    found = look().item
    again = practice.run(PLATFORM, lambda adapter: adapter.publish(post))
    assert found == again
    assert len(entries(practice, member, post.text)) == 1


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("reject", FailureKind.INVALID),
        ("error_500", FailureKind.AMBIGUOUS),
        ("rate_limit", FailureKind.RATE_LIMITED),
        ("expired_token", FailureKind.AUTH_EXPIRED),
    ],
)
def test_faults_while_publishing(practice: Practice, member: Member, fault: str, kind: FailureKind) -> None:
    practice.order(PLATFORM, "publish", fault, account=ledger_account(member))
    error = practice.fail(PLATFORM, lambda adapter: adapter.publish(member.post("Oops")))
    assert error.kind is kind
    assert error.retry_after is not None or kind is not FailureKind.RATE_LIMITED


def test_signing_out_ends_the_access(practice: Practice) -> None:
    member = member_of(practice)
    practice.run(PLATFORM, lambda adapter: adapter.sign_out(member.grant))
    error = practice.fail(PLATFORM, lambda adapter: adapter.profiles(member.grant.access_token))
    assert error.kind is FailureKind.AUTH_EXPIRED
