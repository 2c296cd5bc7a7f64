"""Webhooks to this computer or the home network: refused, unless the operator allows them."""

from collections.abc import Iterator
from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.service.outbound import OutboundPolicy
from app.service.settings import RunOptions, Settings, WebhookSettings
from tests.service.running import RunningService, run_service
from tests.service.test_envelope import fields

AT_HOME = ("127.0.0.1", "192.168.1.20", "10.0.0.7", "172.31.255.1", "[::1]", "[fd12::7]", "localhost")
NEVER = (
    "169.254.169.254",
    "169.254.1.1",
    "[fe80::1]",
    "[fd00:ec2::254]",
    "[fd20:ce::254]",
    "100.100.100.200",
    "0.0.0.0",  # noqa: S104  not bound to
    "224.0.0.1",
    "[::ffff:169.254.169.254]",
)
HOME_NETWORKS = ("10.0.0.0/8", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7")


@pytest.fixture(scope="module", params=["settings", "option"])
def _allowing(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    by_option = request.param == "option"
    run = RunOptions(practice_url="http://practice.invalid", home_network=by_option)
    settings = Settings(webhooks=WebhookSettings(home_network=not by_option))
    with run_service(tmp_path_factory.mktemp("home"), {}, run, settings) as service:
        yield service


@pytest.fixture
def allowing(_allowing: RunningService) -> Iterator[RunningService]:
    """A service whose operator allows webhooks at home."""
    yield _allowing
    _allowing.forget_callers()


def subscribe(service: RunningService, host: str) -> tuple[int, dict[str, str]]:
    body = {"url": f"https://{host}:8123/api/webhook", "events": ["post.failed"]}
    answer = service.new_caller().http.post("/webhooks", json=body)
    return answer.status_code, {} if answer.status_code == 201 else fields(answer)


@pytest.mark.parametrize("host", AT_HOME)
def test_addresses_at_home_are_taken_where_that_is_allowed(allowing: RunningService, host: str) -> None:
    assert subscribe(allowing, host) == (201, {})


@pytest.mark.parametrize("host", NEVER)
def test_link_local_and_metadata_addresses_stay_refused(allowing: RunningService, host: str) -> None:
    status, named = subscribe(allowing, host)
    assert (status, set(named)) == (400, {"url"})


def test_files_are_not_imported_from_there(allowing: RunningService) -> None:
    body = {"url": "https://192.168.1.20/picture.png"}
    answer = allowing.new_caller().http.post("/media/attach-from-url", json=body)
    assert (answer.status_code, set(fields(answer))) == (400, {"url"})


def test_nobody_allows_it_by_saying_nothing() -> None:
    assert not Settings().webhooks.home_network
    assert not RunOptions().home_network
    assert not OutboundPolicy().home_network


@given(st.ip_addresses(network="169.254.0.0/16") | st.ip_addresses(network="fe80::/10"))
def test_no_link_local_address_is_admitted(address: object) -> None:
    assert not OutboundPolicy(home_network=True).admits(str(address))


@given(st.sampled_from(HOME_NETWORKS).flatmap(lambda network: st.ip_addresses(network=network)))
def test_what_is_admitted_at_home_is_refused_elsewhere(address: object) -> None:
    assert not OutboundPolicy().admits(str(address))
    metadata = {ip_address("fd00:ec2::254"), ip_address("fd20:ce::254")}
    assert OutboundPolicy(home_network=True).admits(str(address)) is (address not in metadata)
