"""Whether the user is in the middle of something that rebuilding would destroy."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget


def is_in_use(area: QWidget) -> bool:
    """Whether a button in an area is held down, or a menu of it is open.

    If its widgets were replaced now, the click would be lost, or the menu would close.
    """
    above: QObject | None = QApplication.activePopupWidget()
    while above is not None and above is not area:
        above = above.parent()
    return above is not None or any(button.isDown() for button in area.findChildren(QAbstractButton))
