"""Looking into files: what they are is found out behind the uploads' back, and a bad one harms nobody."""

import asyncio
import json
import subprocess
import sys
import zlib
from datetime import timedelta
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import TypeVar

import pytest

from app.database import Database, DiskFullError
from app.database.committer import Work
from app.service.media.framing import picture_at
from app.service.media.prober import Prober
from app.service.media.probing import NOTHING, probe
from tests.service.media.samples import SAMPLES, image, turned_jpeg, video
from tests.service.media.shelf import Shelf, wait_until

T = TypeVar("T")


@pytest.mark.parametrize("content_type", SAMPLES)
def test_every_kind_is_understood(tmp_path: Path, content_type: str) -> None:
    file = tmp_path / "file"
    file.write_bytes(SAMPLES[content_type]())
    kind = content_type.partition("/")[0]
    coded = {"video_codec": "vp8" if content_type == "video/webm" else "mpeg4", "audio_codec": ""}
    moving = {"width": 64, "height": 48, "duration_ms": 500, "frame_rate": 10.0, **coded}

    assert probe(file, kind) == NOTHING | ({"width": 40, "height": 30} if kind == "image" else moving)


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

    assert probe(file, "video") == NOTHING
    with file.open("rb") as opened:
        assert picture_at(opened, 0) is None


@pytest.mark.parametrize("container", ["mpegts", "asf"])
def test_a_video_of_a_kind_that_is_not_taken_is_not_looked_into(tmp_path: Path, container: str) -> None:
    file = tmp_path / "file"
    file.write_bytes(video(container))

    assert probe(file, "video") == NOTHING


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
    facts = probe(file, "video")

    assert (facts["video_codec"], facts["audio_codec"]) == (codec, "aac" if heard else "")


def test_frames_that_are_not_whole_in_a_second_are_counted_to_a_thousandth(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(video("mov", rate=Fraction(30_000, 1001)))

    assert probe(file, "video")["frame_rate"] == 29.97


def test_a_picture_on_its_side_is_measured_as_it_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(turned_jpeg(40, 30))

    assert probe(file, "image") == NOTHING | {"width": 30, "height": 40}


def png_that_claims(width: int, height: int) -> bytes:
    """A picture of a few bytes that says that it is enormous."""
    header = b"IHDR" + width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\x02\0\0\0"
    chunk = (13).to_bytes(4, "big") + header + zlib.crc32(header).to_bytes(4, "big")
    return b"\x89PNG\r\n\x1a\n" + chunk + b"\0\0\0\0IDAT" + zlib.crc32(b"IDAT").to_bytes(4, "big")


def test_a_claim_is_read_and_never_unpacked(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(png_that_claims(60_000, 60_000))
    assert probe(file, "image") == NOTHING | {"width": 60_000, "height": 60_000}
    file.write_bytes(png_that_claims(2**31 - 1, 2**31 - 1))
    assert probe(file, "image") == NOTHING


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
        asked.append({"path": str(file), "kind": random.choice(["image", "video"])})
    done = subprocess.run(
        [sys.executable, "-m", "app.service.media.probing"],
        input="".join(json.dumps(one) + "\n" for one in asked),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]

    assert len(answers) == 100
    assert all(answer.keys() == NOTHING.keys() for answer in answers)
    assert any(answer != NOTHING for answer in answers)


def test_a_file_is_looked_into_after_its_upload(shelf: Shelf) -> None:
    shelf.store(video(width=96, height=64), "clip.mp4", "video/mp4")
    (row,) = shelf.rows()
    assert (row["width"], row["probe_after"] is None) == (None, False)
    while shelf.service.await_(shelf.parts.prober.probe_some):
        pass

    (row,) = shelf.rows()
    assert (row["width"], row["height"], row["duration_ms"], row["probe_after"]) == (96, 64, 500, None)
    assert (row["video_codec"], row["audio_codec"], row["frame_rate"]) == ("mpeg4", "", 10.0)


def prober(shelf: Shelf, *command: str, patience_s: float = 20) -> Prober:
    return Prober(
        shelf.service.database,
        shelf.parts.store,
        shelf.service.clock,
        command=(sys.executable, "-c", *command),
        patience=timedelta(seconds=patience_s),
    )


@pytest.mark.parametrize(
    "program",
    [
        "import os; input(); os.abort()",
        "input(); print('nonsense', flush=True)",
        "input(); import time; time.sleep(60)",
        "raise SystemExit(1)",
    ],
)
def test_a_program_that_fails_over_a_file_is_ended_and_the_file_left_at_that(
    shelf: Shelf, program: str
) -> None:
    shelf.store()
    while shelf.service.await_(prober(shelf, program, patience_s=2).probe_some):
        pass

    (row,) = shelf.rows()
    assert (row["width"], row["probe_after"]) == (None, None)


def test_two_workers_never_take_the_same_file(shelf: Shelf) -> None:
    for colour in ("red", "green", "blue"):
        shelf.store(image(colour=colour))
    worker = shelf.parts.prober
    first = shelf.service.database.write_now(worker._take)
    second = shelf.service.database.write_now(worker._take)
    assert {row["storage_path"] for row in shelf.rows()} <= {place.storage_path for place, _ in first}
    assert second == []

    shelf.service.clock.ahead = timedelta(minutes=10)  # the first worker has died
    again = shelf.service.database.write_now(worker._take)
    assert set(again) == set(first)


def test_the_worker_wakes_for_a_file_and_ends_when_told(shelf: Shelf) -> None:
    worker = prober(shelf, "for _ in iter(input, ''): print('{\"width\": 7}', flush=True)")
    running = asyncio.run_coroutine_threadsafe(worker.run(), shelf.service.loop)
    shelf.store()
    shelf.service.loop.call_soon_threadsafe(worker.notify)
    wait_until(lambda: shelf.rows()[0]["width"] == 7)
    shelf.service.await_(worker.stop)
    running.result(20)


def test_the_worker_ends_at_once_although_a_file_is_being_looked_into(shelf: Shelf) -> None:
    shelf.store()
    worker = prober(shelf, "import time; input(); time.sleep(60)")
    running = asyncio.run_coroutine_threadsafe(worker.run(), shelf.service.loop)
    wait_until(lambda: worker._program is not None)
    shelf.service.await_(worker.stop)
    running.result(20)

    (row,) = shelf.rows()
    assert row["probe_after"] is not None  # left for the next start


def test_the_worker_goes_on_after_the_database_failed(shelf: Shelf) -> None:
    """Where one worker ends with an error, the whole service does."""

    class Full(Database):
        failures = 0

        async def write(self, work: Work[T]) -> T:
            if self.failures == 0:
                self.failures += 1
                raise DiskFullError("The disk is full.")
            return await shelf.service.database.write(work)

    shelf.store()
    database = Full(shelf.service.database.engine, "the store")
    answering = (sys.executable, "-c", "for _ in iter(input, ''): print('{\"width\": 7}', flush=True)")
    worker = Prober(database, shelf.parts.store, shelf.service.clock, command=answering)
    running = asyncio.run_coroutine_threadsafe(worker.run(), shelf.service.loop)
    wait_until(lambda: bool(database.failures))
    shelf.service.loop.call_soon_threadsafe(worker.notify)
    wait_until(lambda: shelf.rows()[0]["width"] == 7)
    shelf.service.await_(worker.stop)
    running.result(20)
