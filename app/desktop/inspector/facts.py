"""A post's status and attempts in words."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.contract.companion import Attempt, AttemptOutcome
from app.contract.enums import PostStatus
from app.desktop import words
from app.language import tr
from app.workspace.posts.planned import PlannedPost, SyncState

Tone = Literal["neutral", "ok", "warn", "bad"]

_WORDS: dict[PostStatus, tuple[str, Tone]] = {
    PostStatus.SCHEDULED: (tr("Scheduled"), "neutral"),
    PostStatus.QUEUED: (tr("About to be published"), "neutral"),
    PostStatus.PROCESSING: (tr("Being published"), "neutral"),
    PostStatus.POSTED: (tr("Published"), "ok"),
    PostStatus.FAILED: (tr("Failed"), "bad"),
    PostStatus.CANCELLED: (tr("Cancelled"), "neutral"),
}
_OUTCOMES = {
    AttemptOutcome.PENDING: tr("not finished"),
    AttemptOutcome.PUBLISHED: tr("published"),
    AttemptOutcome.REFUSED: tr("refused"),
    AttemptOutcome.TRANSIENT: tr("will retry"),
    AttemptOutcome.UNKNOWN: tr("outcome unknown"),
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
        return Status(tr("Possibly published"), "warn", post.reason)
    word, tone = _WORDS.get(post.status, (post.status.value, "neutral"))
    text = post.reason
    if post.sync is not SyncState.SYNCED:
        waits = tr("Your last change hasn't reached the service yet.")
        text = " ".join(part for part in (text, waits) if part)
    return Status(word, tone, text)


def attempt_words(attempt: Attempt, here: datetime, said: str = "") -> str:
    """Return one attempt in a line: when (`here` is its start in the calendar's zone), how, and why.

    A reason that `said` holds already is left out.
    """
    outcome = _OUTCOMES.get(attempt.outcome, attempt.outcome.value)
    code = f" ({attempt.platform_code})" if attempt.platform_code else ""
    why = attempt.platform_message or ""
    line = f"{words.date_short(here)}, {here:%H:%M:%S}: {outcome}{code}"
    return f"{line}. {why}" if why and why not in said else line
