"""The state of the sync."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class SyncStatus:
    """Facts for the status line.

    Attributes:
        connected: Whether the last request was answered.
        last_synced: When the app last had everything that the service has.
        waiting: Number of posts with unconfirmed changes, including conflicts.
        problem: A message if the user has to act; None if only offline.
        silent_since: When the overdue call was made; None if no response is overdue.
        trouble: Why the last call failed, even if the user doesn't have to act; None if it succeeded.
        syncing: Whether everything is being listed.
        saving: Number of posts with changes that aren't on disk yet.
        conflicts: Number of posts changed here and elsewhere, for which the user has to choose.
        listed: Number of posts received so far, during the first list of everything.
        followed: Whether the stream of changes is open.
        key_refused: Whether the service refuses the API key, so nothing is sent.
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
        """Whether a request failed; False before the first response."""
        return not self.connected and self.trouble is not None
