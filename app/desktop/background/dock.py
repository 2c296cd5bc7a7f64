"""The menu of the icon in macOS's dock. The dock itself adds the windows and a way to quit."""

import sys

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu

from app.language import tr


class DockMenu(QMenu):
    """The same as the actions of the entry in a Linux menu."""

    new_post_wanted = Signal()
    today_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.new_post = self.addAction(tr("New post"))
        self.today = self.addAction(tr("Today"))
        self.new_post.triggered.connect(self.new_post_wanted)
        self.today.triggered.connect(self.today_wanted)

    def offer(self) -> None:
        """Have the dock show it. Other systems have no such menu."""
        if sys.platform == "darwin":
            self.setAsDockMenu()  # type: ignore[attr-defined]  # Linux stubs lack it
