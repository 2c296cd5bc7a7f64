"""Setup packs in the panel of the platforms: choosing a file, the two pages, and the requests."""

from collections.abc import Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.contract.enums import ConnectionPlatform
from app.contract.platform_setup import PlatformSetup
from app.desktop.aio import TaskScope
from app.desktop.file_dialogs import ask_to_open, ask_to_save
from app.desktop.setup.make_pack import MakePackPage, made_words
from app.desktop.setup.use_pack import UsePackPage
from app.desktop.widgets import Label, Panel, StateStrip, quiet, secondary
from app.desktop.widgets.painting import insets
from app.language import tr, trn
from app.workspace.connections.packs import ENDING
from app.workspace.messages import Message, Problem
from app.workspace.workspace import Workspace

PackPage = UsePackPage | MakePackPage
_FILES: Final = (tr("Setup packs (*.{ending})", ending=ENDING), tr("All files (*)"))


class PackRow(Panel):
    """Two buttons in the list of platforms, and why a file can't be used."""

    def __init__(self, *, can_make: bool) -> None:
        super().__init__()
        self.use = secondary(tr("Use a pack…"), size="small")
        self.make = quiet(tr("Make a pack…"), size="small")
        self.strip = StateStrip()
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(Label(tr("Setup pack"), "strong"))
        about = tr("A file from your agency, club or school. It sets up platforms for you.")
        words.addWidget(Label(about, "card", "text3", wrap=True))
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.use)
        buttons.addWidget(self.make)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(insets(14, 10, 12, 12))
        column.setSpacing(8)
        column.addLayout(words)
        column.addWidget(self.strip)
        column.addLayout(buttons)
        self.make.setVisible(can_make)


class PackWork(QWidget):
    """Opens packs, shows them, and makes new ones. It has no look of its own.

    Args:
        workspace: its service uses and makes packs.
        parent: the panel.
    """

    shown = Signal(object)
    """A PackPage to show instead of the list."""
    left = Signal()
    used = Signal(object, object)
    """The UsePackPage, and the platforms, set up with its pack."""
    told = Signal(object)
    """A Message for the user."""
    failed = Signal(str)
    """Why a file couldn't be opened as a pack."""

    def __init__(self, workspace: Workspace, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()
        self._workspace = workspace
        self._scope = TaskScope(self, lambda problem: self.failed.emit(problem.text))

    @property
    def offered(self) -> bool:
        """Whether packs can be used here."""
        return self._workspace.packs.offered and not self._workspace.practice

    def ask(self) -> None:
        """Ask for a file."""
        ask_to_open(self, tr("Use a setup pack"), _FILES, self.open, "downloads")

    def open(self, file: Path) -> None:
        """Show what's in a pack."""
        self._scope.start(self._open(file))

    def begin_making(self, setups: Sequence[PlatformSetup]) -> None:
        """Show the page for a new pack of some platforms."""
        page = MakePackPage(setups, self._workspace.name)
        page.left.connect(self.left)
        page.wanted.connect(partial(self._ask_where, page))
        self.shown.emit(page)

    def make(
        self,
        page: MakePackPage,
        file: Path,
        maker: str,
        note: str,
        platforms: list[ConnectionPlatform],
        passphrase: str,
    ) -> None:
        """Make a pack and save it."""
        self._begin(page, self._make(page, file, maker, note, platforms, passphrase))

    async def _open(self, file: Path) -> None:
        self.offer(UsePackPage(await self._workspace.packs.open(file)))

    def offer(self, page: UsePackPage) -> None:
        """Show a pack, and use it if the user agrees."""
        page.left.connect(self.left)
        page.wanted.connect(lambda *given: self._begin(page, self._use(page, *given)))
        self.shown.emit(page)

    async def _use(self, page: UsePackPage, platforms: list[ConnectionPlatform], passphrase: str) -> None:
        setups = await self._workspace.packs.use(page.pack, platforms, passphrase)
        self.used.emit(page, setups)
        text = trn(
            "{n} platform was set up. Connect your account next.",
            "{n} platforms were set up. Connect your accounts next.",
            len(setups),
        )
        self.told.emit(Message("info", text))

    def _ask_where(
        self,
        page: MakePackPage,
        maker: str,
        note: str,
        platforms: list[ConnectionPlatform],
        passphrase: str,
    ) -> None:
        def chosen(file: Path) -> None:
            self.make(page, file, maker, note, platforms, passphrase)

        ask_to_save(self, tr("Save the setup pack"), maker, (ENDING,), chosen, "documents", filters=_FILES)

    async def _make(
        self,
        page: MakePackPage,
        file: Path,
        maker: str,
        note: str,
        platforms: list[ConnectionPlatform],
        passphrase: str,
    ) -> None:
        fingerprint = await self._workspace.packs.make(file, maker, note, platforms, passphrase)
        text = made_words(file.name, fingerprint)
        if _is_left(page):
            self.told.emit(Message("info", text))
            return
        page.set_busy(busy=False)
        page.show_made(text)

    def _begin(self, page: PackPage, work: Coroutine[Any, Any, None]) -> None:
        page.set_busy(busy=True)
        self._scope.start(work, partial(self._refuse, page))

    def _refuse(self, page: PackPage, problem: Problem) -> None:
        if _is_left(page):
            self.told.emit(problem.message())
            return
        page.set_busy(busy=False)
        page.refuse(problem.text, problem.kind)


def _is_left(page: PackPage) -> bool:
    """Whether the user has left a page while the service was working."""
    return not isValid(page) or page.isHidden()
