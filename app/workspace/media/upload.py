"""An upload of a file to the service."""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from app.contract.enums import PostType
from app.media.probe_result import ProbeResult
from app.workspace.media.probed import media_facts
from app.workspace.rules import MediaFacts


class UploadState(Enum):
    """The state of an upload."""

    WAITING = "waiting"  # for its turn, or the service
    SENDING = "sending"
    PAUSED = "paused"  # until the user continues it
    DONE = "done"
    FAILED = "failed"  # until the user retries


@dataclass(frozen=True, slots=True)
class Upload:
    """One upload.

    Attributes:
        id: Its local ID, stored in drafts.
        path: The file, read when its turn comes.
        name: Printable name for the user.
        post_type: The type of posts with this file.
        size: In bytes; with ``modified_ns``, the last change, it's what was announced to the service.
        added_at: In ms since 1970 UTC.
        width: Pixels, None if unknown; ``height`` likewise.
        sent: Bytes sent.
        speed: Bytes per second of this attempt; 0 while unknown.
        reason: Why it failed or waits, as a sentence; otherwise empty.
        asked_until: End of a delay that the service requested, in ms since 1970 UTC.
        storage_path: The file's storage path; only reserved until the state is ``DONE``.
        probed: The result of the probe; None if it wasn't probed, for example after a restart.
        fingerprint: Equal for files with equal content; empty if unknown.
    """

    id: str
    path: Path
    name: str
    post_type: PostType
    content_type: str
    size: int
    modified_ns: int
    added_at: int
    width: int | None = None
    height: int | None = None
    state: UploadState = UploadState.WAITING
    sent: int = 0
    speed: float = 0.0
    reason: str = ""
    storage_path: str = ""
    probed: ProbeResult | None = None
    fingerprint: str = ""
    asked_until: int | None = None

    @property
    def is_done(self) -> bool:
        return self.state is UploadState.DONE

    @property
    def is_failed(self) -> bool:
        return self.state is UploadState.FAILED

    @property
    def is_underway(self) -> bool:
        """Whether it's being sent, or will be automatically."""
        return self.state in (UploadState.WAITING, UploadState.SENDING)

    @property
    def is_put_off(self) -> bool:
        """Whether it failed or may not start yet, and will be tried automatically."""
        return self.state is UploadState.WAITING and bool(self.reason or self.asked_until)

    @property
    def share(self) -> float:
        """The fraction sent, from 0 to 1."""
        return 1.0 if self.is_done else min(1.0, self.sent / self.size)

    @property
    def seconds_left(self) -> float | None:
        """Remaining time in s; None while unknown."""
        return (self.size - self.sent) / self.speed if self.speed > 0 else None

    @property
    def facts(self) -> MediaFacts:
        """The facts that the platforms' rules need."""
        if self.probed is not None:
            return media_facts(self.probed, self.content_type, self.size)
        return MediaFacts(self.content_type, self.size, width=self.width, height=self.height)
