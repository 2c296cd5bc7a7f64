"""The way back to what was written before."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

from PySide6.QtCore import QObject, QPoint, Signal

from app.desktop import words
from app.desktop.aio import OnProblem, TaskScope
from app.desktop.widgets import IconButton, Menu
from app.language import tr
from app.workspace.drafts.versions import DraftVersions, Version

_LABEL_MAX = 44


class EarlierTexts(QObject):
    """The menu behind a button. ``draft_id`` tells which draft is being written."""

    chosen = Signal(object)
    """The Version that is to be written again."""

    def __init__(
        self,
        button: IconButton,
        versions: DraftVersions,
        draft_id: Callable[[], str],
        zone: ZoneInfo,
        report: OnProblem,
    ) -> None:
        super().__init__(button)
        self._button, self._versions, self._draft_id, self._zone = button, versions, draft_id, zone
        self._scope = TaskScope(self, report)
        button.clicked.connect(self.open)

    def open(self) -> None:
        """Show what was written before."""
        self._scope.start(self._open())

    async def menu(self) -> Menu:
        """Return the menu as it is now. Raises Problem."""
        menu = Menu(self._button)
        for version in await self._versions.of(self._draft_id()):
            menu.add(self._label(version), partial(self.chosen.emit, version), icon="history")
        if menu.isEmpty():
            menu.add(tr("No earlier texts yet"), lambda: None, enabled=False)
        return menu

    async def _open(self) -> None:
        menu = await self.menu()
        menu.popup(self._button.mapToGlobal(QPoint(0, self._button.height() + 4)))

    def _label(self, version: Version) -> str:
        until = datetime.fromtimestamp(version.at / 1_000, self._zone)
        text = " ".join(version.text.split())
        shown = text if len(text) <= _LABEL_MAX else text[: _LABEL_MAX - 1].rstrip() + "…"
        return f"{words.day(until)}, {words.clock(until)}  {shown}"
