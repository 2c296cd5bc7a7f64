"""The list of connections."""

from app.contract.enums import ConnectionPlatform
from app.service.connections.words import PLATFORM_NAMES
from tests.service.connections.browsing import listed
from tests.service.running import Caller


def test_the_list_shows_unavailable_accounts_on_request_alone(caller: Caller) -> None:
    available, ended = caller.connect(), caller.connect("x", is_available=False)

    assert [one["id"] for one in listed(caller)] == [available]
    assert {one["id"] for one in listed(caller, include_unavailable="true")} == {available, ended}
    assert [one["id"] for one in listed(caller, include_unavailable="true", platform="x")] == [ended]
    assert listed(caller, platform="threads") == []


def test_platform_names_are_all_known() -> None:
    assert set(PLATFORM_NAMES) == set(ConnectionPlatform)
