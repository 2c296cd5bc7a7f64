"""The moment of a stored video that somebody chose, as the picture that people would see."""

import io
import re
from typing import Final
from urllib.parse import quote

import pytest
from PIL import Image

from app.contract.enums import PostingPlatform
from app.contract.limits import COMPANION_PREFIX
from tests.service.publishing.endtoend.files import SEVERAL_PARTS, Sample
from tests.service.publishing.endtoend.stage import Stage

SAMPLE: Final = Sample("video/mp4", 720, 404, SEVERAL_PARTS)
_MOMENT_MS: Final = 4_000
_SHADE: Final = round((16 + 96 - 16) * 255 / 219)
"""Of the picture at that moment: each is a little lighter than the one before."""


@pytest.mark.parametrize(
    "platform", [PostingPlatform.YOUTUBE, PostingPlatform.LINKEDIN, PostingPlatform.FACEBOOK], ids=str
)
def test_the_picture_of_the_moment_stands_for_the_video(stage: Stage, platform: PostingPlatform) -> None:
    path = stage.stored(SAMPLE)
    place = f"{stage.caller.service.base_url}{COMPANION_PREFIX}/media/{quote(path)}"
    assert stage.caller.http.patch(place, json={"cover_ms": _MOMENT_MS}).status_code == 200
    body = {"platform": platform.value, "post_type": "video", "media_storage_path": path}
    account = {"social_account_id": stage.rested(platform)["id"]}

    post = stage.publish({**account, **body, "title": "Wool", "description": "With a cover"})

    content_id = stage.content_of(post["id"])["content_id"]
    address = f"/published/{platform.value}/{quote(content_id, safe='')}"
    page = stage.practice.get(address, follow_redirects=True).text
    found = re.search(r'poster="(/files/\w{64})"', page)
    assert found is not None
    picture = Image.open(io.BytesIO(stage.practice.get(found.group(1)).content))
    assert (picture.format, picture.size) == ("JPEG", (720, 404))
    shade = picture.convert("L").getpixel((360, 202))
    assert isinstance(shade, int | float)
    assert abs(shade - _SHADE) <= 3
