"""The next post in words, with the remaining time."""

from datetime import datetime
from zoneinfo import ZoneInfo

from app.desktop import words
from app.language import tr, trn
from app.workspace.posts.planned import PlannedPost

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def left(seconds: float) -> str:
    """Return ``in 25 minutes``: complete remaining minutes; days are rounded."""
    if seconds < _MINUTE:
        return tr("in less than a minute")
    if seconds < _HOUR:
        return trn("in {n} minute", "in {n} minutes", int(seconds // _MINUTE))
    if seconds < _DAY:
        hours, rest = divmod(int(seconds), _HOUR)
        return tr("in {hours} h {minutes} min", hours=hours, minutes=rest // _MINUTE)
    return trn("in {n} day", "in {n} days", round(seconds / _DAY))


def coming(post: PlannedPost | None, now: int, zone: ZoneInfo, *, practice: bool) -> str:
    """Return ``Next: 22:30 LinkedIn, in 25 minutes``; ``now`` is in milliseconds since 1970 UTC."""
    if post is None:
        return tr("Nothing is scheduled")
    moment, today = (datetime.fromtimestamp(at / 1_000, zone) for at in (post.at, now))
    is_today = moment.date() == today.date()
    time = words.clock(moment) if is_today else f"{words.day(moment)} {words.clock(moment)}"
    name = words.platform_name(post.ruled_by)
    place = tr("{name} (practice)", name=name) if practice else name
    return tr(
        "Next: {time} {platform}, {left}", time=time, platform=place, left=left((post.at - now) / 1_000)
    )
