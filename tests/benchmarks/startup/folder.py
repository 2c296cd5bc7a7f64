"""A data folder after weeks of use: an embedded service and a workspace, both with many posts."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Final
from uuid import UUID, uuid4

from app.workspace.changes import Changes
from app.workspace.homes import Homes
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.visit import Visits
from tests.benchmarks.service.seed import seed

_SPAN: Final = timedelta(days=730)
_PATIENCE_S: Final = 600


async def fill(data: Path, posts: int) -> None:
    """Create a calendar on this computer with `posts` over two years, and sync the workspace."""
    visits = Visits(Homes(data), Credentials(data))
    visit = await visits.begin_here(practice=False, progress=lambda _text: None)
    home = visit.home
    await visit.leave()
    database = visits.homes.folder(home) / "service" / "service.db"
    with closing(sqlite3.connect(database)) as rows:
        (account,) = rows.execute("SELECT id FROM accounts").fetchone()
    seed(database, UUID(account), uuid4(), posts, every=_SPAN / posts)
    visit = await visits.open(home, lambda _text: None)
    workspace, done = visit.workspace, asyncio.Event()

    def look(_changes: Changes) -> None:
        if workspace.sync.last_synced is not None and len(workspace.posts) >= posts:
            done.set()

    workspace.listen(look)
    async with asyncio.timeout(_PATIENCE_S):
        await done.wait()
    await visit.leave()
