"""Null characters, which PostgreSQL can't store, anywhere in a request: never an error of the service."""

import re
from collections.abc import Iterator

import httpx
import pytest

from app.contract.enums import ConnectionPlatform
from app.service.api.app import api_routes
from tests.service.connections.browsing import callback, initiate
from tests.service.integrations.visiting import give_password, visiting
from tests.service.platforms import ScriptedAdapter
from tests.service.running import Caller, RunningService, run_service
from tests.stores import chosen

LINKEDIN = ConnectionPlatform.LINKEDIN
QUERIED = ("after", "batch_id", "content_id", "cursor", "platform", "q", "sort", "status", "token")
UNUSUAL = {"null": "%00", "a lone surrogate": "%ED%A0%80"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with chosen("postgresql"):
        adapters = {LINKEDIN: ScriptedAdapter(LINKEDIN)}
        with run_service(tmp_path_factory.mktemp("service"), adapters) as running:
            yield running
            running.forget_callers()


@pytest.fixture
def caller(service: RunningService) -> Caller:
    return service.new_caller()


@pytest.fixture
def browser(service: RunningService) -> Iterator[httpx.Client]:
    with service.client({}) as client:
        yield client


@pytest.mark.parametrize("text", UNUSUAL.values(), ids=UNUSUAL)
def test_in_paths_and_queries(caller: Caller, text: str) -> None:
    query = "&".join(f"{name}={text}" for name in QUERIED)
    for route in api_routes():
        if "GET" not in (route.methods or ()) or route.path.endswith("/events"):
            continue
        own = f"{caller.account_id}/{text}.png"
        path = re.sub(r"{[^}]+}", own if ":path" in route.path else text, route.path)
        for url in (path, f"{path}?{query}"):
            answer = caller.http.get(caller.service.base_url + url)
            assert answer.status_code < 500, url


@pytest.mark.parametrize("text", UNUSUAL.values(), ids=UNUSUAL)
def test_in_the_address_of_a_callback(browser: httpx.Client, service: RunningService, text: str) -> None:
    for path in (
        f"/callback/{text}?state=x&code=y",
        f"/callback/linkedin?state={text}",
        f"/choose?token={text}",
    ):
        assert browser.get(service.base_url + path).status_code == 404


def test_in_the_reason_of_a_refusal(caller: Caller, browser: httpx.Client) -> None:
    started = initiate(caller)
    refusal = callback(started["connect_url"], error="broken", error_description="no\0thing")
    assert "no\ufffdthing" in browser.get(refusal).text
    assert browser.get(refusal).status_code == 200  # it was stored


def test_in_form_fields(service: RunningService, caller: Caller) -> None:
    give_password(caller)  # the form is only shown if anybody has one
    with visiting(service) as new_visitor:
        assert new_visitor().try_password("a\0b").status_code == 403
