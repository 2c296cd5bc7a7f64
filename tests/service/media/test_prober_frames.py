"""Pictures of moments of stored videos: the right ones, and none of a video that cannot be read."""

import io
import sys
from datetime import timedelta
from fractions import Fraction
from pathlib import Path
from typing import cast

import av
import pytest
from PIL import Image

from app.media.frames import COVER_BYTES_MAX, COVER_EDGE
from app.service.media.files import LocalMediaStore
from app.service.media.prober import Frames
from app.service.media.stores import Place
from tests.service.media.samples import SAMPLES

PLACE = Place("files/clip.mp4")
COLOURS = ("red", "lime", "blue", "yellow", "black", "white")


def clip(
    container: str = "mp4", codec: str = "mpeg4", width: int = 64, height: int = 48, shape: int = 1
) -> bytes:
    """Six seconds, each of another colour; pixels are ``shape`` times as wide as high."""
    file = io.BytesIO()
    with av.open(file, "w", format=container) as output:
        stream = cast("av.VideoStream", output.add_stream(codec, rate=10))
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.codec_context.sample_aspect_ratio = Fraction(shape)
        stream.codec_context.gop_size = 25
        for colour in COLOURS:
            picture = Image.new("RGB", (width, height), colour)
            frame = av.VideoFrame.from_image(picture)  # type: ignore[no-untyped-call]
            for _ in range(10):
                frame.pts = None
                for packet in stream.encode(frame):
                    output.mux(packet)
        for packet in stream.encode():
            output.mux(packet)
    return file.getvalue()


async def made(
    folder: Path, data: bytes, ms: int, *, program: str = "", patience_s: float = 60
) -> bytes | None:
    """The picture of a moment of a stored file, made by ``program`` in place of the real one."""
    store = LocalMediaStore(folder)
    with (folder / "incoming").open("wb") as file:
        file.write(data)
    target = store.file(PLACE)
    target.parent.mkdir(parents=True, exist_ok=True)
    (folder / "incoming").rename(target)
    other = {"command": (sys.executable, "-c", program)} if program else {}

    async def work() -> bytes | None:
        frames = Frames(store, patience=timedelta(seconds=patience_s), **other)
        return await frames.picture(PLACE, len(data), ms)

    return await work()


def seen(picture: bytes | None) -> Image.Image:
    assert picture is not None
    image = Image.open(io.BytesIO(picture))
    assert image.format == "JPEG"
    return image.convert("RGB")


def assert_is(image: Image.Image, colour: str) -> None:
    wanted = Image.new("RGB", (1, 1), colour).getpixel((0, 0))
    found = image.getpixel((image.width // 2, image.height // 2))
    assert isinstance(wanted, tuple)
    assert isinstance(found, tuple)
    assert all(abs(one - other) < 40 for one, other in zip(found, wanted, strict=True)), (colour, found)


@pytest.mark.parametrize(("container", "codec"), [("mp4", "libx264"), ("mov", "mpeg4"), ("webm", "vp8")])
async def test_it_is_the_picture_that_shows_at_the_moment(tmp_path: Path, container: str, codec: str) -> None:
    data = clip(container, codec)
    for ms, colour in ((0, "red"), (1_950, "lime"), (2_000, "blue"), (4_500, "black"), (99_000, "white")):
        image = seen(await made(tmp_path, data, ms))
        assert image.size == (64, 48)
        assert_is(image, colour)


async def test_it_has_the_shape_of_the_video_and_is_not_larger_than_any_platform_takes(
    tmp_path: Path,
) -> None:
    assert seen(await made(tmp_path, clip(shape=2), 500)).size == (128, 48)
    large = await made(tmp_path, clip(width=2560, height=1440), 500)
    assert seen(large).size == (COVER_EDGE, COVER_EDGE * 9 // 16)
    assert large is not None
    assert len(large) <= COVER_BYTES_MAX


@pytest.mark.parametrize("content_type", [kind for kind in SAMPLES if kind.startswith("video/")])
async def test_every_kind_of_video_has_pictures(tmp_path: Path, content_type: str) -> None:
    assert seen(await made(tmp_path, SAMPLES[content_type](), 200)).size == (64, 48)


@pytest.mark.parametrize(
    "data",
    [
        b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + bytes(5_000),
        b"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:///etc/hostname\n#EXT-X-ENDLIST\n",
        b"",
        SAMPLES["video/mp4"]()[:700],
    ],
    ids=["nonsense", "a list of other files", "nothing", "cut"],
)
async def test_a_file_that_cannot_be_read_has_none(tmp_path: Path, data: bytes) -> None:
    assert await made(tmp_path, data, 1_000) is None


@pytest.mark.parametrize(
    "program",
    [
        "import os; os.abort()",
        "print('{\"read\": [0, 99999999]}', flush=True); input()",
        "print('{\"read\": [-9, 9]}', flush=True); input()",
        "print('{\"read\": 7}', flush=True); input()",
        """import sys; input(); print('{"read": [90, 10]}', flush=True); sys.stdin.read(10)
print('{"done": null, "bytes": 10}')""",
        "print('{\"done\": null, \"bytes\": 9999999}', flush=True); print('.' * 9999999)",
        'print(\'{"done": null, "bytes": 10000000000}\', flush=True); input()',
        'print(\'{"fault": "unreadable"}\', flush=True); input()',
        "print('nonsense', flush=True); input()",
        "import time; time.sleep(60)",
    ],
    ids=[
        "dies",
        "asks for too much",
        "asks for what is before the file",
        "asks for nonsense",
        "ends early",
        "makes too much",
        "tells of too much",
        "cannot",
        "talks",
        "hangs",
    ],
)
async def test_a_program_that_fails_over_a_video_is_ended(tmp_path: Path, program: str) -> None:
    assert await made(tmp_path, bytes(100), 0, program=program, patience_s=2) is None


async def test_a_video_that_is_gone_has_none(tmp_path: Path) -> None:
    frames = Frames(LocalMediaStore(tmp_path))
    assert await frames.picture(PLACE, 100, 0) is None
