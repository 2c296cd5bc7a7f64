"""Pictures and videos to every platform that takes them: the bytes arrive as they are."""

import pytest

from app.contract.enums import ConnectionPlatform
from app.platforms.base import Adapter, BoardAdapter, BoardPage, Media, Publication, Published
from tests.platforms.world import Member, Practice, connect, picture, video

P = ConnectionPlatform
_MIB = 1024 * 1024

TAKEN = [
    (P.LINKEDIN, picture()),
    (P.LINKEDIN, picture("PNG")),
    (P.LINKEDIN, video(9 * _MIB + 5)),
    (P.X, picture()),
    (P.X, picture("PNG")),
    (P.X, video()),
    (P.X, video(9 * _MIB + 5)),
    (P.PINTEREST, picture()),
    (P.PINTEREST, picture("PNG")),
    (P.PINTEREST, video(9 * _MIB + 5)),
    (P.INSTAGRAM, picture()),
    (P.INSTAGRAM, video(9 * _MIB + 5)),
    (P.YOUTUBE, video()),
    (P.YOUTUBE, video(17 * _MIB + 5)),
    (P.TIKTOK, video()),
    (P.TIKTOK, video(66 * _MIB + 5)),
    (P.FACEBOOK, picture()),
    (P.FACEBOOK, video(9 * _MIB + 5)),
    (P.FACEBOOK, video(width=1080, height=1920)),
]


def publish(practice: Practice, post: Publication, member: Member) -> str:
    async def work(adapter: Adapter) -> Published:
        await adapter.prepare(post)
        return await adapter.publish(post)

    return str(practice.run(member.platform, work).content_id)


def board_of(practice: Practice, member: Member) -> str | None:
    """The board to publish to, where there are boards."""
    if member.platform is not P.PINTEREST:
        return None

    async def work(adapter: Adapter) -> BoardPage:
        assert isinstance(adapter, BoardAdapter)
        return await adapter.boards(member.grant.access_token, page_size=2, bookmark=None)

    return str(practice.run(member.platform, work).boards[1].id)


@pytest.mark.parametrize(("platform", "file"), TAKEN, ids=lambda value: getattr(value, "content_type", value))
def test_a_file_arrives_whole(practice: Practice, platform: P, file: Media) -> None:
    member = connect(practice, platform)
    board = board_of(practice, member)
    more = {"title": "A title", "link": "https://example.com/a?b=1", "board_id": board}
    post = member.with_file("Look at this", file, **more)
    content_id = publish(practice, post, member)
    [entry] = practice.ledger(member.profile.account_identifier)
    assert (entry["content_id"], entry["media_sha256"], entry["text"]) == (
        content_id,
        file.sha256,
        "Look at this",
    )
    titled = platform is P.PINTEREST or file.content_type == "video/mp4"
    assert entry["title"] == ("A title" if titled and platform not in {P.X, P.TIKTOK, P.INSTAGRAM} else None)
    assert entry["board_id"] == board
    assert entry["link"] == (post.link if platform is P.PINTEREST else None)
