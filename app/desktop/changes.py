"""The undo history, and posts that were also changed elsewhere."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from itertools import pairwise
from typing import Final, NamedTuple, Protocol
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
from app.desktop.widgets import Button, ElidedLabel, Label, LinkButton, Panel, SidePanel, order_tabs
from app.desktop.widgets.keyed_list import KeyedList
from app.desktop.widgets.painting import rounded
from app.language import tr, trn
from app.workspace.accounts.account import Account
from app.workspace.changes import Changes
from app.workspace.posts.conflicts import CONFLICTS, Conflict
from app.workspace.posts.planned import PlannedPost, Timeline
from app.workspace.undo import Doing, Edit, Entry

LINE: Final = Qt.ItemDataRole.UserRole + 1
"""The `StepLine` of a row."""

_PADDING: Final = 8
_INSET: Final = 12
_ICON: Final = 16
_GAP: Final = 12
_EDGE: Final = 8
"""The background of a selected row extends beyond the gutter, where its text begins."""
_BEGINNING: Final = 0
_NAMED: Final = 2
_NOTHING: Final = tr("No changes yet. New, moved and cancelled posts are listed here and can be undone.")
_HINT: Final = tr("Select a change to undo everything after it. What is undone can be redone the same way.")
_ICONS: Final = {
    Doing.MOVE: "calendar-clock",
    Doing.CANCEL: "ban",
    Doing.PLAN: "calendar-plus",
    Doing.REPLACE: "repeat-2",
    Doing.SCHEDULE_AGAIN: "calendar-check",
}


class StepLine(NamedTuple):
    """The content of a row.

    Attributes:
        step_id: 0 for the state before all steps.
        title: The post, or the number of posts.
        detail: What was done, such as the times before and after; "" for the state before all steps.
        spoken: All of it for screen readers.
        is_current: The newest step that is done.
        when: The time, or that it's undone.
        hint: What a click does; "" for the current step.
        has_line: A line above it separates it from undone steps.
    """

    step_id: int
    title: str
    detail: str
    spoken: str
    when: str
    icon: str
    is_done: bool
    is_current: bool
    hint: str
    has_line: bool


class StepRow(RowDelegate):
    """Two lines: the post and what was done to it. At the end, the time, or what a click does."""

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of two lines, or of one for the state before all steps."""
        line: StepLine = index.data(LINE)
        heights = [QFontMetrics(theme.current().font(role)).height() for role in ("text", "card")]
        return QSize(0, sum(heights[: 2 if line.detail else 1]) + 2 * _PADDING + 2)

    def paint_row(self, row: Row, index: Index) -> None:
        """Paint background, focus ring, icon and text."""
        look, line = theme.current(), index.data(LINE)
        inner = row.area.adjusted(_INSET, _PADDING, -_INSET, -_PADDING)
        self._paint_ground(row, line)
        ink = "text" if line.is_done else "text3"
        edge = look.grown(_ICON)
        row.icon(row.middle(inner.left(), edge, edge), line.icon, "accent" if line.is_current else "text3")
        is_offered = bool(line.hint) and (row.is_hovered or row.has_focus)
        end, font = (line.hint, look.font("card")) if is_offered else (line.when, look.font("clock"))
        width = QFontMetrics(font).horizontalAdvance(end)
        box = inner.adjusted(edge + _GAP, 0, 0, 0)
        first = QFontMetrics(look.font("text")).height()
        top = QRect(box.left(), box.top(), box.width(), first if line.detail else box.height())
        row.write(
            QRect(top.right() - width, top.top(), width + 1, top.height()),
            end,
            font,
            "accent" if is_offered else "text3",
            side=TRAILING,
        )
        row.write(
            top.adjusted(0, 0, -width - _GAP, 0), line.title, look.font("text", QFont.Weight.Medium), ink
        )
        if line.detail:
            below = QRect(box.left(), top.bottom() + 2, box.width(), box.bottom() - top.bottom() - 1)
            row.write(below, line.detail, look.font("card"), "text2" if line.is_done else "text3")

    @staticmethod
    def _paint_ground(row: Row, line: StepLine) -> None:
        place, radius = QRectF(row.area).adjusted(1, 2, -1, -1), theme.current().metrics.radius
        if line.has_line:
            row.fill(QRect(row.area.left(), row.area.top(), row.area.width(), 1), "line")
        if row.is_selected:
            rounded(row.painter, place, radius, fill="accent_soft")
        elif row.is_hovered:
            rounded(row.painter, place, radius, fill="sunken")
        if row.has_focus:
            rounded(row.painter, place, radius, line="accent", width=2)


class Steps(Protocol):
    """What the panel uses of a workspace."""

    @property
    def posts(self) -> Timeline: ...

    @property
    def history(self) -> list[Entry]: ...

    def go_to_step(self, step_id: int) -> None: ...

    def listen(self, listener: Callable[[Changes], None]) -> Callable[[], None]: ...


class StepPanel(SidePanel):
    """Lists the steps, newest first. Selecting one undoes everything after it, or redoes it."""

    def __init__(self, workspace: Steps, zone: ZoneInfo) -> None:
        super().__init__(tr("Changes"))
        self._workspace = workspace
        self._zone = zone
        self._newest_done: int | None = None
        self._empty = Label(_NOTHING, "text", "text2", wrap=True)
        self._hint = Label(_HINT, "card", "text2", wrap=True)
        self.list = KeyedList()
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setAccessibleName(tr("Changes, newest first"))
        self.list.setMouseTracking(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setProperty("bare", True)
        self.list.setItemDelegate(StepRow(self.list))
        gutter = theme.current().metrics.gutter
        for label in (self._empty, self._hint):
            label.setContentsMargins(gutter - _EDGE, 6, gutter - _EDGE, 0)
        self.body.setContentsMargins(_EDGE, _EDGE, _EDGE, _EDGE)
        self.body.addWidget(self._empty)
        self.body.addWidget(self._hint)
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
        self._empty.setVisible(not entries)
        self._hint.setVisible(bool(entries))
        self.list.setVisible(bool(entries))
        newest_done = next((entry.id for entry in entries if entry.done), _BEGINNING)
        lines = [self._line(entry, is_current=entry.id == newest_done) for entry in entries]
        if entries:
            lines.append(_beginning(is_current=newest_done == _BEGINNING))
        parted = [
            line._replace(has_line=line.is_current and not above.is_done) for above, line in pairwise(lines)
        ]
        chosen = self.list.current_key()
        self.list.list_items({str(line.step_id): line for line in (*lines[:1], *parted)}, _show)
        # The user's row stays until another step is the newest.
        if lines and (newest_done != self._newest_done or self.list.current_key() != chosen):
            self.list.setCurrentRow(next(row for row, line in enumerate(lines) if line.is_current))
        self._newest_done = newest_done

    def _line(self, entry: Entry, *, is_current: bool) -> StepLine:
        title, when = self._title(entry), self._when(entry)
        state = tr("current") if is_current else tr("done") if entry.done else tr("undone")
        hint = tr("Undo to here") if entry.done else tr("Redo to here")
        if entry.label.doing is Doing.MOVE and len(entry.edits) == 1:
            edit = entry.edits[0]
            before, after = self._here(edit.before.at), self._here(edit.after.at)
            told = tr(
                "Moved from {before} to {after}",
                before=words.day_and_time(before),
                after=words.day_and_time(after),
            )
            later = words.clock(after) if before.date() == after.date() else words.day_and_time(after)
            detail = f"{words.day_and_time(before)} → {later}"
        else:
            detail = told = self._detail(entry)
        return StepLine(
            entry.id,
            title,
            detail,
            ", ".join(filter(None, (title, told, when, state))),
            when if entry.done else tr("Undone"),
            _ICONS.get(entry.label.doing, "history") if entry.label.doing else "history",
            entry.done,
            is_current,
            "" if is_current else hint,
            False,
        )

    def _title(self, entry: Entry) -> str:
        if len(entry.edits) == 1:
            return self._headline(entry.edits[0]) or str(entry.label)
        n = len(entry.edits)
        match entry.label.doing:
            case Doing.MOVE:
                return trn("{n} post moved", "{n} posts moved", n)
            case Doing.CANCEL:
                return trn("{n} post cancelled", "{n} posts cancelled", n)
            case Doing.PLAN:
                return trn("{n} post scheduled", "{n} posts scheduled", n)
            case Doing.SCHEDULE_AGAIN:
                return trn("{n} post scheduled again", "{n} posts scheduled again", n)
            case Doing.REPLACE:
                return tr("Post replaced")
        return str(entry.label)

    def _detail(self, entry: Entry) -> str:
        if len(entry.edits) > 1 or entry.label.doing is None:
            named = [name for name in map(self._headline, entry.edits) if name]
            left = len(named) - _NAMED
            listed = ", ".join(named[:_NAMED])
            if left > 0:
                listed = trn("{posts} and {n} more", "{posts} and {n} more", left, posts=listed)
            return listed if len(entry.edits) > 1 else str(entry.label)
        when = words.day_and_time(self._here(entry.edits[0].after.at))
        match entry.label.doing:
            case Doing.CANCEL:
                return tr("Cancelled")
            case Doing.SCHEDULE_AGAIN:
                return tr("Scheduled again for {when}", when=when)
            case Doing.REPLACE:
                return tr("Replaced")
        return tr("Scheduled for {when}", when=when)

    def _headline(self, edit: Edit) -> str:
        post = self._workspace.posts.get(edit.key)
        return post.headline if post is not None else ""

    def _here(self, at: int) -> datetime:
        return datetime.fromtimestamp(at / 1_000, self._zone)

    def _when(self, entry: Entry) -> str:
        moment = self._here(entry.made_at)
        today = datetime.now(self._zone).date()
        return words.clock(moment) if moment.date() == today else words.day_and_time(moment)

    def _go(self, item: QListWidgetItem) -> None:
        line: StepLine = item.data(LINE)
        self._workspace.go_to_step(line.step_id)


def _show(item: QListWidgetItem, line: StepLine) -> None:
    item.setText(line.title)
    item.setData(LINE, line)
    item.setData(Qt.ItemDataRole.AccessibleTextRole, line.spoken)
    item.setToolTip("\n".join(filter(None, (line.title, line.detail))))


def _beginning(*, is_current: bool) -> StepLine:
    title, state = tr("Before these changes"), tr("current") if is_current else tr("done")
    hint = "" if is_current else tr("Undo all")
    return StepLine(_BEGINNING, title, "", f"{title}, {state}", "", "minus", True, is_current, hint, False)


_NO_CONFLICTS = tr("No conflicts. Everything here matches the service.")
_WHY = tr(
    "These posts were changed elsewhere before your changes were sent. Choose "
    "which version to keep; nothing is sent until then."
)


class Chooser(Protocol):
    """What the panel uses of a workspace."""

    @property
    def conflicts(self) -> list[Conflict]: ...

    @property
    def accounts(self) -> Mapping[str, Account]: ...

    def keep_here(self, keys: Iterable[str]) -> None: ...

    def keep_there(self, keys: Iterable[str]) -> None: ...

    def listen(self, listener: Callable[[Changes], None]) -> Callable[[], None]: ...


class _Shown(NamedTuple):
    """The content of a card."""

    conflict: Conflict
    account: Account | None


class ConflictPanel(SidePanel):
    """One card per post; several can be resolved together."""

    opened = Signal(str)
    """The key of a post to open."""

    about = CONFLICTS

    def __init__(self, workspace: Chooser, zone: ZoneInfo) -> None:
        super().__init__(tr("Changed elsewhere"))
        self._workspace = workspace
        self._zone = zone
        self._why = Label(_WHY, "card", "text2", wrap=True)
        self._all = self._buttons(tr("Keep all mine"), tr("Keep all theirs"), self._keys)
        self._shown: dict[_Shown, QWidget] = {}
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
        """Rebuild only cards that changed: another one may be pressed, or have the focus."""
        conflicts = self._workspace.conflicts
        shown = [_Shown(one, self._workspace.accounts.get(one.here.account_key)) for one in conflicts]
        self._why.setText(_WHY if conflicts else _NO_CONFLICTS)
        self._all.setVisible(len(conflicts) > 1)
        if shown == list(self._shown):
            return
        for gone in self._shown.keys() - set(shown):
            card = self._shown.pop(gone)
            self._cards.removeWidget(card)
            card.hide()
            card.deleteLater()
        self._shown = {one: self._shown.get(one) or self._card(one) for one in shown}
        for place, card in enumerate(self._shown.values()):
            if self._cards.indexOf(card) != place:
                self._cards.insertWidget(place, card)
        order_tabs(self._all, *self._shown.values())

    def _card(self, shown: _Shown) -> QWidget:
        card = Panel()
        conflict, account = shown
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
        """Return both versions in two columns, with differences highlighted."""
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
    return STATUS_NAMES.get(post.status, tr("Unknown status"))
