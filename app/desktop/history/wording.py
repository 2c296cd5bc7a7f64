"""Published content in a person's words, and where people see it."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from app.contract.analytics import Metric
from app.contract.enums import CreatedVia, PostType
from app.contract.history import ContentRecord
from app.desktop.words import clock, date_short, day, joined, platform_name
from app.language import number, tr, trn
from app.platforms.cards import CARDS
from app.workspace.analytics.counts import Counts

DASH: Final = "–"  # noqa: RUF001  as wide as a figure
VIAS: Final = {
    CreatedVia.REST: "API",
    CreatedVia.MCP: "MCP",
    CreatedVia.X402: "x402",
    CreatedVia.WEB: tr("Web"),
}
_PUBLISHED: Final = frozenset({"published", "posted", "live"})
KINDS: Final = {PostType.TEXT: tr("Text"), PostType.IMAGE: tr("Image"), PostType.VIDEO: tr("Video")}

_ICONS: Final = {PostType.TEXT: "", PostType.IMAGE: "image", PostType.VIDEO: "play"}


def file_icon(record: ContentRecord) -> str:
    """Return the icon of a record's type; empty for text, and for types unknown here."""
    return _ICONS.get(record.media_type, "") if record.media_type else ""


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


def moment_words(moment: datetime) -> str:
    """``Wed 25 Nov, 09:30``; with the year if it isn't this one."""
    year = "" if moment.year == datetime.now(moment.tzinfo).year else f" {moment.year}"
    return f"{day(moment)}{year}, {clock(moment)}"


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


def is_failed(record: ContentRecord) -> bool:
    """Whether the content isn't on its platform: it failed, or was taken away."""
    return (record.status or "").strip().lower() in {"failed", "deleted"}


def spoken(record: ContentRecord, counts: Counts, account: str, moment: datetime, source: str) -> str:
    """Return everything that a row shows: what, who, when and how it did."""
    platform = platform_name(record.platform.value)
    who = (
        account if account == platform else tr("{account} on {platform}", account=account, platform=platform)
    )
    status = status_words(record) if says_more(record) else ""
    kind = kind_name(record.media_type.value) if record.media_type else ""
    parts = headline(record), who, moment_words(moment), kind, source, status, *count_words(counts)
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


def count(value: int | None) -> str:
    """``12,345``; a dash for what nobody reported."""
    return DASH if value is None else number(value)


def count_words(counts: Counts) -> list[str]:
    """``1,420 views``, ``96 likes``: only what was reported."""
    views, likes, comments, shares = (0 if value is None else value for value in counts)
    told = (
        trn("{n} view", "{n} views", views, n=number(views)),
        trn("{n} like", "{n} likes", likes, n=number(likes)),
        trn("{n} comment", "{n} comments", comments, n=number(comments)),
        trn("{n} share", "{n} shares", shares, n=number(shares)),
    )
    return [words for words, value in zip(told, counts, strict=True) if value is not None]


def numbers(samples: Sequence[Metric]) -> str:
    """Return the last sample in words; a 0 may mean that the platform doesn't report it, and is left out."""
    if not samples:
        return ""
    last = max(samples, key=lambda sample: (sample.metric_date, sample.created_at))
    told = Counts(*(value or None for value in (last.views, last.likes, last.comments, last.shares)))
    counts = joined(count_words(told))
    return tr("{counts} on {day}", counts=counts, day=date_short(last.metric_date)) if counts else ""
