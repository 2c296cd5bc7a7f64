"""The About section: version, licence, third-party notices and documentation."""

import asyncio
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.aio import TaskScope
from app.desktop.guide import GuideSheet
from app.desktop.kit.code import Code
from app.desktop.opening import open_folder
from app.desktop.settings.notices import NoticesSheet
from app.desktop.settings.rows import INSET, Section, SettingRow, SettingsCard
from app.desktop.theme import icons, theme
from app.desktop.widgets import Button, Divider, Label, Sheet, secondary
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr
from app.workspace.messages import Message
from app.workspace.settings import about as installed
from app.workspace.settings.about import About, read_notices

if TYPE_CHECKING:
    from app.desktop.updates import Updates

_MARK: Final = 44
_WHAT: Final = tr(
    "Plan social posts on a calendar. Kalends publishes them on time, exactly once, from your own computer."
)
_MISSING: Final = tr(
    "This text isn't included in your installation. You can find it in the Kalends repository."
)


class TextSheet(Sheet):
    """Shows a long text."""

    def __init__(self, host: QWidget, title: str, text: str) -> None:
        super().__init__(host, title, 820)
        self.text, self.done = Code(title), Button(tr("Close"), key_hint="Esc")
        self.text.show_code(text)
        self.text.setMinimumHeight(420)
        body = QVBoxLayout()
        body.setContentsMargins(20, 16, 20, 16)
        body.setSpacing(10)
        body.addWidget(Label(title, "section"))
        body.addWidget(self.text, 1)
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.done))
        self.done.clicked.connect(self.dismiss)


class AboutSection(Section):
    """Reads the installed versions when it's first shown."""

    told = Signal(Message)

    def __init__(self) -> None:
        super().__init__(tr("About"))
        self._about: About | None = None
        self._scope = TaskScope(self)
        self.version = Label("", "card", "text2")
        self.copy_button = secondary(tr("Copy"), "copy", size="small")
        self.notices_button = secondary(tr("Read"), size="small")
        self.licence_button = secondary(tr("Read"), size="small")
        self.guide_button = secondary(tr("Read"), size="small")
        self.documents_button = secondary(tr("Open"), "external-link", size="small")
        self._runs_on = SettingRow(tr("Runs on"), "", self.copy_button)
        self._documents = SettingRow(tr("Documents"), "", self.documents_button)
        self._lay_out()
        self.copy_button.clicked.connect(self._copy)
        self.notices_button.clicked.connect(lambda: self._scope.start(self._read_notices()))
        self.licence_button.clicked.connect(lambda: self._scope.start(self._read_licence()))
        self.documents_button.clicked.connect(self._open_documents)
        self.guide_button.clicked.connect(lambda: GuideSheet(self).show_guide())

    def show_updates(self, updates: "Updates") -> None:
        """Add the updates card below the first one."""
        from app.desktop.settings.updates import UpdatesCard

        self.updates = UpdatesCard(updates)
        self.updates.told.connect(self.told)
        self.body.insertWidget(1, self.updates)

    def came_to_view(self) -> None:
        """Read the versions, once."""
        if self._about is None:
            self._scope.start(self._load())

    async def _load(self) -> None:
        self._about = found = await asyncio.to_thread(installed.about)
        self.version.setText(tr("Version {version}", version=found.version))
        self._runs_on.say(" · ".join(f"{name} {version}" for name, version in found.parts))
        self._documents.setVisible(found.documents is not None)
        if found.documents is not None:
            self._documents.say(tr("For operators and contributors, in English."))

    async def _read_notices(self) -> None:
        found = await asyncio.to_thread(lambda: read_notices(installed.notices()))
        if found.works:
            sheet = NoticesSheet(self, found)
            sheet.present(sheet.list)
        else:
            self._show(tr("Third-party notices"), "")

    async def _read_licence(self) -> None:
        self._show(tr("License of Kalends"), await asyncio.to_thread(installed.licence))

    def _show(self, title: str, text: str) -> None:
        sheet = TextSheet(self, title, text or _MISSING)
        sheet.present(sheet.text)

    def _copy(self) -> None:
        if self._about is not None:
            lines = [
                f"Kalends {self._about.version}",
                *(f"{name} {one}" for name, one in self._about.parts),
            ]
            QGuiApplication.clipboard().setText("\n".join(lines))
            self.told.emit(Message("info", tr("Version details copied.")))

    def _open_documents(self) -> None:
        folder = self._about.documents if self._about else None
        if folder is not None and not open_folder(folder):
            self.told.emit(
                Message(
                    "warning",
                    tr("No file manager found. The documents are in {folder}.", folder=folder),
                )
            )

    def _guide_row(self) -> SettingRow:
        text = tr("From your first post to moving to another computer. In English, available offline.")
        return SettingRow(tr("User guide"), text, self.guide_button)

    def _lay_out(self) -> None:
        for button, name in (
            (self.copy_button, tr("Copy the versions")),
            (self.notices_button, tr("Read the third-party notices")),
            (self.licence_button, tr("Read the license of Kalends")),
            (self.guide_button, tr("Read the user guide")),
            (self.documents_button, tr("Open the documents")),
        ):
            button.setAccessibleName(name)
        head = QHBoxLayout()
        head.setContentsMargins(INSET, 14, INSET, 14)
        head.setSpacing(14)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(Label("Kalends", "section"))
        words.addWidget(self.version)
        words.addWidget(Label(_WHAT, "card", "text2", wrap=True))
        head.addWidget(_Mark())
        head.addLayout(words, 1)
        card = SettingsCard("Kalends", head=head)
        for row in (
            self._guide_row(),
            self._runs_on,
            SettingRow(tr("License"), "Apache License 2.0.", self.licence_button),
            SettingRow(
                tr("Third-party notices"),
                tr(
                    "Third-party libraries, fonts and icons, each under its own license. Qt "
                    "is used under the LGPL 3.0. Installers include x264 and x265, so each installer "
                    "as a whole is licensed under the GPL 3.0 or later."
                ),
                self.notices_button,
            ),
            self._documents,
        ):
            card.add(row)
        self._documents.hide()
        self.body.addWidget(card)
        self.finish()


class _Mark(Label):
    """The app's mark."""

    def __init__(self) -> None:
        super().__init__()
        theme.follow(self._draw)

    def _draw(self) -> None:
        self.setPixmap(icons.app_mark(_MARK, self.devicePixelRatioF()))
