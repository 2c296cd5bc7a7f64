"""What people call a step, in the language that is spoken now."""

from dataclasses import dataclass
from enum import Enum

from app.language import tr, trn


class Doing(Enum):
    """What a step does to its posts. The values are kept."""

    MOVE = "move"
    CANCEL = "cancel"
    PLAN = "plan"
    REPLACE = "replace"
    SCHEDULE_AGAIN = "schedule again"


@dataclass(frozen=True, slots=True)
class Label:
    """``Move 2 posts``. ``words``: what it was called by a version that kept nothing else."""

    doing: Doing | None
    number: int = 1
    words: str = ""

    def __str__(self) -> str:
        match self.doing:
            case Doing.MOVE:
                return trn("Move post", "Move {n} posts", self.number)
            case Doing.CANCEL:
                return trn("Cancel post", "Cancel {n} posts", self.number)
            case Doing.PLAN:
                return trn("Schedule post", "Schedule {n} posts", self.number)
            case Doing.REPLACE:
                return tr("Replace post")
            case Doing.SCHEDULE_AGAIN:
                return trn("Schedule post again", "Schedule {n} posts again", self.number)
        return self.words
