"""The list of the posts that wait for the user."""

from collections.abc import Callable
from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtWidgets import QFrame, QListWidgetItem

from app.desktop.theme import icons, theme
from app.desktop.theme.icons import platform_icon
from app.desktop.theme.theme import grow_icons
from app.desktop.widgets.keyed_list import KeyedList
from app.desktop.words import clock
from app.language import tr
from app.platforms.cards import own_name
from app.workspace.editing.schedule import in_zone
from app.workspace.posts.planned import PlannedPost
from app.workspace.workspace import Workspace

_ROW: Final = 30
_ROWS_MOST: Final = 4


class WaitingList(KeyedList):
    """Shown for several posts.

    Args:
        workspace: where the posts and their accounts are.
        zone: the calendar's zone.
        due_words: says when a post is due.
    """

    def __init__(self, workspace: Workspace, zone: ZoneInfo, due_words: Callable[[PlannedPost], str]) -> None:
        super().__init__()
        self._workspace, self._zone, self._due_words = workspace, zone, due_words
        grow_icons(self)
        self.setAccessibleName(tr("Posts waiting for you"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("bare", True)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def choose(self, key: str) -> None:
        """Select a listed post."""
        self.setCurrentRow(self.listed().index(key))

    def show_posts(self, waiting: list[PlannedPost], current: str) -> None:
        """List these posts, and select the current one without a signal."""
        with QSignalBlocker(self):
            self.list_items({post.key: post for post in waiting}, self._show_row)
            if current in self.listed():
                self.choose(current)
        self.setVisible(len(waiting) > 1)
        rows = min(max(1, len(waiting)), _ROWS_MOST)
        self.setFixedHeight(rows * theme.current().grown(_ROW))

    def _show_row(self, item: QListWidgetItem, post: PlannedPost) -> None:
        account = self._workspace.accounts.get(post.account_key)
        name = own_name(post.platform)
        item.setIcon(icons.icon(platform_icon(post.platform), "text2"))
        item.setText(f"{clock(in_zone(post.at, self._zone))}  {post.headline or name}")
        spoken = (name, account.name if account else "", self._due_words(post), post.headline)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, ", ".join(filter(None, spoken)))
        item.setSizeHint(QSize(0, theme.current().grown(_ROW)))
