"""Asks before a calendar is closed whose changes haven't reached its service, or that isn't done yet."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout

from app.contract.enums import PostStatus
from app.desktop.background.unsaved import unless_unsaved
from app.desktop.widgets import Divider, Label, Sheet, primary, secondary
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr, trn

_WAITING: Final = frozenset({PostStatus.SCHEDULED, PostStatus.QUEUED, PostStatus.PROCESSING})

if TYPE_CHECKING:
    from app.desktop.shell.main_controller import MainController
    from app.desktop.shell.window import MainWindow
    from app.workspace.workspace import Workspace


class KeepOpenSheet(Sheet):
    """Says what is left behind if the calendar is closed now; staying is the main button."""

    settled = Signal()
    """The calendar may be closed all the same."""

    def __init__(self, window: "MainWindow", title: str, text: str) -> None:
        super().__init__(window, title, 560)
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


class UnsentSheet(KeepOpenSheet):
    """Says how many changes would wait until the calendar is opened again."""

    def __init__(self, window: "MainWindow", changes: int) -> None:
        title = trn(
            "{n} change hasn't reached the service", "{n} changes haven't reached the service", changes
        )
        text = tr(
            "Changes are sent only while this calendar is open in Kalends. Until then, new posts aren't "
            "published, and posts you moved or cancelled are still published at their old time."
        )
        super().__init__(window, title, text)


class UnfinishedSheet(KeepOpenSheet):
    """Says what was asked for and won't be done, such as posts that wait for their file."""

    def __init__(self, window: "MainWindow", unfinished: Sequence[str]) -> None:
        super().__init__(window, tr("Close before this is done?"), "\n".join(unfinished))


class UnpublishedSheet(KeepOpenSheet):
    """Says how many posts aren't published while another calendar is open instead of this one."""

    def __init__(self, window: "MainWindow", posts: int) -> None:
        title = trn(
            "{n} post won't be published while another calendar is open",
            "{n} posts won't be published while another calendar is open",
            posts,
        )
        text = tr(
            "Kalends publishes the posts of this calendar only while it's open. Posts that are due in the "
            "meantime are published when you open it again, up to 12 hours late."
        )
        super().__init__(window, title, text)


def waiting_posts(workspace: "Workspace") -> int:
    """Return the number of posts that are still to be published."""
    return sum(post.status in _WAITING for post in workspace.posts.all())


def unsent(workspace: "Workspace") -> int:
    """Return the number of posts with changes to send.

    Those in conflict wait for the user anyway, and new ones that aren't on disk are unsaved texts.
    """
    sync = workspace.sync
    return sync.waiting - sync.conflicts - workspace.unsaved_posts()


def leaves_behind(controller: "MainController | None", *, runs_here: bool) -> bool:
    """Whether closing the calendar now would lose texts, or leave something unsent or unfinished."""
    if controller is None:
        return False
    workspace = controller.workspace
    is_unsent = not runs_here and unsent(workspace) > 0
    return is_unsent or bool(workspace.unsaved_texts() or controller.unfinished())


def unless_left_behind(
    window: "MainWindow", controller: "MainController | None", go: Callable[[], object], *, runs_here: bool
) -> None:
    """Call ``go``; if something would be left behind, ask about one kind of it after the other first.

    ``runs_here``: the service is part of the app, so changes wait for nothing else.
    """
    if controller is None:
        go()
        return
    workspace = controller.workspace

    def ask_unsent() -> None:
        changes = 0 if runs_here else unsent(workspace)
        _ask(UnsentSheet(window, changes) if changes > 0 else None, window, go)

    unless_unsaved(window, workspace, lambda: unless_unfinished(window, controller, ask_unsent))


def unless_unfinished(window: "MainWindow", controller: "MainController", go: Callable[[], object]) -> None:
    """Call ``go``; if it would stop something that was asked for, ask first."""
    unfinished = controller.unfinished()
    _ask(UnfinishedSheet(window, unfinished) if unfinished else None, window, go)


def unless_unpublished(
    window: "MainWindow", controller: "MainController | None", go: Callable[[], object]
) -> None:
    """Call ``go``; if posts of this calendar, which is published from here, are scheduled, ask first."""
    posts = waiting_posts(controller.workspace) if controller is not None else 0
    _ask(UnpublishedSheet(window, posts) if posts else None, window, go)


def _ask(sheet: KeepOpenSheet | None, window: "MainWindow", go: Callable[[], object]) -> None:
    """Call ``go`` once a question was answered, if there is one; don't ask twice at the same time."""
    if sheet is None:
        go()
        return
    window.come_forward()
    if any(type(one) is type(sheet) and one.isVisible() for one in window.findChildren(KeepOpenSheet)):
        sheet.deleteLater()
        return
    sheet.settled.connect(go)
    sheet.present(sheet.stay)
