"""Short version of the fuzzing run: few examples, all phases, both API descriptions."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.contract.limits import API_PREFIX, COMPANION_PREFIX
from tests.fuzzing.run import fuzz
from tests.fuzzing.target import Target, target


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with target(tmp_path_factory.mktemp("fuzzing")) as running:
        yield running


@pytest.mark.parametrize("prefix", [API_PREFIX, COMPANION_PREFIX])
def test_generated_requests_meet_nothing_that_the_description_does_not_say(
    service: Target, prefix: str, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    code, report = fuzz(service, prefix, 3 if pytestconfig.getoption("whole") else 1, tmp_path)
    assert code == 0, report
