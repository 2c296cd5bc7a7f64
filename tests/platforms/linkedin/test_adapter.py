"""LinkedIn, by its documented answers and faults."""

import json
from dataclasses import replace
from datetime import timedelta
from urllib.parse import parse_qs, parse_qsl, quote, urlsplit

import httpx
import pytest

from app.contract.enums import ConnectionPlatform, PostType
from app.platforms.adapters import FollowersAdapter
from app.platforms.base import (
    AppCredentials,
    FailureKind,
    LookBack,
    LookBackOutcome,
    PlatformError,
    Profile,
    Publication,
    Published,
)
from tests.platforms.scripted import NOW, TOKEN, Script, Step, json_answer, publication
from tests.platforms.world import video

PLATFORM = ConnectionPlatform.LINKEDIN
PERSON = "urn:li:person:AbC-123_x"
ORGANIZATION = "urn:li:organization:5515715"
SHARE = "urn:li:share:6844785523593134080"
APP = AppCredentials("my-app", "app-secret-1")
CREATED = httpx.Response(201, headers={"x-restli-id": SHARE})


def refusal_of(*steps: Step, account: str = PERSON) -> PlatformError:
    return Script(*steps).fail(PLATFORM, lambda adapter: adapter.publish(publication(account)))


def test_consent_asks_for_what_every_app_may_have() -> None:
    address = Script().run(PLATFORM, _consent_url)
    parts = urlsplit(address)
    assert (parts.netloc, parts.path) == ("www.linkedin.com", "/oauth/v2/authorization")
    assert dict(parse_qsl(parts.query)) == {
        "response_type": "code",
        "client_id": "my-app",
        "redirect_uri": "http://127.0.0.1:17217/callback/linkedin",
        "state": "a b&c",
        "scope": "openid profile w_member_social",
    }


async def _consent_url(adapter: object) -> str:
    url: str = adapter.authorization_url(  # type: ignore[attr-defined]
        APP, redirect_uri="http://127.0.0.1:17217/callback/linkedin", state="a b&c", code_challenge="x"
    )
    return url


def test_a_code_becomes_a_token_without_a_refresh_token() -> None:
    script = Script(json_answer(200, {"access_token": TOKEN, "expires_in": 5_184_000, "scope": "openid"}))
    grant = script.run(
        PLATFORM,
        lambda adapter: adapter.exchange_code(
            APP, redirect_uri="http://127.0.0.1:1/", code="the-code", code_verifier="unused"
        ),
    )
    assert (grant.access_token, grant.refresh_token) == (TOKEN, None)
    assert grant.expires_at == NOW + timedelta(days=60)
    [request] = script.requests
    assert str(request.url) == "https://www.linkedin.com/oauth/v2/accessToken"
    assert {name: value for name, [value] in parse_qs(request.content.decode()).items()} == {
        "grant_type": "authorization_code",
        "code": "the-code",
        "redirect_uri": "http://127.0.0.1:1/",
        "client_id": "my-app",
        "client_secret": "app-secret-1",
    }


def test_a_refresh_gives_both_tokens() -> None:
    script = Script(json_answer(200, {"access_token": "new", "refresh_token": "next", "expires_in": 60}))
    grant = script.run(PLATFORM, lambda adapter: adapter.refresh(APP, "old"))
    assert (grant.access_token, grant.refresh_token) == ("new", "next")
    assert b"grant_type=refresh_token" in script.requests[0].content


def test_an_app_without_a_secret_is_told_so() -> None:
    error = Script().fail(PLATFORM, lambda adapter: adapter.refresh(AppCredentials("my-app"), "old"))
    assert error.kind is FailureKind.PERMISSION


NOT_ADMITTED = json_answer(403, {"status": 403, "code": "ACCESS_DENIED", "message": "Not enough permissions"})


def test_the_profile_of_a_member() -> None:
    picture = "https://media.licdn.com/a.jpg"
    script = Script(
        json_answer(200, {"sub": "AbC-123_x", "name": "Robin Marsh", "picture": picture, "locale": {}}),
        json_answer(200, {"elements": [{"memberFollowersCount": 42}]}),
        NOT_ADMITTED,
    )
    profiles = script.run(PLATFORM, lambda adapter: adapter.profiles(TOKEN))
    assert profiles == [Profile(PERSON, "Robin Marsh", None, picture, None, 42)]
    assert [str(request.url) for request in script.requests] == [
        "https://api.linkedin.com/v2/userinfo",
        "https://api.linkedin.com/rest/memberFollowersCount?q=me",
        "https://api.linkedin.com/rest/organizationAcls?q=roleAssignee&state=APPROVED&count=100",
    ]


@pytest.mark.parametrize(
    "followers",
    [
        json_answer(403, {"status": 403, "code": "ACCESS_DENIED", "message": "Not enough permissions"}),
        json_answer(200, {"elements": []}),
        httpx.Response(503),
        httpx.ReadTimeout("slow"),
    ],
)
def test_followers_are_optional(followers: Step) -> None:
    member = json_answer(200, {"sub": "a", "picture": "javascript:alert(1)"})
    script = Script(member, followers, NOT_ADMITTED)
    assert script.run(PLATFORM, lambda adapter: adapter.profiles(TOKEN)) == [Profile("urn:li:person:a")]


def test_followers_of_one_account_take_one_call() -> None:
    async def followers(adapter: FollowersAdapter) -> list[int | None]:
        assert isinstance(adapter, FollowersAdapter)
        return [await adapter.followers(TOKEN, account) for account in (PERSON, ORGANIZATION)]

    script = Script(
        json_answer(200, {"elements": [{"memberFollowersCount": 42}]}),
        json_answer(200, {"firstDegreeSize": 7}),
    )
    assert script.run(PLATFORM, followers) == [42, 7]
    assert [request.url.path.split("/")[2] for request in script.requests] == [
        "memberFollowersCount",
        "networkSizes",
    ]


@pytest.mark.parametrize("body", [{}, {"sub": "../x"}, {"sub": 5}, []])
def test_a_profile_that_makes_no_sense_is_an_error(body: object) -> None:
    error = Script(json_answer(200, body)).fail(PLATFORM, lambda adapter: adapter.profiles(TOKEN))
    assert (error.kind, error.code) == (FailureKind.TRANSIENT, "unexpected_answer")


@pytest.mark.parametrize("account", [PERSON, ORGANIZATION])
def test_publishing(account: str) -> None:
    script = Script(CREATED)
    post = publication(account, "Look (here) #now_1 @you \\o/")
    assert script.run(PLATFORM, lambda adapter: adapter.publish(post)) == Published(
        SHARE, f"https://www.linkedin.com/feed/update/{SHARE.replace(':', '%3A')}/"
    )
    [request] = script.requests
    assert (request.method, str(request.url)) == ("POST", "https://api.linkedin.com/rest/posts")
    assert request.headers["Authorization"] == f"Bearer {TOKEN}"
    assert request.headers["LinkedIn-Version"] == "202609"
    assert request.headers["X-Restli-Protocol-Version"] == "2.0.0"
    assert json.loads(request.content) == {
        "author": account,
        "commentary": r"Look \(here\) \#now\_1 \@you \\o/",
        "visibility": "PUBLIC",
        "distribution": {
            "feedDistribution": "MAIN_FEED",
            "targetEntities": [],
            "thirdPartyDistributionChannels": [],
        },
        "lifecycleState": "PUBLISHED",
        "isReshareDisabledByAuthor": False,
    }


def test_an_image_that_is_gone_is_refused_before_anything_is_sent() -> None:
    image = publication(PERSON, post_type=PostType.IMAGE)
    error = Script().fail(PLATFORM, lambda adapter: adapter.publish(image))
    assert (error.kind, error.message) == (
        FailureKind.INVALID,
        "The file of the post is missing.",
    )


def test_an_account_that_is_no_urn_is_refused_before_anything_is_sent() -> None:
    error = refusal_of(account="5515715")
    assert error.kind is FailureKind.INVALID


@pytest.mark.parametrize(
    ("status", "body", "kind", "code"),
    [
        (400, {"code": "FIELD_LENGTH_TOO_LONG", "message": "too long"}, FailureKind.INVALID, None),
        (401, {"code": "EXPIRED_ACCESS_TOKEN", "message": "expired"}, FailureKind.AUTH_EXPIRED, None),
        (401, {"serviceErrorCode": 65601, "message": "revoked"}, FailureKind.AUTH_EXPIRED, "65601"),
        (403, {"code": "ACCESS_DENIED", "message": "Not enough"}, FailureKind.PERMISSION, None),
        (409, {"code": "CONFLICT", "message": "Write conflict"}, FailureKind.TRANSIENT, None),
        (422, {"code": "UNPROCESSABLE_ENTITY", "message": "unrecognized"}, FailureKind.INVALID, None),
        (426, {"code": "NONEXISTENT_VERSION", "message": "not active"}, FailureKind.PERMISSION, None),
        (429, {"code": "TOO_MANY_REQUESTS", "message": "throttle"}, FailureKind.RATE_LIMITED, None),
        (500, {"code": "INTERNAL", "message": "oops"}, FailureKind.AMBIGUOUS, None),
        (503, {}, FailureKind.AMBIGUOUS, "http_503"),
        (504, {"message": "Gateway Timeout"}, FailureKind.AMBIGUOUS, "http_504"),
        (302, {}, FailureKind.AMBIGUOUS, "http_302"),
        (408, {}, FailureKind.AMBIGUOUS, "http_408"),
        (403, ["not", "an", "object"], FailureKind.PERMISSION, "http_403"),
    ],
)
def test_refusals(status: int, body: object, kind: FailureKind, code: str | None) -> None:
    error = refusal_of(json_answer(status, body))
    assert error.kind is kind
    assert error.code == (code or body["code"])  # type: ignore[index]
    if isinstance(body, dict) and "message" in body:
        assert error.message == body["message"]


def test_words_that_are_no_json_are_not_passed_on() -> None:
    error = refusal_of(httpx.Response(403, text="<html>Proxy says no</html>"))
    assert (error.kind, error.message) == (FailureKind.PERMISSION, "LinkedIn answered 403.")


def test_the_wait_that_the_platform_asks_for() -> None:
    assert refusal_of(json_answer(429, {}, Retry_After="17")).retry_after == 17
    assert refusal_of(json_answer(429, {}, Retry_After="Wed, 21 Oct")).retry_after is None


def published(urn: str) -> Published:
    return Published(urn, f"https://www.linkedin.com/feed/update/{quote(urn)}/")


@pytest.mark.parametrize("status", [400, 409, 422])
def test_a_duplicate_names_the_first_post(status: int) -> None:
    body = {"status": status, "message": f"Content is a duplicate of {SHARE}", "code": "DUPLICATE_POST"}
    error = refusal_of(json_answer(status, body))
    assert (error.kind, error.existing) == (FailureKind.DUPLICATE, published(SHARE))


def test_a_duplicate_without_a_name() -> None:
    error = refusal_of(json_answer(422, {"message": "Duplicate post is detected"}))
    assert (error.kind, error.existing) == (FailureKind.DUPLICATE, None)


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(201),
        httpx.Response(201, headers={"x-restli-id": "urn:li:share:1/../x"}),
        httpx.Response(200, headers={"x-restli-id": "gibberish"}),
    ],
)
def test_a_success_without_an_id_may_be_live(answer: httpx.Response) -> None:
    assert refusal_of(answer).kind is FailureKind.AMBIGUOUS


def test_a_member_cannot_be_looked_up_and_is_not_asked_for() -> None:
    seen = Script().run(PLATFORM, lambda adapter: adapter.look_back(publication(PERSON), since=NOW, known=()))
    assert seen == LookBack(LookBackOutcome.UNKNOWABLE)


def _posts(*posts: tuple[str, str, timedelta]) -> httpx.Response:
    elements = [
        {
            "id": urn,
            "commentary": text,
            "createdAt": int((NOW + after).timestamp() * 1000),
            "author": "x",
            "lifecycleStateInfo": {"isEditedByAuthor": False},
        }
        for urn, text, after in posts
    ]
    return json_answer(200, {"paging": {}, "elements": elements})


def found(content_id: str) -> LookBack:
    return LookBack(LookBackOutcome.FOUND, published(content_id))


def _look(*steps: Step, text: str = "Good (morning)", known: tuple[str, ...] = ()) -> LookBack:
    post = publication(ORGANIZATION, text)
    script = Script(*steps)
    seen: LookBack = script.run(PLATFORM, lambda adapter: adapter.look_back(post, since=NOW, known=known))
    return seen


_SECOND = timedelta(seconds=1)


def test_a_post_of_an_organization_is_found_by_its_text() -> None:
    script = Script(_posts(("urn:li:share:2", r"Good \(morning\)", _SECOND)))
    post = publication(ORGANIZATION, "Good (morning)\n")
    seen = script.run(PLATFORM, lambda adapter: adapter.look_back(post, since=NOW, known=()))
    assert seen == found("urn:li:share:2")
    [request] = script.requests
    assert b"author=urn%3Ali%3Aorganization%3A5515715" in request.url.query
    assert request.headers["X-RestLi-Method"] == "FINDER"


def test_of_several_the_oldest_that_is_not_taken() -> None:
    answer = _posts(
        ("urn:li:share:9", "Other", 3 * _SECOND),
        ("urn:li:share:3", r"Good \(morning\)", 2 * _SECOND),
        ("urn:li:share:2", r"Good \(morning\)", _SECOND),
        ("urn:li:share:1", r"Good \(morning\)", timedelta(hours=-1)),
    )
    assert _look(answer) == found("urn:li:share:2")
    assert _look(answer, known=("urn:li:share:2",)) == found("urn:li:share:3")
    taken = ("urn:li:share:2", "urn:li:share:3")
    assert _look(answer, known=taken) == LookBack(LookBackOutcome.ABSENT)


def test_a_full_page_of_newer_posts_proves_nothing() -> None:
    page = [(f"urn:li:share:{number}", "Other", _SECOND) for number in range(100)]
    assert _look(_posts(*page)) == LookBack(LookBackOutcome.UNKNOWABLE)


def test_a_short_page_with_a_next_one_is_not_the_end() -> None:
    paging = {"start": 0, "count": 100, "links": [{"rel": "next", "href": "/rest/posts?start=100"}]}
    assert _look(json_answer(200, {"paging": paging, "elements": []})) == LookBack(LookBackOutcome.UNKNOWABLE)
    older = _posts(("urn:li:share:1", "Other", timedelta(hours=-1))).json()
    assert _look(json_answer(200, {**older, "paging": paging})) == LookBack(LookBackOutcome.ABSENT)


def test_who_may_not_look_knows_nothing() -> None:
    assert _look(json_answer(403, {"message": "no"})) == LookBack(LookBackOutcome.UNKNOWABLE)


def test_a_failed_look_is_an_error() -> None:
    post = publication(ORGANIZATION)
    for step in (httpx.Response(500), json_answer(200, {"oops": 1}), httpx.ReadTimeout("slow")):
        error = Script(step).fail(PLATFORM, lambda adapter: adapter.look_back(post, since=NOW, known=()))
        assert error.kind is FailureKind.TRANSIENT


VIDEO = "urn:li:video:C1"
PARTS = "https://www.linkedin.com/dms-uploads/1/0"
THUMBNAIL = "https://www.linkedin.com/dms-uploads/1/thumbnail/0"


def announced(**more: str) -> httpx.Response:
    part = {"uploadUrl": PARTS, "firstByte": 0, "lastByte": 299_999}
    return json_answer(200, {"value": {"video": VIDEO, "uploadInstructions": [part], **more}})


BROUGHT = (
    httpx.Response(200, headers={"etag": '"1"'}),
    httpx.Response(200),
    json_answer(200, {"status": "AVAILABLE"}),
)


def covered(cover_ms: int = 4_000) -> Publication:
    file = video(cover_ms=cover_ms)
    return replace(publication(PERSON, post_type=PostType.VIDEO), media=file)


def test_a_cover_goes_to_the_place_that_linkedin_names() -> None:
    script = Script(announced(thumbnailUploadUrl=THUMBNAIL), httpx.Response(201), *BROUGHT, CREATED)
    assert script.run(PLATFORM, lambda adapter: adapter.publish(covered())).content_id == SHARE
    put = script.requests[1]
    assert (put.method, str(put.url), "authorization" in put.headers) == ("PUT", THUMBNAIL, False)
    assert put.headers["media-type-family"] == "STILLIMAGE"
    assert put.content.startswith(b"\xff\xd8\xff")


@pytest.mark.parametrize(
    "answers",
    [
        [announced(thumbnailUploadUrl=THUMBNAIL), httpx.Response(403)],
        [announced(thumbnailUploadUrl=THUMBNAIL), httpx.Response(500)],
        [announced(thumbnailUploadUrl=THUMBNAIL), httpx.ReadTimeout("no response")],
        [announced(thumbnailUploadUrl="https://example.com/thumbnail")],
        [announced()],
        [json_answer(400, {"message": "uploadThumbnail is not allowed", "status": 400})],
    ],
    ids=["forbidden", "unwell", "lost", "elsewhere", "no place", "not allowed"],
)
def test_a_cover_that_is_not_taken_leaves_the_post_without_one(answers: list[Step]) -> None:
    script = Script(*answers, announced(), *BROUGHT, CREATED)
    assert script.run(PLATFORM, lambda adapter: adapter.publish(covered())).content_id == SHARE
    last = [one for one in script.requests if one.url.params.get("action") == "initializeUpload"][-1]
    assert json.loads(last.content)["initializeUploadRequest"]["uploadThumbnail"] is False


def test_another_cover_is_another_announcement_until_the_video_is_there() -> None:
    first = covered()
    lost = httpx.ReadTimeout("no response")
    script = Script(announced(thumbnailUploadUrl=THUMBNAIL), httpx.Response(201), lost)
    assert script.fail(PLATFORM, lambda adapter: adapter.prepare(first)).kind is FailureKind.TRANSIENT

    second = replace(covered(7_000), steps=first.steps)
    script = Script(announced(thumbnailUploadUrl=THUMBNAIL), httpx.Response(201), *BROUGHT)
    script.run(PLATFORM, lambda adapter: adapter.prepare(second))
    third = replace(covered(9_000), steps=first.steps)
    Script(CREATED).run(PLATFORM, lambda adapter: adapter.publish(third))
