"""Probes of headers alone, as the service makes them: what is claimed is read, and nothing is unpacked."""

import json
import subprocess
import zlib
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from app.children import SOURCE, child_command, helper_environment
from app.contract.enums import PostType
from app.media.frames import cover
from app.media.probe import probe
from app.media.protocol import ProbeResult
from tests.media.samples import made_video
from tests.service.media.samples import SAMPLES, turned_jpeg, video

NOTHING = ProbeResult()


def headers(file: Path, kind: str) -> ProbeResult:
    """What headers tell, without the fault of a file that cannot be read."""
    return replace(probe(file, PostType(kind), whole=False), fault=None)


@pytest.mark.parametrize("content_type", SAMPLES)
def test_every_kind_is_understood(tmp_path: Path, content_type: str) -> None:
    file = tmp_path / "file"
    file.write_bytes(SAMPLES[content_type]())
    kind = content_type.partition("/")[0]
    codec = "vp8" if content_type == "video/webm" else "mpeg4"
    moving = ProbeResult(64, 48, duration_ms=500, frame_rate=10.0, video_codec=codec, audio_codec="")

    assert headers(file, kind) == (ProbeResult(40, 30) if kind == "image" else moving)


@pytest.mark.parametrize(
    "text",
    [
        "ffconcat version 1.0\nfile other.mp4\n",
        "ffconcat version 1.0\nfile {other}\n",
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nother.mp4\n#EXT-X-ENDLIST\n",
        "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 9 RTP/AVP 96\n",
    ],
)
def test_a_text_that_names_another_file_is_no_video(tmp_path: Path, text: str) -> None:
    other, file = tmp_path / "other.mp4", tmp_path / "file"
    other.write_bytes(video())
    file.write_text(text.format(other=other), "utf-8")

    assert headers(file, "video") == NOTHING
    with file.open("rb") as opened:
        assert cover(opened, 0) is None


@pytest.mark.parametrize("container", ["mpegts", "asf"])
def test_a_video_of_a_kind_that_is_not_taken_is_not_looked_into(tmp_path: Path, container: str) -> None:
    file = tmp_path / "file"
    file.write_bytes(video(container))

    assert headers(file, "video") == NOTHING


@pytest.mark.parametrize(
    ("encoder", "container", "codec", "heard"),
    [
        ("libx264", "mp4", "h264", True),
        ("libvpx-vp9", "webm", "vp9", False),
        ("libsvtav1", "mp4", "av1", True),
    ],
)
def test_a_codec_has_its_own_name_whoever_reads_it(
    tmp_path: Path, encoder: str, container: str, codec: str, *, heard: bool
) -> None:
    file = tmp_path / "file"
    file.write_bytes(video(container, encoder, sound=heard))
    found = headers(file, "video")

    assert (found.video_codec, found.audio_codec) == (codec, "aac" if heard else "")


def test_frames_that_are_not_whole_in_a_second_are_counted_to_a_thousandth(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(video("mov", rate=Fraction(30_000, 1001)))

    assert headers(file, "video").frame_rate == 29.97


def test_a_picture_on_its_side_is_measured_as_it_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(turned_jpeg(40, 30))

    assert headers(file, "image") == ProbeResult(30, 40)


def png_that_claims(width: int, height: int) -> bytes:
    """A picture of a few bytes that says that it is enormous."""
    header = b"IHDR" + width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\x02\0\0\0"
    chunk = (13).to_bytes(4, "big") + header + zlib.crc32(header).to_bytes(4, "big")
    return b"\x89PNG\r\n\x1a\n" + chunk + b"\0\0\0\0IDAT" + zlib.crc32(b"IDAT").to_bytes(4, "big")


def test_a_claim_is_read_and_never_unpacked(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(png_that_claims(60_000, 60_000))
    assert headers(file, "image") == ProbeResult(60_000, 60_000)
    file.write_bytes(png_that_claims(2**31 - 1, 2**31 - 1))
    assert headers(file, "image") == NOTHING


def test_nasty_files_are_survived(tmp_path: Path) -> None:
    """A hundred files, cut, bent and mixed up; one program looks into all of them and answers each time."""
    random = Random(7)  # noqa: S311  the same files each time
    whole = [make() for make in SAMPLES.values()]
    asked = []
    for number in range(100):
        data = bytearray(random.choice(whole))
        match number % 4:
            case 0:
                del data[random.randrange(1, len(data)) :]
            case 1:
                for _ in range(random.randrange(1, 60)):
                    data[random.randrange(len(data))] = random.randrange(256)
            case 2:
                start = random.randrange(len(data))
                data[start : start + 8] = random.randbytes(8)
            case _:
                data += random.choice(whole)
        file = tmp_path / f"{number}"
        file.write_bytes(data)
        kind = random.choice(["image", "video"])
        asked.append({"do": "probe", "path": str(file), "post_type": kind, "whole": False})
    done = subprocess.run(
        child_command("app.media.worker"),
        cwd=SOURCE,
        env=helper_environment(),
        input="".join(json.dumps(one) + "\n" for one in asked),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    answers = [ProbeResult.from_json(json.loads(line)["done"]) for line in done.stdout.splitlines()]

    assert len(answers) == 100
    assert any(answer.width for answer in answers)
    assert any(answer.fault for answer in answers)


def test_a_title_that_is_no_text_is_no_trouble(tmp_path: Path) -> None:
    file = made_video(tmp_path, "a.mkv", codec="mpeg4", title="A walk")
    file.write_bytes(file.read_bytes().replace(b"A walk", b"A \xff\xfe k"))

    assert headers(file, "video").width == 160
    with file.open("rb") as opened:
        assert cover(opened, 0) is not None
