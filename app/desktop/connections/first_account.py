"""The ways to connect a first account, with how long each takes."""

from functools import partial
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import ConnectionPlatform
from app.desktop.kit.way import Way
from app.desktop.theme import theme
from app.desktop.theme.icons import platform_icon
from app.desktop.theme.theme import grow
from app.desktop.widgets import Label, Menu, quiet
from app.desktop.words import platform_name
from app.language import tr

_WIDTH: Final = 560
_WIDEST: Final = 840


class FirstAccount(QWidget):
    """Shown while there are no accounts.

    Args:
        networks: the networks that need no developer app, at least one.
        has_set_up: whether the service's platforms can be set up from here.
    """

    network_chosen = Signal(str)
    """Connect an account of a network that needs no developer app."""
    by_hand_chosen = Signal()
    set_up_chosen = Signal()
    samples_wanted = Signal()

    def __init__(self, networks: tuple[ConnectionPlatform, ...], *, has_set_up: bool) -> None:
        super().__init__()
        self._networks = networks
        names = [platform_name(one.value) for one in networks]
        both = tr("{network} or {other}", network=names[0], other=names[-1])
        self.network = Way(
            "message-circle" if len(names) > 1 else platform_icon(networks[0].value),
            both if len(names) > 1 else names[0],
            tr("Kalends publishes for you. No developer app needed."),
            label=tr("Connect"),
            time=tr("2 min"),
        )
        self.by_hand = Way(
            "bell",
            tr("Publish by hand"),
            tr("For every platform: Kalends reminds you and gives you the text and file."),
            time=tr("1 min"),
        )
        self.set_up = Way(
            "sliders-horizontal",
            tr("Set up a platform"),
            tr("X, LinkedIn, Instagram and others. You register an app there once."),
            time=tr("15 to 40 min"),
        )
        self.samples = quiet(tr("Show a sample week"), "calendar-days")
        self._lay_out()
        self.set_up.setVisible(has_set_up)
        self.network.clicked.connect(self._choose_network)
        self.by_hand.clicked.connect(self.by_hand_chosen)
        self.set_up.clicked.connect(self.set_up_chosen)
        self.samples.clicked.connect(self.samples_wanted)
        self.setFocusProxy(self.network)

    def _choose_network(self) -> None:
        if len(self._networks) == 1:
            self.network_chosen.emit(self._networks[0].value)
            return
        menu = Menu(self.network)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for network in self._networks:
            chosen = partial(self.network_chosen.emit, network.value)
            menu.add(platform_name(network.value), chosen, icon=f"brand:{network.value}")
        menu.open_below(self.network)

    def _lay_out(self) -> None:
        form = QWidget()
        grow(form, QWidget.setMaximumWidth, _WIDTH, _WIDEST)
        column = QVBoxLayout(form)
        column.setContentsMargins(0, 24, 0, 24)
        column.setSpacing(10)
        column.addWidget(Label(tr("Connect your first account"), "section"))
        for way in (self.network, self.by_hand, self.set_up):
            column.addWidget(way)
        column.addWidget(self.samples, 0, Qt.AlignmentFlag.AlignLeft)
        middle = QHBoxLayout()  # an alignment would take the height of lines as wide as the pane
        middle.addStretch(1)
        middle.addWidget(form, _WIDEST)  # at first all of the width
        middle.addStretch(1)
        outer, gutter = QVBoxLayout(self), theme.current().metrics.gutter
        outer.setContentsMargins(gutter, 0, gutter, 0)
        outer.addStretch(1)
        outer.addLayout(middle)
        outer.addStretch(2)
