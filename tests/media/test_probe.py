"""Verdicts on files: whole ones are described, broken ones are found out, and nothing takes anybody down."""

import os
import struct
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from app.contract.enums import PostType
from app.media.probe import probe
from app.media.protocol import Fault, ProbeResult
from app.workspace.media.local_file import look_at_one, problem_with
from tests.media.heic import made_heic
from tests.media.samples import cut_off, drawn, made_sound, made_video, photo


def looked(path: Path) -> ProbeResult:
    return probe(path, look_at_one(path).post_type, whole=True)


MAKERS: dict[str, Callable[[Path], Path]] = {
    "jpeg": lambda folder: photo(folder, "a.jpg"),
    "progressive": lambda folder: photo(folder, "b.jpg", progressive=True),
    "png": lambda folder: photo(folder, "a.png"),
    "gif": lambda folder: photo(folder, "a.gif"),
    "webp": lambda folder: photo(folder, "a.webp"),
    "avif": lambda folder: photo(folder, "a.avif"),
    "heic": lambda folder: made_heic(folder, "a.heic"),
    "mp4": lambda folder: made_video(folder, "a.mp4"),
    "mov": lambda folder: made_video(folder, "a.mov", sound="aac"),
    "hevc": lambda folder: made_video(folder, "b.mp4", codec="libx265"),
    "prores": lambda folder: made_video(folder, "b.mov", codec="prores_ks", pixels="yuv422p10le"),
    "webm": lambda folder: made_video(folder, "a.webm", codec="libvpx"),
    "matroska": lambda folder: made_video(folder, "a.mkv", codec="mpeg4"),
    "avi": lambda folder: made_video(folder, "a.avi", codec="mpeg4", sound="libmp3lame"),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_a_whole_file_is_described_and_one_without_its_end_is_found_out(kind: str, tmp_path: Path) -> None:
    path = MAKERS[kind](tmp_path)
    seen = looked(path)
    assert seen.fault is None
    assert seen.width is not None
    whole = path.read_bytes()
    for hundredths in (10, 30, 50, 70):
        path.write_bytes(whole)
        assert looked(cut_off(path, hundredths / 100)).fault is not None, hundredths


def test_a_video_is_described_in_full(tmp_path: Path) -> None:
    seen = looked(made_video(tmp_path, "a.mov", size=(320, 180), seconds=3, rate=25, sound="aac"))
    assert (seen.width, seen.height, seen.video_codec, seen.audio_codec) == (320, 180, "h264", "aac")
    assert seen.frame_rate == 25
    assert abs((seen.duration_ms or 0) - 3000) < 50


def test_a_video_on_its_side_is_told_as_it_is_shown(tmp_path: Path) -> None:
    seen = looked(made_video(tmp_path, "a.mp4", size=(160, 120), turned=90))
    assert (seen.width, seen.height) == (120, 160)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_on_its_side_is_told_as_it_is_shown(orientation: int, tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    seen = looked(photo(tmp_path, "a.jpg", (80, 60), exif=exif))
    assert (seen.width, seen.height) == ((60, 80) if orientation >= 5 else (80, 60))


@pytest.mark.parametrize("ending", ["gif", "webp", "png"])
def test_moving_images_are_told_from_still_ones(ending: str, tmp_path: Path) -> None:
    more = [drawn((800, 600), number * 30) for number in range(3)]
    assert looked(photo(tmp_path, f"moving.{ending}", save_all=True, append_images=more)).is_moving
    assert not looked(photo(tmp_path, f"still.{ending}")).is_moving


def test_a_wrong_ending_deceives_nobody(tmp_path: Path) -> None:
    path = photo(tmp_path, "a.png").rename(tmp_path / "a.mp4")
    file = look_at_one(path)
    assert (file.content_type, looked(path).width) == ("image/png", 800)


def test_a_title_that_is_no_text_is_no_trouble(tmp_path: Path) -> None:
    path = made_video(tmp_path, "a.mkv", codec="mpeg4", title="A walk")
    path.write_bytes(path.read_bytes().replace(b"A walk", b"A \xff\xfe k"))
    assert looked(path).width == 160


def test_sound_alone_is_no_video(tmp_path: Path) -> None:
    seen = looked(made_sound(tmp_path, "a.mov"))
    assert seen.fault is Fault.NO_PICTURE
    assert problem_with(seen, "a.mov") == "“a.mov” contains only audio. Choose a video or an image."


@pytest.mark.variation
def test_a_video_of_three_hours_is_looked_into_without_being_read(tmp_path: Path) -> None:
    path = made_video(tmp_path, "long.mp4", size=(16, 16), seconds=3 * 3600, rate=1, container="mp4")
    assert looked(path).duration_ms == 3 * 3600 * 1000


def test_forty_thousand_pixels_are_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / "wide.png"
    Image.new("1", (40_000, 1_000)).save(path)
    assert looked(path).width == 40_000


def test_a_picture_that_would_fill_memory_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.png"
    path.write_bytes(_png_that_claims(40_000, 40_000))
    seen = looked(path)
    assert (seen.width, seen.height) == (40_000, 40_000)


def test_a_picture_of_no_size_is_none(tmp_path: Path) -> None:
    path = tmp_path / "none.png"
    path.write_bytes(_png_that_claims(0, 10))
    assert looked(path).fault is Fault.UNREADABLE


def test_a_file_that_names_others_reads_none_of_them(tmp_path: Path) -> None:
    """Playlists that pretend to be videos could have a decoder open files and addresses."""
    path = tmp_path / "list.mp4"
    path.write_bytes(b"#EXTM3U\n#EXTINF:1,\nfile:///etc/hostname\n")
    assert probe(path, PostType.VIDEO, whole=True).fault is not None


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_names_of_any_bytes_are_opened(tmp_path: Path) -> None:
    for name in (
        b"caf\xe9 %41.jpg",
        b"-i.jpg",
        "\N{RIGHT-TO-LEFT OVERRIDE}gpj.jpg".encode(),
        b"a:b.jpg",
        b"new\nline.jpg",
    ):
        path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
        photo(tmp_path, "a.jpg", (20, 10)).rename(path)
        assert looked(path).width == 20


def _png_that_claims(width: int, height: int) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(bytes(1_000))), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
