"""The other posts of the same idea: planned together, for the same time."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.contract.enums import PostStatus
from app.desktop.theme import theme
from app.desktop.theme.icons import platform_icon
from app.desktop.widgets import IconLabel, Label, LinkButton, clear
from app.desktop.words import platform_name
from app.language import tr
from app.workspace.posts.planned import PlannedPost
from app.workspace.workspace import Workspace

_MOST = 7
"""Maximum number of glyphs."""


class Together(QWidget):
    """Hidden while there are no others."""

    move_wanted = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self.keys: tuple[str, ...] = ()
        """The keys of the others."""
        self._glyphs = QHBoxLayout()
        self._glyphs.setSpacing(6)
        self.move_button = LinkButton(tr("Move together"))
        self.move_button.clicked.connect(self.move_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(IconLabel("link", "text3"))
        row.addWidget(Label(tr("Also at this time"), "card", "text2"), 1)
        row.addLayout(self._glyphs)
        row.addWidget(self.move_button)
        self.hide()

    def show_for(self, post: PlannedPost) -> None:
        """Show the posts that belong to a scheduled one."""
        others = self._others(post) if post.status is PostStatus.SCHEDULED else []
        keys = tuple(one.key for one in others)
        if keys != self.keys:
            self.keys = keys
            self._show_glyphs(others[:_MOST])
        self.setVisible(bool(keys))

    def _others(self, post: PlannedPost) -> list[PlannedPost]:
        there = self._workspace.posts.between(post.at, post.at + 1)
        return [one for one in there if one.key != post.key and _belong(one, post)]

    def _show_glyphs(self, others: list[PlannedPost]) -> None:
        clear(self._glyphs)
        for one in others:
            account = self._workspace.accounts.get(one.account_key)
            color = theme.current().tokens.account(account.color_index) if account else "text2"
            name = platform_name(one.platform.value)
            self._glyphs.addWidget(IconLabel(platform_icon(one.platform.value), color, 14, name))


def _belong(one: PlannedPost, post: PlannedPost) -> bool:
    """Whether two posts of one time are one idea: planned in one batch, or with the same words."""
    in_batch = one.batch_id is not None and one.batch_id == post.batch_id
    same_words = bool(one.headline) and one.headline == post.headline
    return one.status is PostStatus.SCHEDULED and (in_batch or same_words)
