"""Icon formats of Windows and macOS: containers of the PNG files in resources."""

import struct
from pathlib import Path
from typing import Final

from setup.project import ROOT

_ICO_SIDES: Final = (16, 32, 48, 64, 128, 256)
_ICNS_TYPES: Final = {
    16: b"icp4",
    32: b"icp5",
    64: b"icp6",
    128: b"ic07",
    256: b"ic08",
    512: b"ic09",
    1024: b"ic10",
}


def png(side: int) -> Path:
    """Return the icon with this size in pixels."""
    return ROOT / "resources" / "icons" / f"kalends-{side}.png"


def write_ico(target: Path) -> Path:
    """Write a Windows icon. Raises OSError."""
    pictures = [png(side).read_bytes() for side in _ICO_SIDES]
    at, head = 6 + 16 * len(pictures), struct.pack("<HHH", 0, 1, len(pictures))
    for side, picture in zip(_ICO_SIDES, pictures, strict=True):
        head += struct.pack("<BBBBHHII", side % 256, side % 256, 0, 0, 1, 32, len(picture), at)
        at += len(picture)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(head + b"".join(pictures))
    return target


def write_icns(target: Path) -> Path:
    """Write a macOS icon. Raises OSError."""
    pictures = {
        kind: (ROOT / "packaging" / "macos" / f"kalends-{side}.png").read_bytes()
        for side, kind in _ICNS_TYPES.items()
    }
    entries = b"".join(
        struct.pack(">4sI", kind, 8 + len(picture)) + picture for kind, picture in pictures.items()
    )
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(struct.pack(">4sI", b"icns", 8 + len(entries)) + entries)
    return target
