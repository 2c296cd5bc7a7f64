"""The list of connections."""

import pytest

from app.contract.enums import ConnectionPlatform
from app.service.connections.flow_rows import connected
from tests.service.connections.browsing import listed
from tests.service.running import Caller


def test_the_list_shows_unavailable_accounts_on_request_alone(caller: Caller) -> None:
    available, ended = caller.connect(), caller.connect("x", is_available=False)

    assert [one["id"] for one in listed(caller)] == [available]
    assert {one["id"] for one in listed(caller, include_unavailable="true")} == {available, ended}
    assert [one["id"] for one in listed(caller, include_unavailable="true", platform="x")] == [ended]
    assert listed(caller, platform="threads") == []


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["A"], "A on X is connected."),
        (["A", "B"], "A and B on X are connected."),
        (["A", "B", "C", "D"], "A, B, C and D on X are connected."),
        (["A", "B", "C", "D", "E", "F"], "A, B, C, D and 2 more on X are connected."),
    ],
)
def test_names_are_listed_as_one_says_them(names: list[str], said: str) -> None:
    assert connected(names, ConnectionPlatform.X) == said
