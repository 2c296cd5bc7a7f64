"""Contrast, as the pixels of a picture have it.

The ground of a text is the most frequent colour around its strokes, its ink the one that stands out most of
those that are there more than once: strokes are blurred at their edges, so that their own colour is the
furthest from the ground. Pictures have two pixels or more to a logical one, so that a stroke has a middle.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QImage

from app.desktop.theme.tokens import contrast

ENOUGH = 4.5
"""What WCAG 2 asks for text of any size (1.4.3, level AA)."""

_LEAST_PIXELS = 3


@dataclass(frozen=True, slots=True)
class Measured:
    """The two colours (`#RRGGBB`) and their ratio, 1 to 21."""

    ground: str
    ink: str
    ratio: float


def measure(picture: QImage, area: QRectF) -> Measured | None:
    """Measures the text in an area of a picture, in logical pixels; None for bare ground."""
    ratio = picture.devicePixelRatio()
    scaled = QRectF(area.x() * ratio, area.y() * ratio, area.width() * ratio, area.height() * ratio)
    colors = _colors(picture, scaled.toAlignedRect() & picture.rect())
    if len(colors) < 2:
        return None
    ground = colors.most_common(1)[0][0]
    inks = [color for color, count in colors.items() if count >= _LEAST_PIXELS and color != ground]
    inks = inks or [color for color in colors if color != ground]
    ink = max(inks, key=lambda color: _ratio(color, ground))
    return Measured(ground, ink, _ratio(ink, ground))


@lru_cache(maxsize=100_000)
def _ratio(color: str, other: str) -> float:
    return contrast(color, other)


def _colors(picture: QImage, part: QRect) -> Counter[str]:
    """How often each colour is there."""
    pixels = picture.copy(part).convertToFormat(QImage.Format.Format_RGB32)
    counted = Counter(memoryview(pixels.constBits()).cast("I"))
    return Counter({f"#{value & 0xFFFFFF:06X}": count for value, count in counted.items()})
