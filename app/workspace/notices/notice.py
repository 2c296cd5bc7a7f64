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


@dataclass(frozen=True, slots=True)
class News:
    """One thing that happened.

    Attributes:
        kind: What.
        key: To which post, account or upload.
        missed: It happened while nobody was there to tell it: Kalends was closed, or this computer slept.
    """

    kind: NoticeKind
    key: str
    missed: bool = False


@dataclass(frozen=True, slots=True)
class Notice:
    """What is said of one or several things that happened: a line, a few more, and a way there."""

    kind: NoticeKind
    title: str
    text: str
    action: MessageAction
