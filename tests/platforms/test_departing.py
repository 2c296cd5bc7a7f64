"""No adapter calls its platform before the publication may depart."""

from typing import NoReturn

import pytest

from app.contract.enums import ConnectionPlatform as P
from app.contract.enums import PostType
from app.platforms.adapters import Adapter
from app.platforms.base import Media, Publication
from tests.platforms.scripted import TOKEN, Script
from tests.platforms.world import EVERYONE, picture, video

PUBLICATIONS = [
    (P.X, PostType.TEXT),
    (P.X, PostType.VIDEO),
    (P.LINKEDIN, PostType.TEXT),
    (P.LINKEDIN, PostType.IMAGE),
    (P.FACEBOOK, PostType.TEXT),
    (P.FACEBOOK, PostType.IMAGE),
    (P.FACEBOOK, PostType.VIDEO),
    (P.INSTAGRAM, PostType.IMAGE),
    (P.INSTAGRAM, PostType.VIDEO),
    (P.PINTEREST, PostType.IMAGE),
    (P.PINTEREST, PostType.VIDEO),
    (P.TIKTOK, PostType.IMAGE),
    (P.TIKTOK, PostType.VIDEO),
    (P.YOUTUBE, PostType.VIDEO),
]


class TakenBack(BaseException):
    """Like the one with which the service ends what may not depart."""


class Never:
    """The departure of a post that is taken back while it waits."""

    has_departed = False

    async def depart(self) -> NoReturn:
        raise TakenBack

    def holds(self) -> bool:
        return False


def file_of(kind: PostType) -> Media | None:
    match kind:
        case PostType.IMAGE:
            return picture(address=_anywhere)
        case PostType.VIDEO:
            return video(address=_anywhere)
    return None


async def _anywhere() -> str:
    return "https://files.example/one"


@pytest.mark.parametrize(("platform", "kind"), PUBLICATIONS)
def test_nothing_is_sent_by_what_may_not_depart(platform: P, kind: PostType) -> None:
    post = Publication(
        account_identifier="urn:li:person:okafor" if platform is P.LINKEDIN else "17",
        username="okafor",
        access_token=TOKEN,
        post_type=kind,
        title="Coat",
        text="A coat",
        media=file_of(kind),
        board_id="23",
        board_name="Linen",
        tiktok=EVERYONE,
        departure=Never(),
    )

    async def publish(adapter: Adapter) -> None:
        with pytest.raises(TakenBack):
            await adapter.publish(post)

    script = Script()
    script.run(platform, publish)
    assert script.requests == []
