"""Texts about published content, and the addresses of its pages."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from app.contract.analytics import Metric
from app.contract.enums import CreatedVia, PostType
from app.contract.history import ContentRecord
from app.desktop.words import clock, date_short, day, foreign, joined, platform_name, status_detail
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
_PUBLISHED: Final = frozenset({"published", "posted", "live", "public"})
_GONE: Final = frozenset({"failed", "rejected", "removed", "deleted"})
"""The platforms' own words: the specification doesn't name any."""
KINDS: Final = {PostType.TEXT: tr("Text"), PostType.IMAGE: tr("Image"), PostType.VIDEO: tr("Video")}

_ICONS: Final = {PostType.TEXT: "", PostType.IMAGE: "image", PostType.VIDEO: "play"}


def file_icon(record: ContentRecord) -> str:
    """Return the icon of a record's type; empty for text, and for types unknown here."""
    return _ICONS.get(record.media_type, "") if record.media_type else ""


def via_name(value: str) -> str:
    """Return the name of the surface that created content."""
    return VIAS.get(CreatedVia(value)) or foreign(value)


def kind_name(value: str) -> str:
    """Return ``Text``, ``Image`` or ``Video``."""
    return KINDS.get(PostType(value)) or tr("Other type")


def headline(record: ContentRecord) -> str:
    """Return the title, or the first line of the text."""
    lines = (line.strip() for line in (record.title or "", *(record.description or "").splitlines()))
    return next(filter(None, lines), "")[:300] or tr("No text")


def moment_words(moment: datetime) -> str:
    """Return ``Wed 25 Nov, 09:30``; with the year if it isn't this one."""
    year = "" if moment.year == datetime.now(moment.tzinfo).year else f" {moment.year}"
    return f"{day(moment)}{year}, {clock(moment)}"


def via_words(record: ContentRecord) -> str:
    """Return ``through the API`` and so on."""
    if record.created_via is CreatedVia.REST:
        return tr("via the API")
    if record.created_via is CreatedVia.WEB:
        return tr("via the web")
    return tr("via {name}", name=via_name(record.created_via.value))


def status_words(record: ContentRecord) -> str:
    """Return the status in one or two words; empty if there's none."""
    return _statuses().get(_status(record), tr("unknown"))


def status_tip(record: ContentRecord) -> str:
    """Return the service's word for a status that `status_words` doesn't know, in a sentence; else ""."""
    return "" if _status(record) in _statuses() else status_detail(record.status or "")


def _statuses() -> dict[str, str]:
    """Return the words for what platforms call the status of content."""
    return dict.fromkeys(_PUBLISHED, tr("published")) | {
        "": "",
        "scheduled": tr("scheduled"),
        "queued": tr("queued"),
        "pending": tr("pending"),
        "draft": tr("draft"),
        "processing": tr("being published"),
        "in review": tr("in review"),
        "under review": tr("in review"),
        "unlisted": tr("unlisted"),
        "private": tr("private"),
        "archived": tr("archived"),
        "rejected": tr("rejected"),
        "failed": tr("failed"),
        "cancelled": tr("cancelled"),
        "removed": tr("removed"),
        "deleted": tr("deleted"),
    }


def _status(record: ContentRecord) -> str:
    return (record.status or "").replace("_", " ").strip().lower()


def says_more(record: ContentRecord) -> bool:
    """Whether the status says more than "published", the usual one."""
    return _status(record) not in {"", *_PUBLISHED}


def is_failed(record: ContentRecord) -> bool:
    """Whether the content isn't on its platform: it failed, or was removed there."""
    return _status(record) in _GONE


def spoken(record: ContentRecord, counts: Counts, account: str, moment: datetime, source: str) -> str:
    """Return a row's content for screen readers."""
    platform = platform_name(record.platform.value)
    who = (
        account if account == platform else tr("{account} on {platform}", account=account, platform=platform)
    )
    status = tr("status: {status}", status=status_words(record)) if says_more(record) else ""
    kind = kind_name(record.media_type.value) if record.media_type else ""
    parts = headline(record), who, moment_words(moment), kind, source, status, *count_words(counts)
    return ", ".join(filter(None, parts))


def page_of(record: ContentRecord, *, practice: bool) -> str:
    """Return the public page of content; empty if it can't be derived from the ID."""
    return page_at(record.platform.value, record.content_id, practice=practice)


def page_at(platform: str, content_id: str, *, practice: bool) -> str:
    """Like ``page_of``, for content known only by its ID."""
    card = CARDS.get(platform)
    if practice or card is None or not re.fullmatch(card.pages.content_id, content_id, re.ASCII):
        return ""
    return card.pages.content.format(content_id)


def count(value: int | None) -> str:
    """Return ``12,345``; a dash for unreported metrics."""
    return DASH if value is None else number(value)


def count_words(counts: Counts) -> list[str]:
    """Return ``1,420 views``, ``96 likes``: only reported metrics."""
    views, likes, comments, shares = (0 if value is None else value for value in counts)
    told = (
        trn("{n} view", "{n} views", views, n=number(views)),
        trn("{n} like", "{n} likes", likes, n=number(likes)),
        trn("{n} comment", "{n} comments", comments, n=number(comments)),
        trn("{n} share", "{n} shares", shares, n=number(shares)),
    )
    return [words for words, value in zip(told, counts, strict=True) if value is not None]


def numbers(samples: Sequence[Metric]) -> str:
    """Return the latest sample in words, without zeros, which may mean that the platform reports nothing."""
    if not samples:
        return ""
    last = max(samples, key=lambda sample: (sample.metric_date, sample.created_at))
    told = Counts(*(value or None for value in (last.views, last.likes, last.comments, last.shares)))
    counts = joined(count_words(told))
    return tr("{counts} on {day}", counts=counts, day=date_short(last.metric_date)) if counts else ""
