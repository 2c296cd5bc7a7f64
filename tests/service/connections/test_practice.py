"""All platforms through their stand-ins: real adapters, real consent forms, real pages."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from app.contract.enums import ConnectionPlatform, PostingPlatform
from app.contract.platform_setup import CheckOutcome, PlatformSelfTest
from app.platforms.registry import build_adapters
from app.service.accounts import accounts as keys
from app.service.settings import RunOptions
from tests.service.connections.browsing import initiate, listed, told
from tests.service.connections.consenting import Form, allow, connect
from tests.service.running import Caller, RunningService, run_service

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def practice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of practice platforms that run as their own program."""
    command = [sys.executable, "-m", "app.practice", "serve", "--exit-with-parent", "--data"]
    folder = str(tmp_path_factory.mktemp("practice"))
    with subprocess.Popen(
        [*command, folder], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        yield json.loads(program.stdout.readline())["base_url"]
        program.terminate()


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory, practice: str) -> Iterator[RunningService]:
    adapters = build_adapters(practice)
    run = RunOptions(practice_url=practice)
    with run_service(tmp_path_factory.mktemp("live"), adapters, run) as service:
        yield service
        service.await_(adapters.close)


@pytest.fixture
def ines(live: RunningService) -> Iterator[Caller]:
    yield live.new_caller()
    live.forget_callers()


@pytest.fixture
def person() -> Iterator[httpx.Client]:
    """A browser that goes where it is sent."""
    with httpx.Client(trust_env=False, follow_redirects=True, timeout=30) as browser:
        yield browser


@pytest.mark.parametrize("platform", [platform.value for platform in PostingPlatform])
def test_each_platform_is_connected(ines: Caller, person: httpx.Client, platform: str) -> None:
    account = connect(ines, person, platform)

    assert account["is_available"] is True
    assert account["display_name"] or account["username"]
    assert told(ines) == ["connection.connected"]


def test_threads_is_connected_from_within(ines: Caller, person: httpx.Client) -> None:
    flows = ines.service.parts.api.state.service.connections.flows
    begun = ines.service.await_(lambda: flows.begin(keys.Caller(ines.account_id), ConnectionPlatform.THREADS))

    assert "on Threads is connected." in allow(person, begun.connect_url).text
    assert [one["platform"] for one in listed(ines)] == ["threads"]


@pytest.mark.parametrize("platform", ["linkedin", "facebook"])
def test_each_denial_is_understood(ines: Caller, person: httpx.Client, platform: str) -> None:
    page = allow(person, initiate(ines, platform)["connect_url"], decision="deny")

    assert "allow access" in page.text
    assert listed(ines) == []


def test_several_pages_become_several_connections(ines: Caller, person: httpx.Client) -> None:
    started = initiate(ines, "facebook", redirect_url="http://127.0.0.1:9/done")
    form = Form(allow(person, started["connect_url"]))
    assert len(form.boxes) >= 2

    with httpx.Client(trust_env=False) as stopping:
        back = form.send(stopping, "connect", form.boxes)

    assert started["connection_id"] in urlsplit(back.headers["Location"]).query
    pages = listed(ines)
    assert len({page["account_identifier"] for page in pages}) == len(form.boxes)
    assert started["connection_id"] in {page["id"] for page in pages}


def test_the_boards_of_pinterest(ines: Caller, person: httpx.Client) -> None:
    account = connect(ines, person, "pinterest")
    path, found, query = f"/connections/{account['id']}/boards", [], {"page_size": "1"}

    while True:
        page = ines.http.get(path, params=query).json()
        found += [board["id"] for board in page["data"]]
        if page["bookmark"] is None:
            break
        query["bookmark"] = page["bookmark"]

    assert len(found) == len(set(found)) >= 2
    everything = ines.http.get(path, params={"page_size": "100"}).json()
    assert [board["id"] for board in everything["data"]] == found
    assert ines.http.get(path, params={"bookmark": "nonsense"}).status_code == 400


def end_access(practice: str, account: dict[str, Any]) -> None:
    """The platform takes neither the tokens of an account nor their renewal any more."""
    order = {"operation": "token", "kind": "expired_token", "account": account["account_identifier"]}
    done = httpx.post(f"{practice}/faults", json={"platform": account["platform"], **order}, trust_env=False)
    done.raise_for_status()


def test_a_dead_sign_in_leads_back_through_consent(ines: Caller, person: httpx.Client, practice: str) -> None:
    account = connect(ines, person, "pinterest")
    end_access(practice, account)
    path = f"/connections/{account['id']}/boards"

    refusal = ines.http.get(path)

    assert refusal.status_code == 401, refusal.text
    assert told(ines) == ["connection.connected", "connection.expired"]
    assert listed(ines) == []
    assert "is connected." in allow(person, refusal.json()["reauth_url"]).text
    assert [one["id"] for one in listed(ines)] == [account["id"]]
    assert ines.http.get(path).status_code == 200


def test_another_person_does_not_stand_in(ines: Caller, person: httpx.Client, practice: str) -> None:
    account = connect(ines, person, "pinterest")
    end_access(practice, account)
    refusal = ines.http.get(f"/connections/{account['id']}/boards").json()

    page = allow(person, refusal["reauth_url"] + "&account=kei-tanaka")

    assert f"Pinterest gave access to Kei Tanaka instead of {account['display_name']}." in page.text
    assert listed(ines) == []


SIGNED_IN_AS_APP = {ConnectionPlatform.FACEBOOK, ConnectionPlatform.INSTAGRAM, ConnectionPlatform.TIKTOK}
"""Platforms where the self-test can sign in as the app, without a user."""


@pytest.mark.parametrize("platform", list(ConnectionPlatform))
def test_each_stand_in_passes_the_self_test(ines: Caller, platform: ConnectionPlatform) -> None:
    url = f"{ines.service.base_url}/companion/v1/platforms/{platform.value}/self-test"

    tested = PlatformSelfTest.model_validate(ines.http.post(url).json())

    assert tested.passed, tested
    expected = CheckOutcome.PASSED if platform in SIGNED_IN_AS_APP else CheckOutcome.UNKNOWN
    assert [check.outcome for check in tested.checks if check.name == "app"] == [expected]
