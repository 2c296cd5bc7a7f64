import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import PostType
from app.contract.limits import FILENAME_MAX
from app.workspace.media.local_file import look_at, plain_name
from tests.workspace.media.samples import MP4, picture, video, written


def test_a_picture_is_known_by_its_bytes_whatever_its_name(tmp_path: Path) -> None:
    (found,) = look_at([picture(tmp_path, "report.pdf", (800, 1_000))])
    assert (found.content_type, found.post_type) == ("image/jpeg", PostType.IMAGE)
    assert (found.width, found.height) == (800, 1_000)
    assert found.problem == ""
    assert found.size == (tmp_path / "report.pdf").stat().st_size


def test_a_picture_on_its_side_has_the_pixels_that_are_seen(tmp_path: Path) -> None:
    from PIL import Image

    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (800, 600)).save(tmp_path / "turned.jpg", exif=exif)
    (found,) = look_at([tmp_path / "turned.jpg"])
    assert (found.width, found.height) == (600, 800)


def test_a_video_is_known(tmp_path: Path) -> None:
    (found,) = look_at([video(tmp_path)])
    assert (found.content_type, found.post_type, found.size) == ("video/mp4", PostType.VIDEO, 200_000)


def test_what_is_nothing_to_post_says_why(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    files = [
        folder,
        tmp_path / "gone.jpg",
        written(tmp_path, "empty.jpg", b""),
        written(tmp_path, "page.jpg", b"<svg onload=alert(1)>"),
        written(tmp_path, "cut.png", b"\x89PNG\r\n\x1a\n"),
    ]
    problems = [found.problem for found in look_at(files)]
    assert problems[0] == "“folder” is a folder. Choose the files inside it."
    assert problems[1].startswith("Couldn't read “gone.jpg”: no such file")
    assert problems[2] == "“empty.jpg” is empty."
    assert problems[3].startswith("“page.jpg” isn't a supported file type.")
    assert problems[4] == ""  # the service looks into it; its size in pixels is not known
    assert look_at(files[4:])[0].width is None


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
def test_a_pipe_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.mp4")
    assert look_at([tmp_path / "pipe.mp4"])[0].problem == "“pipe.mp4” isn't a file."


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_a_name_that_is_no_text_can_be_told(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9\x1b.mp4"))
    path.write_bytes(MP4)
    (found,) = look_at([path])
    assert found.name == "caf\ufffd.mp4"
    assert found.path == path


@given(st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1))
def test_every_name_becomes_one_that_the_contract_allows(name: str) -> None:
    plain = plain_name(Path("/folder") / name)
    assert 1 <= len(plain) <= FILENAME_MAX
    assert plain.encode()
    assert all(each.isprintable() or each in "\u200c\u200d" for each in plain)


def test_a_long_name_keeps_its_ending() -> None:
    assert plain_name(Path("/a" + "b" * 400 + ".jpeg")).endswith("b.jpeg")
    assert len(plain_name(Path("/" + "b" * 400))) == FILENAME_MAX
