"""Beginning a browser flow: what is answered, what is stored, and what is refused."""

import base64
import hashlib
from datetime import datetime, timedelta
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import httpx
import pytest

from app.service.store.tables import connection_flows
from tests.service.connections.browsing import callback, initiate, listed
from tests.service.platforms import ScriptedAdapter
from tests.service.running import Caller
from tests.service.test_envelope import fields


def test_what_initiation_answers(caller: Caller, linkedin: ScriptedAdapter) -> None:
    before = caller.service.clock()

    started = initiate(caller)

    assert set(started) == {"connect_url", "state", "expires_at", "connection_id"}
    lifetime = datetime.fromisoformat(started["expires_at"]) - before
    assert timedelta(minutes=15) <= lifetime < timedelta(minutes=15, seconds=5)
    asked = parse_qs(urlsplit(started["connect_url"]).query)
    assert asked["state"] == [started["state"]]
    assert asked["redirect_uri"] == [f"{caller.service.callback_url}/callback/linkedin"]
    assert linkedin.exchanges == []


def test_the_verifier_fits_the_challenge_and_the_state_is_not_stored(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    started = initiate(caller)
    flow = caller.service.database.read_now(
        lambda rows: rows.execute(
            connection_flows.select().where(
                connection_flows.c.connection_id == UUID(started["connection_id"])
            )
        ).one()
    )
    assert started["state"] not in str(flow)

    browser.get(callback(started["connect_url"], code="code-1"))

    [exchange] = linkedin.exchanges
    assert exchange["verifier"].encode() not in flow.code_verifier
    digest = hashlib.sha256(exchange["verifier"].encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    assert parse_qs(urlsplit(started["connect_url"]).query)["code_challenge"] == [challenge]


def test_a_pending_account_is_not_there_yet(caller: Caller) -> None:
    started = initiate(caller)

    assert caller.http.get(f"/connections/{started['connection_id']}").status_code == 404
    assert listed(caller, include_unavailable="true") == []


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "ftp://x/y",
        "//x/y",
        "x",
        "",
        "http://",
        "http://x/\r\nA: b",
    ],
)
def test_a_redirect_address_must_be_http(caller: Caller, address: str) -> None:
    answer = caller.http.post("/connections/initiate", json={"platform": "linkedin", "redirect_url": address})

    assert set(fields(answer)) == {"redirect_url"}


@pytest.mark.parametrize("platform", ["threads", "myspace", None, ""])
def test_only_posting_platforms_are_initiated(caller: Caller, platform: str | None) -> None:
    answer = caller.http.post("/connections/initiate", json={"platform": platform})

    assert set(fields(answer)) == {"platform"}


def test_a_platform_without_adapter_is_refused(caller: Caller) -> None:
    answer = caller.http.post("/connections/initiate", json={"platform": "facebook"})

    assert fields(answer) == {"platform": "unsupported"}
