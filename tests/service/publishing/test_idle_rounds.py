"""What the publisher's rounds cost while nothing is due."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from app.service.publishing import claims
from tests.service.publishing.fakes import listing
from tests.service.publishing.test_claims import request_of
from tests.service.publishing.world import World


def test_their_queries_are_planned_once(tmp_path: Path) -> None:
    """SQLite plans again at each execution if a parameter might decide about a partial index."""
    world = World(tmp_path, [listing()], store="sqlite")
    world.add("later", due_in=timedelta(hours=1))
    request = request_of(world)
    planned: list[object] = []

    def note(*what: object) -> int:
        planned.append(what)
        return sqlite3.SQLITE_OK

    def work(rows: Connection) -> list[int]:
        driver: Any = rows.connection.driver_connection
        driver.set_authorizer(note)  # asked when a statement is planned
        counts = []
        for _ in range(3):
            claims.look(rows, request)
            claims.claim(rows, request)
            counts.append(len(planned))
        driver.set_authorizer(None)
        return counts

    with closing(world.database):
        first, second, third = world.database.write_now(work)
    assert first == second == third > 0
