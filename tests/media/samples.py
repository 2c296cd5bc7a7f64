"""Files of every kind that people have, and some that nobody should: made here, none is fetched."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import av
from PIL import Image, ImageDraw

_SOUND_RATE = 48_000


def drawn(size: tuple[int, int], number: int = 0, mode: str = "RGB") -> Image.Image:
    """A picture in which one can tell top from bottom and left from right."""
    width, height = size
    image = Image.new("RGB", size, (64 + number % 128, 110, 120))
    brush = ImageDraw.Draw(image)
    brush.rectangle((0, 0, width // 3, height // 4), (214, 90, 60))
    brush.ellipse((width // 2, height // 2, width - 1, height - 1), (236, 214, 160))
    return image.convert(mode)


def photo(folder: Path, name: str, size: tuple[int, int] = (800, 600), **options: Any) -> Path:
    """An image in the format of its ending."""
    path = folder / name
    drawn(size).save(path, **options)
    return path


def made_video(
    folder: Path,
    name: str,
    *,
    codec: str = "libx264",
    size: tuple[int, int] = (160, 120),
    seconds: float = 4,
    rate: int = 10,
    sound: str = "",
    pixels: str = "yuv420p",
    turned: int = 0,
    container: str | None = None,
    title: str = "",
) -> Path:
    """A video in the container of its ending; ``turned`` in degrees against the clock."""
    path = folder / name
    with av.open(str(path), "w", format=container) as output:
        if title:
            output.metadata["title"] = title
        quiet = {"x265-params": "log-level=none"} if codec == "libx265" else {}
        stream: Any = output.add_stream(codec, rate=Fraction(rate), options=quiet)
        stream.width, stream.height, stream.pix_fmt = *size, pixels
        stream.codec_context.gop_size = rate
        if turned:
            stream.set_display_rotation(turned)
        heard: Any = output.add_stream(sound, rate=_SOUND_RATE) if sound else None
        for number in range(round(seconds * rate)):
            frame = av.VideoFrame.from_image(drawn(size, number)).reformat(format=pixels)  # type: ignore[no-untyped-call]
            frame.pts = number
            output.mux(stream.encode(frame))
        output.mux(stream.encode())
        if heard is not None:
            _add_silence(output, heard, seconds)
    return path


def made_sound(folder: Path, name: str) -> Path:
    """A second of silence in a container for videos."""
    path = folder / name
    with av.open(str(path), "w") as output:
        _add_silence(output, output.add_stream("aac", rate=_SOUND_RATE), 1)
    return path


def _add_silence(output: Any, stream: Any, seconds: float) -> None:
    form = "s16" if stream.codec_context.name.startswith("pcm") else stream.codec_context.format.name
    for _ in range(round(seconds * _SOUND_RATE / 1024)):
        frame = av.AudioFrame(format=form, layout="stereo", samples=1024)
        frame.sample_rate = _SOUND_RATE
        for plane in frame.planes:
            plane.update(bytes(plane.buffer_size))
        output.mux(stream.encode(frame))
    output.mux(stream.encode())


def cut_off(path: Path, share: float = 0.5) -> Path:
    """The same file without its end."""
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    return path


def walk(folder: Path, size: tuple[int, int] = (640, 360)) -> Path:
    """A real video of five green frames."""
    path = folder / "walk.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=25)
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        for _ in range(5):
            frame = av.VideoFrame.from_image(Image.new("RGB", size, "green"))  # type: ignore[no-untyped-call]
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path
