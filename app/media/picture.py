"""A frame of a video."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Picture:
    """A decoded frame of a video.

    Attributes:
        ms: Start of its display, in ms.
        width: Width in pixels, upright; so is ``height``.
        stride: Bytes per line.
        pixels: Blue, green, red and an unused byte per pixel, line by line from the top.
        is_last: Whether no frame follows.
    """

    ms: int
    width: int
    height: int
    stride: int
    pixels: bytes
    is_last: bool
