"""What was changed: steps that can be undone or redone, and posts that were also changed elsewhere."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QListWidgetItem,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.desktop import words
from app.desktop.calendar.filters import STATUS_NAMES
from app.desktop.kit.row_delegate import TRAILING, Index, Row, RowDelegate
from app.desktop.theme import theme
from app.desktop.widgets import Button, ElidedLabel, Label, LinkButton, Panel, SidePanel
from app.desktop.widgets.item_view import ListWidget
from app.desktop.widgets.painting import rounded
from app.language import tr
from app.workspace.accounts.account import Account
from app.workspace.changes import Changes
from app.workspace.posts.conflicts import Conflict
from app.workspace.posts.planned import PlannedPost, Timeline
from app.workspace.undo import Entry

WHEN = Qt.ItemDataRole.UserRole + 1
"""When it was done; "" for what was before all steps."""
ICON = Qt.ItemDataRole.UserRole + 2
IS_DONE = Qt.ItemDataRole.UserRole + 3
"""False for a step that was taken back."""

_ROW = 34
_INSET = 12
_ICON = 14
_GAP = 10
_EDGE = 8
"""The ground of a chosen row reaches beyond the gutter; its words begin there."""
_BEGINNING = 0
_STEP = Qt.ItemDataRole.UserRole
_NOTHING = tr("No changes yet. New, moved and cancelled posts are listed here and can be undone.")


class StepRow(RowDelegate):
    """A glyph for its state, what was done, and quietly at the end when."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(0, max(_ROW, QFontMetrics(theme.current().font("text")).height() + 16))

    def paint_row(self, row: Row, index: Index) -> None:
        """Paint ground, ring, glyph and words."""
        look, inner = theme.current(), row.area.adjusted(_INSET, 0, -_INSET, 0)
        self._paint_ground(row)
        row.icon(row.middle(inner.left(), _ICON, _ICON), str(index.data(ICON)), "text3")
        when, clock = str(index.data(WHEN)), look.font("clock")
        width = QFontMetrics(clock).horizontalAdvance(when)
        place = QRect(inner.right() - width, inner.top(), width + 1, inner.height())
        row.write(place, when, clock, "text3", side=TRAILING)
        words, color = (
            str(index.data(Qt.ItemDataRole.DisplayRole)),
            "text" if index.data(IS_DONE) else "text3",
        )
        line = inner.adjusted(_ICON + _GAP, 0, -width - _GAP, 0)
        row.write(line, words, look.font("text", QFont.Weight.Normal), color)

    @staticmethod
    def _paint_ground(row: Row) -> None:
        place, radius = QRectF(row.area).adjusted(1, 1, -1, -1), theme.current().metrics.radius
        if row.is_selected:
            rounded(row.painter, place, radius, fill="accent_soft")
        elif row.is_hovered:
            rounded(row.painter, place, radius, fill="sunken")
        if row.has_focus:
            rounded(row.painter, place, radius, line="accent", width=2)


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


_NO_CONFLICTS = tr("No conflicts. Everything here matches the service.")
_WHY = tr(
    "These posts were changed elsewhere before your changes were sent. Choose "
    "which version to keep; nothing is sent until then."
)


class Chooser(Protocol):
    """What the panel needs of a workspace."""

    @property
    def conflicts(self) -> list[Conflict]: ...

    @property
    def accounts(self) -> Mapping[str, Account]: ...

    def keep_here(self, keys: Iterable[str]) -> None: ...

    def keep_there(self, keys: Iterable[str]) -> None: ...

    def listen(self, listener: Callable[[Changes], None]) -> Callable[[], None]: ...


class ConflictPanel(SidePanel):
    """One card for each post; several can be resolved together."""

    opened = Signal(str)
    """The key of a post to look at."""

    def __init__(self, workspace: Chooser, zone: ZoneInfo) -> None:
        super().__init__(tr("Changed elsewhere"))
        self._workspace = workspace
        self._zone = zone
        self._why = Label(_WHY, "card", "text2", wrap=True)
        self._all = self._buttons(tr("Keep all mine"), tr("Keep all others"), self._keys)
        self._cards = QVBoxLayout()
        self._cards.setSpacing(10)
        self.body.addWidget(self._why)
        self.body.addWidget(self._all)
        self.body.addLayout(self._cards)
        self.body.addStretch(1)
        self._fill()
        stop = workspace.listen(self._changed)
        self.destroyed.connect(lambda _object=None: stop())

    def _changed(self, changes: Changes) -> None:
        if changes.posts or changes.removed or changes.sync or changes.reset:
            self._fill()

    def _keys(self) -> list[str]:
        return [conflict.key for conflict in self._workspace.conflicts]

    def _fill(self) -> None:
        while (item := self._cards.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        conflicts = self._workspace.conflicts
        self._why.setText(_WHY if conflicts else _NO_CONFLICTS)
        self._all.setVisible(len(conflicts) > 1)
        for conflict in conflicts:
            self._cards.addWidget(self._card(conflict))

    def _card(self, conflict: Conflict) -> QWidget:
        card = Panel()
        account = self._workspace.accounts.get(conflict.here.account_key)
        name = words.platform_name(conflict.here.platform)
        whose = f"{account.name} · {name}" if account else name
        column = QVBoxLayout(card)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(8)
        headline = conflict.here.headline or tr("No text")
        column.addWidget(ElidedLabel(headline, weight=QFont.Weight.Medium))
        column.addWidget(Label(whose, "card", "text3"))
        column.addWidget(self._sides(conflict))
        row = QHBoxLayout()
        row.addWidget(self._buttons(tr("Keep mine"), tr("Keep theirs"), lambda: [conflict.key]))
        row.addStretch(1)
        look = LinkButton(tr("Open"))
        look.clicked.connect(lambda: self.opened.emit(conflict.key))
        row.addWidget(look)
        column.addLayout(row)
        card.setAccessibleName(headline)
        return card

    def _sides(self, conflict: Conflict) -> QWidget:
        """Both sides in two columns, what differs in the full ink."""
        holder = QWidget()
        grid = QGridLayout(holder)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(2)
        sides = ((tr("Yours"), conflict.here), (tr("Changed elsewhere"), conflict.there))
        is_moved = conflict.here.at != conflict.there.at
        is_other = _state(conflict.here) != _state(conflict.there)
        for column, (title, post) in enumerate(sides):
            grid.addWidget(Label(title, "small", "text3"), 0, column)
            grid.addWidget(Label(self._time(post), "card", "text" if is_moved else "text2"), 1, column)
            grid.addWidget(Label(_state(post), "card", "text" if is_other else "text2"), 2, column)
            grid.setColumnStretch(column, 1)
        return holder

    def _time(self, post: PlannedPost) -> str:
        moment = datetime.fromtimestamp(post.at / 1_000, self._zone)
        return f"{words.day(moment)}, {words.clock(moment)}"

    def _buttons(self, mine: str, other: str, keys: Callable[[], list[str]]) -> QWidget:
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        keep_mine, keep_other = Button(mine, size="small"), Button(other, size="small")
        keep_mine.clicked.connect(lambda: self._workspace.keep_here(keys()))
        keep_other.clicked.connect(lambda: self._workspace.keep_there(keys()))
        for button in (keep_mine, keep_other):
            row.addWidget(button)
        row.addStretch(1)
        return holder


def _state(post: PlannedPost) -> str:
    return STATUS_NAMES.get(post.status, str(post.status))
