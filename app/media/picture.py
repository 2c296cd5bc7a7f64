"""One picture of a video."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Picture:
    """What is seen at a moment.

    Attributes:
        ms: When it begins to show, in milliseconds from the beginning.
        width: In pixels, upright; so is ``height``.
        stride: Bytes from one line to the next.
        pixels: Blue, green, red and a filler, a byte each, line by line from the top.
        is_last: Nothing follows.
    """

    ms: int
    width: int
    height: int
    stride: int
    pixels: bytes
    is_last: bool
