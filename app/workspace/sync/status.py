"""How fresh the workspace is."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class SyncStatus:
    """Facts for the status line. ``waiting`` counts posts with changes that the service has not confirmed.

    ``problem`` is a sentence when something needs a person, and None while merely offline.
    """

    connected: bool = False
    last_synced: datetime | None = None
    waiting: int = 0
    problem: str | None = None
    syncing: bool = False
