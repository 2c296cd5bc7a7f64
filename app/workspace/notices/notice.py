"""What happened, and what is said of it."""

from dataclasses import dataclass
from enum import Enum

from app.workspace.messages import MessageAction


class NoticeKind(Enum):
    """What can be told; a person chooses which."""

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
    """How late a post went out, in milliseconds, and why."""

    ms: int
    cause: Absence


@dataclass(frozen=True, slots=True)
class News:
    """One thing that happened.

    Attributes:
        kind: What.
        key: To which post, account or upload.
        missed: It happened while nobody was there to tell it: Kalends was closed, or this computer slept.
        delay: Of a post that went out late because this computer could not publish it in time.
    """

    kind: NoticeKind
    key: str
    missed: bool = False
    delay: Delay | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """What is said of one or several things that happened: a line, a few more, and a way there."""

    kind: NoticeKind
    title: str
    text: str
    action: MessageAction
