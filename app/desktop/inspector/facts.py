"""A post's status and attempts in words."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.contract.companion import Attempt, AttemptOutcome
from app.contract.enums import PostStatus
from app.workspace.posts.planned import PlannedPost, SyncState

Tone = Literal["neutral", "ok", "warn", "bad"]

_WORDS: dict[PostStatus, tuple[str, Tone]] = {
    PostStatus.SCHEDULED: ("Scheduled", "neutral"),
    PostStatus.QUEUED: ("About to be published", "neutral"),
    PostStatus.PROCESSING: ("Being published", "neutral"),
    PostStatus.POSTED: ("Published", "ok"),
    PostStatus.FAILED: ("Failed", "bad"),
    PostStatus.CANCELLED: ("Cancelled", "neutral"),
}
_OUTCOMES = {
    AttemptOutcome.PENDING: "not finished",
    AttemptOutcome.PUBLISHED: "published",
    AttemptOutcome.REFUSED: "refused",
    AttemptOutcome.TRANSIENT: "will be tried again",
    AttemptOutcome.UNKNOWN: "outcome unknown",
}


@dataclass(frozen=True, slots=True)
class Status:
    """One or two words, their tone, and a sentence ("" for none)."""

    word: str
    tone: Tone
    text: str


def status(post: PlannedPost) -> Status:
    """Return where a post stands."""
    if post.may_be_live:
        return Status("May be live", "warn", post.reason)
    word, tone = _WORDS.get(post.status, (post.status.value, "neutral"))
    text = post.reason
    if post.sync is not SyncState.SYNCED:
        text = " ".join(part for part in (text, "The last change is waiting to reach the service.") if part)
    return Status(word, tone, text)


def attempt_words(attempt: Attempt, here: datetime, said: str = "") -> str:
    """Return one attempt in a line: when (`here` is its start in the calendar's zone), how, and why.

    A reason that `said` holds already is left out.
    """
    outcome = _OUTCOMES.get(attempt.outcome, attempt.outcome.value)
    code = f" ({attempt.platform_code})" if attempt.platform_code else ""
    why = attempt.platform_message or ""
    line = f"{here.day} {here:%b, %H:%M:%S}: {outcome}{code}"
    return f"{line}. {why}" if why and why not in said else line
