"""Files on this computer: what they are, and which were uploaded before."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import PostType
from app.contract.limits import FILENAME_MAX
from app.workspace.media.local_file import fingerprint, look_at, plain_name
from tests.workspace.media.samples import MP4, picture, video, written
from tests.workspace.media.uploading import MIB, puts, until_done
from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.opened import opened


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
    assert problems[1].startswith("Couldn't read “gone.jpg”: it doesn't exist")
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


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


async def test_a_stored_file_is_recognised_by_its_content_and_not_sent_again(
    tmp_path: Path, service: ModelService
) -> None:
    path = video(tmp_path, "walk.mp4", 3 * MIB)

    async with opened(tmp_path, service) as workspace:
        (upload,) = await workspace.media.add_files([path])
        await until_done(workspace, upload)
        moved = path.rename(tmp_path / "stroll.mp4")
        other = written(tmp_path, "other.mp4", moved.read_bytes()[:-1] + b"x")
        looked = await workspace.media.look_at([moved, other])
        assert [file.name for file in await workspace.media.known(looked)] == ["stroll.mp4"]
        again, new = await workspace.media.add_files([moved, other])
        assert again.id == upload.id
        await until_done(workspace, new)
        assert puts(service) == 2
        service.files.clear()  # somebody else deleted them
        (fresh,) = await workspace.media.add_files([moved])
        assert fresh.id != upload.id
        await until_done(workspace, fresh)


async def test_a_large_file_is_only_recognised_where_every_byte_can_be_compared(
    tmp_path: Path, service: ModelService
) -> None:
    first = video(tmp_path, "first.mp4", size=MIB)
    same = written(tmp_path, "same.mp4", first.read_bytes())
    content = bytearray(first.read_bytes())
    content[-100_000] ^= 1  # between the parts that a fingerprint is taken of
    other = written(tmp_path, "other.mp4", bytes(content))
    assert fingerprint(other, MIB) == fingerprint(first, MIB)

    async with opened(tmp_path, service) as workspace:
        (upload,) = await workspace.media.add_files([first])
        await until_done(workspace, upload)
        again, another = await workspace.media.add_files([same, other])
        assert (again.id, another.path) == (upload.id, other)
        done = await until_done(workspace, another)
        assert service.files[done.storage_path] == other.read_bytes()
        first.unlink()
        (unsure,) = await workspace.media.add_files([same])
        assert unsure.path == same
