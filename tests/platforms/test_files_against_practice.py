"""Pictures and videos to every platform that takes them: the bytes arrive as they are."""

import pytest

from app.contract.enums import ConnectionPlatform
from app.platforms.base import Media, Publication
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
    (P.FACEBOOK, picture()),
    (P.FACEBOOK, video(9 * _MIB + 5)),
    (P.FACEBOOK, video(width=1080, height=1920)),
]


def publish(practice: Practice, post: Publication, member: Member) -> str:
    async def work(adapter):  # type: ignore[no-untyped-def]
        await adapter.prepare(post)
        return await adapter.publish(post)

    return str(practice.run(member.platform, work).content_id)


@pytest.mark.parametrize(("platform", "file"), TAKEN, ids=lambda value: getattr(value, "content_type", value))
def test_a_file_arrives_whole(practice: Practice, platform: P, file: Media) -> None:
    member = connect(practice, platform)
    content_id = publish(practice, member.with_file("Look at this", file), member)
    [entry] = practice.ledger(member.profile.account_identifier)
    assert (entry["content_id"], entry["media_sha256"], entry["text"]) == (
        content_id,
        file.sha256,
        "Look at this",
    )
