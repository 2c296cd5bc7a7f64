"""A screen reader that listens."""

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QAccessible


@pytest.fixture
def listening() -> Iterator[None]:
    """Let Qt tell a screen reader what is in windows."""
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)
