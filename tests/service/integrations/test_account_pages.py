"""Connected accounts on the pages: Threads is connected, and ended access renewed."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest

from app.contract.enums import ConnectionPlatform
from app.platforms.base import Profile
from app.service.settings import Settings
from tests.service.integrations.visiting import Visitor, visiting
from tests.service.platforms import ScriptedAdapter, robin
from tests.service.running import Caller, RunningService, run_service

THREADS = ConnectionPlatform.THREADS


@pytest.fixture(scope="module")
def threads_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service on which Threads is set up."""
    adapters = {THREADS: ScriptedAdapter(THREADS, people=[robin()])}
    with run_service(tmp_path_factory.mktemp("threads"), adapters) as service:
        yield service


@pytest.fixture
def account(threads_service: RunningService) -> Iterator[Caller]:
    yield threads_service.new_caller()
    threads_service.forget_callers()


@pytest.fixture
def owner_there(threads_service: RunningService, account: Caller) -> Iterator[Visitor]:
    """A browser in which the owner of ``account`` is signed in."""
    with visiting(threads_service) as make:
        visitor = make()
        visitor.sign_in(account.account_id)
        yield visitor


def way_on(page: Visitor) -> httpx.URL:
    """The link to the platform on the page that leads there."""
    links = [given["href"] for given in page.page.attributes("a") if given.get("rel") == "noreferrer"]
    assert len(links) == 1
    return httpx.URL(links[0])


def come_back(consent: httpx.URL, answer: dict[str, str]) -> httpx.Response:
    """What the platform sends the browser to, and where that sends it on."""
    back = consent.params["redirect_uri"]
    return httpx.get(back, params={"state": consent.params["state"], **answer}, trust_env=False)


def test_threads_is_connected_through_its_own_page(owner_there: Visitor, account: Caller) -> None:
    assert owner_there.send("/accounts/threads").status_code == 200
    consent = way_on(owner_there)
    assert consent.host == "threads.example"

    sent_on = come_back(consent, {"code": "good"})

    assert sent_on.status_code == 303
    assert sent_on.headers["location"].startswith(f"{account.service.base_url}/integrations/accounts/back?")
    assert owner_there.open(sent_on.headers["location"]).titles == ["Connected"]
    assert "Robin Marsh @robin-marsh · Threads" in owner_there.open().text
    connected = account.http.get("/connections", params={"platform": "threads"}).json()["data"]
    assert [one["username"] for one in connected] == ["robin-marsh"]


def test_access_that_was_denied_is_said(owner_there: Visitor, account: Caller) -> None:
    owner_there.send("/accounts/threads")

    sent_on = come_back(way_on(owner_there), {"error": "access_denied"})

    assert "allow access" in owner_there.open(sent_on.headers["location"]).text
    assert account.http.get("/connections").json()["data"] == []


def test_an_account_whose_access_ended_is_renewed(owner_there: Visitor, account: Caller) -> None:
    connection_id = account.connect(
        "threads", account_identifier=robin().account_identifier, is_available=False
    )
    assert "Access ended" in owner_there.open().text

    assert owner_there.send(f"/accounts/{connection_id}/reconnect").status_code == 200
    come_back(way_on(owner_there), {"code": "good"})

    assert "Access ended" not in owner_there.open().text
    assert account.http.get(f"/connections/{connection_id}").json()["is_available"]


def test_an_account_that_works_needs_no_renewal(owner_there: Visitor, account: Caller) -> None:
    connection_id = account.connect("threads")
    token = owner_there.form("/keys").fields["form_token"]

    answer = owner_there.post(f"/integrations/accounts/{connection_id}/reconnect", {"form_token": token})

    assert answer.status_code == 400
    assert "That didn't work." in answer.text


def test_accounts_of_others_are_neither_seen_nor_renewed(
    owner_there: Visitor, threads_service: RunningService
) -> None:
    other = threads_service.new_caller()
    theirs = other.connect("threads", display_name="Somebody else", is_available=False)
    token = owner_there.form("/keys").fields["form_token"]

    assert "Somebody else" not in owner_there.open().text
    for connection_id in (theirs, str(uuid4())):
        path = f"/integrations/accounts/{UUID(connection_id)}/reconnect"
        assert owner_there.post(path, {"form_token": token}).status_code == 404


def test_a_platform_that_is_not_set_up_is_said(owner: Visitor) -> None:
    assert "Threads isn't set up." in owner.page.text
    token = owner.form("/keys").fields["form_token"]

    answer = owner.post("/integrations/accounts/threads", {"form_token": token})

    assert answer.status_code == 400
    assert "t be connected by this version" in answer.text


@pytest.mark.parametrize("query", ["", "?status=connecting", "?status=failed&connection_id=x"])
def test_coming_back_without_success_says_so(visitor: Visitor, query: str) -> None:
    assert visitor.open(f"/integrations/accounts/back{query}").titles == ["Not connected"]


@pytest.fixture
def people() -> list[Profile]:
    """Who gives consent."""
    return [robin()]


@pytest.fixture
def by_hand(tmp_path: Path, people: list[Profile]) -> Iterator[Visitor]:
    """An owner at a service whose app for Threads is registered with an address elsewhere."""
    app = {
        "client_id": "test-app",
        "client_secret": "test-secret",
        "redirect_uri": "https://example.com/after",
    }
    settings = Settings.model_validate({"platforms": {"threads": app}})
    adapters = {THREADS: ScriptedAdapter(THREADS, people=people)}
    with run_service(tmp_path, adapters, settings=settings) as service, visiting(service) as make:
        visitor = make()
        visitor.sign_in(service.new_caller().account_id)
        yield visitor
        service.forget_callers()


def test_a_browser_that_does_not_come_back_is_finished_by_hand(by_hand: Visitor) -> None:
    by_hand.send("/accounts/threads")
    consent = way_on(by_hand)
    final = f"https://example.com/after?code=good&state={consent.params['state']}#_"

    assert by_hand.send("/accounts/complete", address="https://example.com/after").status_code == 400
    assert "doesn't belong to a connection in progress" in by_hand.page.text
    assert by_hand.send("/accounts/complete", address="").status_code == 400
    assert by_hand.send("/accounts/complete", address=final.replace("code=good&", "")).status_code == 400
    assert "is incomplete" in by_hand.page.text
    assert by_hand.send("/accounts/complete", address=final).status_code == 200

    assert by_hand.page.titles == ["Connected"]
    assert "Robin Marsh on Threads is connected." in by_hand.page.text


def test_several_accounts_lead_to_a_choice(by_hand: Visitor, people: list[Profile]) -> None:
    people.append(replace(robin(), account_identifier="urn:other"))
    by_hand.send("/accounts/threads")
    final = f"https://example.com/after?code=good&state={way_on(by_hand).params['state']}"

    by_hand.send("/accounts/complete", address=final)

    assert by_hand.page.titles == ["Choose accounts"]
    choice = httpx.get(way_on(by_hand), trust_env=False)
    assert choice.status_code == 200
    assert "Robin Marsh" in choice.text
