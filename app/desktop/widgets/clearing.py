"""Taking widgets out of a layout."""

from PySide6.QtWidgets import QLayout


def clear(layout: QLayout) -> None:
    """Take every widget out of a layout, out of sight at once, and delete it."""
    while (entry := layout.takeAt(0)) is not None:
        if (widget := entry.widget()) is not None:
            widget.hide()
            widget.deleteLater()
