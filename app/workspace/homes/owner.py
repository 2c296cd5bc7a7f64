"""Whether an API key belongs to the service account whose posts a home already has."""

import asyncio
import sqlite3
from contextlib import closing
from enum import Enum, auto
from pathlib import Path

from app.client import ServiceClient
from app.platforms.cards import COMPANION_NETWORKS


class Owner(Enum):
    """The account of a key, compared with that of a home. UNKNOWN: the home never listed a connection."""

    SAME = auto()
    OTHER = auto()
    UNKNOWN = auto()


async def owner_of(client: ServiceClient, workspace: Path) -> Owner:
    """Compare the connections of the client's key with those in a workspace's file.

    The API doesn't name the account of a key, but two accounts share no connection. Raises ClientError.
    """
    known = await asyncio.to_thread(_connections, workspace)
    if not known:
        return Owner.UNKNOWN
    async for page in client.connections():
        if not known.isdisjoint(str(connection.id) for connection in page.data):
            return Owner.SAME
    return Owner.OTHER


def _connections(file: Path) -> frozenset[str]:
    """Return the IDs of all connections ever listed, without those on companion networks."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as rows:
            found = rows.execute("SELECT key, platform FROM accounts").fetchall()
    except sqlite3.Error:  # there's no file yet, or it's damaged
        return frozenset()
    return frozenset(key for key, platform in found if platform not in COMPANION_NETWORKS)
