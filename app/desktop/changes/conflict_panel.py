"""Posts that were changed both here and elsewhere: both versions side by side, and the choice."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.desktop import words
from app.desktop.calendar.filters import STATUS_NAMES
from app.desktop.widgets import Button, ElidedLabel, Label, LinkButton, Panel, SidePanel
from app.language import tr
from app.workspace.accounts.account import Account
from app.workspace.changes import Changes
from app.workspace.posts.conflicts import Conflict
from app.workspace.posts.planned import PlannedPost

_NOTHING = tr("No conflicts. Everything here matches the service.")
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
        self._why.setText(_WHY if conflicts else _NOTHING)
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
