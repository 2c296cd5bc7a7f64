"""What holds for every test with a window."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    # The offscreen platform says so whenever a window with a minimum size is shown; it means nothing.
    config.addinivalue_line("qt_log_ignore", "This plugin does not support propagateSizeHints")
