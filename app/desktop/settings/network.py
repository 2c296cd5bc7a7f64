"""The network: which proxy leads out of it. A section of the settings, and a sheet before there are any."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.aio import TaskScope
from app.desktop.media.import_sheet import feet
from app.desktop.settings.proxy_panel import ProxyPanel
from app.desktop.settings.rows import Section
from app.desktop.widgets import Button, Divider, Label, Sheet
from app.language import tr
from app.workspace.homes import Home
from app.workspace.network import Network

_INSET = 20


class NetworkSection(Section):
    """A proxy of one's own is in force when its button is pressed."""

    def __init__(self, network: Network, home: Home | None) -> None:
        super().__init__(tr("Network"))
        self.proxy = ProxyPanel(network, home)
        self._scope = TaskScope(self)
        self.body.addWidget(self.proxy)
        self.finish()

    def came_to_view(self) -> None:
        """Show what is in force."""
        self._scope.start(self.proxy.load())


class NetworkSheet(Sheet):
    """The same over the welcome screen: a service may only be reached through the proxy."""

    def __init__(self, host: QWidget, network: Network) -> None:
        super().__init__(host, tr("Network"), 640)
        self.proxy = ProxyPanel(network, None)
        self.close_button = Button(tr("Close"), key_hint="Esc")
        body = QVBoxLayout()
        body.setContentsMargins(_INSET, 16, _INSET, 16)
        body.setSpacing(12)
        body.addWidget(Label(tr("Network"), "section"))
        body.addWidget(self.proxy)
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(feet(self.close_button))
        self.close_button.clicked.connect(self.dismiss)
        self._scope = TaskScope(self)

    def ask(self) -> None:
        """Show it with what is in force."""
        self._scope.start(self.proxy.load())
        self.present(self.close_button)
