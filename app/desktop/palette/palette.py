"""The panel over the window: an input line, and the commands and hits below it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from zoneinfo import ZoneInfo

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from app.desktop.commands import CommandSet
from app.desktop.palette.listing import Actions, Listing
from app.desktop.palette.lookup import Found, Lookup
from app.desktop.palette.result_list import Footer, ResultList
from app.desktop.palette.rows import Entry, Row
from app.desktop.theme import theme
from app.desktop.theme.theme import grow
from app.desktop.widgets import Divider, EmptyState, IconLabel, PausedAnnouncer, Sheet
from app.language import tr, trn
from app.workspace.changes import Changes
from app.workspace.preferences import Preferences
from app.workspace.workspace import Workspace

_WIDTH = 720
_HEIGHT = 480
_HEAD = 54
_TOP = 0.28
_LOOKED_UP_MOST = 50
_PATIENCE_MS = 40
"""How long the list waits for hits, in ms, so it does not change twice for one key."""

_BEHIND_MS = 250
"""Delay before searching again after a change, in ms, until the change is in the file."""

_PAGE = 8
_STEPS = {
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_PageDown: _PAGE,
    Qt.Key.Key_PageUp: -_PAGE,
}


class Mode(Enum):
    """The mode of the panel."""

    COMMANDS = "commands"
    SEARCH = "search"


_PLACEHOLDERS = {
    Mode.COMMANDS: tr("Type a command, a date, words from a post, or “Friday 15:00 Hello”"),
    Mode.SEARCH: tr("Search posts, drafts and files"),
}
_BEGIN = tr("Type words from a post, a draft or the name of a file.")


class Palette(Sheet):
    """Finds commands, dates, posts, drafts and files. ``actions`` runs the choice after closing.

    Args:
        host: Any widget of the window to cover.
        workspace: Where posts and drafts are.
        zone: Whose times are shown.
        sets: Gives the commands there are.
        preferences: Know the commands that were used last.
        actions: What choosing does.
    """

    def __init__(
        self,
        host: QWidget,
        workspace: Workspace,
        zone: ZoneInfo,
        sets: Callable[[], Sequence[CommandSet]],
        preferences: Preferences,
        actions: Actions,
    ) -> None:
        super().__init__(host, tr("Command palette"), _WIDTH, top=_TOP, kept=True)
        self.mode = Mode.COMMANDS
        self._find_sets, self._preferences, self._actions = sets, preferences, actions
        self._sets: Sequence[CommandSet] = ()
        self._listing = Listing(workspace, zone, actions, lambda: self.set_mode(Mode.SEARCH))
        self._lookup = Lookup(workspace, _LOOKED_UP_MOST, self)
        self._found: Found | None = None
        self._waits = False
        self._chooses = False
        self.line = QLineEdit()
        self.list = ResultList()
        self.nothing = EmptyState("search", _BEGIN)
        self.footer = Footer()
        self._body = QStackedWidget()
        self._counter = PausedAnnouncer(self.line)
        self._late = QTimer(self, singleShot=True, interval=_PATIENCE_MS)
        self._again = QTimer(self, singleShot=True, interval=_BEHIND_MS)
        self._lay_out()
        self._connect()
        stop = workspace.listen(self._changed)
        self.destroyed.connect(lambda _object=None: stop())

    def prepare(self) -> None:
        """Prepare style, fonts and icons, so it opens within one frame."""
        self._sets = self._find_sets()
        self.set_mode(self.mode)
        self.panel.resize(_WIDTH, _HEIGHT)
        self.panel.grab()

    def begin(self, mode: Mode) -> None:
        """Open the panel empty, or switch the mode if it is open."""
        if self.isHidden():
            self._sets = self._find_sets()
            self._found, self._waits = None, False
            self.line.blockSignals(True)
            self.line.clear()
            self.line.blockSignals(False)
            self.set_mode(mode)
            self.present(self.line)
        else:
            self.set_mode(mode)

    @property
    def is_waiting(self) -> bool:
        """Whether the list does not match the typed text yet."""
        return self._waits

    def set_mode(self, mode: Mode) -> None:
        """Switch between commands and search. The typed text stays."""
        self.mode = mode
        self.setAccessibleName(tr("Command palette") if mode is Mode.COMMANDS else tr("Search"))
        self.line.setPlaceholderText(_PLACEHOLDERS[mode])
        self.line.setAccessibleName(_PLACEHOLDERS[mode])
        self.footer.show_mode(searching=mode is Mode.SEARCH)
        self._show()

    def choose_all(self) -> None:
        """Select all matching posts in the calendar."""
        matching = self._found.matching if self._found is not None else None
        if matching and not self._waits:
            self.dismiss()
            self._actions.choose_posts(matching)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Pass keys that move and choose from the line to the list."""
        if watched is self.line and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._press(event)
        return super().eventFilter(watched, event)

    def _press(self, event: QKeyEvent) -> bool:
        key, held = Qt.Key(event.key()), event.modifiers()
        is_ctrl = held == Qt.KeyboardModifier.ControlModifier
        if key in _STEPS:
            self.list.walk(_STEPS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.choose_all() if is_ctrl else self._choose_current()
        elif is_ctrl and key in (Qt.Key.Key_K, Qt.Key.Key_F):
            self.set_mode(Mode.COMMANDS if key == Qt.Key.Key_K else Mode.SEARCH)
        else:
            return False
        return True

    def _lay_out(self) -> None:
        head = QWidget()
        grow(head, QWidget.setFixedHeight, _HEAD)
        row = QHBoxLayout(head)
        row.setContentsMargins(18, 0, 18, 0)
        row.setSpacing(12)
        row.addWidget(IconLabel("search", "text3", 18))
        row.addWidget(self.line, 1)
        self.line.setProperty("bare", True)
        self._body.addWidget(self.list)
        self._body.addWidget(self.nothing)
        self.layout_.addWidget(head)
        self.layout_.addWidget(Divider(inner=True))
        holder = QVBoxLayout()
        holder.setContentsMargins(0, 6, 0, 6)
        holder.addWidget(self._body)
        self.layout_.addLayout(holder, 1)
        self.layout_.addWidget(Divider(inner=True))
        self.layout_.addWidget(self.footer)
        self.panel.setMinimumHeight(_HEIGHT)
        theme.follow(self._restyle)

    def _restyle(self) -> None:
        theme.set_font(self.line, theme.current().font("section", theme.current().font("text").weight()))

    def _connect(self) -> None:
        self.line.installEventFilter(self)
        self.line.textChanged.connect(self._typed)
        self.list.chosen.connect(self._run)
        self._lookup.found.connect(self._take)
        self._lookup.failed.connect(self._tell)
        self._late.timeout.connect(self._show_known)
        self._again.timeout.connect(self._look_again)
        self.footer.all_chosen.connect(self.choose_all)
        self.footer.search_asked.connect(lambda: self.set_mode(Mode.SEARCH))

    def _typed(self) -> None:
        """Keep the old list until the first hits arrive."""
        self._waits, self._chooses = bool(self.line.text().strip()), False
        if self._waits:
            self._lookup.look(self.line.text())
            self._late.start()
        else:
            self._show_known()

    def _show_known(self) -> None:
        """Show matches that need no lookup."""
        self._late.stop()
        self._found = None
        self._show()

    def _take(self, found: Found) -> None:
        if self.isHidden() or found.typed != self.line.text():
            return
        before, self._found = self._found, found
        is_same = before is not None and before.typed == found.typed
        if before is not None and is_same and found.matching is None:
            self._found = replace(found, matching=before.matching)
        self._waits = False
        self._late.stop()
        self._show(keep=is_same)
        if self._chooses:
            self._chooses = False
            self.list.choose()

    def _show(self, *, keep: bool = False) -> None:
        rows = self._rows()
        self.list.show_rows(rows, keep=keep)
        self._body.setCurrentWidget(self.list if rows else self.nothing)
        if not rows:
            typed = "" if self._waits else self.line.text().strip()
            nothing = tr("No results for “{typed}”.", typed=typed)
            self.nothing.set_text(nothing if typed else _BEGIN)
        if rows or not self._waits:
            self.footer.show_keys_of_rows(bool(rows))
        self._show_count()
        entries = sum(isinstance(row, Entry) for row in rows)
        told = trn("{n} result", "{n} results", entries) if entries else self.nothing.text()
        self.line.setAccessibleDescription(told)
        self._counter.tell("" if self._waits or not self.line.text().strip() else told)

    def _show_count(self) -> None:
        """Keep the old count until the new one is known."""
        if not self.line.text().strip():
            self.footer.show_matching(0)
        elif self._found is not None and self._found.matching is not None:
            self.footer.show_matching(len(self._found.matching))

    def _rows(self) -> list[Row]:
        if self.mode is Mode.SEARCH:
            waits_for_more = self.line.text().strip() and self._found is None
            return [] if waits_for_more else self._listing.search(self._found)
        recent = self._preferences.recent_commands
        return self._listing.palette(self.line.text(), self._sets, recent, self._found)

    def _choose_current(self) -> None:
        """Handle Enter before the hits arrive: run a matching command, or wait for the hits."""
        if self._waits:
            self._show_known()
            self._chooses = self.list.current is None
        if not self._chooses:
            self.list.choose()

    def _run(self, entry: Entry) -> None:
        if entry.key != "more":
            self.dismiss()
        entry.run()

    def _tell(self, problem: str) -> None:
        self._waits = self._chooses = False
        self.nothing.set_text(problem)
        self._body.setCurrentWidget(self.nothing)

    def _changed(self, changes: Changes) -> None:
        """Look up again after posts or drafts have changed."""
        if self.isVisible() and (changes.posts or changes.removed or changes.drafts or changes.reset):
            self._again.start()

    def _look_again(self) -> None:
        if self.isVisible() and self.line.text().strip():
            self._lookup.look(self.line.text())
