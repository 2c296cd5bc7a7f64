"""How fresh the workspace is."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class SyncStatus:
    """Facts for the status line.

    Attributes:
        connected: Whether the service answered last time.
        last_synced: When everything here was last known to be as it is there.
        waiting: Posts with changes that the service has not confirmed, conflicts among them.
        problem: A sentence when something needs a person; None while merely offline.
        silent_since: Since when the service has left a call unanswered for longer than usual, or None.
        trouble: A sentence that says why the last call failed, also where nobody has to act, or None.
        syncing: Whether everything is being listed.
        saving: Posts with changes that are not on disk yet; what is not among them survives a crash.
        conflicts: Posts that were changed elsewhere meanwhile, for which a person has to choose.
        listed: How many posts have come so far, while everything is listed for the first time.
        followed: Whether the service tells of changes by itself, the moment they happen.
        key_refused: Whether the service no longer takes the API key, so that nothing is sent.
    """

    connected: bool = False
    last_synced: datetime | None = None
    waiting: int = 0
    problem: str | None = None
    syncing: bool = False
    saving: int = 0
    conflicts: int = 0
    listed: int | None = None
    followed: bool = False
    key_refused: bool = False
    trouble: str | None = None
    silent_since: datetime | None = None

    @property
    def is_away(self) -> bool:
        """Whether the service was asked and did not answer; before the first answer nobody knows."""
        return not self.connected and self.trouble is not None
