"""What a process reports about its own work."""

from datetime import timedelta

from app.contract.companion import AttemptOutcome
from app.contract.enums import ConnectionPlatform, PostingPlatform


class Meter:
    """Ignores everything. `PrometheusMeter` counts it if the process has an admin port."""

    def note_request(self, method: str, route: str, status: int, took: timedelta) -> None:
        """Count a response; ``took`` ends with its first byte. ``route`` is the pattern, without IDs."""

    def note_attempt(self, platform: PostingPlatform, outcome: AttemptOutcome) -> None:
        """Count an attempt to publish a post."""

    def note_start(self, platform: PostingPlatform, delay: timedelta) -> None:
        """Record how long after its time a post was sent."""

    def note_end(self, platform: PostingPlatform, *, is_published: bool) -> None:
        """Count a post that was published or has failed for good."""

    def note_delivery(self, took: timedelta, *, is_delivered: bool) -> None:
        """Count an attempt to deliver a webhook."""

    def note_renewal(self, platform: ConnectionPlatform, outcome: str) -> None:
        """Count a renewal of access: ``renewed``, ``refused`` or ``failed``."""

    def note_upload(self, size: int, *, is_stored: bool) -> None:
        """Count a file that was received, or whose upload failed, and its bytes."""
