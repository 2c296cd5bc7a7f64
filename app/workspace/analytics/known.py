"""The items that samples belong to, and their accounts."""

from collections.abc import Iterable, Mapping
from typing import Final

from sqlalchemy import BigInteger, Connection, func, select, type_coerce

from app.workspace.accounts.book import load_accounts
from app.workspace.analytics.figures import Item, Source
from app.workspace.store.tables import content, metrics, posts

_WORDS: Final = 160
_PUBLISHED: Final = func.coalesce(
    type_coerce(posts.c.posted_at, BigInteger), type_coerce(content.c.created_at, BigInteger)
)
_HEADLINE: Final = func.coalesce(
    func.nullif(content.c.title, ""), func.substr(content.c.description, 1, _WORDS), posts.c.headline, ""
)


def read_items(rows: Connection, since: int) -> list[Item]:
    """Return the items published from ``since`` (ms since 1970 UTC) on, oldest first."""
    chosen = (
        select(
            content.c.platform,
            content.c.content_id,
            posts.c.account_key,
            posts.c.key,
            _PUBLISHED,
            _HEADLINE,
        )
        .select_from(content.outerjoin(posts, posts.c.service_id == func.lower(content.c.scheduled_post_id)))
        .where(type_coerce(content.c.created_at, BigInteger) >= since)
        .order_by(content.c.created_at, content.c.id)
    )
    return [
        Item(platform, content_id, account or f"{platform}:", key, at, " ".join(words.split()))
        for platform, content_id, account, key, at, words in rows.execute(chosen).all()
    ]


def read_sampled(rows: Connection) -> list[tuple[str, str | None]]:
    """Return platform and content ID of everything that was ever sampled."""
    return [
        (platform, content_id)
        for platform, content_id in rows.execute(select(metrics.c.platform, metrics.c.content_id).distinct())
    ]


def read_accounts(rows: Connection) -> dict[str, Source]:
    """Return every account that was ever listed, by its key."""
    return {
        account.key: Source(
            account.key, account.platform.value, account.name, account.handle or "", account.color_index
        )
        for account, _ in load_accounts(rows)
    }


def all_items(found: Iterable[Item], sampled: Iterable[tuple[str, str | None]]) -> list[Item]:
    """Return the published items, each once, and those only known from their samples."""
    items = {(item.platform, item.content_id): item for item in found}
    for platform, content_id in sampled:
        if content_id is not None:
            items.setdefault((platform, content_id), Item(platform, content_id, f"{platform}:"))
    return list(items.values())


def sources_of(
    items: Iterable[Item], sampled: Iterable[tuple[str, str | None]], accounts: Mapping[str, Source]
) -> list[Source]:
    """Return the sources of items: by platform, accounts before items without one."""
    needed = {item.source: item.platform for item in items}
    needed |= {f"{platform}:": platform for platform, content_id in sampled if content_id is None}
    sources = [accounts.get(key) or Source(key, platform) for key, platform in needed.items()]
    return sorted(sources, key=lambda one: (one.platform, not one.is_known, one.name.casefold(), one.key))
