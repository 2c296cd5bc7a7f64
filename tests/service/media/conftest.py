"""A shelf for each test."""

from collections.abc import Iterator

import httpx
import pytest

from tests.service.media.shelf import Shelf
from tests.service.running import Caller, RunningService
from tests.service.test_process import small_disk

__all__ = ["links", "shelf", "small_disk", "stranger"]


@pytest.fixture
def links(service: RunningService) -> Iterator[httpx.Client]:
    """A client without a key, for signed links."""
    with httpx.Client(verify=service.trust, trust_env=False, timeout=20) as client:
        yield client


@pytest.fixture
def shelf(caller: Caller, links: httpx.Client) -> Shelf:
    """The files of this test's account."""
    return Shelf(caller, links)


@pytest.fixture
def stranger(service: RunningService, links: httpx.Client) -> Shelf:
    """The files of another account."""
    return Shelf(service.new_caller(), links)
