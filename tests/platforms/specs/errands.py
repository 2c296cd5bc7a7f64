"""Everything that an adapter does for its user, once for each kind of post, with every exchange kept."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from app.contract.enums import ConnectionPlatform, PostType
from app.platforms.adapters import Adapter, BoardAdapter, FollowersAdapter, InboxAdapter
from app.platforms.base import Delivered, Media, MemorySteps, Publication
from app.platforms.cards import CARDS
from tests.platforms.https_file import served
from tests.platforms.httpx_wire import HttpxWire
from tests.platforms.specs.recording import Exchange, Recorder
from tests.platforms.world import APP, Member, Practice, connect, picture, video

P = ConnectionPlatform
_MIB = 1024 * 1024
_PICTURES = {
    P.LINKEDIN: [picture(alt_text="A picture of noise")],
    P.X: [picture(alt_text="A picture of noise"), picture("GIF")],
    P.TIKTOK: [picture(alt_text="A picture of noise")],
    P.PINTEREST: [picture(alt_text="A picture of noise"), picture("PNG")],
    P.INSTAGRAM: [picture(alt_text="A picture of noise")],
    P.FACEBOOK: [picture(alt_text="A picture of noise")],
}
_VIDEOS = {
    P.LINKEDIN: [video(5 * _MIB, cover_ms=2_500)],
    P.X: [video(5 * _MIB)],
    P.PINTEREST: [video(cover_ms=2_500)],
    P.INSTAGRAM: [video(alt_text="A video of noise", cover_ms=2_500)],
    P.YOUTUBE: [video(9 * _MIB, cover_ms=2_500)],
    P.TIKTOK: [video(cover_ms=2_500), video(66 * _MIB)],
    P.FACEBOOK: [video(cover_ms=2_500), video(width=1080, height=1920, cover_ms=2_500)],
}
_TEXTS = {P.LINKEDIN, P.X, P.FACEBOOK}
ADMITTED = replace(
    APP,
    more_scopes=(
        "w_organization_social",
        "r_organization_social",
        "rw_organization_admin",
        "r_member_postAnalytics",
    ),
)
"""An app that LinkedIn has admitted to its product for organizations and numbers."""


def run(practice: Practice, platform: P) -> list[Exchange]:
    """What went over the wire."""
    kept: list[Exchange] = []
    place = "instagram-login" if practice.instagram_login else platform.value
    host = f"{practice.url}/{place}"
    recorded = replace(practice, wire=lambda: HttpxWire(Recorder(host, kept)))
    app = ADMITTED if platform is P.LINKEDIN else APP
    member = connect(recorded, platform, app=app)
    board = _boards(recorded, member) if platform is P.PINTEREST else None
    # On Facebook and Instagram one account after the other would only do the same again.
    others = member.others[:1] if platform is P.LINKEDIN else ()
    for profile in (member.profile, *others):
        for post in _posts(replace(member, profile=profile), board):
            with _reachable(post) as reachable:
                recorded.run(platform, partial(_publish, reachable))
    token = member.consent.refresh_token or ""
    if platform is P.THREADS:  # renews no token on its first day
        recorded.fail(platform, lambda adapter: adapter.refresh(APP, token))
    else:
        recorded.run(platform, lambda adapter: adapter.refresh(APP, token))
    return kept


@contextmanager
def _reachable(post: Publication) -> Iterator[Publication]:
    """The post with a public address for its picture."""
    if post.media is None or post.post_type is not PostType.IMAGE:
        yield post
        return
    with served(asyncio.run(_read(post.media)), post.media.content_type) as place:

        async def address() -> str:
            return place

        yield replace(post, media=replace(post.media, address=address))


async def _read(file: Media) -> bytes:
    async with file.open(0) as chunks:
        return b"".join([chunk async for chunk in chunks])


def _boards(practice: Practice, member: Member) -> str:
    async def work(adapter: Adapter) -> str:
        assert isinstance(adapter, BoardAdapter)
        token = member.grant.access_token
        page = await adapter.boards(token, page_size=2, bookmark=None)
        await adapter.boards(token, page_size=100, bookmark=page.bookmark)
        return page.boards[0].id

    return str(practice.run(member.platform, work))


def _posts(member: Member, board: str | None) -> Iterator[Publication]:
    if member.platform in _TEXTS:
        yield member.post("Good (morning) https://example.com/a?b=1&c=2 \U0001f469\u200d\U0001f4bb")
    files: list[Media] = [*_PICTURES.get(member.platform, []), *_VIDEOS.get(member.platform, [])]
    for number, file in enumerate(files):
        more: dict[str, Any] = {"title": f"Title {number}", "board_id": board}
        post = member.with_file(f"Look at this, {number}", file, link="https://example.com/a?b=1", **more)
        yield post
        if CARDS[member.platform].inbox is not None and number < 2:
            yield replace(post, to_inbox=True, steps=MemorySteps())


async def _publish(post: Publication, adapter: Adapter) -> None:
    since = datetime.now(UTC) - timedelta(minutes=1)
    await adapter.prepare(post)
    await adapter.look_back(post, since=since, known=())
    item = await adapter.publish(post)
    if isinstance(item, Delivered):
        assert isinstance(adapter, InboxAdapter)
        assert await adapter.follow(post) is None
        return
    await adapter.look_back(post, since=since, known=())
    await adapter.metrics(post.access_token, post.account_identifier, [item.content_id])
    if isinstance(adapter, FollowersAdapter):
        await adapter.followers(post.access_token, post.account_identifier)
