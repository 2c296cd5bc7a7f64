"""What of a widget with round corners is to be painted, in rectangles."""

from PySide6.QtCore import QRect
from PySide6.QtGui import QRegion

_THIN = 48


def areas_to_paint(region: QRegion) -> list[QRect]:
    """Few rectangles that cover a region, thin ones below or beside each other as one.

    The round corners of the view must not make one with the days above them: what is clipped to more than a
    rectangle is painted pixel by pixel.
    """
    found: list[QRect] = []
    for area in region:  # type: ignore[attr-defined]  # PySide iterates, its stubs do not know
        last = found[-1] if found else QRect()
        both = last | area
        if found and both.height() <= _THIN and area.top() <= last.bottom() + 1:
            found[-1] = both
        else:
            found.append(area)
    return found
