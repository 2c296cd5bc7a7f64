"""The other posts of the same idea, at the same time."""

from functools import partial
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import PostStatus
from app.desktop.inspector.facts import status
from app.desktop.theme import theme
from app.desktop.theme.icons import platform_icon
from app.desktop.widgets import IconLabel, Label, LinkButton, clear
from app.desktop.widgets.painting import insets
from app.desktop.words import clock, platform_name
from app.language import tr
from app.workspace.editing.schedule import in_zone
from app.workspace.posts.ideas import idea_of
from app.workspace.posts.planned import PlannedPost
from app.workspace.workspace import Workspace


class Together(QWidget):
    """Lists the other posts, and offers to open one or to move all. Hidden if there are none."""

    move_wanted = Signal()
    opened = Signal(str)
    """The key of a post."""

    def __init__(self, workspace: Workspace, zone: ZoneInfo) -> None:
        super().__init__()
        self._workspace, self._zone = workspace, zone
        self._shown: tuple[PlannedPost, ...] = ()
        self.keys: tuple[str, ...] = ()
        """The keys of the other posts that can be moved together with this one."""
        self.move_button = LinkButton(tr("Move together"))
        self.move_button.clicked.connect(self.move_wanted)
        self.buttons: list[LinkButton] = []
        """One for each of the other posts."""
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(IconLabel("link", "text3"))
        self.title = Label("", "card", "text2")
        head.addWidget(self.title, 1)
        head.addWidget(self.move_button)
        self._rows = QVBoxLayout()
        self._rows.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(head)
        column.addLayout(self._rows)
        self.hide()

    def show_for(self, post: PlannedPost) -> None:
        """Show the posts that belong to one."""
        there = self._workspace.posts.between(post.at, post.at + 1)
        others = tuple(one for one in idea_of(post, there) if one.key != post.key)
        movable = [one.key for one in (post, *others) if one.status is PostStatus.SCHEDULED]
        self.keys = tuple(key for key in movable if key != post.key) if post.key in movable else ()
        self.title.setText(tr("Also at {time}", time=clock(in_zone(post.at, self._zone))))
        self.move_button.setVisible(bool(self.keys))
        if others != self._shown:
            self._shown = others
            self._list(others)
        self.setVisible(bool(others))

    def _list(self, others: tuple[PlannedPost, ...]) -> None:
        clear(self._rows)
        self.buttons = []
        for post in others:
            self._rows.addWidget(self._row(post))

    def _row(self, post: PlannedPost) -> QWidget:
        account = self._workspace.accounts.get(post.account_key)
        color = theme.current().tokens.account(account.color_index) if account else "text2"
        platform = platform_name(post.ruled_by.value)
        name = account.name if account else platform
        state, role = status(post)
        button = LinkButton(name)
        button.setAccessibleName(
            tr("Open {account} on {platform}, {state}", account=name, platform=platform, state=state)
        )
        button.clicked.connect(partial(self.opened.emit, post.key))
        self.buttons.append(button)
        widget = QWidget()
        row = QHBoxLayout(widget)
        row.setContentsMargins(insets(1, 0, 0, 0))
        row.setSpacing(9)
        row.addWidget(IconLabel(platform_icon(post.platform.value), color, 14, platform))
        row.addWidget(button)
        row.addStretch(1)
        row.addWidget(Label(state, "small", role))
        return widget
