"""Every request to Facebook and Instagram against the tables that Meta makes its libraries from."""

import json
from dataclasses import replace

from app.contract.enums import ConnectionPlatform as P
from tests.platforms.specs import errands
from tests.platforms.specs.excerpts import DATA
from tests.platforms.specs.graph import Graph
from tests.platforms.specs.recording import Exchange
from tests.platforms.world import Practice

TABLES = json.loads((DATA / "meta.json").read_text("utf-8"))
# What Meta's guides name and its tables lack.
BEYOND = frozenset(
    {
        "Page.tasks",  # what a person may do, in lists of Pages alone
        "Page POST photos.source",  # the file itself
    }
)


def calls(exchanges: list[Exchange]) -> list[Exchange]:
    """Those of the Graph API; tokens and the bytes of files go elsewhere."""
    return [
        call for call in exchanges if not call.path.endswith("access_token") and "-upload/" not in call.path
    ]


def test_no_request_violates_the_tables(practice: Practice) -> None:
    called: set[str] = set()
    used: set[str] = set()
    for platform, alone in ((P.FACEBOOK, False), (P.INSTAGRAM, False), (P.INSTAGRAM, True)):
        graph = Graph(TABLES, BEYOND, alone=alone)
        exchanges = errands.run(replace(practice, instagram_login=alone), platform)
        assert [found for call in calls(exchanges) for found in graph.violations(call)] == []
        called |= graph.calls
        used |= graph.used_beyond
    assert called == graph.every_call()
    assert used == BEYOND
