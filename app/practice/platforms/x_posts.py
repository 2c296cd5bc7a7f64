"""Posts in the format of X's API: the fields it accepts, and how it counts and renders text.

Source of the counting: the twitter-text configuration, version 3.
"""

import hashlib
import html
import string
import unicodedata
from dataclasses import asdict, dataclass
from typing import Any

import regex  # type: ignore[import-untyped,unused-ignore]  # stubs are optional

from app.practice.ledger import Publication, counts_of

LONGEST_TEXT = 280
_URL_WEIGHT = 23
_SHORT_LINK_LENGTH = 10
_SHOWN_LINK_LENGTH = 27
_LIGHT = ((0, 4351), (8192, 8205), (8208, 8223), (8242, 8247))
_ALPHABET = string.ascii_letters + string.digits
# Without a scheme, only domains with a well-known TLD become links.
_ENDINGS = (
    "com|org|net|edu|gov|int|info|biz|name|app|blog|cloud|dev|online|page|shop|site|store|tech|xyz"
    "|ai|at|au|be|br|ca|ch|cn|co|cz|de|dk|es|eu|fi|fr|gr|ie|in|io|it|jp|kr|me|mx|nl|no|nz|pl|pt|ru|se|tv|uk|us"
)
_URL = regex.compile(
    rf"""
    (?<![\w@#$./-])
    (?:https?://(?:[a-z0-9-]{{1,63}}\.)+[a-z]{{2,63}}(?![\w-])
      |(?:[a-z0-9-]{{1,63}}\.)+(?:{_ENDINGS})(?![\w@-]))
    (?::\d{{1,5}})?
    (?:[/?][^\s<>"]*[\w/=&\#%+~$-]|/)?
    """,
    regex.VERBOSE | regex.IGNORECASE,
)
_EMOJI = regex.compile(r"\p{Emoji_Presentation}|\p{Emoji}\uFE0F")
_CASHTAG = regex.compile(r"(?<![\w$])\$[A-Za-z]{1,6}(?:[._][A-Za-z]{1,2})?(?!\w)")

POST_FIELDS = frozenset(
    {
        "article",
        "article_title",
        "attachments",
        "author_id",
        "card_uri",
        "community_id",
        "context_annotations",
        "conversation_id",
        "created_at",
        "display_text_range",
        "edit_controls",
        "edit_history_tweet_ids",
        "entities",
        "geo",
        "id",
        "in_reply_to_user_id",
        "lang",
        "matched_media_notes",
        "media_metadata",
        "non_public_metrics",
        "note_request_suggestions",
        "note_post",
        "note_tweet",
        "organic_metrics",
        "paid_partnership",
        "possibly_sensitive",
        "promoted_metrics",
        "public_metrics",
        "referenced_posts",
        "referenced_tweets",
        "reply_settings",
        "scopes",
        "source",
        "suggested_source_links",
        "suggested_source_links_with_counts",
        "text",
        "withheld",
    }
)
USER_FIELDS = frozenset(
    {
        "affiliation",
        "confirmed_email",
        "connection_status",
        "created_at",
        "description",
        "entities",
        "id",
        "is_identity_verified",
        "location",
        "most_recent_tweet_id",
        "name",
        "parody",
        "pinned_tweet_id",
        "profile_banner_url",
        "profile_image_url",
        "protected",
        "public_metrics",
        "receives_your_dm",
        "subscriber_count",
        "subscribes_to_you",
        "subscription",
        "subscription_type",
        "url",
        "username",
        "verified",
        "verified_followers_count",
        "verified_type",
        "withheld",
    }
)


@dataclass(frozen=True)
class Link:
    """A link in a rendered text; the positions count characters of that text."""

    start: int
    end: int
    url: str
    expanded_url: str
    display_url: str


def weighted_length(text: str) -> int:
    """Return the length in X's units: a link 23, an emoji 2, most letters 1, East Asian characters 2."""
    normal = unicodedata.normalize("NFC", text)
    links = len(_URL.findall(normal))
    rest = _URL.sub("", normal)
    return links * _URL_WEIGHT + sum(_weight(cluster) for cluster in regex.findall(r"\X", rest))


def cashtags(text: str) -> int:
    """Return the number of cashtags such as ``$ABC``."""
    return len(_CASHTAG.findall(text))


def shown(text: str, content_id: str) -> tuple[str, list[Link]]:
    """Return the text as in the API, and its links.

    Every URL is replaced by a t.co link, and ``&``, ``<`` and ``>`` are HTML entities.
    """
    parts: list[str] = []
    links: list[Link] = []
    length = last = 0
    for number, match in enumerate(_URL.finditer(text)):
        before = html.escape(text[last : match.start()], quote=False)
        link = _link(match.group(), f"{content_id}:{number}", length + len(before))
        parts += [before, link.url]
        links.append(link)
        length, last = link.end, match.end()
    return "".join(parts) + html.escape(text[last:], quote=False), links


def _weight(cluster: str) -> int:
    """Return the weight of a grapheme cluster."""
    if _EMOJI.search(cluster):
        return 2
    return sum(1 if any(low <= ord(char) <= high for low, high in _LIGHT) else 2 for char in cluster)


def _link(address: str, seed: str, start: int) -> Link:
    digest = hashlib.sha256(seed.encode()).digest()
    short = "https://t.co/" + "".join(_ALPHABET[byte % 62] for byte in digest[:_SHORT_LINK_LENGTH])
    plain = regex.sub(r"^https?://(?:www\.)?", "", address, flags=regex.IGNORECASE)
    display = plain if len(plain) <= _SHOWN_LINK_LENGTH else plain[: _SHOWN_LINK_LENGTH - 1] + "…"
    expanded = address if regex.match("https?://", address, regex.IGNORECASE) else f"http://{address}"
    return Link(start, start + len(short), short, expanded, display)


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
        "edit_history_tweet_ids": [*publication.earlier_ids.split(), publication.content_id],
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
