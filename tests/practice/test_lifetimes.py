"""Codes and tokens have the documented lifetimes, and codes work once, for the client that requested them."""

from dataclasses import dataclass

import httpx
import pytest

from tests.practice.conftest import Clock
from tests.practice.doors import DOORS, FACEBOOK, INSTAGRAM, PINTEREST, THREADS, TIKTOK, YOUTUBE, Door
from tests.practice.programs import press

HOUR_S, DAY_S = 3600, 86_400


@dataclass(frozen=True)
class Life:
    """Lifetimes in s; None if the platform doesn't document or have them."""

    door: Door
    read: str
    code_s: int
    access_s: int | None
    refresh_s: int | None

    def __str__(self) -> str:
        return self.door.name


LIVES = [
    Life(PINTEREST, "/v5/user_account", 600, 30 * DAY_S, 60 * DAY_S),
    Life(TIKTOK, "/v2/user/info/?fields=open_id", 600, DAY_S, 365 * DAY_S),
    Life(YOUTUBE, "/youtube/v3/channels?part=snippet&mine=true", 600, 3599, None),
    Life(FACEBOOK, "/v25.0/me/accounts?fields=id", 600, 5400, None),
    Life(INSTAGRAM, "/v25.0/me/accounts?fields=id", 600, 5400, None),
    Life(THREADS, "/v1.0/me?fields=id", HOUR_S, None, None),
]


def test_every_door_is_tried() -> None:
    assert {life.door.name for life in LIVES} == {door.name for door in DOORS}


@pytest.mark.parametrize("life", LIVES, ids=str)
def test_tokens(practice: httpx.Client, clock: Clock, life: Life) -> None:
    visitor = life.door.enter(practice, account=f"life-{life.door.name}")
    tokens = visitor.tokens
    refresh = tokens.get("refresh_token_expires_in", tokens.get("refresh_expires_in"))
    assert (tokens.get("expires_in"), refresh) == (life.access_s, life.refresh_s)

    path, _, query = life.read.partition("?")
    asked = dict(pair.split("=") for pair in query.split("&") if pair)
    lives = life.access_s or HOUR_S
    clock.ahead += lives - 5
    assert visitor.get(path, **asked).status_code == 200
    clock.ahead += 10
    assert visitor.get(path, **asked).status_code in {400, 401}


@pytest.mark.parametrize("life", LIVES, ids=str)
def test_codes(practice: httpx.Client, clock: Clock, life: Life) -> None:
    door = life.door
    code = press(practice, door.consent, door.asked(account="codes"))["code"]
    assert door.exchange(practice, code + "x").status_code >= 400
    assert door.exchange(practice, code).status_code == 200
    assert door.exchange(practice, code).status_code >= 400

    late = press(practice, door.consent, door.asked(account="codes"))["code"]
    clock.ahead += life.code_s + 1
    assert door.exchange(practice, late).status_code >= 400


def test_tiktok_wants_the_verifier_in_hexadecimal(practice: httpx.Client) -> None:
    base64_digest = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    page = practice.get(TIKTOK.consent, params=TIKTOK.asked(code_challenge=base64_digest))
    assert (page.status_code, "64 hexadecimal digits" in page.text) == (400, True)
    other = press(practice, TIKTOK.consent, TIKTOK.asked(code_challenge="0" * 64))["code"]
    assert TIKTOK.exchange(practice, other).json()["error"] == "invalid_grant"
