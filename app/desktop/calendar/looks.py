"""How a post's state looks: fill, line, ink and glyph, and what its card says of it."""

from dataclasses import dataclass
from enum import Enum

from app.contract.enums import PostStatus
from app.desktop.calendar.placement import CardStyle
from app.language import tr
from app.workspace.posts.planned import PlannedPost, SyncState


class Look(Enum):
    """The looks of a card, the most urgent state winning."""

    __hash__ = object.__hash__  # each is there once; Enum's own goes through Python, for every card

    PLANNED = "planned"
    GOING_OUT = "going out"
    WAITING = "waiting to sync"
    CONFLICT = "changed elsewhere"
    PUBLISHED = "published"
    FAILED = "failed"
    MAY_BE_LIVE = "may be live"
    CANCELLED = "cancelled"
    AT_RISK = "at risk"
    PAST = "past"


@dataclass(frozen=True, slots=True)
class Dress:
    """Colour roles of a look; ``glyph`` is an icon's name or empty."""

    fill: str
    line: str
    text: str
    quiet: str
    glyph: str = ""
    glyph_color: str = "text3"
    faded: bool = False
    struck: bool = False
    dashed: bool = False


DRESSES = {
    Look.PLANNED: Dress("surface", "line", "text", "text2"),
    Look.GOING_OUT: Dress("surface", "line", "text", "text2", "send", "accent"),
    Look.AT_RISK: Dress("surface", "line", "text", "text2", "triangle-alert", "warn"),
    Look.WAITING: Dress("surface", "line", "text", "text2", "refresh-cw", "text3"),
    Look.CONFLICT: Dress("warn_soft", "warn_line", "text", "text2", "circle-alert", "warn"),
    Look.PUBLISHED: Dress("surface", "line2", "text3", "text3", "check", "text3", faded=True),
    Look.FAILED: Dress("bad_soft", "bad_line", "text", "text2", "triangle-alert", "bad"),
    Look.MAY_BE_LIVE: Dress("warn_soft", "warn_line", "text", "text2", "circle-help", "warn"),
    Look.CANCELLED: Dress("surface", "line", "text3", "text3", struck=True, dashed=True, faded=True),
    Look.PAST: Dress("surface", "line2", "text3", "text3", "clock", "text3", faded=True),
}

STATUS_WORDS = {
    Look.PLANNED: tr("scheduled"),
    Look.AT_RISK: tr("scheduled, check it"),
    Look.GOING_OUT: tr("being published"),
    Look.WAITING: tr("waiting to sync"),
    Look.CONFLICT: tr("changed elsewhere, needs your choice"),
    Look.PUBLISHED: tr("published"),
    Look.FAILED: tr("failed"),
    Look.MAY_BE_LIVE: tr("possibly published, check on the platform"),
    Look.CANCELLED: tr("cancelled"),
    Look.PAST: tr("due"),
}
_MAY_BE_LIVE = tr("Possibly published: check")
_CHANGED_ELSEWHERE = tr("Changed elsewhere")
_WAITING = tr("Waiting to sync")


def look_of(post: PlannedPost, now: int, *, at_risk: bool = False) -> Look:
    """The look of a post at an instant (milliseconds); unknown states look planned.

    ``at_risk``: there is a warning about it.
    """
    if post.may_be_live:
        return Look.MAY_BE_LIVE
    if post.status is PostStatus.FAILED:
        return Look.FAILED
    if post.status is PostStatus.CANCELLED:
        return Look.CANCELLED
    if post.published or post.status is PostStatus.POSTED:
        return Look.PUBLISHED
    if post.sync is SyncState.CONFLICT:
        return Look.CONFLICT
    if at_risk and post.at >= now:
        return Look.AT_RISK
    if post.sync is not SyncState.SYNCED:
        return Look.WAITING
    if post.status in (PostStatus.QUEUED, PostStatus.PROCESSING):
        return Look.GOING_OUT
    return Look.PAST if post.at < now else Look.PLANNED


def note_of(post: PlannedPost, look: Look, style: CardStyle) -> str:
    """The second line of a card whose state needs words; waiting says so only where every card is tall."""
    if look is Look.MAY_BE_LIVE:
        return _MAY_BE_LIVE
    if look is Look.CONFLICT:
        return _CHANGED_ELSEWHERE
    if look is Look.FAILED:
        return post.reason
    return _WAITING if look is Look.WAITING and style is CardStyle.TIMED else ""
