"""What the calendar's surface asks of whoever takes what is dropped on it."""

from typing import Protocol

from PySide6.QtGui import QDragEnterEvent, QDropEvent


class DropTarget(Protocol):
    """Takes what is carried over the days from elsewhere."""

    def enter(self, event: QDragEnterEvent) -> None: ...

    def over(self, event: QDropEvent) -> None: ...

    def drop(self, event: QDropEvent) -> None: ...

    def leave(self) -> None: ...
