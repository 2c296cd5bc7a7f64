"""A file on its way to the service."""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from app.contract.enums import PostType
from app.media.probe_result import ProbeResult
from app.workspace.media.probed import media_facts
from app.workspace.rules import MediaFacts


class UploadState(Enum):
    """Where an upload stands."""

    WAITING = "waiting"  # for its turn, or for the service
    SENDING = "sending"
    PAUSED = "paused"  # until somebody lets it go on
    DONE = "done"
    FAILED = "failed"  # and stays so until somebody tries again


@dataclass(frozen=True, slots=True)
class Upload:
    """One upload.

    Attributes:
        id: Its name here, which drafts hold.
        path: The file, which is read when its turn comes.
        name: For people, printable.
        post_type: The posts that can carry the file.
        size: Bytes, and ``modified_ns`` when the file was changed last: what was promised to the service.
        added_at: Milliseconds since 1970 UTC.
        width: Pixels, None where they are not known; so is ``height``.
        sent: Bytes that have gone out.
        speed: Bytes a second of this attempt; 0 while nobody can tell.
        reason: Why it failed, or why it waits, a sentence; else empty.
        asked_until: While it waits because the service asked to: until when, in milliseconds since 1970 UTC.
        storage_path: What the service calls the file; while it is not ``DONE``, a place that is reserved.
        probed: What is inside the file; None while nobody looked, as after a restart.
        fingerprint: The same for files of the same content; empty where it is not known.
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
        """Whether it is being sent, or will be by itself."""
        return self.state in (UploadState.WAITING, UploadState.SENDING)

    @property
    def is_put_off(self) -> bool:
        """Whether it was tried in vain, or may not be tried yet, and is tried by itself after a while."""
        return self.state is UploadState.WAITING and bool(self.reason or self.asked_until)

    @property
    def share(self) -> float:
        """How much has gone out, from 0 to 1."""
        return 1.0 if self.is_done else min(1.0, self.sent / self.size)

    @property
    def seconds_left(self) -> float | None:
        """None while nobody can tell."""
        return (self.size - self.sent) / self.speed if self.speed > 0 else None

    @property
    def facts(self) -> MediaFacts:
        """What the platforms' rules need to know of the file."""
        if self.probed is not None:
            return media_facts(self.probed, self.content_type, self.size)
        return MediaFacts(self.content_type, self.size, width=self.width, height=self.height)
