"""The history of undo: every step that can be taken back or done again, and the way to any of them."""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QListWidgetItem

from app.desktop import words
from app.desktop.changes.step_row import ICON, IS_DONE, WHEN, StepRow
from app.desktop.theme import theme
from app.desktop.widgets import Label, SidePanel
from app.desktop.widgets.item_view import ListWidget
from app.language import tr
from app.workspace.changes import Changes
from app.workspace.posts.planned import Timeline
from app.workspace.undo import Entry

_EDGE = 8
"""The ground of a chosen row reaches beyond the gutter; its words begin there."""

_BEGINNING = 0
_STEP = Qt.ItemDataRole.UserRole
_NOTHING = tr("No changes yet. New, moved and cancelled posts are listed here and can be undone.")


class Steps(Protocol):
    """What the panel needs of a workspace."""

    @property
    def posts(self) -> Timeline: ...

    @property
    def history(self) -> list[Entry]: ...

    def go_to_step(self, step_id: int) -> None: ...

    def listen(self, listener: Callable[[Changes], None]) -> Callable[[], None]: ...


class StepPanel(SidePanel):
    """Lists the steps, newest first; choosing one takes back everything after it, or does it again."""

    def __init__(self, workspace: Steps, zone: ZoneInfo) -> None:
        super().__init__(tr("Changes"))
        self._workspace = workspace
        self._zone = zone
        self._empty = Label(_NOTHING, "text", "text2", wrap=True)
        self.list = ListWidget()
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setAccessibleName(tr("Changes, newest first"))
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setProperty("bare", True)
        self.list.setItemDelegate(StepRow(self.list))
        gutter = theme.current().metrics.gutter
        self._empty.setContentsMargins(gutter - _EDGE, 6, gutter - _EDGE, 0)
        self.body.setContentsMargins(_EDGE, _EDGE, _EDGE, _EDGE)
        self.body.addWidget(self._empty)
        self.body.addWidget(self.list, 1)
        self.body.addStretch(0)
        self.list.itemActivated.connect(self._go)
        self.list.itemClicked.connect(self._go)
        theme.follow(self._fill)
        stop = workspace.listen(self._changed)
        self.destroyed.connect(lambda _object=None: stop())
        self.setFocusProxy(self.list)

    def _changed(self, changes: Changes) -> None:
        if changes.undo or changes.reset:
            self._fill()

    def _fill(self) -> None:
        entries = self._workspace.history
        self.list.clear()
        self._empty.setVisible(not entries)
        self.list.setVisible(bool(entries))
        newest_done = next((entry.id for entry in entries if entry.done), _BEGINNING)
        for entry in entries:
            self._add(entry.id, self._line(entry), self._when(entry), entry.done, entry.id == newest_done)
        if entries:
            self._add(_BEGINNING, tr("Before these changes"), "", True, newest_done == _BEGINNING)

    def _add(self, step_id: int, text: str, when: str, is_done: bool, is_current: bool) -> None:
        item = QListWidgetItem(text)
        item.setData(_STEP, step_id)
        item.setData(WHEN, when)
        item.setData(ICON, "check" if is_current else "redo-2" if not is_done else "minus")
        item.setData(IS_DONE, is_done)
        state = tr("current") if is_current else tr("done") if is_done else tr("undone")
        item.setData(Qt.ItemDataRole.AccessibleTextRole, ", ".join(filter(None, (when, text, state))))
        self.list.addItem(item)
        if is_current:
            self.list.setCurrentItem(item)

    def _line(self, entry: Entry) -> str:
        """What was done; a step of one post names it."""
        post = self._workspace.posts.get(next(iter(entry.keys))) if len(entry.keys) == 1 else None
        named = f": {post.headline}" if post is not None and post.headline else ""
        return f"{entry.label}{named}"

    def _when(self, entry: Entry) -> str:
        moment = datetime.fromtimestamp(entry.made_at / 1_000, self._zone)
        today = datetime.now(self._zone).date()
        return words.clock(moment) if moment.date() == today else f"{words.day(moment)} {words.clock(moment)}"

    def _go(self, item: QListWidgetItem) -> None:
        self._workspace.go_to_step(int(item.data(_STEP)))
