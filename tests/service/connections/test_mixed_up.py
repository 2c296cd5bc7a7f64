"""Consents on a network of many servers, where one server passes its visitors on to another."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from app.contract.enums import ConnectionPlatform
from app.contract.places import PlaceLimits
from app.platforms.base import AppCredentials, Profile, TokenGrant
from tests.service.connections.browsing import callback
from tests.service.platforms import ScriptedAdapter
from tests.service.running import Caller

MASTODON = ConnectionPlatform("mastodon")


@dataclass
class Network(ScriptedAdapter):
    """Every name is a server; each registers an app of its name."""

    async def exchange_code(
        self, credentials: AppCredentials, *, redirect_uri: str, code: str, code_verifier: str
    ) -> TokenGrant:
        assert code_verifier
        self.exchanges.append({"server": credentials.server, "code": code, "redirect_uri": redirect_uri})
        return TokenGrant("access", None, None)

    async def server_of(self, written: str) -> str:
        return f"https://{written}"

    async def register(self, server: str, redirect_uri: str) -> AppCredentials:
        assert redirect_uri
        return AppCredentials(f"app-at-{urlsplit(server).netloc}", "secret", server=server)

    async def knows(self, app: AppCredentials) -> bool:
        return bool(app)

    async def limits(self, access_token: str) -> PlaceLimits:
        raise AssertionError(access_token)

    async def ask_time(self, server: str) -> None:
        raise AssertionError(server)

    def repeat_window_at(self, access_token: str) -> None:
        raise AssertionError(access_token)


@pytest.fixture
def network(_adapters: dict[ConnectionPlatform, Any], monkeypatch: pytest.MonkeyPatch) -> Network:
    network = Network(MASTODON, people=[Profile("1@kind.example", "Robin", "robin@kind.example")])
    monkeypatch.setitem(_adapters, MASTODON, network)
    return network


def begin(caller: Caller, server: str) -> dict[str, Any]:
    body = {"platform": "mastodon", "server": server}
    answer = caller.http.post(f"{caller.service.base_url}/companion/v1/places/initiate", json=body)
    assert answer.status_code == 201, answer.text
    begun: dict[str, Any] = answer.json()
    return begun


def test_a_code_is_only_taken_to_the_server_that_gave_it(
    caller: Caller, network: Network, browser: httpx.Client
) -> None:
    """A hostile server shows another one's consent page, with the state of its own flow."""
    hostile, kind = (begin(caller, f"{name}.example")["connect_url"] for name in ("hostile", "kind"))
    asked = {name: parse_qs(urlsplit(url).query) for name, url in (("hostile", hostile), ("kind", kind))}
    assert asked["hostile"]["redirect_uri"] != asked["kind"]["redirect_uri"]
    returned = httpx.URL(
        asked["kind"]["redirect_uri"][0], params={"code": "stolen", "state": asked["hostile"]["state"][0]}
    )

    page = browser.get(returned)
    pasted = caller.http.post(
        f"{caller.service.base_url}/companion/v1/connections/complete", json={"address": str(returned)}
    )

    assert page.status_code == 404
    assert "belong to a connection in progress" in page.text
    assert pasted.json()["stage"] == "failed", pasted.text
    assert network.exchanges == []

    for url in (hostile, kind):
        assert "is connected" in browser.get(callback(url, code="own")).text
    taken = [(one["server"], one["code"]) for one in network.exchanges]
    assert taken == [("https://hostile.example", "own"), ("https://kind.example", "own")]


def test_an_address_without_a_server_belongs_to_no_flow_of_one(
    caller: Caller, network: Network, browser: httpx.Client
) -> None:
    asked = parse_qs(urlsplit(begin(caller, "kind.example")["connect_url"]).query)
    plain = asked["redirect_uri"][0].removesuffix("/kind.example")
    assert plain.endswith("/callback/mastodon")

    assert browser.get(httpx.URL(plain, params={"code": "c", "state": asked["state"][0]})).status_code == 404
    assert network.exchanges == []
