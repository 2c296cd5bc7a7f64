"""No token and no secret is in anything that may be shown, stored or logged."""

import logging
import traceback
from dataclasses import replace

import httpx
import pytest

from app.contract.enums import ConnectionPlatform
from app.platforms.adapters import ConsentAdapter
from app.platforms.base import AppCredentials, PlatformError, TokenGrant
from app.platforms.http import Answer, Call, bearer
from tests.platforms.scripted import TOKEN, Script, Step, json_answer, publication

APP = AppCredentials("my-app", "app-secret-1")
CODE = "secret-code"
PLAIN_TOKEN = "three-plain-words"  # TOKEN would be hidden by its looks alone
PLATFORMS = list(ConnectionPlatform)
ACCOUNTS = {
    ConnectionPlatform.LINKEDIN: "urn:li:person:a",
    ConnectionPlatform.X: "1",
    ConnectionPlatform.FACEBOOK: "1",
}


def shown(error: PlatformError) -> str:
    """Everything of an error that could be seen, its traceback and representation included."""
    return " ".join([repr(error), str(error), *traceback.format_exception(error), repr(vars(error))])


def echoes(secret: str) -> list[Step]:
    """Answers that hold the secret wherever a platform could put it."""
    return [
        json_answer(400, {"message": f"Bad token {secret}.", "code": secret}),
        json_answer(403, {"detail": f"{secret} may not", "title": secret, "errors": [{"message": secret}]}),
        json_answer(400, {"error": secret, "error_description": f"Value {secret} was invalid"}),
        json_answer(401, {"error": "invalid_grant", "error_description": f"\n{secret}\x00 {secret}"}),
        json_answer(400, {"error": {"message": f"{secret}!", "code": 190, "error_user_msg": secret}}),
        json_answer(
            400, {"error": {"message": f"{secret}!", "code": secret, "errors": [{"reason": secret}]}}
        ),
        httpx.ConnectError(f"cannot send {secret}"),
        httpx.ReadTimeout(f"cannot read {secret}"),
    ]


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("step", echoes(TOKEN), ids=lambda step: type(step).__name__)
def test_an_access_token_that_is_echoed(platform: ConnectionPlatform, step: Step) -> None:
    if platform in ACCOUNTS:
        post = publication(ACCOUNTS[platform])
        assert TOKEN not in shown(Script(step).fail(platform, lambda adapter: adapter.publish(post)))
    assert TOKEN not in shown(Script(step).fail(platform, lambda adapter: adapter.profiles(TOKEN)))


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("step", echoes(PLAIN_TOKEN), ids=lambda step: type(step).__name__)
def test_a_token_is_hidden_even_where_it_looks_like_words(platform: ConnectionPlatform, step: Step) -> None:
    if platform in ACCOUNTS:
        post = replace(publication(ACCOUNTS[platform]), access_token=PLAIN_TOKEN)
        assert PLAIN_TOKEN not in shown(Script(step).fail(platform, lambda adapter: adapter.publish(post)))
    error = Script(step).fail(platform, lambda adapter: adapter.profiles(PLAIN_TOKEN))
    assert PLAIN_TOKEN not in shown(error)


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("secret", ["refresh-1", "app-secret-1"])
def test_what_a_token_call_sends(platform: ConnectionPlatform, secret: str) -> None:
    for step in echoes(secret):
        error = Script(step).fail(platform, lambda adapter: adapter.refresh(APP, "refresh-1"))
        assert secret not in shown(error)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_code_that_is_echoed(platform: ConnectionPlatform) -> None:
    async def exchange(adapter: ConsentAdapter) -> TokenGrant:
        return await adapter.exchange_code(
            APP, redirect_uri="http://127.0.0.1:1/", code=CODE, code_verifier="verifier"
        )

    for step in echoes(CODE):
        assert CODE not in shown(Script(step).fail(platform, exchange))


def test_a_token_that_nobody_sent_is_hidden_by_its_looks() -> None:
    body = {"message": f"The token {TOKEN[:-1]} has expired", "code": "EXPIRED_ACCESS_TOKEN"}
    step = json_answer(401, body)
    error = Script(step).fail(
        ConnectionPlatform.LINKEDIN, lambda adapter: adapter.publish(publication("urn:li:person:a"))
    )
    assert error.message == "The token [hidden] has expired"


def test_representations_hold_no_secret() -> None:
    grant = TokenGrant(TOKEN, "refresh-1", None)
    call = Call(
        method="POST",
        url="https://api.x.com/2/tweets",
        headers=bearer(TOKEN),
        form={"refresh_token": "refresh-1"},
        secrets=(TOKEN, "refresh-1"),
    )
    answer = Answer(call, 200, {"echo": TOKEN}, TOKEN.encode())
    everything = repr([grant, APP, publication("1"), call, answer])
    for secret in (TOKEN, "refresh-1", "app-secret-1"):
        assert secret not in everything


@pytest.mark.parametrize("platform", PLATFORMS)
def test_nothing_is_logged(platform: ConnectionPlatform, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    Script(json_answer(401, {"message": TOKEN})).fail(platform, lambda adapter: adapter.profiles(TOKEN))
    Script(json_answer(200, {"access_token": TOKEN})).run(
        platform, lambda adapter: adapter.refresh(APP, "refresh-1")
    )
    assert not any(secret in caplog.text for secret in (TOKEN, "refresh-1", "app-secret-1"))


def test_long_words_are_cut_to_one_short_line() -> None:
    step = json_answer(400, {"message": "no\r\n" * 10_000})
    error = Script(step).fail(
        ConnectionPlatform.LINKEDIN, lambda adapter: adapter.publish(publication("urn:li:person:a"))
    )
    assert len(error.message) <= 500
    assert "\n" not in error.message
