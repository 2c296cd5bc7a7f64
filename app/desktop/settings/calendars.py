"""The list of calendars: where each is stored, and the key of its service."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.aio import TaskScope, report_to
from app.desktop.settings.move_row import MoveRow
from app.desktop.settings.rows import INSET, AskSheet, Section, SettingsCard, removal
from app.desktop.shell.window import MainWindow
from app.desktop.welcome.service_form import SecretEdit, key_problem
from app.desktop.widgets import (
    ElidedLabel,
    IconButton,
    IconLabel,
    Label,
    LineEdit,
    PracticeTag,
    StateStrip,
    Tag,
    order_tabs,
    secondary,
)
from app.desktop.widgets.badge import TagTone
from app.desktop.widgets.painting import insets
from app.language import tr
from app.workspace.changes import Changes
from app.workspace.homes import Home
from app.workspace.homes.visit import Removed, Visits
from app.workspace.messages import Message, Problem
from app.workspace.workspace import Workspace

_NAME_MAX: Final = 80
_KEY_HELP: Final = tr(
    "Kalends tests the key with the service, then replaces the old one, in this "
    "computer's keyring if it has one. The key is never shown again."
)
_ABOUT: Final = tr("Each calendar has its own service and data. You can open one at a time.")
_DEAD: Final = tr(
    "The service rejected this calendar's API key. Changes aren't sent, and posts may not be published, "
    "until you replace it or renew the subscription."
)
_GONE_HERE: Final = tr(
    "This removes {name} from the list and stops publishing its posts, because "
    "its service runs only on this computer. Its posts, files and accounts are "
    "moved to another folder, not deleted; a message will tell you where."
)
_GONE_THERE: Final = tr(
    "This removes {name} and its API key from this computer. The service keeps "
    "its data and still publishes scheduled posts. Drafts and unsent changes "
    "are moved to another folder, not deleted; a message will tell you where."
)


class HomeRow(QWidget):
    """A calendar: name, location and actions."""

    def __init__(self, home: Home, *, is_open: bool, is_refused: bool) -> None:
        super().__init__()
        self.home = home
        name = home.name
        self.setAccessibleName(name)
        self.open, self.rename = (
            secondary(tr("Open"), size="small"),
            _icon("pencil", tr("Rename {name}", name=name)),
        )
        self.key = _icon("key-round", tr("Replace the API key of {name}", name=name))
        self.remove = _icon("trash-2", tr("Remove {name}", name=name))
        self.open.setAccessibleName(tr("Open {name}", name=name))
        if is_open:
            self.open.hide()
        elif home.is_embedded:
            self.key.hide()  # the test needs a service that runs
        self.buttons = (self.open, self.rename, self.key, self.remove)
        self._lay_out(home, is_open=is_open, is_refused=is_refused)

    def _lay_out(self, home: Home, *, is_open: bool, is_refused: bool) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(ElidedLabel(home.name, "strong"))
        if home.practice:
            head.addWidget(PracticeTag())
        if is_open:
            head.addWidget(_tag(tr("Current"), "ok"))
        if is_refused:
            head.addWidget(_tag(tr("API key rejected"), "bad"))
        head.addStretch(1)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addLayout(head)
        place = tr("On this computer") if home.is_embedded else home.base_url
        words.addWidget(ElidedLabel(place, "card", "text3", elide="middle"))
        row = QHBoxLayout(self)
        row.setContentsMargins(insets(INSET, 9, 10, 9))
        row.setSpacing(4)
        row.addWidget(IconLabel("laptop" if home.is_embedded else "server", "text3", 18))
        row.addSpacing(8)
        row.addLayout(words, 1)
        for button in self.buttons:
            row.addWidget(button)


class CalendarsSection(Section):
    """Lists the calendars; renames, opens, adds and removes them, and replaces their keys."""

    told = Signal(Message)
    opened = Signal(object)
    """Open this Home in place of the one that is open."""
    another_wanted = Signal()
    removed = Signal(object)
    """The open Home is to be closed and removed."""
    renamed = Signal(object)
    move_wanted = Signal(object, object, str)
    """The open Home is to be closed and moved: with its MoveNote, and the key of a server to move to."""

    def __init__(self, window: MainWindow, workspace: Workspace, home: Home, visits: Visits) -> None:
        super().__init__(tr("Calendars"))
        self._window, self._workspace, self._home, self._visits = window, workspace, home, visits
        self._scope = TaskScope(self, report_to(self.told.emit))
        self._was_refused = workspace.sync.key_refused
        self.strip = StateStrip(tr("Replace key"))
        self.rows: list[HomeRow] = []
        self.add_button = secondary(tr("Add a calendar"), "plus")
        self.card = SettingsCard(tr("Calendars"), _ABOUT)
        self.move_row = MoveRow(home, visits)
        self.move_row.wanted.connect(self.move_wanted)
        self._lay_out()
        self.strip.acted.connect(lambda: self.ask_for_key(self._home))
        self.add_button.clicked.connect(self.another_wanted)
        self.destroyed.connect(workspace.listen(self._changed))
        self.came_to_view()

    def came_to_view(self) -> None:
        """Reload the list."""
        self._scope.start(self._load())

    def ask_for_name(self, home: Home) -> None:
        """Ask for a new name."""
        editor = LineEdit(home.name)
        editor.setMaxLength(_NAME_MAX)
        editor.selectAll()
        help_text = tr("Only you see this name; it isn't sent to the service.")
        sheet = AskSheet(
            self,
            tr("Rename {name}", name=home.name),
            tr("Name"),
            editor,
            help_text=help_text,
            go=tr("Rename"),
        )
        sheet.ask(partial(self._rename, home))

    def ask_for_key(self, home: Home) -> None:
        """Ask for a new API key, which is tested before it's saved."""
        editor = SecretEdit()
        editor.setPlaceholderText("stp_rest_…")
        title = tr("Replace the API key of {name}", name=home.name)
        sheet = AskSheet(self, title, tr("New API key"), editor, help_text=_KEY_HELP, go=tr("Test and save"))
        sheet.ask(partial(self._replace_key, home))

    def ask_to_remove(self, home: Home) -> None:
        """Say what is removed with a calendar, and ask."""
        text = (_GONE_HERE if home.is_embedded else _GONE_THERE).format(name=home.name)
        waiting = self._workspace.sync.waiting if home.id == self._home.id else 0
        if waiting:
            text += " " + tr("Unsent changes: {waiting}.", waiting=waiting)
        is_open = home.id == self._home.id
        go: Callable[[], object] = (
            partial(self.removed.emit, home) if is_open else partial(self._start_removal, home)
        )
        removal(self, tr("Remove {name}?", name=home.name), text).ask(go)

    async def _load(self) -> None:
        homes = await asyncio.to_thread(self._visits.homes.all)
        if all(home.id != self._home.id for home in homes):
            homes.append(self._home)
        held = [
            (row.home.id, place)
            for row in self.rows
            for place, one in enumerate(row.buttons)
            if one.hasFocus()
        ]
        self._show(homes)
        for row in self.rows:
            for home_id, place in held:
                if row.home.id == home_id:
                    row.buttons[place].setFocus()

    def _show(self, homes: list[Home]) -> None:
        self.card.clear()
        self.rows = []
        for home in homes:
            is_open = home.id == self._home.id
            row = HomeRow(home, is_open=is_open, is_refused=is_open and self._was_refused)
            row.open.clicked.connect(partial(self.opened.emit, home))
            row.rename.clicked.connect(partial(self.ask_for_name, home))
            row.key.clicked.connect(partial(self.ask_for_key, home))
            row.remove.clicked.connect(partial(self.ask_to_remove, home))
            self.rows.append(row)
            self.card.add(row)
        order_tabs(*self.rows, self.add_button)
        self.strip.say(_DEAD if self._was_refused else "", "bad")

    async def _rename(self, home: Home, name: str) -> Callable[[], object]:
        renamed = await asyncio.to_thread(self._visits.homes.rename, home, name)
        if home.id == self._home.id:
            self._home = self.move_row.home = renamed
            self.renamed.emit(renamed)
        return self.came_to_view

    async def _replace_key(self, home: Home, typed: str) -> Callable[[], object]:
        key = typed.strip()
        if problem := key_problem(key):
            raise Problem(problem, kind="key_refused")
        place = await self._visits.replace_key(home, key)
        if home.id == self._home.id:
            self._workspace.use_key(key)
            self._scope.start(self._workspace.refresh())
        text = tr("The API key for {name} was replaced and saved in {place}.", name=home.name, place=place)
        return partial(self.told.emit, Message("info", text))

    def _start_removal(self, home: Home) -> None:
        self._scope.start(self._remove(home))

    async def _remove(self, home: Home) -> None:
        self.told.emit(removed_message(await self._visits.forget(home)))
        await self._load()

    def _changed(self, changes: Changes) -> None:
        if changes.sync and self._workspace.sync.key_refused != self._was_refused:
            self._was_refused = not self._was_refused
            self.came_to_view()

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.setSpacing(12)
        foot.addWidget(self.add_button)
        about = tr("Adding a calendar switches to it. Your current one stays in this list.")
        foot.addWidget(Label(about, "card", "text3", wrap=True), 1)
        self.body.addWidget(self.strip)
        self.body.addWidget(self.card)
        self.body.addLayout(foot)
        if self._home.practice:
            self.move_row.setParent(self)
            self.move_row.hide()
        else:
            moving = SettingsCard(tr("Moving"))
            moving.add(self.move_row)
            self.body.addWidget(moving)
        self.finish()


def _icon(icon: str, name: str) -> IconButton:
    return IconButton(icon, name, size="small")


def _tag(words: str, tone: TagTone) -> Tag:
    tag = Tag(words)
    tag.set_tone(tone)
    return tag


def removed_message(removed: Removed) -> Message:
    """Return the message after a calendar was removed."""
    told = [tr("{name} was removed.", name=removed.home.name)]
    if removed.aside:
        told.append(
            tr(
                "Its files were moved to {aside}. Delete them when you no longer need them.",
                aside=removed.aside,
            )
        )
    if removed.is_key_left:
        told.append(
            tr(
                "This computer's keyring didn't delete its API key. Unlock the keyring and delete the entry "
                "“Kalends” for {id} there.",
                id=removed.home.id,
            )
        )
    return Message("warning" if removed.is_key_left else "info", " ".join(told))
