"""The pictures of a video at any moment: as they are shown, small enough, forward and back."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import av
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from app.media.frames import NoPictureError, VideoReader
from app.media.protocol import Picture
from tests.media.samples import drawn, made_sound, made_video

BOX = (640, 480)
ALL = 1_000_000


def upright(picture: Picture) -> Image.Image:
    size = picture.width, picture.height
    return Image.frombuffer("RGB", size, picture.pixels, "raw", "BGRX", picture.stride, 1)


def shade(picture: Picture) -> int:
    """The red of a pixel that grows by one with every picture of a made video."""
    pixel = upright(picture).getpixel((picture.width - 4, 4))
    assert isinstance(pixel, tuple)
    return int(pixel[0])


Read = Callable[[Path], VideoReader]


@pytest.fixture
def read() -> Iterator[Read]:
    """Opens videos, which are closed at the end."""
    with ExitStack() as opened:
        yield lambda path: opened.enter_context(closing(VideoReader(path)))


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_video(tmp_path_factory.mktemp("film"), "walk.mp4", seconds=6, rate=10, sound="aac")


def test_it_tells_how_large_and_long_it_is(film: Path, read: Read) -> None:
    reader = read(film)
    assert (reader.size, reader.has_sound) == ((160, 120), True)
    assert reader.duration_ms == pytest.approx(6_000, abs=100)


@given(moments=st.lists(st.integers(0, 5_999), min_size=1, max_size=6))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_whatever_was_asked_before_the_picture_of_a_moment_is_the_same(
    film: Path, moments: list[int], read: Read
) -> None:
    reader = read(film)
    for moment in moments:
        picture = reader.at(moment, BOX)
        assert picture.ms == moment // 100 * 100
        assert shade(picture) == pytest.approx(64 + moment // 100, abs=6)


def test_after_the_end_the_last_picture_stays(film: Path, read: Read) -> None:
    reader = read(film)
    last = reader.at(ALL, BOX)
    assert (last.ms, last.is_last) == (5_900, True)
    assert not reader.at(0, BOX).is_last


def test_it_fits_into_the_box_and_is_never_made_larger(film: Path, read: Read) -> None:
    reader = read(film)
    assert upright(reader.at(0, (80, 400))).size == (80, 60)
    assert upright(reader.at(0, (4_000, 4_000))).size == (160, 120)
    assert upright(reader.at(0, (1, 1))).size == (1, 1)


@pytest.mark.parametrize("turned", [90, 180, 270])
def test_what_was_filmed_on_its_side_stands_upright(tmp_path: Path, turned: int, read: Read) -> None:
    reader = read(made_video(tmp_path, "walk.mp4", seconds=1, turned=turned))
    expected = drawn((160, 120)).rotate(turned, expand=True)
    assert reader.size == expected.size
    picture = upright(reader.at(0, BOX))
    assert picture.size == expected.size
    for place in ((8, 8), (picture.width - 8, 8), (8, picture.height - 8)):
        shown, wanted = picture.getpixel(place), expected.getpixel(place)
        assert isinstance(shown, tuple)
        assert isinstance(wanted, tuple)
        assert shown == pytest.approx(wanted, abs=14)


@pytest.mark.parametrize(("name", "codec"), [("walk.webm", "libvpx"), ("walk.avi", "mpeg4")])
def test_other_containers_are_watched_too(tmp_path: Path, name: str, codec: str, read: Read) -> None:
    reader = read(made_video(tmp_path, name, codec=codec, seconds=2))
    assert reader.at(1_500, BOX).ms == 1_500
    assert reader.at(200, BOX).ms == 200


def test_a_film_that_breaks_off_shows_what_there_is(tmp_path: Path, read: Read) -> None:
    whole = made_video(tmp_path, "walk.avi", codec="mpeg4", seconds=4).read_bytes()
    broken = tmp_path / "broken.avi"
    broken.write_bytes(whole[: len(whole) // 2])
    reader = read(broken)
    assert reader.at(0, BOX).ms == 0
    assert reader.at(ALL, BOX).is_last


def test_sound_alone_and_rubbish_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NoPictureError):
        VideoReader(made_sound(tmp_path, "song.mp4"))
    rubbish = tmp_path / "walk.mp4"
    rubbish.write_bytes(b"\0\0\0\x18ftypmp42" + b"\0" * 500)
    with pytest.raises((av.FFmpegError, NoPictureError)):
        VideoReader(rubbish)
