"""What a post on the card has to copy: its texts, a QR code of its text, and its file."""

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from app.desktop.aio import OnProblem, TaskScope
from app.desktop.finishing.clipboard import BorrowedClipboard
from app.desktop.finishing.file_tile import FileTile
from app.desktop.finishing.qr_code import QrCode
from app.desktop.opening import open_folder
from app.desktop.theme.theme import grow
from app.desktop.widgets import FlowLayout, announce, quiet
from app.language import tr
from app.workspace.messages import Problem
from app.workspace.posts.planned import PlannedPost
from app.workspace.workspace import Workspace

_TEXT_HEIGHT: Final = 96


@dataclass(frozen=True, slots=True)
class _Content:
    """A post's texts, and the storage path of its file."""

    text: str = ""
    title: str = ""
    alt_text: str = ""
    media: str = ""


class PostContent(QWidget):
    """Shows the content of one post at a time.

    Args:
        workspace: where the post is.
        clipboard: what is copied goes there.
        on_problem: receives each Problem.
    """

    loaded = Signal()
    """The texts are there."""
    resized = Signal()
    """It may need another height."""

    def __init__(self, workspace: Workspace, clipboard: BorrowedClipboard, on_problem: OnProblem) -> None:
        super().__init__()
        self._workspace, self._clipboard = workspace, clipboard
        self._key, self._content, self._is_loaded = "", _Content(), False
        self._scope = TaskScope(self, on_problem)
        self.text = QPlainTextEdit()
        self.tile, self.qr_code = FileTile(), QrCode()
        self.copy_text = quiet(tr("Copy text"), "copy", size="small")
        self.copy_title = quiet(tr("Copy title"), "copy", size="small")
        self.copy_alt_text = quiet(tr("Copy alt text"), "copy", size="small")
        self._dress()
        self._lay_out()
        self._connect()

    @property
    def is_loaded(self) -> bool:
        """Whether the texts are there."""
        return self._is_loaded

    @property
    def words(self) -> str:
        """The text of the post, once it's loaded."""
        return self._content.text

    def clear(self, key: str) -> None:
        """Show nothing yet of another post; "" for none."""
        self._key, self._content, self._is_loaded = key, _Content(), False
        self.text.clear()
        self.qr_code.set_text("")
        self.tile.show_progress()

    def load(self) -> None:
        """Load the texts and the file of the post."""
        self._scope.start(self._load(self._key))

    def show_for(self, post: PlannedPost) -> None:
        """Offer what the post has."""
        self.tile.setVisible(bool(post.media))
        self.copy_title.setVisible(bool(self._content.title))
        self.copy_alt_text.setVisible(bool(self._content.alt_text))

    async def load_texts(self, key: str) -> None:
        """Load the texts of the post, unless another one is shown meanwhile. Raises Problem."""
        detail = await self._workspace.stored_detail(key)
        if key != self._key:
            return
        media, alt_text = detail.media_storage_path, ""
        if media:
            files = await self._workspace.media.catalogue([media])
            alt_text = (files[0].alt_text or "") if files else ""
        if key != self._key:
            return
        self._content = _Content(detail.text, detail.title or "", alt_text, media)
        self._is_loaded = True
        self.text.setPlainText(detail.text)
        self.qr_code.set_text(detail.text)
        self.loaded.emit()
        self._scope.start(self._draw_code())

    async def _load(self, key: str) -> None:
        await self.load_texts(key)
        if key == self._key and self._content.media:
            await self._load_file(key, self._content.media)

    async def _load_file(self, key: str, media: str) -> None:
        try:
            file = await self._workspace.media.local_copies.of(media)
            picture = await self._workspace.media.picture(media)
        except Problem as problem:
            if key == self._key:
                self.tile.show_problem(problem.text)
            return
        if key == self._key:
            self.tile.show_file(file)
            self.resized.emit()
            await self.tile.show_picture(picture)

    async def _draw_code(self) -> None:
        await self.qr_code.draw()
        self.resized.emit()
        self.qr_code.reveal()

    def _toggle_code(self) -> None:
        self.qr_code.toggle()
        self.resized.emit()
        self._scope.start(self._draw_code())

    def _copy(self, words: str, told: str) -> None:
        self._clipboard.put_text(words)
        announce(self, told)

    def _copy_file(self) -> None:
        if self.tile.file is not None:
            self._clipboard.put_file(self.tile.file)
            announce(self, tr("File copied"))

    def _show_folder(self) -> None:
        if self.tile.file is not None:
            open_folder(self.tile.file.parent)

    def _connect(self) -> None:
        self.copy_text.clicked.connect(lambda: self._copy(self._content.text, tr("Text copied")))
        self.copy_title.clicked.connect(lambda: self._copy(self._content.title, tr("Title copied")))
        self.copy_alt_text.clicked.connect(lambda: self._copy(self._content.alt_text, tr("Alt text copied")))
        self.qr_code.button.clicked.connect(self._toggle_code)
        self.tile.copy_wanted.connect(self._copy_file)
        self.tile.folder_wanted.connect(self._show_folder)

    def _dress(self) -> None:
        self.text.setReadOnly(True)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(tr("Text of the post"))
        grow(self.text, QWidget.setFixedHeight, _TEXT_HEIGHT)

    def _lay_out(self) -> None:
        copies = QWidget()
        flow = FlowLayout(copies, gap=4)
        for button in (self.copy_text, self.copy_title, self.copy_alt_text, self.qr_code.button):
            flow.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        for widget in (self.text, copies, self.qr_code, self.tile):
            column.addWidget(widget)
