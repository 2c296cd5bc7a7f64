"""Proxy settings with a connection test, as a settings section and as a sheet."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.aio import TaskScope, report_to
from app.desktop.settings.rows import INSET, Section, SettingRow, SettingsCard
from app.desktop.welcome.service_form import SecretEdit
from app.desktop.widgets import (
    Button,
    Divider,
    Field,
    Label,
    LineEdit,
    Segmented,
    Sheet,
    StateStrip,
    Switch,
    announce,
    primary,
    scrolled,
    secondary,
)
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr
from app.workspace import foreign_texts
from app.workspace.homes import Home, embedded
from app.workspace.messages import Message, Problem
from app.workspace.network import FormError, FormField, Network, ProxyForm, ProxyUse, try_out

_USES: Final = (
    (ProxyUse.SYSTEM.value, tr("System")),
    (ProxyUse.NONE.value, tr("No proxy")),
    (ProxyUse.OWN.value, tr("Custom")),
)
_MEANINGS: Final = {
    ProxyUse.SYSTEM: tr(
        "Uses HTTPS_PROXY, ALL_PROXY and NO_PROXY from the environment or, on Windows "
        "and macOS, the system's network settings. PAC scripts aren't supported."
    ),
    ProxyUse.NONE: tr("Kalends connects directly."),
    ProxyUse.OWN: tr("Kalends connects through this proxy, for all calendars on this computer."),
}
_ADDRESS: Final = tr("Starts with http://, https:// or socks5:// and includes the port.")
_PASSWORD: Final = tr("Saved in this computer's keyring, or in a file only you can read.")
_EXCEPTIONS: Final = tr(
    "Names and addresses to connect to directly, separated by commas. This computer is always included."
)
_NAMES: Final = tr("Resolve host names through the proxy")
_NAMES_WHY: Final = tr(
    "For networks without public DNS. Applies to webhooks and files imported "
    "from the web. The proxy then decides whether to allow private addresses."
)
_LATER: Final = tr("Takes effect when you press “Use this proxy”.")

_INSET: Final = 20
_AROUND: Final = 56
"""Above and below the sheet, and its line."""
_LEAST: Final = 160
_HOME: Final = tr(
    "For services such as Home Assistant or n8n on this computer or on your home network. They still need "
    "HTTPS. "
    "Takes effect the next time you open Kalends."
)


class ProxyPanel(SettingsCard):
    """The choices "System" and "None" apply immediately, a custom proxy when its button is pressed."""

    changed = Signal()
    """Another way is in force."""

    def __init__(self, network: Network, home: Home | None) -> None:
        super().__init__(tr("Proxy"))
        self._network, self._home = network, home
        self._scope = TaskScope(self, self._refused)
        self.use = Segmented(_USES, tr("Proxy"))
        self.address, self.user = LineEdit(), LineEdit()
        self.password = SecretEdit(show=tr("Show the password"), hide=tr("Hide the password"))
        self.exceptions, self.names = LineEdit(), Switch()
        self.fields = {
            FormField.ADDRESS: Field(tr("Address"), self.address, _ADDRESS),
            FormField.USER: Field(tr("Username (optional)"), self.user),
            FormField.PASSWORD: Field(tr("Password"), self.password, _PASSWORD),
            FormField.EXCEPTIONS: Field(tr("Exceptions"), self.exceptions, _EXCEPTIONS),
        }
        self.strip = StateStrip()
        self.go, self.try_button = primary(tr("Use this proxy")), secondary(tr("Test"), "plug")
        self._row = SettingRow(tr("Connection"), "", self.use)
        self._is_typed = False
        self._lay_out()
        self._connect()
        self._show_use()

    async def load(self) -> None:
        """Show the current settings, unless the user has edited the form."""
        await self._network.load()
        if not self._is_typed:
            self._show_kept()

    def form(self) -> ProxyForm:
        """The current input."""
        untouched = None if self._network.has_password else ""
        return ProxyForm(
            use=ProxyUse(self.use.value()),
            address=self.address.text(),
            user=self.user.text(),
            password=self.password.text() or untouched,
            exceptions=self.exceptions.text(),
            names_at_proxy=self.names.isChecked(),
        )

    def _show_kept(self) -> None:
        kept = self._network.settings
        self.use.blockSignals(True)
        self.use.set_value(kept.use.value)
        self.use.blockSignals(False)
        self.address.setText(kept.address)
        self.user.setText(kept.user)
        self.password.clear()
        self.password.setPlaceholderText(tr("Saved password") if self._network.has_password else "")
        self.exceptions.setText(", ".join(kept.exceptions))
        self.names.setChecked(kept.names_at_proxy)
        self._is_typed = False
        self._show_use()

    def _show_use(self) -> None:
        use = ProxyUse(self.use.value())
        later = use is ProxyUse.OWN and self._network.settings.use is not use
        self._row.say(f"{_MEANINGS[use]} {_LATER}" if later else _MEANINGS[use])
        for part in (self._form, self._below_form):
            part.setVisible(use is ProxyUse.OWN)
        for part in (self._names, self._below_names):
            part.setVisible(use is not ProxyUse.NONE)
        self.go.setVisible(use is ProxyUse.OWN)

    def _choose(self) -> None:
        self._say("")
        self._show_use()
        if ProxyUse(self.use.value()) is not ProxyUse.OWN:
            self._keep(self._kept_but(ProxyUse(self.use.value())))
        else:
            self._typed()
            self.address.setFocus()

    def _choose_names(self) -> None:
        if ProxyUse(self.use.value()) is ProxyUse.SYSTEM:
            self._keep(self._kept_but(ProxyUse.SYSTEM))
        else:
            self._typed()

    def _kept_but(self, use: ProxyUse) -> ProxyForm:
        """Return the settings with another choice; the unsaved custom proxy stays in the form."""
        kept = self._network.settings
        names = self.names.isChecked() if use is ProxyUse.SYSTEM else kept.names_at_proxy
        return ProxyForm(use, kept.address, kept.user, None, ", ".join(kept.exceptions), names)

    def _keep(self, form: ProxyForm) -> None:
        self._scope.cancel()
        self._scope.start(self._kept(form))

    async def _kept(self, form: ProxyForm) -> None:
        await self._network.choose(form)
        if form.use is ProxyUse.OWN:
            self._show_kept()
            self._say(tr("Applied to all new connections."))
        self._show_use()
        self.changed.emit()

    def _begin_trial(self) -> None:
        self._scope.cancel()
        self._scope.start(self._try())

    async def _try(self) -> None:
        way = self._network.way_for(self.form())
        self._say(tr("Testing…"))
        trial = await try_out(way, self._home)
        self._say(trial.text, is_bad=trial.kind == "bad")

    def _refused(self, problem: Problem) -> None:
        if not isinstance(problem, FormError):
            self._say(problem.text, is_bad=True)
            return
        self._say("")
        field = self.fields[problem.where]
        field.set_error(problem.text)
        field.editor.setFocus()

    def _say(self, text: str, *, is_bad: bool = False) -> None:
        self.strip.say(text, "bad" if is_bad else "info", can_act=False)
        announce(self.strip, text)
        for field in self.fields.values():
            field.set_error("")

    def _typed(self) -> None:
        self._is_typed = True

    def _edited(self) -> None:
        self._typed()
        for field in self.fields.values():
            field.set_error("")

    def _connect(self) -> None:
        self.use.selected.connect(lambda _use: self._choose())
        self.names.clicked.connect(self._choose_names)
        self.go.clicked.connect(lambda: self._keep(self.form()))
        self.try_button.clicked.connect(self._begin_trial)
        for editor in (self.address, self.user, self.password, self.exceptions):
            editor.textEdited.connect(lambda _text: self._edited())
            editor.returnPressed.connect(self.go.click)

    def _lay_out(self) -> None:
        self.address.setPlaceholderText("http://proxy.example.com:3128")
        self.exceptions.setPlaceholderText("intranet.example.com, 10.0.0.0/8")
        sign_in = QHBoxLayout()
        sign_in.setSpacing(12)
        sign_in.addWidget(self.fields[FormField.USER], 1)
        sign_in.addWidget(self.fields[FormField.PASSWORD], 1)
        self._form = QWidget()
        form = QVBoxLayout(self._form)
        form.setContentsMargins(INSET, 12, INSET, 12)
        form.setSpacing(12)
        form.addWidget(self.fields[FormField.ADDRESS])
        form.addLayout(sign_in)
        form.addWidget(self.fields[FormField.EXCEPTIONS])
        self.names.setAccessibleName(_NAMES)
        self._names = SettingRow(_NAMES, _NAMES_WHY, self.names)
        self._below_form, self._below_names = Divider(inner=True), Divider(inner=True)
        below = QWidget()
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (self._form, self._below_form, self._names, self._below_names, self._feet()):
            column.addWidget(part)
        self.add(self._row)
        self.add(below)

    def _feet(self) -> QWidget:
        holder = QWidget()
        feet = QVBoxLayout(holder)
        feet.setContentsMargins(INSET, 12, INSET, 12)
        feet.setSpacing(10)
        feet.addWidget(self.strip)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self.try_button)
        buttons.addWidget(self.go)
        feet.addLayout(buttons)
        return holder


class NetworkSection(Section):
    """A custom proxy applies when its button is pressed, the home network with the next start."""

    told = Signal(Message)

    def __init__(self, network: Network, home: Home | None, folder: Path) -> None:
        """``folder``: contains the calendar's files."""
        super().__init__(tr("Network"))
        self._folder = folder
        self.proxy = ProxyPanel(network, home)
        self.home_network = Switch()
        self._scope = TaskScope(self, report_to(self.told.emit))
        self.body.addWidget(self.proxy)
        if home is not None and home.is_embedded:  # of a service elsewhere its operator decides
            self.body.addWidget(self._webhooks())
        self.finish()
        self.home_network.clicked.connect(lambda on: self._scope.start(self._allow(on=on)))

    def came_to_view(self) -> None:
        """Show the current settings."""
        self._scope.start(self.proxy.load())
        self._scope.start(self._load())

    def _webhooks(self) -> SettingsCard:
        card = SettingsCard(tr("Webhooks"))
        name = tr("Allow webhooks on your home network")
        self.home_network.setAccessibleName(name)
        card.add(SettingRow(name, _HOME, self.home_network))
        return card

    async def _load(self) -> None:
        self.home_network.setChecked(await asyncio.to_thread(embedded.is_allowed, self._folder))

    async def _allow(self, *, on: bool) -> None:
        try:
            await asyncio.to_thread(partial(embedded.allow, self._folder, on=on))
        except OSError as error:
            self.home_network.setChecked(not on)
            text = tr("The choice couldn't be saved: {reason}.", reason=foreign_texts.why(error))
            raise Problem(text, details=str(error)) from error


class NetworkSheet(Sheet):
    """The same settings above the welcome screen, for services behind a proxy."""

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
        """Open the sheet with the current settings."""
        self._scope.start(self.proxy.load())
        self.present(self.close_button)
        self._give_room()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the height of the content, within the window."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._give_room()
        return super().eventFilter(watched, event)

    def _give_room(self) -> None:
        wanted = self._column.totalHeightForWidth(self._area.viewport().width())
        most = self.window().height() - self._feet.sizeHint().height() - _AROUND
        self._area.setFixedHeight(max(_LEAST, min(wanted, most)))
