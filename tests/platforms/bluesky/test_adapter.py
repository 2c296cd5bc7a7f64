"""Bluesky's adapter, against answers from a script and against the stand-in."""

import base64
import json
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from app.contract.enums import ConnectionPlatform
from app.contract.places import PlaceOptions
from app.platforms.adapters import PasswordAdapter
from app.platforms.base import (
    AppCredentials,
    Cause,
    FailureKind,
    LookBack,
    LookBackOutcome,
    PlatformError,
    Profile,
    Publication,
    Published,
    TokenGrant,
)
from app.platforms.bluesky.adapter import Bluesky
from app.platforms.bluesky.keys import record_key
from tests.platforms.scripted import NOW, TOKEN, Script, Step, json_answer, publication
from tests.platforms.world import Member, Practice, picture

PLATFORM = ConnectionPlatform("bluesky")
DID = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
PASSWORD = "abcd-efgh-2345-6789"
APP = AppCredentials("")


def jwt(expires: datetime) -> str:
    body = json.dumps({"exp": int(expires.timestamp())}).encode()
    return f"e30.{base64.urlsafe_b64encode(body).rstrip(b'=').decode()}.c2ln"


def session(access: str) -> httpx.Response:
    return json_answer(200, {"accessJwt": access, "refreshJwt": "next", "handle": "a.test", "did": DID})


RESOLVED = json_answer(200, {"did": DID})


def document(pds: str = "https://morel.us-east.host.bsky.network") -> httpx.Response:
    """The document of an account's DID; the server is one of Bluesky's own unless told otherwise."""
    service = {"id": "#atproto_pds", "type": "AtprotoPersonalDataServer", "serviceEndpoint": pds}
    return json_answer(200, {"id": DID, "service": [service]})


def record_of(request: httpx.Request) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(request.content)
    return body


def stored(post: Publication) -> httpx.Response:
    uri = f"at://{DID}/app.bsky.feed.post/{record_key(post.post_id)}"
    return json_answer(200, {"uri": uri, "cid": "bafyreia"})


# Sessions


def test_an_app_password_becomes_tokens() -> None:
    script = Script(RESOLVED, document(), session(jwt(NOW + timedelta(hours=2))))
    grant: TokenGrant = script.run(PLATFORM, lambda adapter: adapter.sign_in("a.test", PASSWORD))
    assert (grant.refresh_token, grant.expires_at) == ("next", NOW + timedelta(hours=2))
    resolving, looking_up, request = script.requests
    assert resolving.url.params["handle"] == "a.test"
    assert str(looking_up.url) == f"https://plc.directory/{DID.replace(':', '%3A')}"
    assert str(request.url) == "https://bsky.social/xrpc/com.atproto.server.createSession"
    assert record_of(request) == {"identifier": "a.test", "password": PASSWORD}


@pytest.mark.parametrize("access", ["opaque", "a.b.c", "e30.e30.e30", f"e30.{'A' * 9}.c"])
def test_a_token_that_does_not_tell_its_end_has_none(access: str) -> None:
    script = Script(session(access))
    grant: TokenGrant = script.run(PLATFORM, lambda adapter: adapter.refresh(APP, "refresh-1"))
    assert grant == TokenGrant(access, "next", None)
    assert script.requests[0].headers["authorization"] == "Bearer refresh-1"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("a.test", "a.test"),
        ("\u202a@Robin.bsky.social\u202c ", "robin.bsky.social"),
        ("robin", "robin.bsky.social"),
        (DID, DID),
    ],
)
def test_a_handle_is_read_as_it_is_meant(written: str, meant: str) -> None:
    answers = [RESOLVED, document(), session("opaque")]
    script = Script(*(answers[1:] if meant == DID else answers))
    script.run(PLATFORM, lambda adapter: adapter.sign_in(written, PASSWORD))
    assert record_of(script.requests[-1])["identifier"] == meant


@pytest.mark.parametrize("password", ["hunter2", "ABCD-EFGH-2345-6789", f"{PASSWORD}-2345", ""])
def test_only_app_passwords_are_sent(password: str) -> None:
    error = Script().fail(PLATFORM, lambda adapter: adapter.sign_in("a.test", password))
    assert (error.kind, error.code) == (FailureKind.INVALID, "not_an_app_password")


def test_space_around_an_app_password_is_left_out() -> None:
    script = Script(RESOLVED, document(), session("opaque"))
    script.run(PLATFORM, lambda adapter: adapter.sign_in("a.test", f" {PASSWORD}\n"))
    assert record_of(script.requests[-1])["password"] == PASSWORD


REFUSAL = json_answer(401, {"error": "AuthenticationRequired", "message": f"Invalid {PASSWORD}"})


@pytest.mark.parametrize(
    ("handle", "answers", "code"),
    [
        ("a.test", [RESOLVED, document(), REFUSAL], "wrong_app_password"),
        ("a.test", [json_answer(400, {"error": "InvalidRequest"})], "unknown_handle"),
        (DID, [document(), REFUSAL], "wrong_app_password"),
    ],
)
def test_a_refused_sign_in_says_what_is_wrong(handle: str, answers: list[httpx.Response], code: str) -> None:
    script = Script(*answers)
    error = script.fail(PLATFORM, lambda adapter: adapter.sign_in(handle, PASSWORD))
    assert (error.kind, error.code) == (FailureKind.INVALID, code)
    assert PASSWORD not in str(error)
    assert all("authorization" not in request.headers for request in script.requests)


def test_an_app_password_is_sent_only_to_the_server_of_its_account() -> None:
    pds = "https://pds.example.com"
    script = Script(RESOLVED, document(pds), session("opaque"), stored(post := publication(DID)))

    async def work(adapter: Bluesky) -> TokenGrant:
        grant = await adapter.sign_in("robin.example.com", PASSWORD)
        await adapter.publish(replace(post, access_token=grant.access_token))
        return grant

    grant: TokenGrant = script.run(PLATFORM, work)
    assert [str(request.url) for request in script.requests[2:]] == [
        f"{pds}/xrpc/com.atproto.server.createSession",
        f"{pds}/xrpc/com.atproto.repo.putRecord",
    ]
    renewing = Script(session("opaque"))
    renewing.run(PLATFORM, lambda adapter: adapter.refresh(APP, grant.refresh_token))
    assert str(renewing.requests[0].url) == f"{pds}/xrpc/com.atproto.server.refreshSession"


def test_an_account_that_asks_for_a_code_refuses_the_password() -> None:
    answer = json_answer(401, {"error": "AuthFactorTokenRequired", "message": "A sign in code was sent"})
    script = Script(RESOLVED, document(), answer)
    error = script.fail(PLATFORM, lambda adapter: adapter.sign_in("a.test", PASSWORD))
    assert (error.kind, error.code) == (FailureKind.INVALID, "not_an_app_password")


def test_signing_out_ends_the_session_of_the_refresh_token() -> None:
    script = Script(httpx.Response(200))
    script.run(PLATFORM, lambda adapter: adapter.sign_out(TokenGrant("access", "refresh-1", None)))
    [request] = script.requests
    assert str(request.url) == "https://bsky.social/xrpc/com.atproto.server.deleteSession"
    assert request.headers["authorization"] == "Bearer refresh-1"
    ended = Script(json_answer(400, {"error": "ExpiredToken"}))
    ended.run(PLATFORM, lambda adapter: adapter.sign_out(TokenGrant("access", "refresh-1", None)))


def test_an_account_is_shown_while_the_server_of_profiles_is_down() -> None:
    account = json_answer(200, {"did": DID, "handle": "a.test", "email": "a@b.test"})
    script = Script(account, json_answer(502, {"error": "UpstreamFailure"}))
    profiles: list[Profile] = script.run(PLATFORM, lambda adapter: adapter.profiles(TOKEN))
    assert profiles == [Profile(DID, display_name="a.test", username="a.test")]


# Publishing


def test_a_record_names_mentions_links_and_tags_by_bytes() -> None:
    post = publication(DID, "Ü @b.test @nobody.test see example.com #wool")
    known = json_answer(200, {"did": "did:plc:b"})
    unknown = json_answer(400, {"error": "InvalidRequest", "message": "Unable to resolve handle"})
    script = Script(known, unknown, stored(post))
    published: Published = script.run(PLATFORM, lambda adapter: adapter.publish(post))
    assert published.url == f"https://bsky.app/profile/robin/post/{record_key(post.post_id)}"
    body = record_of(script.requests[-1])
    assert (body["repo"], body["rkey"]) == (DID, record_key(post.post_id))
    assert body["swapRecord"] is None
    assert body["record"]["createdAt"] == "2026-11-21T12:00:00.000+00:00"
    found = [(one["index"], one["features"][0]) for one in body["record"]["facets"]]
    assert found == [
        ({"byteStart": 3, "byteEnd": 10}, {"$type": "app.bsky.richtext.facet#mention", "did": "did:plc:b"}),
        (
            {"byteStart": 28, "byteEnd": 39},
            {"$type": "app.bsky.richtext.facet#link", "uri": "https://example.com"},
        ),
        ({"byteStart": 40, "byteEnd": 45}, {"$type": "app.bsky.richtext.facet#tag", "tag": "wool"}),
    ]


def test_the_language_of_a_post_is_named() -> None:
    post = replace(publication(DID, "Wolle"), options=PlaceOptions(language="de"))
    script = Script(stored(post))
    script.run(PLATFORM, lambda adapter: adapter.publish(post))
    assert record_of(script.requests[0])["record"]["langs"] == ["de"]


def test_a_key_that_is_taken_names_the_post_that_has_it() -> None:
    post = publication(DID)
    answer = json_answer(400, {"error": "InvalidSwap", "message": "Record was at bafyreia"})
    error = Script(answer).fail(PLATFORM, lambda adapter: adapter.publish(post))
    assert error.kind is FailureKind.DUPLICATE
    assert error.existing is not None
    assert error.existing.content_id == f"at://{DID}/app.bsky.feed.post/{record_key(post.post_id)}"


def test_attempts_of_a_post_share_a_key_and_other_posts_have_others() -> None:
    post = publication(DID)

    def key_of(one: Publication) -> str:
        script = Script(stored(one))
        script.run(PLATFORM, lambda adapter: adapter.publish(one))
        return str(record_of(script.requests[0])["rkey"])

    assert key_of(post) == key_of(replace(post, access_token="other")) != key_of(publication(DID))


@pytest.mark.parametrize(
    ("step", "kind", "cause"),
    [
        (json_answer(400, {"error": "ExpiredToken"}), FailureKind.AUTH_EXPIRED, None),
        (json_answer(400, {"error": "InvalidToken"}), FailureKind.AUTH_EXPIRED, None),
        (json_answer(401, {"error": "AccountTakedown"}), FailureKind.PERMISSION, Cause.RESTRICTED),
        (json_answer(429, {"error": "RateLimitExceeded"}), FailureKind.RATE_LIMITED, None),
        (json_answer(400, {"error": "BlobNotFound"}), FailureKind.INVALID, Cause.FILE_GONE),
        (
            json_answer(
                400,
                {
                    "error": "InvalidRequest",
                    "message": "Invalid record: grapheme too big (maximum 300, got 301) at $.record.text",
                },
            ),
            FailureKind.INVALID,
            Cause.TEXT_LENGTH,
        ),
        (json_answer(500, {"error": "InternalServerError"}), FailureKind.AMBIGUOUS, None),
        (json_answer(502, {"error": "UpstreamFailure"}), FailureKind.AMBIGUOUS, None),
        (json_answer(200, {}), FailureKind.AMBIGUOUS, None),
        (httpx.ReadTimeout("late"), FailureKind.AMBIGUOUS, None),
    ],
)
def test_what_refusals_of_a_record_mean(step: Step, kind: FailureKind, cause: Cause | None) -> None:
    error = Script(step).fail(PLATFORM, lambda adapter: adapter.publish(publication(DID)))
    assert (error.kind, error.cause) == (kind, cause)


NAMED = {
    (FailureKind.AUTH_EXPIRED, None): "ExpiredToken InvalidToken AuthMissing AuthenticationRequired",
    (
        FailureKind.PERMISSION,
        Cause.RESTRICTED,
    ): "AccountTakedown AccountSuspended AccountDeactivated RepoTakendown RepoSuspended RepoDeactivated",
    (FailureKind.DUPLICATE, None): "InvalidSwap",
    (FailureKind.INVALID, Cause.FILE_GONE): "BlobNotFound",
    (FailureKind.INVALID, Cause.FILE_SIZE): "BlobTooLarge PayloadTooLarge",
    (FailureKind.INVALID, Cause.FILE): "InvalidMimeType",
}


def refusal(status: int, body: dict[str, str]) -> PlatformError:
    return Script(json_answer(status, body)).fail(PLATFORM, lambda adapter: adapter.publish(publication(DID)))


@pytest.mark.parametrize(
    ("meaning", "name"), [(meaning, name) for meaning, names in NAMED.items() for name in names.split()]
)
def test_the_name_of_a_refusal_says_more_than_its_status(
    meaning: tuple[FailureKind, Cause | None], name: str
) -> None:
    """Only a 4xx proves that there's no post."""
    for status in (400, 403, 429, 499):
        error = refusal(status, {"error": name})
        assert (error.kind, error.cause) == meaning
    for status in (399, 500, 503):
        assert refusal(status, {"error": name}).kind is FailureKind.AMBIGUOUS


@pytest.mark.parametrize(
    ("status", "message", "cause"),
    [
        (400, "Invalid record: string too big (maximum 3000) at $.record.text, image", Cause.TEXT_LENGTH),
        (400, "Invalid record: string too big (maximum 100) at $.record.embed.uri", Cause.LINK),
        (400, "Invalid URI in record of an image", Cause.LINK),
        (400, "Wrong Image", Cause.FILE),
        (400, "Blob is missing", Cause.FILE),
        (400, "Mime type", Cause.FILE),
        (400, "Something else", None),
        (403, "Wrong image", None),
        (429, "Wrong image", None),
    ],
)
def test_the_words_of_an_invalid_record_say_why(status: int, message: str, cause: Cause | None) -> None:
    error = refusal(status, {"error": "InvalidRequest", "message": message})
    assert (error.code, error.message, error.cause) == ("InvalidRequest", message, cause)


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [({"error": "Odd"}, "Odd", "Odd"), ({}, "http_400", "Bluesky answered 400.")],
)
def test_a_refusal_without_words_has_its_name_or_its_status(
    body: dict[str, str], code: str, message: str
) -> None:
    error = refusal(400, body)
    assert (error.code, error.message) == (code, message)


def test_a_refusal_that_is_not_json_has_its_status() -> None:
    script = Script(httpx.Response(413, text="<html>"))
    error = script.fail(PLATFORM, lambda adapter: adapter.publish(publication(DID)))
    assert (error.kind, error.code) == (FailureKind.INVALID, "http_413")


# Looking back


def look(step: Step, post: Publication, known: Collection[str] = ()) -> LookBack:
    script = Script(step)
    seen: LookBack = script.run(PLATFORM, lambda adapter: adapter.look_back(post, since=NOW, known=known))
    assert script.requests[0].url.params["rkey"] == record_key(post.post_id)
    return seen


def test_only_the_servers_own_word_proves_that_a_post_is_absent() -> None:
    post = publication(DID)
    missing = json_answer(400, {"error": "RecordNotFound", "message": "Could not locate record"})
    assert look(missing, post) == LookBack(LookBackOutcome.ABSENT)
    assert look(stored(post), post).outcome is LookBackOutcome.FOUND
    assert look(json_answer(200, {"uri": "at://elsewhere"}), post).outcome is LookBackOutcome.UNKNOWABLE
    for step in (json_answer(404, {}), json_answer(400, {"error": "InvalidRequest"}), json_answer(502, {})):
        with pytest.raises(PlatformError):
            look(step, post)


# The stand-in


@pytest.fixture(scope="module")
def member(practice: Practice) -> Member:
    return connected(practice, "mira-lind")


def connected(practice: Practice, name: str) -> Member:
    async def sign_in(adapter: PasswordAdapter) -> TokenGrant:
        return await adapter.sign_in(f"{name}.bsky.social", PASSWORD)

    grant: TokenGrant = practice.run(PLATFORM, sign_in)
    [profile] = practice.run(PLATFORM, lambda adapter: adapter.profiles(grant.access_token))
    return Member(PLATFORM, grant, profile)


def test_a_session_shows_its_account_and_is_renewed(practice: Practice) -> None:
    member = connected(practice, "otto-brand")
    profile = member.profile
    assert (profile.display_name, profile.username) == ("Otto Brand", "otto-brand.bsky.social")
    assert profile.avatar_url
    assert profile.follower_count
    old = member.consent.refresh_token or ""
    grant = practice.run(PLATFORM, lambda adapter: adapter.refresh(APP, old))
    assert practice.run(PLATFORM, lambda adapter: adapter.profiles(grant.access_token)) == [profile]
    assert practice.fail(PLATFORM, lambda adapter: adapter.refresh(APP, old)).kind is FailureKind.AUTH_EXPIRED


def test_an_image_arrives_with_its_description(practice: Practice, member: Member) -> None:
    post = member.with_file("A picture", picture(alt_text="Two skeins"))
    published: Published = practice.run(PLATFORM, lambda adapter: adapter.publish(post))
    [entry] = [
        one
        for one in practice.ledger(member.profile.account_identifier)
        if one["content_id"] == published.content_id
    ]
    assert post.media is not None
    assert (entry["media_sha256"], entry["labels"]) == (post.media.sha256, "Two skeins")
    assert "A picture" in practice.http.get(str(published.url), follow_redirects=True).text


def test_a_lost_answer_is_found_and_a_repeat_is_refused(practice: Practice, member: Member) -> None:
    post = member.post("Lost, and found")

    def look() -> LookBack:
        seen: LookBack = practice.run(
            PLATFORM, lambda adapter: adapter.look_back(post, since=datetime.now(UTC), known=())
        )
        return seen

    assert look() == LookBack(LookBackOutcome.ABSENT)
    assert practice.lose(PLATFORM, post).kind is FailureKind.AMBIGUOUS
    [entry] = [one for one in practice.ledger(member.profile.account_identifier) if one["text"] == post.text]
    assert practice.shows(look(), post) == entry
    error = practice.fail(PLATFORM, lambda adapter: adapter.publish(post))
    assert error.kind is FailureKind.DUPLICATE
    assert practice.shows(error, post) == entry


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
    practice.order(PLATFORM, "publish", fault, account=member.profile.account_identifier)
    error = practice.fail(PLATFORM, lambda adapter: adapter.publish(member.post("Oops")))
    assert error.kind is kind


def test_counts_are_told_of_the_posts_that_are_there(practice: Practice, member: Member) -> None:
    published: Published = practice.run(PLATFORM, lambda adapter: adapter.publish(member.post("Count me")))
    ids = [published.content_id, f"at://{DID}/app.bsky.feed.post/3kznmn7xqxl22", "not one of Bluesky's"]
    [counted] = practice.run(PLATFORM, lambda adapter: adapter.metrics(member.grant.access_token, DID, ids))
    assert counted.content_id == published.content_id
    assert counted.views is None
    assert counted.likes is not None
