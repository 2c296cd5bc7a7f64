"""Asks before a calendar is closed whose changes haven't reached its service."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout

from app.desktop.background.unsaved import unless_unsaved
from app.desktop.widgets import Divider, Label, Sheet, primary, secondary
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr, trn

if TYPE_CHECKING:
    from app.desktop.shell.window import MainWindow
    from app.workspace.workspace import Workspace


class UnsentSheet(Sheet):
    """Says how many changes would wait until the calendar is opened again."""

    settled = Signal()
    """The calendar may be closed all the same."""

    def __init__(self, window: "MainWindow", changes: int) -> None:
        title = trn(
            "{n} change hasn't reached the service", "{n} changes haven't reached the service", changes
        )
        super().__init__(window, title, 560)
        text = tr(
            "Changes are sent only while this calendar is open in Kalends. Until then, new posts aren't "
            "published, and posts you moved or cancelled are still published at their old time."
        )
        self.setAccessibleDescription(text)
        self.stay, self.go = primary(tr("Keep open")), secondary(tr("Close anyway"))
        body = QVBoxLayout()
        body.setContentsMargins(20, 16, 20, 16)
        body.setSpacing(8)
        body.addWidget(Label(title, "section", wrap=True))
        body.addWidget(Label(text, "text", "text2", wrap=True))
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.go, self.stay))
        self.stay.clicked.connect(self.dismiss)
        self.go.clicked.connect(self.dismiss)
        self.go.clicked.connect(self.settled)


def unsent(workspace: "Workspace") -> int:
    """Return the number of posts with changes to send. Those in conflict wait for the user anyway."""
    sync = workspace.sync
    return sync.waiting - sync.conflicts


def unless_left_behind(
    window: "MainWindow", workspace: "Workspace | None", go: Callable[[], object], *, runs_here: bool
) -> None:
    """Call ``go``; if texts would be lost, or changes left unsent, ask first.

    ``runs_here``: the service is part of the app, so changes wait for nothing else.
    """
    if workspace is None or runs_here or workspace.unsaved_texts() or not (changes := unsent(workspace)):
        unless_unsaved(window, workspace, go)
        return
    window.come_forward()
    if any(sheet.isVisible() for sheet in window.findChildren(UnsentSheet)):
        return
    sheet = UnsentSheet(window, changes)
    sheet.settled.connect(go)
    sheet.present(sheet.stay)
