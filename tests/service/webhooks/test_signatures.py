"""Signatures: deliveries as they arrived, verified by verifiers that others wrote."""

import base64
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from app.service.webhooks.sender import new_secret, signature, standard_signature
from tests.node import installed
from tests.service.webhooks.conftest import Signed, Subscriber
from tests.snippets import LANGUAGES, Check

_SCRIPT = """
import { readFileSync } from "node:fs";
import { verify } from "@octokit/webhooks-methods";
const cases = JSON.parse(readFileSync(0, "utf8"));
const verdicts = [];
for (const { secret, body, signature } of cases) {
  const payload = Buffer.from(body, "base64").toString("utf8");
  verdicts.push(await verify(secret, payload, signature));
}
console.log(JSON.stringify(verdicts));
"""


Case = tuple[str, bytes, str]
"""Secret, body, signature."""
Verify = Callable[[list[Case]], list[bool]]


@pytest.fixture(scope="session")
def github_style(tmp_path_factory: pytest.TempPathFactory) -> Verify:
    """GitHub's own verifier in Node, as the registry has it."""
    peer = installed(tmp_path_factory.mktemp("verifier"), _SCRIPT, ["@octokit/webhooks-methods"])

    def verify(cases: list[Case]) -> list[bool]:
        verdicts: list[bool] = peer.ask(
            [
                {"secret": secret, "body": base64.b64encode(body).decode(), "signature": signature}
                for secret, body, signature in cases
            ]
        )
        return verdicts

    return verify


def test_a_github_style_verifier_takes_it_and_nothing_else(signed: Signed, github_style: Verify) -> None:
    secret, body, sent = signed.secret, signed.request.body, signed.signature
    other = "0" if sent[-1] != "0" else "1"

    verdicts = github_style(
        [
            (secret, body, sent),
            (secret, body.replace(b"post.scheduled", b"post.published"), sent),
            (secret, body + b" ", sent),
            (secret, body[:-1], sent),
            (secret[:-2] + ("A=" if secret[-2:] != "A=" else "B="), body, sent),
            (secret.removeprefix("whsec_"), body, sent),
            (secret, body, sent[:-1] + other),
            (secret, body, sent.removeprefix("sha256=")),
        ]
    )

    assert verdicts == [True] + [False] * 7


def test_both_signatures_are_those_of_the_published_examples() -> None:
    """From GitHub's "Validating webhook deliveries", and from the libraries of Standard Webhooks."""
    github = signature("It's a Secret to Everybody", b"Hello, World!")
    assert github == "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    at = datetime(2021, 2, 25, 15, 2, 10, 999_000, tzinfo=UTC)
    standard = standard_signature(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        at,
        b'{"test": 2432232314}',
    )
    assert standard == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_secret_is_32_bytes_that_nobody_can_guess() -> None:
    secrets = {new_secret() for _ in range(10)}
    assert len(secrets) == 10
    for secret in secrets:
        assert secret.startswith("whsec_")
        assert len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) == 32


def test_standard_webhooks_takes_it(signed: Signed) -> None:
    event = Webhook(signed.secret).verify(signed.request.body, signed.standard)

    assert event == signed.request.event
    assert signed.standard["webhook-id"] == event["event_id"]
    assert set(signed.standard) == {"webhook-id", "webhook-timestamp", "webhook-signature"}


def _older(headers: dict[str, str]) -> dict[str, str]:
    return headers | {"webhook-timestamp": str(int(headers["webhook-timestamp"]) - 1)}


def _renamed(headers: dict[str, str]) -> dict[str, str]:
    return headers | {"webhook-id": "another"}


def _forged(headers: dict[str, str]) -> dict[str, str]:
    signature = base64.b64decode(headers["webhook-signature"].removeprefix("v1,"))
    changed = bytes([signature[0] ^ 1]) + signature[1:]
    return headers | {"webhook-signature": f"v1,{base64.b64encode(changed).decode()}"}


@pytest.mark.parametrize("tamper", [_older, _renamed, _forged])
def test_standard_webhooks_refuses_tampered_headers(
    signed: Signed, tamper: Callable[[dict[str, str]], dict[str, str]]
) -> None:
    with pytest.raises(WebhookVerificationError):
        Webhook(signed.secret).verify(signed.request.body, tamper(signed.standard))


def test_standard_webhooks_refuses_another_body_or_secret(signed: Signed, subscriber: Subscriber) -> None:
    with pytest.raises(WebhookVerificationError):
        Webhook(signed.secret).verify(signed.request.body + b" ", signed.standard)
    other = subscriber.caller.http.post(
        "/webhooks", json={"url": "https://1.1.1.1/", "events": ["post.failed"]}
    ).json()
    with pytest.raises(WebhookVerificationError):
        Webhook(other["secret"]).verify(signed.request.body, signed.standard)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_examples_of_the_app_take_it_and_nothing_else(
    signed: Signed, language: Callable[[Path], Check], tmp_path: Path
) -> None:
    secret, body, sent = signed.secret, signed.request.body, signed.signature
    check = language(tmp_path)
    assert check(body, sent, secret)
    assert not check(body.replace(b"post.scheduled", b"post.published"), sent, secret)
    assert not check(body, sent, secret.removeprefix("whsec_"))
    assert not check(body, sent.removeprefix("sha256="), secret)
    assert not check(body, "ä" * len(sent), secret)
