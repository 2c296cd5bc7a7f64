"""Files that are made of boxes, each of which says how long it is. Blocking."""

from pathlib import Path
from typing import BinaryIO, Final

_ISO_HEAD: Final = 16
_HEAD: Final = 8


def lacks_end(path: Path) -> bool:
    """Whether the outermost boxes of a file promise more bytes than there are. Raises OSError.

    Knows MP4, MOV, HEIC and AVIF (ISO/IEC 14496-12), AVI and WebP (RIFF); of others it is never true.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(_HEAD)
        if head[4:8] == b"ftyp":
            return _end_of_boxes(file, size) > size
        if head[:4] == b"RIFF":
            return _HEAD + int.from_bytes(head[4:8], "little") > size
    return False


def _end_of_boxes(file: BinaryIO, size: int) -> int:
    at = 0
    while at < size:
        file.seek(at)
        head = file.read(_ISO_HEAD)
        length = int.from_bytes(head[:4], "big")
        if length == 1:  # a large one, which says so in eight bytes
            length = int.from_bytes(head[8:16], "big")
        if length < _HEAD:
            break  # the last one, which goes to the end; or no box at all
        at += length
    return at
