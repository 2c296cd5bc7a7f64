"""Full-text search in the workspace's file, by the beginnings of words, whatever their case and accents."""

from dataclasses import dataclass

import regex
from sqlalchemy import Connection, text

_WORD = regex.compile(r"[\p{L}\p{N}\p{M}]+")
_WORDS_MAX = 12
_RANKED_MAX = 1_000
"""Maximum number of hits that are ranked, those planned last. One letter may match all posts."""

_POSTS = text(
    "SELECT posts.key FROM (SELECT rowid, rank FROM posts_words WHERE posts_words MATCH :words "
    "ORDER BY rowid DESC LIMIT :ranked) AS found JOIN posts ON posts.rowid = found.rowid "
    "ORDER BY found.rank, posts.at DESC LIMIT :most"
)
_POST_KEYS = text(
    "SELECT posts.key FROM posts_words JOIN posts ON posts.rowid = posts_words.rowid "
    "WHERE posts_words MATCH :words"
)
_DRAFTS = text(
    "SELECT drafts.id FROM drafts_words JOIN drafts ON drafts.rowid = drafts_words.rowid "
    "WHERE drafts_words MATCH :words ORDER BY drafts_words.rank, drafts.updated_at DESC LIMIT :most"
)
_MEDIA = text(
    "SELECT media.storage_path FROM media_words JOIN media ON media.rowid = media_words.rowid "
    "WHERE media_words MATCH :words ORDER BY media_words.rank, media.created_at DESC LIMIT :most"
)

_POSTS_WITH = text(
    "SELECT key FROM posts WHERE instr(description, :signs) OR instr(title, :signs) "
    "ORDER BY at DESC LIMIT :most"
)
_DRAFTS_WITH = text("SELECT id FROM drafts WHERE instr(words, :signs) ORDER BY updated_at DESC LIMIT :most")
_MEDIA_WITH = text(
    "SELECT storage_path FROM media WHERE instr(name, :signs) OR instr(alt_text, :signs) "
    "ORDER BY created_at DESC LIMIT :most"
)
_NO_LIMIT = -1


@dataclass(frozen=True, slots=True)
class SearchHits:
    """The best hits, best first: keys of posts, ids of drafts, storage paths of files."""

    posts: tuple[str, ...] = ()
    drafts: tuple[str, ...] = ()
    media: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.posts or self.drafts or self.media)


def as_query(typed: str) -> str | None:
    """Return an FTS5 expression for a typed text: the beginnings of its words. None without words."""
    words = _WORD.findall(typed)[:_WORDS_MAX]
    return " ".join(f'"{word}"*' for word in words) or None


def find(connection: Connection, typed: str, most: int) -> SearchHits:
    """Return the hits for a typed text, at most ``most`` of each kind."""
    words, signs = as_query(typed), _signs(typed)
    if words is None:
        parts = (_POSTS_WITH, _DRAFTS_WITH, _MEDIA_WITH) if signs else ()
        return SearchHits(*(tuple(connection.scalars(one, {"signs": signs, "most": most})) for one in parts))
    values = {"words": words, "most": most}
    return SearchHits(
        tuple(connection.scalars(_POSTS, {**values, "ranked": _RANKED_MAX})),
        tuple(connection.scalars(_DRAFTS, values)),
        tuple(connection.scalars(_MEDIA, values)),
    )


def matching_posts(connection: Connection, typed: str) -> frozenset[str] | None:
    """Return the keys of all posts with these words or signs; None for an empty text."""
    if (words := as_query(typed)) is not None:
        return frozenset(connection.scalars(_POST_KEYS, {"words": words}))
    if signs := _signs(typed):
        return frozenset(connection.scalars(_POSTS_WITH, {"signs": signs, "most": _NO_LIMIT}))
    return None


def _signs(typed: str) -> str:
    """Return a typed text without lone surrogates, which no stored text has."""
    return typed.strip().encode(errors="ignore").decode()
