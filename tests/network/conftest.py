"""Coroutine tests on asyncio."""

import pytest


@pytest.fixture(scope="package")
def anyio_backend() -> str:
    return "asyncio"
