"""A furnished window needs most of the app: what is made once for a process is made before its first test.

That test would have to do it within the time that it has, which on a crowded machine is then too short.
"""

from importlib import import_module

import pytest

from app.workspace.store.schema import MIGRATIONS
from tests.migrated import lay

_PANES = (
    "analytics.board",
    "analytics.pane",
    "composer",
    "connections.pane",
    "drafts.pane",
    "history.pane",
    "inspector",
    "media.pane",
    "settings.pane",
    "usage.pane",
    "webhooks.pane",
)


@pytest.fixture(scope="session", autouse=True)
def prepared(tmp_path_factory: pytest.TempPathFactory) -> None:
    lay(tmp_path_factory.mktemp("prepared") / "workspace.db", MIGRATIONS)
    for pane in _PANES:
        import_module(f"app.desktop.{pane}")
