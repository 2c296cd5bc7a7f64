"""A post's status, time and attempts in words."""

from datetime import datetime
from typing import Literal

from app.contract.companion import Attempt, AttemptOutcome
from app.contract.enums import PostStatus
from app.desktop import words
from app.language import month_name, tr, trn, weekday_short
from app.workspace.posts.planned import PlannedPost
from app.workspace.time.wall import DAY_MS, MINUTE_MS

_HOUR_MS = 60 * MINUTE_MS

Tone = Literal["text2", "ok", "warn", "bad"]

_WORDS: dict[PostStatus, tuple[str, Tone]] = {
    PostStatus.SCHEDULED: (tr("Scheduled"), "text2"),
    PostStatus.QUEUED: (tr("About to be published"), "text2"),
    PostStatus.PROCESSING: (tr("Being published"), "text2"),
    PostStatus.POSTED: (tr("Published"), "ok"),
    PostStatus.FAILED: (tr("Failed"), "bad"),
    PostStatus.CANCELLED: (tr("Cancelled"), "text2"),
}
_OUTCOMES = {
    AttemptOutcome.PENDING: tr("not finished"),
    AttemptOutcome.PUBLISHED: tr("published"),
    AttemptOutcome.REFUSED: tr("refused"),
    AttemptOutcome.TRANSIENT: tr("will retry"),
    AttemptOutcome.UNKNOWN: tr("outcome unknown"),
    AttemptOutcome.HANDED_OVER: tr("handed over to you"),
    AttemptOutcome.IN_INBOX: tr("in your inbox"),
}


def status(post: PlannedPost, *, by_user: bool = False) -> tuple[str, Tone]:
    """Return a post's status in one or two words, and their colour role.

    ``by_user``: an attempt says that the user published it.
    """
    if post.may_be_live:
        return tr("Possibly published"), "warn"
    if post.waits_for_user:
        return tr("Waiting for you"), "warn"
    if post.is_in_inbox:
        return tr("In your inbox"), "warn"
    if post.status is PostStatus.POSTED and (post.is_by_hand or by_user):
        return tr("Published by you"), "ok"
    if post.status is PostStatus.SCHEDULED and post.is_by_hand:
        return tr("Scheduled · publish by hand"), _WORDS[PostStatus.SCHEDULED][1]
    return _WORDS.get(post.status, (tr("Unknown status"), "text2"))


def day(moment: datetime, now: datetime) -> str:
    """``Thu 26 November``; with the year if it isn't this one."""
    named = tr(
        "{weekday} {day} {month}",
        weekday=weekday_short(moment),
        day=moment.day,
        month=month_name(moment),
    )
    return named if moment.year == now.year else f"{named} {moment.year}"


def countdown(at: int, now: int) -> str:
    """``in 3 days 20 h``, ``in 5 h 10 min``, ``now``, ``2 days ago``; both in ms since 1970 UTC."""
    left = abs(at - now)
    days, hours, minutes = left // DAY_MS, left % DAY_MS // _HOUR_MS, left % _HOUR_MS // MINUTE_MS
    if left < MINUTE_MS:
        return tr("now")
    if at < now:
        if days:
            return trn("{n} day ago", "{n} days ago", days)
        return tr("{n} h ago", n=hours) if hours else tr("{n} min ago", n=minutes)
    if days:
        if days > 6 or not hours:
            return trn("in {n} day", "in {n} days", days)
        return trn("in {n} day {hours} h", "in {n} days {hours} h", days, hours=hours)
    if hours:
        return tr("in {hours} h {minutes} min", hours=hours, minutes=minutes)
    return tr("in {n} min", n=minutes)


def attempt_words(attempt: Attempt, here: datetime) -> str:
    """Describe an attempt in one line: when (`here` is its start in the calendar's zone), how, and why."""
    outcome = _OUTCOMES.get(attempt.outcome, attempt.outcome.value)
    code = f" ({attempt.platform_code})" if attempt.platform_code else ""
    line = f"{words.date_short(here)}, {here:%H:%M:%S}: {outcome}{code}"
    return f"{line}. {attempt.platform_message}" if attempt.platform_message else line
