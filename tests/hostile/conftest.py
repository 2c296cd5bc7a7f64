"""Every tenth variation is tried, and with ``--whole`` all of them."""

from typing import Final

import pytest

_EVERY: Final = 10


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--whole", action="store_true", help="try all variations of a service that is not ours")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--whole", default=False) or config.getoption("keyword"):
        return
    varied = [item for item in items if "tests/hostile/test_variations.py" in item.nodeid]
    left_out = {item for number, item in enumerate(varied) if number % _EVERY}
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]
