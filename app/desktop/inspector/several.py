"""The panel of several selected posts: how many, and which."""

from collections.abc import Iterable
from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.theme import theme
from app.desktop.theme.icons import platform_icon
from app.desktop.widgets import ElidedLabel, IconLabel, Label, SidePanel, clear
from app.desktop.words import day_and_time, platform_name
from app.language import number, tr, trn
from app.workspace.changes import Changes
from app.workspace.editing.schedule import in_zone
from app.workspace.posts.planned import PlannedPost
from app.workspace.workspace import Workspace

_MOST: Final = 30
"""Maximum number of listed posts."""


class SelectedPosts(SidePanel):
    """Lists the selected posts by time. The bar over the days has the actions for them.

    It takes the place of a post's panel, so that no panel shows one post while several are selected.
    """

    def __init__(self, workspace: Workspace, zone: ZoneInfo) -> None:
        super().__init__(tr("Selected posts"))
        self._workspace, self._zone = workspace, zone
        self._keys: frozenset[str] = frozenset()
        self._hint = Label(tr("Select a post to see its details."), "text", "text2", wrap=True)
        self._more = Label("", "card", "text2")
        self._rows = QVBoxLayout()
        self._rows.setSpacing(12)
        self.body.addWidget(self._hint)
        self.body.addLayout(self._rows)
        self.body.addWidget(self._more)
        self.body.addStretch(1)
        self.destroyed.connect(workspace.listen(self._changed))

    def show_posts(self, keys: Iterable[str]) -> None:
        """Show these posts, or a hint without any."""
        self._keys = frozenset(keys)
        self._show()

    def _show(self) -> None:
        found = (self._workspace.posts.get(key) for key in self._keys)
        posts = sorted(filter(None, found), key=lambda post: (post.at, post.key))
        count, hidden = len(posts), max(0, len(posts) - _MOST)
        title = trn("{n} post selected", "{n} posts selected", count, n=number(count))
        self.title.setText(title if posts else tr("No posts selected"))
        clear(self._rows)
        for post in posts[:_MOST]:
            self._rows.addWidget(self._row(post))
        self._more.setText(tr("+{n} more", n=hidden))
        self._more.setVisible(bool(hidden))
        self._hint.setVisible(not posts)

    def _row(self, post: PlannedPost) -> QWidget:
        account = self._workspace.accounts.get(post.account_key)
        color = theme.current().tokens.account(account.color_index) if account else "text2"
        platform = platform_name(post.ruled_by.value)
        widget = QWidget()
        row = QHBoxLayout(widget)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(IconLabel(platform_icon(post.platform.value), color, 14, platform))
        row.addWidget(ElidedLabel(post.headline or tr("No text"), weight=QFont.Weight.Medium), 1)
        row.addWidget(Label(day_and_time(in_zone(post.at, self._zone)), "clock", "text2"))
        return widget

    def _changed(self, changes: Changes) -> None:
        if changes.reset or changes.accounts or not self._keys.isdisjoint((*changes.posts, *changes.removed)):
            self._show()
