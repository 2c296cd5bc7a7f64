"""The network: which proxy leads out of it. A section of the settings, and a sheet before there are any."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.aio import TaskScope, report_to
from app.desktop.settings.proxy_panel import ProxyPanel
from app.desktop.settings.rows import Section, SettingRow, SettingsCard
from app.desktop.widgets import Button, CheckBox, Divider, Label, Sheet, scrolled
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr
from app.workspace import system_words
from app.workspace.homes import Home, home_network
from app.workspace.messages import Message, Problem
from app.workspace.network import Network

_INSET: Final = 20
_AROUND: Final = 56
"""Above and below the sheet, and its line."""
_LEAST: Final = 160
_HOME: Final = tr(
    "For services such as Home Assistant or n8n on this computer or in your network. They still need https. "
    "Takes effect the next time you open Kalends."
)


class NetworkSection(Section):
    """A proxy of one's own is in force when its button is pressed, the home network with the next start."""

    told = Signal(Message)

    def __init__(self, network: Network, home: Home | None, folder: Path) -> None:
        """``folder``: where the files of the home are."""
        super().__init__(tr("Network"))
        self._folder = folder
        self.proxy = ProxyPanel(network, home)
        self.home_network = CheckBox()
        self._scope = TaskScope(self, report_to(self.told.emit))
        self.body.addWidget(self.proxy)
        if home is not None and home.is_embedded:  # of a service elsewhere its operator decides
            self.body.addWidget(self._webhooks())
        self.finish()
        self.home_network.clicked.connect(lambda on: self._scope.start(self._allow(on=on)))

    def came_to_view(self) -> None:
        """Show what is in force."""
        self._scope.start(self.proxy.load())
        self._scope.start(self._load())

    def _webhooks(self) -> SettingsCard:
        card = SettingsCard(tr("Webhooks"))
        name = tr("Allow webhooks in your home network")
        self.home_network.setAccessibleName(name)
        card.add(SettingRow(name, _HOME, self.home_network))
        return card

    async def _load(self) -> None:
        self.home_network.setChecked(await asyncio.to_thread(home_network.is_allowed, self._folder))

    async def _allow(self, *, on: bool) -> None:
        try:
            await asyncio.to_thread(partial(home_network.allow, self._folder, on=on))
        except OSError as error:
            self.home_network.setChecked(not on)
            text = tr("The choice couldn't be saved: {reason}.", reason=system_words.why(error))
            raise Problem(text, details=str(error)) from error


class NetworkSheet(Sheet):
    """The same over the welcome screen: a service may only be reached through the proxy."""

    def __init__(self, host: QWidget, network: Network) -> None:
        super().__init__(host, tr("Network"), 640, closes_beside=False)
        self.proxy = ProxyPanel(network, None)
        self.close_button = Button(tr("Close"), key_hint="Esc")
        self._body = QWidget()
        self._column = QVBoxLayout(self._body)
        self._column.setContentsMargins(_INSET, 16, _INSET, 16)
        self._column.setSpacing(12)
        self._column.addWidget(Label(tr("Network"), "section"))
        self._column.addWidget(self.proxy)
        self._column.addStretch(1)
        self._area = scrolled(self._body)
        self._feet = QWidget()
        self._feet.setLayout(sheet_foot(self.close_button))
        self.layout_.addWidget(self._area)
        self.layout_.addWidget(Divider())
        self.layout_.addWidget(self._feet)
        self.close_button.clicked.connect(self.dismiss)
        self._scope = TaskScope(self)
        self._body.installEventFilter(self)

    def ask(self) -> None:
        """Show it with what is in force."""
        self._scope.start(self.proxy.load())
        self.present(self.close_button)
        self._give_room()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stays as high as what it shows, as far as the window is."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._give_room()
        return super().eventFilter(watched, event)

    def _give_room(self) -> None:
        wanted = self._column.totalHeightForWidth(self._area.viewport().width())
        most = self.window().height() - self._feet.sizeHint().height() - _AROUND
        self._area.setFixedHeight(max(_LEAST, min(wanted, most)))
