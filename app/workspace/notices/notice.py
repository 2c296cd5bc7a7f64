"""News and notifications."""

from dataclasses import dataclass
from enum import Enum

from app.workspace.messages import MessageAction


class NoticeKind(Enum):
    """The kinds of notifications that the user can choose."""

    PUBLISHED = "published"
    FAILED = "failed"
    RECONNECT = "reconnect"
    UPLOADED = "uploaded"


class Absence(Enum):
    """Why this computer could not publish when a post was due."""

    ASLEEP = "asleep"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Delay:
    """How late a post was published, in ms, and why."""

    ms: int
    cause: Absence


@dataclass(frozen=True, slots=True)
class News:
    """Something that happened.

    Attributes:
        kind: What.
        key: Key of the post, account or upload.
        missed: Whether it happened while Kalends was closed or this computer slept.
        delay: Delay of a post that this computer couldn't publish in time.
    """

    kind: NoticeKind
    key: str
    missed: bool = False
    delay: Delay | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """A notification about one or more things: a title, a few lines, and an action."""

    kind: NoticeKind
    title: str
    text: str
    action: MessageAction
