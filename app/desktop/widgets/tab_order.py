"""The order in which Tab goes from one control to the next: as they stand on the screen."""

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def order_tabs(*sections: QWidget) -> None:
    """Have Tab go through sections one after the other, and through each in the order of its parts.

    Controls that are made later come last until this is called again.
    """
    before: QWidget | None = None
    for section in sections:
        for control in _controls(section):
            if before is not None:
                QWidget.setTabOrder(before, control)
            before = control


def _controls(section: QWidget) -> Iterator[QWidget]:
    for widget in (section, *section.findChildren(QWidget)):
        reached = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None
        if reached and widget.window() is section.window():
            yield widget
