"""What tests of connections share."""

from collections.abc import Iterator

import httpx
import pytest


@pytest.fixture
def browser() -> Iterator[httpx.Client]:
    """A browser without cookies that stops at every redirect."""
    with httpx.Client(trust_env=False, timeout=30) as browser:
        yield browser
