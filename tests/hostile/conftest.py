"""One service for all tests. Tries some variations, or each of them with ``--whole``."""

from collections.abc import Iterator
from typing import Final

import pytest

from tests.hostile.running import Service, service

_EVERY: Final = 90


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("whole") or config.getoption("keyword"):
        return
    varied = [item for item in items if "tests/hostile/" in item.nodeid]
    left_out = {item for number, item in enumerate(varied) if number % _EVERY}
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The process of the other service."""
    with service(tmp_path_factory.mktemp("service")) as started:
        yield started
