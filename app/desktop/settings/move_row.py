"""The row of the settings that moves the open calendar."""

from PySide6.QtCore import Signal

from app.desktop.settings.move_sheets import MoveThereSheet, ask_back
from app.desktop.settings.rows import SettingRow
from app.desktop.widgets import secondary
from app.language import tr
from app.workspace.homes import Home
from app.workspace.homes.moving.note import Direction, MoveNote
from app.workspace.homes.visit import Visits


class MoveRow(SettingRow):
    """Says where the open calendar is, and asks before it moves. Practice calendars have none."""

    wanted = Signal(object, object, str)
    """The Home to move, its MoveNote, and the key of a server to move to."""

    def __init__(self, home: Home, visits: Visits) -> None:
        self.home = home
        self.button = secondary(
            tr("Move to a server") if home.is_embedded else tr("Move to this computer"),
            "server" if home.is_embedded else "laptop",
            size="small",
        )
        text = (
            tr("On a server, posts are published even while this computer is off.")
            if home.is_embedded
            else tr("On this computer, posts are only published while it's on.")
        )
        super().__init__(tr("Where this calendar is"), text, self.button)
        self._visits = visits
        self.button.clicked.connect(self.ask)

    def ask(self) -> None:
        """Ask where to move, and whether."""
        home = self.home
        if home.is_embedded:
            sheet = MoveThereSheet(self, home, self._visits)
            sheet.chosen.connect(lambda note, key: self.wanted.emit(home, note, key))
            sheet.ask()
            return
        note = MoveNote(
            direction=Direction.BACK, base_url=home.base_url, pinned_certificate=home.pinned_certificate
        )
        ask_back(self, home).ask(lambda: self.wanted.emit(home, note, ""))
