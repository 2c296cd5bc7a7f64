"""Small pictures of files: of every kind, and none of broken ones."""

import io
from pathlib import Path

import av
import pytest
from PIL import Image

from app.contract.enums import PostType
from app.media.frames import VideoReader, thumbnail
from app.media.probe import probe
from app.media.protocol import Fault
from tests.media.samples import made_video, walk
from tests.workspace.media.samples import written

EDGE = 480


def opened(content: bytes | None) -> Image.Image:
    assert content is not None
    return Image.open(io.BytesIO(content), formats=("JPEG",))


@pytest.mark.parametrize("form", ["PNG", "GIF", "WEBP", "AVIF", "JPEG"])
def test_an_image_of_any_kind_gets_smaller_and_keeps_its_shape(tmp_path: Path, form: str) -> None:
    content = io.BytesIO()
    Image.new("RGB", (1_200, 600), "brown").save(content, form)
    small = opened(thumbnail(written(tmp_path, "coat", content.getvalue()), PostType.IMAGE, EDGE))
    assert small.size == (EDGE, EDGE // 2)


def test_a_picture_that_lies_on_its_side_is_turned(tmp_path: Path) -> None:
    turned = Image.Exif()
    turned[0x0112] = 6
    Image.new("RGB", (800, 400), "brown").save(tmp_path / "coat.jpg", exif=turned)
    assert opened(thumbnail(tmp_path / "coat.jpg", PostType.IMAGE, EDGE)).size == (EDGE // 2, EDGE)


def test_what_is_transparent_becomes_white(tmp_path: Path) -> None:
    Image.new("RGBA", (80, 40), (0, 0, 0, 0)).save(tmp_path / "mark.png")
    small = opened(thumbnail(tmp_path / "mark.png", PostType.IMAGE, EDGE))
    assert (small.size, small.getpixel((5, 5))) == ((80, 40), (255, 255, 255))


def test_of_a_video_the_first_frame_is_shown(tmp_path: Path) -> None:
    small = opened(thumbnail(walk(tmp_path), PostType.VIDEO, EDGE))
    assert small.size == (EDGE, 270)
    red, green, blue = small.getpixel((100, 100))  # type: ignore[misc]
    assert green > 100 > max(red, blue)


def test_of_a_video_the_moment_that_was_chosen_is_shown(tmp_path: Path) -> None:
    film = made_video(tmp_path, "walk.mp4", seconds=6, size=(960, 720))
    small = opened(thumbnail(film, PostType.VIDEO, EDGE, cover_ms=5_000))
    assert small.size == (EDGE, 360)
    red, _green, _blue = small.getpixel((EDGE - 4, 4))  # type: ignore[misc]
    assert red == pytest.approx(64 + 50, abs=6)
    assert thumbnail(film, PostType.VIDEO, EDGE, cover_ms=10**9) is not None
    assert thumbnail(written(tmp_path, "odd", b"\0" * 99), PostType.VIDEO, EDGE, cover_ms=5) is None


@pytest.mark.parametrize("content", [b"", b"\xff\xd8\xff\xe0 no more", b"<svg/>", b"\0" * 5_000])
@pytest.mark.parametrize("kind", [PostType.IMAGE, PostType.VIDEO])
def test_what_cannot_be_read_has_none(tmp_path: Path, content: bytes, kind: PostType) -> None:
    assert thumbnail(written(tmp_path, "odd", content), kind, EDGE) is None


def test_a_picture_that_claims_to_be_huge_is_not_decoded(tmp_path: Path) -> None:
    png = io.BytesIO()
    Image.new("1", (8, 8)).save(png, "PNG")
    content = bytearray(png.getvalue())
    content[16:24] = (12_000).to_bytes(4, "big") * 2
    assert thumbnail(written(tmp_path, "bomb.png", bytes(content)), PostType.IMAGE, EDGE) is None


def test_a_progressive_jpeg_is_judged_by_the_pixels_that_it_stores(tmp_path: Path) -> None:
    """Its decoder keeps every coefficient in memory, however small a picture is wanted."""
    large = Image.new("L", (6_400, 6_400))
    for name, is_progressive in (("baseline.jpg", False), ("progressive.jpg", True)):
        large.save(tmp_path / name, progressive=is_progressive)
    assert opened(thumbnail(tmp_path / "baseline.jpg", PostType.IMAGE, EDGE)).size == (EDGE, EDGE)
    assert thumbnail(tmp_path / "progressive.jpg", PostType.IMAGE, EDGE) is None
    assert probe(tmp_path / "progressive.jpg", PostType.IMAGE, whole=True).width == 6_400


LISTS = {
    "ffconcat": "ffconcat version 1.0\nfile other.mp4\n",
    "hls": "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nother.mp4\n#EXT-X-ENDLIST\n",
    "sdp": "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 9 RTP/AVP 96\n",
}


@pytest.mark.parametrize("content", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("head", ["", "\0\0\0\x18ftypmp42"])
def test_a_list_of_files_that_calls_itself_a_video_opens_none(
    tmp_path: Path, content: str, head: str
) -> None:
    made_video(tmp_path, "other.mp4", seconds=1)
    film = written(tmp_path, "walk.mp4", (head + content).encode())
    assert thumbnail(film, PostType.VIDEO, EDGE) is None
    assert thumbnail(film, PostType.VIDEO, EDGE, cover_ms=5) is None
    assert probe(film, PostType.VIDEO, whole=True).fault in (Fault.UNREADABLE, Fault.CUT_OFF)
    with pytest.raises((ValueError, av.FFmpegError)):
        VideoReader(film)
