"""One practice program for all tests of adapters, each of which connects people of its own."""

from collections.abc import Iterator

import httpx
import pytest

from tests.platforms.world import Practice, program


@pytest.fixture(scope="session")
def practice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Practice]:
    with (
        program(tmp_path_factory.mktemp("practice")) as url,
        httpx.Client(base_url=url, trust_env=False, timeout=20) as http,
    ):
        yield Practice(url, http)
