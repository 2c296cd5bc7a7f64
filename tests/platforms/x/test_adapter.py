"""X, by its documented answers and faults."""

import base64
import json
from dataclasses import replace
from datetime import timedelta
from urllib.parse import parse_qs, parse_qsl, urlsplit

import httpx
import pytest

from app.contract.enums import ConnectionPlatform, PostType
from app.platforms.adapters import ConsentAdapter
from app.platforms.base import (
    AppCredentials,
    FailureKind,
    LookBack,
    LookBackOutcome,
    PlatformError,
    Profile,
    Published,
)
from tests.platforms.scripted import NOW, TOKEN, Script, Step, json_answer, publication
from tests.platforms.world import media

PLATFORM = ConnectionPlatform.X
USER = "2244994945"
POST = "1445880548472328192"
PUBLIC = AppCredentials("my-app")
CONFIDENTIAL = AppCredentials("my-app", "app-secret-1")
SECOND = timedelta(seconds=1)
DUPLICATE = {
    "title": "Forbidden",
    "status": 403,
    "detail": "You are not allowed to create a Tweet with duplicate content.",
    "type": "about:blank",
}


def refusal_of(*steps: Step) -> PlatformError:
    return Script(*steps).fail(PLATFORM, lambda adapter: adapter.publish(publication(USER)))


def test_consent_carries_the_challenge() -> None:
    async def work(adapter: ConsentAdapter) -> str:
        return adapter.authorization_url(
            PUBLIC, redirect_uri="http://127.0.0.1:1/callback/x", state="s", code_challenge="challenge"
        )

    parts = urlsplit(Script().run(PLATFORM, work))
    assert (parts.netloc, parts.path) == ("x.com", "/i/oauth2/authorize")
    assert dict(parse_qsl(parts.query)) == {
        "response_type": "code",
        "client_id": "my-app",
        "redirect_uri": "http://127.0.0.1:1/callback/x",
        "scope": "tweet.read tweet.write users.read media.write offline.access",
        "state": "s",
        "code_challenge": "challenge",
        "code_challenge_method": "S256",
    }


@pytest.mark.parametrize("credentials", [PUBLIC, CONFIDENTIAL])
def test_a_code_becomes_tokens(credentials: AppCredentials) -> None:
    answer = {"token_type": "bearer", "expires_in": 7200, "access_token": TOKEN, "refresh_token": "next"}
    script = Script(json_answer(200, answer))
    grant = script.run(
        PLATFORM,
        lambda adapter: adapter.exchange_code(
            credentials, redirect_uri="http://127.0.0.1:1/", code="the-code", code_verifier="the-verifier"
        ),
    )
    assert (grant.access_token, grant.refresh_token) == (TOKEN, "next")
    assert grant.expires_at == NOW + timedelta(hours=2)
    [request] = script.requests
    assert str(request.url) == "https://api.x.com/2/oauth2/token"
    form = {name: value for name, [value] in parse_qs(request.content.decode()).items()}
    assert form.pop("client_id", None) == (None if credentials.client_secret else "my-app")
    assert form == {
        "grant_type": "authorization_code",
        "code": "the-code",
        "redirect_uri": "http://127.0.0.1:1/",
        "code_verifier": "the-verifier",
    }
    basic = "Basic " + base64.b64encode(b"my-app:app-secret-1").decode()
    assert request.headers.get("Authorization") == (basic if credentials.client_secret else None)


def test_the_profile_of_a_user() -> None:
    user = {
        "id": USER,
        "name": "Robin Marsh",
        "username": "robin",
        "profile_image_url": "https://pbs.twimg.com/a_normal.jpg",
        "verified": True,
        "public_metrics": {"followers_count": 7, "tweet_count": 1},
    }
    script = Script(json_answer(200, {"data": user}))
    assert script.run(PLATFORM, lambda adapter: adapter.profiles(TOKEN)) == [
        Profile(USER, "Robin Marsh", "robin", "https://pbs.twimg.com/a_normal.jpg", True, 7)
    ]
    assert script.requests[0].url.path == "/2/users/me"
    asked = "profile_image_url,public_metrics,verified,name,username"
    assert dict(script.requests[0].url.params) == {"user.fields": asked}


@pytest.mark.parametrize("body", [{}, {"data": {"id": "x/../y"}}, {"data": []}, "text"])
def test_a_profile_that_makes_no_sense_is_an_error(body: object) -> None:
    error = Script(json_answer(200, body)).fail(PLATFORM, lambda adapter: adapter.profiles(TOKEN))
    assert error.code == "unexpected_answer"


def test_publishing() -> None:
    script = Script(json_answer(201, {"data": {"id": POST, "text": "Good &amp; early"}}))
    post = publication(USER, "Good & early")
    assert script.run(PLATFORM, lambda adapter: adapter.publish(post)) == Published(
        POST, f"https://x.com/robin/status/{POST}"
    )
    [request] = script.requests
    assert (request.method, str(request.url)) == ("POST", "https://api.x.com/2/tweets")
    assert request.headers["Authorization"] == f"Bearer {TOKEN}"
    assert json.loads(request.content) == {"text": "Good & early"}


def test_a_picture_alone_has_an_empty_text() -> None:
    script = Script(json_answer(200, {"data": {"id": "7"}}), json_answer(201, {"data": {"id": POST}}))
    post = replace(publication(USER, "", PostType.IMAGE), media=media(b"picture", "image/jpeg"))
    script.run(PLATFORM, lambda adapter: adapter.publish(post))
    assert json.loads(script.requests[1].content) == {"text": "", "media": {"media_ids": ["7"]}}


def _processing(state: str, check_after_secs: float) -> httpx.Response:
    info = {"state": state, "check_after_secs": check_after_secs}
    return json_answer(200, {"data": {"id": "7", "processing_info": info}})


@pytest.mark.parametrize("state", ["pending", "in_progress"])
def test_a_video_that_takes_x_long_is_put_off_for_as_long_as_x_says(state: str) -> None:
    script = Script(json_answer(200, {"data": {"id": "7"}}), httpx.Response(204), _processing(state, 600))
    post = replace(publication(USER, "", PostType.VIDEO), media=media(b"video", "video/mp4"))
    error = script.fail(PLATFORM, lambda adapter: adapter.prepare(post))
    assert (error.kind, error.code, error.retry_after) == (FailureKind.TRANSIENT, "still_processing", 600)


def test_a_video_that_x_refuses_at_the_end_is_not_asked_for() -> None:
    info = {"state": "failed", "error": {"name": "InvalidMedia", "message": "Unsupported"}}
    failed = json_answer(200, {"data": {"id": "7", "processing_info": info}})
    script = Script(json_answer(200, {"data": {"id": "7"}}), httpx.Response(204), failed)
    post = replace(publication(USER, "", PostType.VIDEO), media=media(b"video", "video/mp4"))
    error = script.fail(PLATFORM, lambda adapter: adapter.prepare(post))
    assert (error.kind, error.code) == (FailureKind.INVALID, "InvalidMedia")


def test_a_video_that_is_gone_is_refused_before_anything_is_sent() -> None:
    video = publication(USER, post_type=PostType.VIDEO)
    error = Script().fail(PLATFORM, lambda adapter: adapter.publish(video))
    assert (error.kind, error.message) == (FailureKind.INVALID, "The file of the post is missing.")


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, {"title": "Invalid Request", "detail": "One or more"}, FailureKind.INVALID),
        (401, {"title": "Unauthorized", "detail": "Unauthorized"}, FailureKind.AUTH_EXPIRED),
        (402, {"title": "CreditsDepleted", "detail": "No credits"}, FailureKind.QUOTA),
        (403, {"title": "Forbidden", "detail": "You are not permitted"}, FailureKind.PERMISSION),
        (403, {"title": "Unsupported Authentication", "detail": "App only"}, FailureKind.PERMISSION),
        (403, DUPLICATE, FailureKind.DUPLICATE),
        (403, {"detail": "Your Tweet text is too long."}, FailureKind.INVALID),
        (429, {"title": "Too Many Requests", "detail": "Too Many"}, FailureKind.RATE_LIMITED),
        (429, {"type": "https://api.x.com/2/problems/usage-capped"}, FailureKind.QUOTA),
        (500, {"title": "Internal Server Error"}, FailureKind.AMBIGUOUS),
        (502, {}, FailureKind.AMBIGUOUS),
        (503, {"code": 130, "message": "Over capacity"}, FailureKind.AMBIGUOUS),
    ],
)
def test_refusals(status: int, body: dict[str, object], kind: FailureKind) -> None:
    error = refusal_of(json_answer(status, body))
    assert error.kind is kind
    if "detail" in body:
        assert error.message == body["detail"]


def test_the_reason_in_the_list_is_the_one_that_helps() -> None:
    body = {
        "title": "Invalid Request",
        "detail": "One or more parameters to your request was invalid.",
        "errors": [{"message": "Your Tweet text is too long.", "parameters": {}}],
    }
    error = refusal_of(json_answer(400, body))
    assert (error.message, error.code) == ("Your Tweet text is too long.", "Invalid Request")


def test_the_wait_until_the_reset() -> None:
    reset = str(int(NOW.timestamp()) + 90)
    assert refusal_of(json_answer(429, {}, x_rate_limit_reset=reset)).retry_after == 90
    assert refusal_of(json_answer(429, {}, x_rate_limit_reset="0")).retry_after == 0
    assert refusal_of(json_answer(429, {}, x_rate_limit_reset="soon")).retry_after is None
    assert refusal_of(json_answer(429, {}, Retry_After="5")).retry_after == 5
    assert refusal_of(json_answer(403, {}, x_rate_limit_reset=reset)).retry_after is None


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(201),
        httpx.Response(201, text="<html>"),
        json_answer(201, {"data": {"id": 12}}),
        json_answer(200, {"errors": [{"title": "odd"}]}),
        json_answer(201, {"data": {"id": "../x"}}),
    ],
)
def test_a_success_that_cannot_be_read_may_be_live(answer: httpx.Response) -> None:
    assert refusal_of(answer).kind is FailureKind.AMBIGUOUS


def _post(content_id: str, text: str, after: timedelta = SECOND, **more: object) -> dict[str, object]:
    created = (NOW + after).isoformat().replace("+00:00", "Z")
    shown = {"id": content_id, "text": text, "created_at": created, "edit_history_tweet_ids": [content_id]}
    return {**shown, **more}


def _page(*posts: dict[str, object], next_token: str | None = None) -> httpx.Response:
    meta: dict[str, object] = {"result_count": len(posts)}
    if next_token:
        meta["next_token"] = next_token
    return json_answer(200, {"data": posts, "meta": meta} if posts else {"meta": meta})


def found(content_id: str) -> LookBack:
    return LookBack(LookBackOutcome.FOUND, Published(content_id, f"https://x.com/robin/status/{content_id}"))


def _look(script: Script, text: str, known: tuple[str, ...] = ()) -> LookBack:
    seen: LookBack = script.run(
        PLATFORM,
        lambda adapter: adapter.look_back(publication(USER, text), since=NOW, known=known),
    )
    return seen


def test_a_post_is_found_as_it_was_written() -> None:
    links = [
        {"url": "https://t.co/abc", "expanded_url": "https://example.com/a?b=1&c=2", "start": 14, "end": 30},
        {"url": "https://t.co/def", "expanded_url": "http://example.org"},
    ]
    shown = "1 &lt; 2 &amp;amp; https://t.co/abc and https://t.co/def"
    script = Script(_page(_post("11", "Other"), _post("10", shown, entities={"urls": links})))
    written = "1 < 2 &amp; https://example.com/a?b=1&c=2 and example.org "
    assert _look(script, written) == found("10")
    [request] = script.requests
    assert request.url.path == f"/2/users/{USER}/tweets"
    assert dict(request.url.params) == {
        "max_results": "100",
        "start_time": "2026-11-21T11:58:00Z",
        "post.fields": "created_at,edit_history_tweet_ids,entities,attachments",
    }


def test_of_several_the_oldest_that_is_neither_taken_nor_too_old() -> None:
    posts = (_post("13", "Hi", 2 * SECOND), _post("12", "Hi"), _post("11", "Hi", timedelta(hours=-1)))
    assert _look(Script(_page(*posts)), "Hi") == found("12")
    assert _look(Script(_page(*posts)), "Hi", ("12",)) == found("13")
    assert _look(Script(_page(*posts)), "Hi", ("12", "13")) == LookBack(LookBackOutcome.ABSENT)


def test_an_empty_timeline_proves_absence() -> None:
    assert _look(Script(_page()), "Hi") == LookBack(LookBackOutcome.ABSENT)


def test_a_link_whose_target_is_not_told_proves_nothing() -> None:
    script = Script(_page(_post("12", "Other"), _post("11", "See https://t.co/abc")))
    assert _look(script, "See https://example.com") == LookBack(LookBackOutcome.UNKNOWABLE)


@pytest.mark.parametrize(
    "answer",
    [
        json_answer(400, {"errors": [{"message": "The query parameter [post.fields] is unknown"}]}),
        json_answer(200, {"data": [{"id": "11", "text": "Hi"}], "meta": {"result_count": 1}}),
    ],
)
def test_an_x_that_lacks_the_current_words_is_asked_in_the_older_ones(answer: httpx.Response) -> None:
    script = Script(answer, _page(_post("11", "Hi")))
    assert _look(script, "Hi") == found("11")
    asked = [request.url.params.keys() & {"post.fields", "tweet.fields"} for request in script.requests]
    assert asked == [{"post.fields"}, {"tweet.fields"}]


def test_a_full_page_that_names_no_next_one_proves_nothing() -> None:
    posts = [_post(str(number), "Other") for number in range(100)]
    assert _look(Script(_page(*posts)), "Hi") == LookBack(LookBackOutcome.UNKNOWABLE)
    assert _look(Script(_page(*posts[1:])), "Hi") == LookBack(LookBackOutcome.ABSENT)


def test_every_page_is_read() -> None:
    script = Script(_page(_post("12", "Other"), next_token="p2"), _page(_post("11", "Hi")))
    assert _look(script, "Hi") == found("11")
    assert script.requests[1].url.params["pagination_token"] == "p2"


def test_a_timeline_without_end_proves_nothing() -> None:
    script = Script(*(_page(_post("12", "Other"), next_token="more") for _ in range(10)))
    assert _look(script, "Hi") == LookBack(LookBackOutcome.UNKNOWABLE)


def test_a_timeline_that_is_not_shown_proves_nothing() -> None:
    answer = {"errors": [{"title": "Not Found Error", "detail": "Could not find user"}]}
    assert _look(Script(json_answer(200, answer)), "Hi") == LookBack(LookBackOutcome.UNKNOWABLE)


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (httpx.Response(500), FailureKind.TRANSIENT),
        (httpx.ReadTimeout("slow"), FailureKind.TRANSIENT),
        (json_answer(200, {"data": [{"id": 1}], "meta": {"result_count": 1}}), FailureKind.TRANSIENT),
        (json_answer(401, {"title": "Unauthorized"}), FailureKind.AUTH_EXPIRED),
    ],
)
def test_a_failed_look_is_an_error(step: Step, kind: FailureKind) -> None:
    error = Script(step).fail(
        PLATFORM, lambda adapter: adapter.look_back(publication(USER), since=NOW, known=())
    )
    assert error.kind is kind
