"""Copies of videos: bit by bit where that will do, else coded anew; never longer than was asked for."""

from itertools import pairwise
from pathlib import Path

import av
import pytest

from app.contract.enums import PostType
from app.media.probe import probe
from app.media.protocol import MP4, Crop, ProbeResult, Recipe
from app.media.transcode import make_video
from tests.media.samples import cut_off, made_video


def probed(path: Path) -> ProbeResult:
    return probe(path, PostType.VIDEO, whole=True)


def made(source: Path, recipe: Recipe) -> ProbeResult:
    target = source.with_name("copy.mp4")
    shares: list[float] = []
    make_video(source, target, recipe, probed(source), shares.append)
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)
    content = target.read_bytes()
    assert content.index(b"moov") < content.index(b"mdat")  # platforms want the index first
    return probed(target)


def pictures_of(path: Path) -> list[bytes]:
    with av.open(str(path)) as opened:
        return [bytes(packet) for packet in opened.demux(video=0) if packet.size]


def times_of(path: Path) -> list[float]:
    with av.open(str(path)) as opened:
        return [frame.time for frame in opened.decode(video=0)]


def test_a_mov_becomes_an_mp4_of_the_same_bits(tmp_path: Path) -> None:
    source = made_video(tmp_path, "a.mov", sound="aac")
    seen = made(source, Recipe(MP4))
    assert pictures_of(tmp_path / "copy.mp4") == pictures_of(source)
    assert (seen.video_codec, seen.audio_codec) == ("h264", "aac")


def test_a_copy_of_the_same_bits_lies_as_the_file_does(tmp_path: Path) -> None:
    seen = made(made_video(tmp_path, "a.mov", size=(160, 120), turned=90), Recipe(MP4))
    assert (seen.width, seen.height) == (120, 160)


def test_sound_alone_is_coded_anew_where_only_it_is_strange(tmp_path: Path) -> None:
    source = made_video(tmp_path, "a.mov", sound="pcm_s16le")
    seen = made(source, Recipe(MP4, encodes_sound=True))
    assert pictures_of(tmp_path / "copy.mp4") == pictures_of(source)
    assert seen.audio_codec == "aac"
    assert abs((seen.duration_ms or 0) - 4000) < 100


@pytest.mark.parametrize(
    ("name", "codec", "pixels", "sound"),
    [
        ("a.mov", "prores_ks", "yuv422p10le", "pcm_s16le"),
        ("a.webm", "libvpx", "yuv420p", "libopus"),
        ("a.avi", "mpeg4", "yuv420p", "libmp3lame"),
        ("a.mkv", "ffv1", "yuv444p", "ac3"),
        ("b.mov", "mjpeg", "yuvj420p", ""),
    ],
)
def test_what_platforms_do_not_know_is_coded_anew(
    name: str, codec: str, pixels: str, sound: str, tmp_path: Path
) -> None:
    source = made_video(tmp_path, name, codec=codec, pixels=pixels, sound=sound, size=(162, 122))
    seen = made(source, Recipe(MP4, encodes_video=True, encodes_sound=True))
    assert (seen.video_codec, seen.audio_codec) == ("h264", "aac" if sound else "")
    assert (seen.width, seen.height) == (162, 122)
    assert abs((seen.duration_ms or 0) - 4000) < 150


@pytest.mark.parametrize("encodes", [False, True])
@pytest.mark.parametrize("start_ms", [0, 1500])
def test_a_trimmed_copy_is_never_longer_than_was_asked_for(
    start_ms: int, encodes: bool, tmp_path: Path
) -> None:
    source = made_video(tmp_path, "a.mp4", seconds=8, sound="aac")
    recipe = Recipe(MP4, start_ms=start_ms, length_ms=3000, encodes_video=encodes, encodes_sound=encodes)
    seen = made(source, recipe)
    assert 2700 <= (seen.duration_ms or 0) <= 3000
    assert times_of(tmp_path / "copy.mp4")[0] < 0.1


def test_times_go_forward_after_a_cut_in_the_middle(tmp_path: Path) -> None:
    made(made_video(tmp_path, "a.mp4", seconds=8), Recipe(MP4, start_ms=2500, length_ms=4000))
    times = times_of(tmp_path / "copy.mp4")
    assert all(earlier < later for earlier, later in pairwise(times))


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_a_crop_is_of_the_video_as_it_is_shown(turned: int, tmp_path: Path) -> None:
    source = made_video(tmp_path, "a.mp4", size=(160, 120), turned=turned, seconds=1)
    whole = probed(source)
    assert whole.width is not None
    crop = Crop(0, 0, 64, 64)
    seen = made(source, Recipe(MP4, crop=crop, encodes_video=True))
    assert (seen.width, seen.height) == (64, 64)
    assert _corner(tmp_path / "copy.mp4") == pytest.approx(_corner(source, upright=True), abs=16)


def test_a_video_is_scaled_and_gets_another_rate(tmp_path: Path) -> None:
    source = made_video(tmp_path, "a.mp4", size=(320, 240), rate=60, seconds=2)
    seen = made(source, Recipe(MP4, size=(160, 120), frame_rate=30, encodes_video=True))
    assert (seen.width, seen.height, seen.frame_rate) == (160, 120, 30)


def test_what_is_too_large_as_it_is_gets_fewer_bits(tmp_path: Path) -> None:
    source = made_video(tmp_path, "a.mp4", codec="mjpeg", pixels="yuvj420p", size=(640, 480))
    most = source.stat().st_size // 2
    target = tmp_path / "copy.mp4"
    make_video(source, target, Recipe(MP4, bytes_max=most), probed(source), lambda _share: None)
    assert target.stat().st_size <= most
    assert probed(target).video_codec == "h264"


def test_a_video_with_a_gap_in_it_still_becomes_a_copy(tmp_path: Path) -> None:
    source = made_video(tmp_path, "a.mkv", codec="mpeg4", seconds=6)
    content = bytearray(source.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 200] = bytes(200)
    source.write_bytes(content)
    assert made(source, Recipe(MP4, encodes_video=True)).video_codec == "h264"


def test_what_is_no_video_gives_no_copy(tmp_path: Path) -> None:
    with pytest.raises((av.FFmpegError, ValueError)):
        make_video(
            cut_off(made_video(tmp_path, "a.mp4")), tmp_path / "b.mp4", Recipe(MP4), ProbeResult(), print
        )


def _corner(path: Path, *, upright: bool = False) -> tuple[int, ...]:
    """The colour near the upper left corner of the first picture."""
    with av.open(str(path)) as opened:
        frame = next(opened.decode(video=0))
        image = frame.to_image()  # type: ignore[no-untyped-call]
        if upright:
            image = image.rotate(frame.rotation, expand=True)
    return tuple(image.getpixel((4, 4)))
