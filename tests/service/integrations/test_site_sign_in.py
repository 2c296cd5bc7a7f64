"""Signing in: by a link, once; by a password, not by guessing; and out again."""

import hashlib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from argon2 import extract_parameters
from sqlalchemy import select

from app.service.accounts.sessions import (
    LINK_LIFETIME,
    SESSION_IDLE,
    SESSION_LIFETIME,
    WAIT_FIRST,
    PasswordCheck,
)
from app.service.problems import CommandProblem
from app.service.settings import Settings, read_settings
from app.service.store.tables import passwords, sessions, sign_in_failures
from tests.service.integrations.visiting import PASSWORD, Visitor, give_password, new_link, visiting
from tests.service.running import Caller, RunningService, run_service

NewVisitor = Callable[[], Visitor]
SIGN_IN = "/integrations/sign-in"


def test_without_a_session_the_way_leads_to_sign_in(visitor: Visitor) -> None:
    answer = visitor.http.get("/integrations")

    assert (answer.status_code, answer.headers["location"]) == (303, SIGN_IN)
    assert visitor.open().titles == ["Sign in"]


def test_a_link_signs_in_once(visitor: Visitor, new_visitor: NewVisitor, caller: Caller) -> None:
    link = new_link(caller.service, caller.account_id)
    visitor.open(link)
    visitor.open(link)  # a preview, or a second look, uses nothing up
    assert not visitor.is_signed_in()

    answer = visitor.send("/sign-in/link")

    assert (answer.status_code, answer.headers["location"]) == (303, "/integrations")
    assert "Signed in as Ines" in visitor.open().text
    second = new_visitor()
    second.open(link)
    replayed = second.send("/sign-in/link")
    assert replayed.status_code == 403
    assert "already used" in second.page.text
    assert not second.is_signed_in()


def test_a_link_is_good_for_ten_minutes(visitor: Visitor, service: RunningService, caller: Caller) -> None:
    visitor.open(new_link(service, caller.account_id))
    service.clock.ahead = LINK_LIFETIME

    assert visitor.send("/sign-in/link").status_code == 403
    assert not visitor.is_signed_in()


def test_a_made_up_link_opens_nothing(visitor: Visitor) -> None:
    visitor.open(f"{SIGN_IN}?link={'A' * 43}")

    assert visitor.send("/sign-in/link").status_code == 403


def test_a_link_is_in_no_address_that_follows(visitor: Visitor, caller: Caller) -> None:
    link = new_link(caller.service, caller.account_id)
    visitor.open(link)

    assert visitor.form("/sign-in/link").action == f"{SIGN_IN}/link"
    assert link.rpartition("=")[2] not in visitor.send("/sign-in/link").headers["location"]


def test_a_password_signs_in(visitor: Visitor, caller: Caller) -> None:
    login = give_password(caller)

    assert visitor.try_password(f" {login.upper()} ").status_code == 303
    assert visitor.is_signed_in()


@pytest.mark.parametrize("known", [True, False])
def test_who_is_wrong_learns_nothing_of_names(visitor: Visitor, caller: Caller, known: bool) -> None:
    login = give_password(caller)

    answer = visitor.try_password(login if known else str(uuid4()), "wrong horse battery staple")

    assert answer.status_code == 403
    assert "Wrong login name or password." in visitor.page.text
    assert not visitor.is_signed_in()


def test_a_wrong_name_is_checked_against_a_hash_of_the_same_cost(caller: Caller) -> None:
    give_password(caller)
    stored = caller.service.database.read_now(
        lambda rows: rows.scalar(
            select(passwords.c.password_hash).where(passwords.c.account_id == caller.account_id)
        )
    )

    assert extract_parameters(PasswordCheck().nobodys) == extract_parameters(stored or "")


async def test_no_password_fits_where_there_is_none() -> None:
    check = PasswordCheck()

    assert not await check.fits("", None)
    assert not await check.fits(check.nobodys, None)


def test_failures_make_the_next_try_wait_and_longer_each_time(
    visitor: Visitor, service: RunningService, caller: Caller
) -> None:
    login = give_password(caller)
    for _ in range(5):
        assert visitor.try_password(login, "wrong").status_code == 403

    locked = visitor.try_password(login)

    assert locked.status_code == 429
    assert 0 < int(locked.headers["Retry-After"]) <= WAIT_FIRST.total_seconds()
    assert "Too many attempts." in visitor.page.text
    service.clock.ahead = WAIT_FIRST
    assert visitor.try_password(login, "wrong").status_code == 403
    service.clock.ahead = 2 * WAIT_FIRST
    assert visitor.try_password(login).status_code == 429
    service.clock.ahead = 3 * WAIT_FIRST + timedelta(seconds=5)
    assert visitor.try_password(login).status_code == 303


def test_names_that_nobody_has_wait_alike(visitor: Visitor, caller: Caller) -> None:
    give_password(caller)
    nobody = str(uuid4())

    told = [visitor.try_password(nobody, "wrong").status_code for _ in range(6)]

    assert told == [403] * 5 + [429]


def test_an_address_that_tries_many_names_waits(visitor: Visitor, caller: Caller) -> None:
    login = give_password(caller)

    told = [visitor.try_password(str(uuid4()), "wrong").status_code for _ in range(21)]

    assert told == [403] * 20 + [429]
    assert visitor.try_password(login).status_code == 429


def _forwarded(visitor: Visitor, login: str, *addresses: str, password: str = "wrong") -> int:  # noqa: S107
    visitor.http.headers["X-Forwarded-For"] = ", ".join(addresses)
    return visitor.try_password(login, password).status_code


def test_behind_a_proxy_each_address_waits_for_itself(visitor: Visitor, caller: Caller) -> None:
    login = give_password(caller)
    for number in range(30):
        assert _forwarded(visitor, str(uuid4()), f"192.0.2.{number}") == 403

    assert _forwarded(visitor, login, "198.51.100.1", password=PASSWORD) == 303


def test_the_address_next_to_the_proxy_counts_whatever_comes_before_it(
    visitor: Visitor, caller: Caller
) -> None:
    give_password(caller)
    told = [_forwarded(visitor, str(uuid4()), f"192.0.2.{one}", "198.51.100.2") for one in range(21)]

    assert told == [403] * 20 + [429]
    assert _forwarded(visitor, str(uuid4()), "198.51.100.2", "127.0.0.1") == 429  # a trusted hop is passed by
    assert _forwarded(visitor, str(uuid4()), "198.51.100.2", "198.51.100.3") == 403


def test_nobody_but_a_trusted_proxy_says_where_a_client_is(tmp_path: Path) -> None:
    settings = Settings(trusted_proxies=("10.1.2.0/24",))
    with run_service(tmp_path, {}, settings=settings) as service, visiting(service) as new:
        give_password(service.new_caller())
        visitor = new()
        told = [_forwarded(visitor, str(uuid4()), f"192.0.2.{number}") for number in range(21)]
        visitor.http.close()
        service.forget_callers()

    assert told == [403] * 20 + [429]


@pytest.mark.parametrize("wrong", ["*", "proxy.example", "10.0.0.1/8", "10.0.0.0/33", ""])
def test_trusted_proxies_are_addresses_and_networks(tmp_path: Path, wrong: str) -> None:
    file = tmp_path / "service.toml"
    file.write_text(f'trusted_proxies = ["{wrong}"]')

    with pytest.raises(CommandProblem, match="trusted_proxies"):
        read_settings(file)


def test_a_right_password_forgives_its_name_and_not_its_address(
    visitor: Visitor, service: RunningService, caller: Caller
) -> None:
    login = give_password(caller)
    for _ in range(4):
        visitor.try_password(login, "wrong")
    assert visitor.try_password(login).status_code == 303

    rows = service.database.read_now(lambda rows: rows.execute(sign_in_failures.select()).all())

    assert [row.times for row in rows] == [4]


def test_a_lock_out_leaves_links_open(visitor: Visitor, caller: Caller) -> None:
    login = give_password(caller)
    while visitor.try_password(login, "wrong").status_code != 429:
        pass

    visitor.sign_in(caller.account_id)

    assert visitor.is_signed_in()


def test_a_new_password_ends_all_sessions_and_links(
    visitor: Visitor, new_visitor: NewVisitor, caller: Caller
) -> None:
    login = give_password(caller)
    visitor.try_password(login)
    other = new_visitor()
    other.open(new_link(caller.service, caller.account_id))

    give_password(caller, "another horse battery staple")

    assert not visitor.is_signed_in()
    assert other.send("/sign-in/link").status_code == 403
    assert other.try_password(login).status_code == 403
    assert other.try_password(login, "another horse battery staple").status_code == 303


def test_signing_in_changes_the_session_and_ends_the_one_before(
    visitor: Visitor, service: RunningService, caller: Caller
) -> None:
    visitor.sign_in(caller.account_id)
    first = visitor.session
    visitor.sign_in(caller.account_id)

    assert visitor.session != first
    assert _status_with(service, first) == 303
    assert _status_with(service, visitor.session) == 200


def test_a_session_that_somebody_planted_becomes_no_session(visitor: Visitor, caller: Caller) -> None:
    planted = "A" * 43
    visitor.http.cookies.set("__Host-kalends-session", planted, domain="127.0.0.1")
    assert not visitor.is_signed_in()

    visitor.sign_in(caller.account_id)

    assert _status_with(caller.service, planted) == 303


def test_a_visit_is_no_session(visitor: Visitor, caller: Caller) -> None:
    visitor.open(new_link(caller.service, caller.account_id))
    visit = visitor.http.cookies["__Host-kalends-visit"]
    visitor.send("/sign-in/link")

    assert visitor.session != visit
    assert "__Host-kalends-visit" not in visitor.http.cookies
    assert _status_with(caller.service, visit) == 303


def test_signing_out_ends_the_session_for_whoever_kept_it(owner: Visitor) -> None:
    kept = owner.session

    answer = owner.send("/sign-out")

    assert answer.headers["location"] == f"{SIGN_IN}?note=signed-out"
    assert owner.session is None
    assert _status_with(owner.service, kept) == 303
    assert "You're signed out." in owner.open(f"{SIGN_IN}?note=signed-out").text


def test_a_session_ends_when_it_is_idle(owner: Visitor, service: RunningService) -> None:
    service.clock.ahead = SESSION_IDLE - timedelta(minutes=1)
    assert owner.is_signed_in()
    service.database.write_now(lambda _: None)  # behind what that wrote
    service.clock.ahead = 2 * SESSION_IDLE - timedelta(minutes=3)
    assert owner.is_signed_in()
    service.database.write_now(lambda _: None)
    service.clock.ahead = 3 * SESSION_IDLE

    assert owner.http.get("/integrations").headers["location"] == f"{SIGN_IN}?note=ended"


def test_a_session_ends_after_half_a_day_however_busy(owner: Visitor, service: RunningService) -> None:
    while service.clock.ahead < SESSION_LIFETIME - SESSION_IDLE:
        service.clock.ahead += SESSION_IDLE / 2
        assert owner.is_signed_in()
        service.database.write_now(lambda _: None)

    service.clock.ahead = SESSION_LIFETIME

    assert not owner.is_signed_in()


def test_cookies_are_as_strict_as_cookies_can_be(visitor: Visitor, caller: Caller) -> None:
    visitor.open(new_link(caller.service, caller.account_id))
    given = [visitor.at.headers["set-cookie"], visitor.send("/sign-in/link").headers["set-cookie"]]

    for cookie in given:
        assert cookie.startswith("__Host-kalends-")
        flags = {part.strip().lower() for part in cookie.split(";")[1:]}
        assert {"secure", "httponly", "samesite=strict", "path=/"} <= flags
        assert "domain" not in cookie.lower()


def test_the_store_has_hashes_alone(owner: Visitor, service: RunningService, caller: Caller) -> None:
    give_password(caller)
    owner.sign_in(caller.account_id)
    assert owner.session is not None
    rows = service.database.read_now(
        lambda rows: [rows.execute(table.select()).all() for table in (sessions, passwords)]
    )

    assert hashlib.sha256(owner.session.encode()).hexdigest() in str(rows)
    assert "$argon2id$" in str(rows)
    for secret in (owner.session, PASSWORD):
        assert secret not in str(rows)


def _status_with(service: RunningService, session: str | None) -> int:
    with service.client({"Cookie": f"__Host-kalends-session={session}"}) as http:
        return http.get(f"{service.base_url}/integrations").status_code
