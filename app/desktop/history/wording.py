"""Published content in a person's words, and where people see it."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from app.contract.analytics import Metric
from app.contract.enums import CreatedVia, PostType
from app.contract.history import ContentRecord
from app.desktop.words import clock, date_short, day, joined, platform_name, utc_offset
from app.language import number, tr, trn
from app.platforms.cards import CARDS

VIAS: Final = {
    CreatedVia.REST: "API",
    CreatedVia.MCP: "MCP",
    CreatedVia.X402: "x402",
    CreatedVia.WEB: tr("Web"),
}
_PUBLISHED: Final = frozenset({"published", "posted", "live"})
KINDS: Final = {PostType.TEXT: tr("Text"), PostType.IMAGE: tr("Image"), PostType.VIDEO: tr("Video")}


def via_name(value: str) -> str:
    """The surface through which content was made; an unknown one as it is."""
    return VIAS.get(CreatedVia(value), value)


def kind_name(value: str) -> str:
    """``Text``, ``Image``, ``Video``; an unknown kind as it is."""
    return KINDS.get(PostType(value), value)


def headline(record: ContentRecord) -> str:
    """The title, else the first line of the text."""
    lines = (line.strip() for line in (record.title or "", *(record.description or "").splitlines()))
    return next(filter(None, lines), "")[:300] or tr("No text")


def moment(record: ContentRecord, zone: ZoneInfo) -> str:
    """``Wed 25 Nov 09:30``; with the year where that is not this one."""
    here = record.created_at.astimezone(zone)
    year = "" if here.year == datetime.now(zone).year else f" {here.year}"
    return f"{day(here)}{year} {clock(here)}"


def long_moment(record: ContentRecord, zone: ZoneInfo) -> str:
    """``Wed 25 Nov 2026, 09:30 UTC+0``."""
    here = record.created_at.astimezone(zone)
    return f"{day(here)} {here.year}, {clock(here)} {utc_offset(here)}"


def facts(record: ContentRecord, zone: ZoneInfo, *, is_own: bool) -> str:
    """The second line of a row; ``is_own``: the post was planned here, which needs no mention."""
    kind = kind_name(record.media_type.value) if record.media_type else ""
    via = "" if is_own else via_words(record)
    parts = (moment(record, zone), platform_name(record.platform.value), kind, via)
    return "  ·  ".join(filter(None, parts))


def via_words(record: ContentRecord) -> str:
    """``through the API``."""
    if record.created_via is CreatedVia.REST:
        return tr("via the API")
    if record.created_via is CreatedVia.WEB:
        return tr("via the web")
    return tr("via {name}", name=via_name(record.created_via.value))


def status_words(record: ContentRecord) -> str:
    """The status of the content; a word that isn't known here as the service says it."""
    told = (record.status or "").replace("_", " ").strip()
    match told.lower():
        case status if status in _PUBLISHED:
            return tr("published")
        case "scheduled":
            return tr("scheduled")
        case "processing":
            return tr("being published")
        case "failed":
            return tr("failed")
        case "cancelled":
            return tr("cancelled")
        case "deleted":
            return tr("deleted")
    return told


def says_more(record: ContentRecord) -> bool:
    """Whether the status says more than that the content is published, as all of it is."""
    return (record.status or "").strip().lower() not in {"", *_PUBLISHED}


def spoken(record: ContentRecord, zone: ZoneInfo, *, is_own: bool) -> str:
    """Everything that a row shows."""
    said = facts(record, zone, is_own=is_own).replace("  ·  ", ", ")
    parts = (headline(record), said, status_words(record))
    return ", ".join(filter(None, parts))


def page_of(record: ContentRecord, *, practice: bool) -> str:
    """Where people see the content; empty where its id does not say it."""
    return page_at(record.platform.value, record.content_id, practice=practice)


def page_at(platform: str, content_id: str, *, practice: bool) -> str:
    """The same of content that is known by its id alone."""
    card = CARDS.get(platform)
    if practice or card is None or not re.fullmatch(card.pages.content_id, content_id, re.ASCII):
        return ""
    return card.pages.content.format(content_id)


def numbers(samples: Sequence[Metric]) -> str:
    """The last sample; what is 0 may not be told by the platform, and is left out."""
    if not samples:
        return ""
    last = max(samples, key=lambda sample: (sample.metric_date, sample.created_at))
    told = (
        (last.views, trn("{n} view", "{n} views", last.views, n=number(last.views))),
        (last.likes, trn("{n} like", "{n} likes", last.likes, n=number(last.likes))),
        (last.comments, trn("{n} comment", "{n} comments", last.comments, n=number(last.comments))),
        (last.shares, trn("{n} share", "{n} shares", last.shares, n=number(last.shares))),
    )
    counts = joined([words for count, words in told if count > 0])
    return tr("{counts} on {day}", counts=counts, day=date_short(last.metric_date)) if counts else ""
