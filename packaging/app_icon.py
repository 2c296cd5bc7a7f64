"""Render the app's icon from its drawings: `.venv/bin/python packaging/app_icon.py`.

`resources/icons/kalends.svg` is the drawing. `kalends-small.svg`, for small sizes, is on a grid of 16 pixels.
macOS gets the same picture with the margin that its icons have.
"""

import sys
from pathlib import Path
from typing import Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

ROOT: Final = Path(__file__).resolve().parents[1]
ICONS: Final = ROOT / "resources" / "icons"
MACOS: Final = ROOT / "packaging" / "macos"
SIDES: Final = (16, 32, 48, 64, 128, 256, 512)
MACOS_SIDES: Final = (16, 32, 64, 128, 256, 512, 1024)
_LARGEST_SMALL: Final = 32
"""Up to this many pixels the small drawing is sharper."""
_MACOS_SHARE: Final = 824 / 1024
"""The part of the picture's side that Apple's template gives to the shape."""


def pictures() -> dict[Path, QImage]:
    """Return every file with its picture."""
    for_linux = {ICONS / f"kalends-{side}.png": render(side) for side in SIDES}
    for_macos = {MACOS / f"kalends-{side}.png": render(side, _MACOS_SHARE) for side in MACOS_SIDES}
    return for_linux | for_macos


def render(side: int, share: float = 1.0) -> QImage:
    """Return the icon in a square of `side` pixels, of which it takes `share` in the middle."""
    shape = side * share
    drawing = ICONS / ("kalends-small.svg" if shape <= _LARGEST_SMALL else "kalends.svg")
    image = QImage(side, side, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    margin = round((side - shape) / 2)  # on whole pixels, or small sizes blur
    QSvgRenderer(str(drawing)).render(painter, QRectF(margin, margin, side - 2 * margin, side - 2 * margin))
    painter.end()
    return image


def main() -> int:
    """Write the files."""
    for file, picture in pictures().items():
        if not picture.save(str(file)):
            print(f"Can't write {file}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
