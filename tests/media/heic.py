"""A HEIC image, as phones write them (ISO/IEC 23008-12): no library here writes one."""

import struct
from pathlib import Path

import av

from tests.media.samples import made_video


def made_heic(folder: Path, name: str, size: tuple[int, int] = (640, 480), *, turned: int = 0) -> Path:
    """One picture, coded by an encoder for videos; ``turned`` in quarters against the clock."""
    film = made_video(folder, f"{name}.mp4", codec="libx265", size=size, seconds=1, rate=1)
    with av.open(str(film)) as opened:
        stream = opened.streams.video[0]
        settings = bytes(stream.codec_context.extradata or b"")
        picture = bytes(next(packet for packet in opened.demux(stream) if packet.size))
    film.unlink()
    start = len(_written(settings, size, turned, 0, len(picture)))
    path = folder / name
    path.write_bytes(_written(settings, size, turned, start + 8, len(picture)) + _box(b"mdat", picture))
    return path


def _written(settings: bytes, size: tuple[int, int], turned: int, offset: int, length: int) -> bytes:
    place = struct.pack(">BBHHHHII", 0x44, 0x00, 1, 1, 0, 1, offset, length)
    kind = _full(b"infe", struct.pack(">HH4s", 1, 0, b"hvc1") + b"\0", version=2)
    shape = _full(b"ispe", struct.pack(">II", *size))
    turn = _box(b"irot", bytes([turned]))
    uses = struct.pack(">IHB", 1, 1, 3) + bytes([0x81, 0x02, 0x83])
    meta = (
        _full(b"hdlr", struct.pack(">I4s12s", 0, b"pict", b"") + b"\0"),
        _full(b"pitm", struct.pack(">H", 1)),
        _full(b"iloc", place),
        _full(b"iinf", struct.pack(">H", 1) + kind),
        _box(b"iprp", _box(b"ipco", _box(b"hvcC", settings) + shape + turn) + _full(b"ipma", uses)),
    )
    return _box(b"ftyp", b"heic\0\0\0\0mif1heic") + _full(b"meta", b"".join(meta))


def _box(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I4s", len(content) + 8, name) + content


def _full(name: bytes, content: bytes, version: int = 0) -> bytes:
    return _box(name, bytes([version, 0, 0, 0]) + content)
