"""Where people see what was published: under practice, a page that shows it and says that it is practice."""

from urllib.parse import urlsplit

import pytest

from app.contract.enums import ConnectionPlatform, PostType
from app.platforms.adapters import Adapter
from app.platforms.base import Publication, Published
from app.platforms.cards import hosts_of
from tests.platforms.test_files_against_practice import board_of
from tests.platforms.world import Member, Practice, connect, picture, published, video

P = ConnectionPlatform
KINDS = [
    *((platform, PostType.TEXT) for platform in (P.LINKEDIN, P.X, P.FACEBOOK)),
    *((platform, PostType.IMAGE) for platform in (P.LINKEDIN, P.X, P.FACEBOOK, P.PINTEREST, P.INSTAGRAM)),
    *((platform, PostType.VIDEO) for platform in P if platform is not P.THREADS),
]


def post_of(practice: Practice, member: Member, kind: PostType) -> Publication:
    text = f"See it: {member.platform.value} {kind.value}"
    if kind is PostType.TEXT:
        return member.post(text)
    file = picture() if kind is PostType.IMAGE else video()
    return member.with_file(text, file, title="A title", board_id=board_of(practice, member))


@pytest.mark.parametrize(("platform", "kind"), KINDS)
def test_the_link_leads_to_the_publication(practice: Practice, platform: P, kind: PostType) -> None:
    member = connect(practice, platform)
    post = post_of(practice, member, kind)

    async def publish(adapter: Adapter) -> Published:
        return await published(adapter, post)

    item = practice.run(platform, publish)

    assert item.url.startswith(practice.url)
    page = practice.http.get(item.url, follow_redirects=True)
    assert page.status_code == 200
    assert post.text in page.text
    assert "PRACTICE: nothing here reaches the real platform" in page.text


@pytest.mark.parametrize("platform", [platform for platform in P if platform is not P.THREADS])
def test_the_real_links_are_on_the_platforms_own_sites(platform: P) -> None:
    seen_at = urlsplit(hosts_of(platform).seen_at)
    name = "facebook" if platform is P.INSTAGRAM else platform.value

    assert (seen_at.scheme, seen_at.path) == ("https", "")
    assert (seen_at.hostname or "").removeprefix("www.") == f"{name}.com"
    assert hosts_of(platform, "http://127.0.0.1:5/").seen_at == f"http://127.0.0.1:5/{platform.value}"
