"""Keys: who gets in, and from when on nobody does."""

import base64
import re
from collections.abc import Callable
from datetime import timedelta

import httpx
import pytest

from app.contract.enums import KeyScope, SubscriptionStatus
from app.service.accounts.accounts import KEY_FORMAT, change_account, revoke_key
from app.service.store.tables import api_keys
from tests.service.running import Caller, RunningService


def status_with(service: RunningService, authorization: str | None) -> httpx.Response:
    headers = {} if authorization is None else {"Authorization": authorization}
    with service.client(headers) as http:
        return http.get("/posts")


def assert_refused(answer: httpx.Response, status: int, code: str) -> None:
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert "details" not in answer.json()["error"]


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Basic " + base64.b64encode(b"stp_rest_:x").decode(),
        "Bearer stp_rest_" + "0" * 63,
        "Bearer stp_rest_" + "g" * 64,
        "Bearer stp_rest_" + "0" * 64 + "0",
        "Bearer stp_rest_" + "0" * 64,
        "Bearer",
        "stp_rest_" + "0" * 64,
        "Token stp_rest_" + "0" * 64,
        "Bearer stp_test_" + "0" * 64,
        "Bearer STP_REST_" + "0" * 64,
        "Bearer stp_rest_" + "0" * 32 + " " + "0" * 32,
        "Bearer stp_rest_" + "0" * 64 + ", Bearer stp_rest_" + "0" * 64,
        "Bearer " + "0" * 8_000,
    ],
)
def test_without_a_good_key_nobody_gets_in(service: RunningService, authorization: str | None) -> None:
    answer = status_with(service, authorization)

    assert_refused(answer, 401, "unauthorized")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_two_keys_at_once_are_none(caller: Caller) -> None:
    headers = [("Authorization", f"Bearer {caller.key}")] * 2

    assert_refused(httpx_get(caller, headers), 401, "unauthorized")


def httpx_get(caller: Caller, headers: list[tuple[str, str]]) -> httpx.Response:
    with httpx.Client(verify=caller.service.trust, trust_env=False) as http:
        return http.get(f"{caller.service.base_url}/api/v1/posts", headers=headers)


def test_a_key_has_the_form_of_the_contract_and_is_kept_as_a_hash(caller: Caller) -> None:
    assert KEY_FORMAT.fullmatch(caller.key)
    hashes = caller.service.database.read_now(
        lambda rows: rows.execute(api_keys.select().where(api_keys.c.account_id == caller.account_id)).all()
    )
    assert len(hashes) == 1
    assert caller.key not in str(hashes[0])


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Bearer ", "bEaReR"])
def test_the_scheme_may_be_written_in_any_case_and_followed_by_spaces(caller: Caller, scheme: str) -> None:
    assert status_with(caller.service, f"{scheme} {caller.key}").status_code == 200


@pytest.mark.parametrize(
    "spoilt",
    [
        lambda key: key.upper(),
        lambda key: key[:9] + key[9:].upper(),
        lambda key: key[:40] + " " + key[40:],
        lambda key: key[:-1],
        lambda key: key + "0",
        lambda key: f'"{key}"',
        lambda key: key.removeprefix("stp_rest_"),
    ],
)
def test_a_key_counts_only_as_it_was_given(caller: Caller, spoilt: Callable[[str], str]) -> None:
    assert re.search("[a-f]", caller.key[9:])  # all digits in one of 10^13 keys

    assert_refused(status_with(caller.service, f"Bearer {spoilt(caller.key)}"), 401, "unauthorized")


def test_a_key_is_taken_from_no_other_place(caller: Caller) -> None:
    with caller.service.client({"X-Api-Key": caller.key, "Cookie": f"key={caller.key}"}) as http:
        for name in ("key", "api_key", "access_token", "token"):
            assert_refused(http.get("/posts", params={name: caller.key}), 401, "unauthorized")


def test_plain_http_is_no_way_in(caller: Caller) -> None:
    plain = caller.service.base_url.replace("https://", "http://")
    with httpx.Client(trust_env=False) as http, pytest.raises(httpx.TransportError):
        http.get(f"{plain}/api/v1/posts", headers={"Authorization": f"Bearer {caller.key}"})


def test_a_revoked_key_ends_at_once(service: RunningService) -> None:
    caller = service.new_caller()
    key_id, key = service.new_key(caller.account_id)
    assert status_with(service, f"Bearer {key}").status_code == 200

    service.database.write_now(lambda rows: revoke_key(rows, key_id, service.clock()))

    assert_refused(status_with(service, f"Bearer {key}"), 401, "unauthorized")
    assert caller.http.get("/posts").status_code == 200


def test_a_key_ends_when_its_time_is_up(service: RunningService) -> None:
    caller = service.new_caller(expires_at=service.clock() + timedelta(hours=1))
    assert caller.http.get("/posts").status_code == 200

    service.clock.ahead = timedelta(hours=1)

    assert_refused(caller.http.get("/posts"), 401, "unauthorized")


@pytest.mark.parametrize("status", [SubscriptionStatus.PAST_DUE, SubscriptionStatus.INACTIVE])
def test_a_lapsed_subscription_ends_all_keys_until_it_is_active_again(
    caller: Caller, status: SubscriptionStatus
) -> None:
    def set_status(to: SubscriptionStatus) -> None:
        caller.service.database.write_now(lambda rows: change_account(rows, caller.account_id, status=to))

    set_status(status)
    assert_refused(caller.http.get("/usage"), 401, "unauthorized")
    set_status(SubscriptionStatus.ACTIVE)
    assert caller.http.get("/usage").status_code == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/posts"),
        ("POST", "/posts"),
        ("PATCH", "/posts/0"),
        ("DELETE", "/posts/0"),
        ("GET", "/connections"),
        ("POST", "/connections/initiate"),
        ("GET", "/usage"),
    ],
)
def test_a_key_without_the_scope_may_nothing(service: RunningService, method: str, path: str) -> None:
    caller = service.new_caller(KeyScope.NONE)

    assert_refused(caller.http.request(method, path), 403, "forbidden")
