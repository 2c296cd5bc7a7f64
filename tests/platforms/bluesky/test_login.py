"""Connecting an account of Bluesky in the browser: against the stand-in, and what may go wrong on the way."""

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
from joserfc import jws
from joserfc.jwk import ECKey

from app.contract.enums import ConnectionPlatform
from app.platforms.adapters import PushedRequest, SignInFault
from app.platforms.base import AppCredentials, FailureKind, Profile, Published, TokenGrant
from app.platforms.bluesky.access import Access
from app.platforms.bluesky.adapter import Bluesky
from app.platforms.bluesky.keys import record_key
from tests.platforms.scripted import NOW, Script, json_answer
from tests.platforms.world import Member, Practice, picture
from tests.practice.programs import press

PLATFORM = ConnectionPlatform("bluesky")
REDIRECT = "http://127.0.0.1:17217/callback/bluesky"
APP = AppCredentials("")
DID = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
PDS, ISSUER = "https://pds.example.com", "https://login.example.com"


def pushed(practice: Practice, handle: str) -> PushedRequest:
    found: PushedRequest = practice.run(
        PLATFORM, lambda adapter: adapter.push(handle, redirect_uri=REDIRECT, state="the state")
    )
    return found


def allowed(practice: Practice, request: PushedRequest, **query: str) -> dict[str, str]:
    address = urlsplit(request.url)
    return press(practice.http, address.path, {**dict(parse_qsl(address.query)), **query})


def redeemed(practice: Practice, request: PushedRequest, answer: dict[str, str]) -> TokenGrant:
    grant: TokenGrant = practice.run(
        PLATFORM,
        lambda adapter: adapter.redeem(request.server, request.secret, redirect_uri=REDIRECT, answer=answer),
    )
    return grant


def connected(practice: Practice, name: str) -> Member:
    request = pushed(practice, f"{name}.bsky.social")
    grant = redeemed(practice, request, allowed(practice, request))
    [profile] = practice.run(PLATFORM, lambda adapter: adapter.profiles(grant.access_token))
    return Member(PLATFORM, grant, profile)


@pytest.fixture(scope="module")
def member(practice: Practice) -> Member:
    return connected(practice, "mira-lind")


# The stand-in


def test_a_consent_gives_access_to_the_account_of_the_handle(practice: Practice) -> None:
    request = pushed(practice, "@Otto-Brand")
    assert set(dict(parse_qsl(urlsplit(request.url).query))) == {"client_id", "request_uri"}
    answer = allowed(practice, request)
    assert (answer["state"], answer["iss"]) == ("the state", request.server)
    grant = redeemed(practice, request, answer)
    [profile] = practice.run(PLATFORM, lambda adapter: adapter.profiles(grant.access_token))
    assert profile.username == "otto-brand.bsky.social"
    assert grant.ends_at is not None
    assert abs(grant.ends_at - datetime.now(UTC) - timedelta(days=14)) < timedelta(minutes=1)


def test_the_consent_page_says_that_it_is_a_stand_in(practice: Practice) -> None:
    page = practice.http.get(pushed(practice, "otto-brand").url)
    assert "practice Bluesky account" in page.text
    assert "@otto_brand" in page.text


def test_another_account_can_be_chosen_on_the_consent_page(practice: Practice) -> None:
    request = pushed(practice, "otto-brand")
    grant = redeemed(practice, request, allowed(practice, request, account="kei-tanaka"))
    [profile] = practice.run(PLATFORM, lambda adapter: adapter.profiles(grant.access_token))
    assert profile.username == "kei-tanaka.bsky.social"


def test_texts_and_images_are_published(practice: Practice, member: Member) -> None:
    posts = (member.post("Allowed in the browser"), member.with_file("A picture", picture()))

    async def publish(adapter: Bluesky) -> list[Published]:
        return [await adapter.publish(post) for post in posts]

    found: list[Published] = practice.run(PLATFORM, publish)
    assert [one.content_id.rpartition("/")[2] for one in found] == [record_key(one.post_id) for one in posts]


def test_tokens_are_renewed_until_the_session_ends(practice: Practice) -> None:
    member = connected(practice, "otto-brand")
    old = member.consent.refresh_token or ""
    renewed: TokenGrant = practice.run(PLATFORM, lambda adapter: adapter.refresh(APP, old))
    assert renewed.ends_at == member.consent.ends_at
    assert practice.run(PLATFORM, lambda adapter: adapter.profiles(renewed.access_token)) == [member.profile]
    assert practice.fail(PLATFORM, lambda adapter: adapter.refresh(APP, old)).kind is FailureKind.AUTH_EXPIRED


def test_signing_out_ends_the_session(practice: Practice) -> None:
    grant = connected(practice, "otto-brand").consent
    practice.run(PLATFORM, lambda adapter: adapter.sign_out(grant))
    error = practice.fail(PLATFORM, lambda adapter: adapter.profiles(grant.access_token))
    assert error.kind is FailureKind.AUTH_EXPIRED


def test_a_token_without_its_key_opens_nothing(practice: Practice, member: Member) -> None:
    """Somebody who reads the token alone can't use it."""
    usual = f"{practice.url}/bluesky"
    access = Access.read(member.consent.access_token, usual)
    other = Access.read(connected(practice, "kei-tanaka").consent.access_token, usual)
    stolen = access.model_copy(update={"consented": other.consented}).text(usual)
    assert practice.fail(PLATFORM, lambda adapter: adapter.profiles(stolen)).kind is FailureKind.AUTH_EXPIRED
    error = practice.fail(PLATFORM, lambda adapter: adapter.profiles(access.token))
    assert error.kind is FailureKind.AUTH_EXPIRED


def test_a_code_is_worth_nothing_without_the_secret_of_its_request(practice: Practice) -> None:
    first, second = pushed(practice, "otto-brand"), pushed(practice, "otto-brand")
    answer = allowed(practice, first)
    error = practice.fail(
        PLATFORM,
        lambda adapter: adapter.redeem(first.server, second.secret, redirect_uri=REDIRECT, answer=answer),
    )
    assert error.kind is FailureKind.AUTH_EXPIRED


def test_the_page_opens_only_for_a_pushed_request(practice: Practice) -> None:
    query = {"response_type": "code", "client_id": "a", "redirect_uri": REDIRECT, "scope": "atproto"}
    page = practice.http.get("/bluesky/oauth/authorize", params=query)
    assert page.status_code == 400
    assert "pushed" in page.text


def test_an_unknown_handle_is_named(practice: Practice) -> None:
    error = practice.fail(
        PLATFORM, lambda adapter: adapter.push("nobody.example.com", redirect_uri=REDIRECT, state="s")
    )
    assert (error.kind, error.code) == (FailureKind.INVALID, SignInFault.HANDLE)


def test_only_a_service_on_this_computer_can_ask() -> None:
    error = Script().fail(
        PLATFORM,
        lambda adapter: adapter.push("a.test", redirect_uri="https://kalends.example/callback", state="s"),
    )
    assert (error.kind, error.code) == (FailureKind.INVALID, "not_local")


# Servers of others


def document(pds: str = PDS) -> httpx.Response:
    service = {"id": f"{DID}#atproto_pds", "type": "AtprotoPersonalDataServer", "serviceEndpoint": pds}
    return json_answer(200, {"id": DID, "service": [service]})


def resource(issuer: str = ISSUER) -> httpx.Response:
    return json_answer(200, {"resource": PDS, "authorization_servers": [issuer]})


def metadata(issuer: str = ISSUER, **more: str) -> httpx.Response:
    paths = {
        "authorization_endpoint": "authorize",
        "token_endpoint": "token",
        "pushed_authorization_request_endpoint": "par",
        "revocation_endpoint": "revoke",
    }
    return json_answer(
        200, {"issuer": issuer, **{name: f"{issuer}/{path}" for name, path in paths.items()}, **more}
    )


RESOLVED = json_answer(200, {"did": DID})
PUSHED = json_answer(201, {"request_uri": "urn:req", "expires_in": 300})
NONCE = json_answer(400, {"error": "use_dpop_nonce"}, dpop_nonce="nonce-1")


def tokens(sub: str = DID) -> httpx.Response:
    body = {"access_token": "access-1", "refresh_token": "refresh-1", "expires_in": 3600, "sub": sub}
    return json_answer(200, {**body, "token_type": "DPoP", "scope": "atproto transition:generic"})


def claims(request: httpx.Request) -> dict[str, Any]:
    """The claims of a proof, whose signature is right."""
    proof = request.headers["dpop"]
    head = proof.split(".")[0]
    header = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    assert (header["typ"], header["alg"]) == ("dpop+jwt", "ES256")
    assert "d" not in header["jwk"]
    signed = jws.deserialize_compact(proof, ECKey.import_key(header["jwk"]), algorithms=["ES256"])
    found: dict[str, Any] = json.loads(signed.payload)
    return found


async def push(adapter: Bluesky) -> PushedRequest:
    return await adapter.push("robin.example.com", redirect_uri=REDIRECT, state="the state")


def test_a_handle_leads_to_the_server_that_issues_its_tokens() -> None:
    script = Script(RESOLVED, document(), resource(), metadata(), NONCE, PUSHED)
    request: PushedRequest = script.run(PLATFORM, push)
    assert request.server == ISSUER
    assert request.url.startswith(f"{ISSUER}/authorize?client_id=http%3A%2F%2Flocalhost%3Fredirect_uri%3D")
    assert [str(one.url) for one in script.requests[2:4]] == [
        f"{PDS}/.well-known/oauth-protected-resource",
        f"{ISSUER}/.well-known/oauth-authorization-server",
    ]
    first, second = map(claims, script.requests[4:])
    assert "nonce" not in first
    assert (second["nonce"], second["htm"], second["htu"]) == ("nonce-1", "POST", f"{ISSUER}/par")
    assert first["jti"] != second["jti"]
    form = dict(parse_qsl(script.requests[-1].content.decode()))
    assert (form["login_hint"], form["code_challenge_method"]) == ("robin.example.com", "S256")


def test_a_consent_is_redeemed_and_the_token_is_bound_to_its_key() -> None:
    asked: PushedRequest = Script(RESOLVED, document(), resource(), metadata(), PUSHED).run(PLATFORM, push)
    demand = json_answer(401, {"error": "InvalidToken"}, dpop_nonce="nonce-2")
    demand.headers["www-authenticate"] = 'DPoP error="use_dpop_nonce"'
    account = json_answer(200, {"did": DID, "handle": "robin.example.com"})
    script = Script(
        metadata(), tokens(), document(), resource(), metadata(), demand, account, json_answer(502, {})
    )

    async def work(adapter: Bluesky) -> tuple[TokenGrant, list[Profile]]:
        answer = {"iss": ISSUER, "code": "the code", "state": "the state"}
        grant = await adapter.redeem(asked.server, asked.secret, redirect_uri=REDIRECT, answer=answer)
        return grant, await adapter.profiles(grant.access_token)

    grant, [profile] = script.run(PLATFORM, work)
    assert (profile.account_identifier, grant.ends_at) == (DID, NOW + timedelta(days=14))
    exchange, *_, call = script.requests[1], script.requests[6]
    assert "ath" not in claims(exchange)
    assert call.headers["authorization"] == "DPoP access-1"
    assert (claims(call)["nonce"], claims(call)["htu"]) == (
        "nonce-2",
        f"{PDS}/xrpc/com.atproto.server.getSession",
    )
    assert claims(call)["ath"]


@pytest.mark.parametrize(
    ("answer", "steps"),
    [
        ({"code": "c", "iss": "https://evil.example"}, []),
        ({"code": "c"}, []),
        ({"code": "c", "iss": ISSUER}, [metadata(), tokens(), document(), resource("https://other.example")]),
    ],
)
def test_a_server_cannot_answer_for_the_accounts_of_another(
    answer: dict[str, str], steps: list[httpx.Response]
) -> None:
    asked: PushedRequest = Script(RESOLVED, document(), resource(), metadata(), PUSHED).run(PLATFORM, push)
    more = [metadata("https://other.example")] if steps else []
    error = Script(*steps, *more).fail(
        PLATFORM,
        lambda adapter: adapter.redeem(asked.server, asked.secret, redirect_uri=REDIRECT, answer=answer),
    )
    assert (error.kind, error.code) == (FailureKind.INVALID, "issuer")


def test_a_server_cannot_name_another_account_than_the_tokens() -> None:
    asked: PushedRequest = Script(RESOLVED, document(), resource(), metadata(), PUSHED).run(PLATFORM, push)
    other = json_answer(200, {"did": "did:plc:victim", "handle": "victim.example.com"})
    script = Script(metadata(), tokens(), document(), resource(), metadata(), other)

    async def work(adapter: Bluesky) -> None:
        answer = {"iss": ISSUER, "code": "the code", "state": "the state"}
        grant = await adapter.redeem(asked.server, asked.secret, redirect_uri=REDIRECT, answer=answer)
        await adapter.profiles(grant.access_token)

    assert script.fail(PLATFORM, work).code == "other_account"


def test_a_server_cannot_name_another_account_than_the_passwords() -> None:
    session = json_answer(200, {"accessJwt": "a", "refreshJwt": "r"})
    other = json_answer(200, {"did": "did:plc:victim", "handle": "victim.example.com"})
    script = Script(RESOLVED, document(), session, other)

    async def work(adapter: Bluesky) -> None:
        grant = await adapter.sign_in("robin.example.com", "abcd-efgh-2345-6789")
        await adapter.profiles(grant.access_token)

    assert script.fail(PLATFORM, work).code == "other_account"


def test_the_account_is_kept_with_renewed_tokens() -> None:
    session = json_answer(200, {"accessJwt": "a", "refreshJwt": "r"})

    async def work(adapter: Bluesky) -> list[TokenGrant]:
        grant = await adapter.sign_in("robin.example.com", "abcd-efgh-2345-6789")
        return [grant, await adapter.refresh(APP, grant.refresh_token or "")]

    grants = Script(RESOLVED, document(), session, session).run(PLATFORM, work)
    assert [json.loads(one.access_token)["did"] for one in grants] == [DID, DID]


@pytest.mark.parametrize(
    "answers",
    [
        [document("http://pds.example.com")],
        [document("https://pds.example.com/path")],
        [document("https://user@pds.example.com")],
        [document("javascript:alert(1)")],
        [json_answer(200, {"id": DID})],
        [json_answer(404, {"message": "DID not registered"})],
        [document(), json_answer(404, {})],
        [document(), resource("ftp://login.example.com")],
        [document(), resource(), metadata("https://evil.example")],
        [document(), resource(), metadata(authorization_endpoint="file:///etc/passwd")],
        [document(), resource(), metadata(token_endpoint="http://login.example.com/token")],
        [document(), resource(), metadata(pushed_authorization_request_endpoint="http://login.example.com")],
        [document(), resource(), metadata(revocation_endpoint="ftp://login.example.com")],
        [document(), resource(), metadata(token_endpoint="http://[")],
    ],
)
def test_an_unusable_server_is_refused(answers: list[httpx.Response]) -> None:
    error = Script(RESOLVED, *answers).fail(PLATFORM, push)
    assert (error.kind, error.code) == (FailureKind.INVALID, "no_server")


def test_a_server_that_is_down_may_be_asked_again() -> None:
    error = Script(RESOLVED, json_answer(503, {})).fail(PLATFORM, push)
    assert error.kind is FailureKind.TRANSIENT


def test_a_did_of_a_domain_is_looked_up_there() -> None:
    script = Script(document(), resource(), metadata(), PUSHED)
    script.run(PLATFORM, lambda adapter: adapter.push("did:web:a.example", redirect_uri=REDIRECT, state="s"))
    assert str(script.requests[0].url) == "https://a.example/.well-known/did.json"


@pytest.mark.parametrize(
    "stored", ["{", '{"token": 1}', '{"pds": "https://a.b", "token": "t", "consented": 3}', "no token"]
)
def test_what_is_stored_must_be_readable(stored: str) -> None:
    error = Script().fail(PLATFORM, lambda adapter: adapter.profiles(stored))
    assert error.kind is FailureKind.AUTH_EXPIRED
