"""Flows that end elsewhere: on the public address, or with an address that is pasted."""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from app.contract.companion import ConnectionOutcome
from app.contract.enums import ConnectionPlatform
from app.platforms.base import Profile
from app.service.problems import CommandProblem
from app.service.settings import Settings, read_settings
from tests.service.connections.browsing import callback, initiate, listed, mark_unavailable, reauthorize
from tests.service.platforms import ScriptedAdapter, robin
from tests.service.running import Caller, RunningService, run_service
from tests.service.test_envelope import fields

LINKEDIN, X = ConnectionPlatform.LINKEDIN, ConnectionPlatform.X
ELSEWHERE = "https://localhost/back"


def complete(caller: Caller, address: str) -> httpx.Response:
    url = f"{caller.service.base_url}/companion/v1/connections/complete"
    return caller.http.post(url, json={"address": address})


def outcome(answer: httpx.Response) -> ConnectionOutcome:
    assert answer.status_code == 200, answer.text
    assert set(answer.json()) == set(ConnectionOutcome.model_fields)
    return ConnectionOutcome.model_validate(answer.json())


@pytest.mark.usefixtures("linkedin")
def test_a_pasted_address_connects(caller: Caller) -> None:
    started = initiate(caller)

    told = outcome(complete(caller, f"  {callback(started['connect_url'], code='c')}#_=_ "))

    assert (told.stage, told.message) == ("connected", "Robin Marsh on LinkedIn is connected.")
    assert str(told.connection_id) == started["connection_id"] == listed(caller)[0]["id"]
    assert told.choose_url is None


@pytest.mark.usefixtures("linkedin")
def test_a_pasted_denial_and_refusal(caller: Caller) -> None:
    denied = complete(caller, callback(initiate(caller)["connect_url"], error="access_denied"))
    failed = complete(caller, callback(initiate(caller)["connect_url"], error="server_error"))

    assert [outcome(answer).stage for answer in (denied, failed)] == ["denied", "failed"]


def test_several_accounts_lead_to_the_page_on_which_to_choose(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    linkedin.people = [robin(), Profile("other", "Sam")]

    told = outcome(complete(caller, callback(initiate(caller)["connect_url"], code="c")))

    assert (told.stage, told.connection_id) == ("choosing", None)
    assert told.choose_url is not None
    assert browser.get(told.choose_url).text.count('type="checkbox"') == 2
    assert "Sam on LinkedIn is connected." in browser.post(told.choose_url, data={"account": "1"}).text


@pytest.mark.usefixtures("linkedin")
def test_the_address_of_another_account_is_no_good(service: RunningService, caller: Caller) -> None:
    address = callback(initiate(service.new_caller())["connect_url"], code="c")

    assert fields(complete(caller, address)) == {"address": "unknown"}
    assert listed(caller) == []


@pytest.mark.parametrize(
    "address",
    ["x", "https://x/?state=guess&code=c", "https://[x/?code=c", "\ud800", "https://x/?" + "a" * 9000],
)
def test_an_address_of_no_flow_is_refused(caller: Caller, address: str) -> None:
    url = f"{caller.service.base_url}/companion/v1/connections/complete"
    body = b'{"address": "%s"}' % address.encode("utf-8", "surrogatepass")

    assert set(fields(caller.http.post(url, content=body))) <= {"address", ""}


def test_an_incomplete_address_ends_nothing(caller: Caller, linkedin: ScriptedAdapter) -> None:
    started = initiate(caller)

    assert fields(complete(caller, callback(started["connect_url"]))) == {"address": "incomplete"}
    assert linkedin.exchanges == []
    assert outcome(complete(caller, callback(started["connect_url"], code="c"))).stage == "connected"


@pytest.fixture
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    """A caller of a service that browsers reach from elsewhere; on X they end at an address of nobody."""
    settings = Settings.model_validate(
        {
            "public_origin": "https://plan.example",
            "platforms": {"x": {"client_id": "app", "redirect_uri": ELSEWHERE}},
        }
    )
    adapters = {platform: ScriptedAdapter(platform, people=[robin()]) for platform in (LINKEDIN, X)}
    with run_service(tmp_path_factory.mktemp("public"), adapters, settings=settings) as service:
        yield service.new_caller()
        service.forget_callers()


def test_browsers_come_back_to_the_public_address(public: Caller) -> None:
    address = callback(initiate(public)["connect_url"], code="c")
    assert address.startswith("https://plan.example/callback/linkedin?")
    here = address.replace("https://plan.example", public.service.base_url)

    with httpx.Client(verify=public.service.trust, trust_env=False) as browser:
        page = browser.get(here)

    assert "Robin Marsh on LinkedIn is connected." in page.text
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]


def test_an_address_that_is_not_ours_is_finished_by_hand(public: Caller) -> None:
    started = initiate(public, "x")
    assert parse_qs(urlsplit(started["connect_url"]).query)["redirect_uri"] == [ELSEWHERE]

    told = outcome(complete(public, callback(started["connect_url"], code="c")))

    assert told.stage == "connected"
    mark_unavailable(public, str(told.connection_id))
    again = outcome(complete(public, callback(reauthorize(public, str(told.connection_id)), code="c")))
    assert (again.stage, again.connection_id) == ("connected", told.connection_id)


@pytest.mark.parametrize(
    "value",
    ["http://plan.example", "https://plan.example/kalends", "https://a@b", "https://x?y", "plan.example"],
)
def test_a_public_origin_is_https_and_nothing_more(
    tmp_path_factory: pytest.TempPathFactory, value: str
) -> None:
    file = tmp_path_factory.mktemp("settings") / "service.toml"
    file.write_text(f'public_origin = "{value}"')

    with pytest.raises(CommandProblem, match="public_origin"):
        read_settings(file)
