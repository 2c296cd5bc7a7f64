"""The moment of a video that was chosen to stand for it, on its way to the platforms that take one."""

import asyncio
import hashlib
from dataclasses import replace

import pytest

from app.contract.enums import ConnectionPlatform, PostingPlatform
from app.platforms.adapters import Adapter, BoardAdapter
from app.platforms.base import Media
from app.platforms.publication import cover_of
from app.platforms.rules import RULES
from tests.platforms.httpx_wire import HttpxWire
from tests.platforms.specs.recording import Exchange, Recorder
from tests.platforms.world import Practice, connect, picture, still, video

P = ConnectionPlatform


def sent(practice: Practice, platform: P, *files: Media) -> list[Exchange]:
    """What went over the wire when a post was prepared with each of these files in turn, and published."""
    kept: list[Exchange] = []
    host = f"{practice.url}/{platform.value}"
    recorded = replace(practice, wire=lambda: HttpxWire(Recorder(host, kept)))
    member = connect(recorded, platform)

    async def work(adapter: Adapter) -> None:
        board = None
        if isinstance(adapter, BoardAdapter):
            board = (await adapter.boards(member.grant.access_token, page_size=2, bookmark=None)).boards[0].id
        post = member.with_file("Look", files[0], board_id=board)
        for file in files:
            post = replace(post, media=file)
            await adapter.prepare(post)
        await adapter.publish(post)

    recorded.run(platform, work)
    return kept


def shows(practice: Practice, address: str, picture: bytes) -> bool:
    """Whether a video's page has this picture as its cover."""
    page = practice.http.get(address, follow_redirects=True).text
    return f'poster="/files/{hashlib.sha256(picture).hexdigest()}"' in page


def test_pinterest_gets_it_in_whole_seconds(practice: Practice) -> None:
    *_, pin = [
        one for one in sent(practice, P.PINTEREST, video(cover_ms=2_900)) if one.path.endswith("/pins")
    ]
    assert pin.json["media_source"]["cover_image_key_frame_time"] == 2


def test_instagram_gets_it_and_another_container_when_it_changes(practice: Practice) -> None:
    said = sent(practice, P.INSTAGRAM, video(), video(cover_ms=2_900), video(cover_ms=2_900))
    made = [one.form for one in said if one.method == "POST" and one.path.endswith("/media")]
    assert [form.get("thumb_offset") for form in made] == [None, "2900"]


def test_tiktok_gets_it_and_another_announcement_when_it_changes(practice: Practice) -> None:
    big = {"size": 66 * 1024 * 1024}  # more than one chunk: what is all there is published as it is
    said = sent(practice, P.TIKTOK, video(**big), video(**big, cover_ms=2_900), video(**big, cover_ms=2_900))
    begun = [one.json["post_info"] for one in said if one.path.endswith("/video/init/")]
    assert [post.get("video_cover_timestamp_ms") for post in begun] == [None, 2_900]


def test_youtube_gets_its_picture_once_the_video_is_there(practice: Practice) -> None:
    said = sent(practice, P.YOUTUBE, video(), video(cover_ms=2_900))
    *others, last = [one for one in said if one.method in {"POST", "PUT"}]
    assert (last.path, last.status) == ("/upload/youtube/v3/thumbnails/set", 200)
    assert last.body == asyncio.run(still(2_900))
    assert [one.path for one in others if "thumbnails" in one.path] == []
    assert shows(practice, f"/youtube/watch?v={last.query['videoId']}", last.body)


def test_linkedin_gets_its_picture_before_the_video(practice: Practice) -> None:
    assert announced(sent(practice, P.LINKEDIN, video())) == [False]
    covered = sent(practice, P.LINKEDIN, video(cover_ms=2_900))
    assert announced(covered) == [True]
    moved = [one.path for one in covered if one.method == "PUT"]
    assert [path.endswith("/thumbnail/0") for path in moved] == [True, False]
    [post] = [one for one in covered if one.path == "/rest/posts"]
    [picture] = [one.body for one in covered if one.path.endswith("/thumbnail/0")]
    assert picture == asyncio.run(still(2_900))
    assert shows(practice, f"/published/linkedin/{post.answer_headers['x-restli-id']}", picture)


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1080, 1920)], ids=["video", "reel"])
def test_facebook_gets_its_picture_once_the_video_is_there(
    practice: Practice, width: int, height: int
) -> None:
    about = {"width": width, "height": height}
    plain, covered = (
        [one for one in sent(practice, P.FACEBOOK, video(**about, **more)) if one.method == "POST"]
        for more in ({}, {"cover_ms": 2_900})
    )
    assert [one.path for one in plain if "thumbnails" in one.path] == []
    last = covered[-1]
    assert last.path.endswith("/thumbnails")
    assert last.form == {"is_preferred": "true", "source": "image/jpeg"}
    picture = asyncio.run(still(2_900))
    assert picture in last.body
    assert shows(practice, "/published/facebook", picture)


def announced(said: list[Exchange]) -> list[bool]:
    """Which announcements of videos asked for a place for a thumbnail."""
    begun = [one for one in said if one.query.get("action") == "initializeUpload"]
    return [one.json["initializeUploadRequest"]["uploadThumbnail"] for one in begun]


@pytest.mark.parametrize("platform", list(RULES))
def test_the_others_get_none_and_none_is_beyond_the_end(
    platform: PostingPlatform, practice: Practice
) -> None:
    member = connect(practice, P.PINTEREST)
    takes = RULES[platform].takes_cover
    for chosen, expected in ((None, None), (0, 0), (4_000, 4_000), (99_000, 12_000)):
        post = member.with_file("Look", video(cover_ms=chosen))
        assert cover_of(platform, post) == (expected if takes else None)
    assert cover_of(platform, member.with_file("Look", picture(cover_ms=5))) is None
