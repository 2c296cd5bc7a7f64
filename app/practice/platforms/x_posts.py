"""Posts in the format of X's API."""

from dataclasses import asdict, dataclass
from typing import Any

from app.practice.counts import counts_of
from app.practice.ledger import Publication
from app.practice.platforms.x_text import shown


@dataclass(frozen=True, slots=True)
class Asked:
    """Requested fields; ``is_current``: with X's current names, not those from before 2026."""

    fields: frozenset[str]
    is_current: bool


NOTHING = Asked(frozenset(), is_current=True)


def shown_post(publication: Publication, asked: Asked, now_s: float) -> dict[str, Any]:
    """Return a post with the requested fields. A file appears as a link at the end of the text."""
    text, links = shown(publication.text, publication.content_id)
    urls = [asdict(link) for link in links]
    if publication.media_sha256:
        link = _file_link(publication, len(text) + 1 if text else 0)
        text = f"{text} {link['url']}".strip()
        urls.append(link)
    post: dict[str, Any] = {
        "id": publication.content_id,
        "text": text,
        "edit_history_tweet_ids": [publication.content_id],
    }
    more: dict[str, Any] = {
        "created_at": publication.received_at,
        "author_id": publication.account_identifier,
        "entities": {"urls": urls} if urls else None,
        "attachments": {"media_keys": [_media_key(publication)]} if publication.media_sha256 else None,
        "public_metrics": _metrics(publication, asked, now_s),
    }
    return post | {name: value for name, value in more.items() if name in asked.fields and value}


def _media_key(publication: Publication) -> str:
    return f"3_{publication.content_id}"


def _file_link(publication: Publication, start: int) -> dict[str, Any]:
    short = f"https://t.co/{publication.content_id[-10:]}"
    return {
        "start": start,
        "end": start + len(short),
        "url": short,
        "expanded_url": f"https://x.com/i/status/{publication.content_id}/photo/1",
        "display_url": f"pic.x.com/{publication.content_id[-10:]}",
        "media_key": _media_key(publication),
    }


def _metrics(publication: Publication, asked: Asked, now_s: float) -> dict[str, int]:
    counts = counts_of(publication, now_s)
    return {
        "repost_count" if asked.is_current else "retweet_count": counts.shares,
        "reply_count": counts.comments,
        "like_count": counts.likes,
        "quote_count": 0,
        "bookmark_count": 0,
        "impression_count": counts.views,
    }
