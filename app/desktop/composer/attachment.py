"""A post's file: attached, uploading, stored, or failed with a reason."""

import asyncio
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QBuffer, QByteArray, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QImage, QImageWriter, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import PostType
from app.contract.media_kinds import KINDS
from app.desktop.aio import OnProblem, TaskScope
from app.desktop.carried import Carried
from app.desktop.charts.paint import ProgressMeter
from app.desktop.file_dialogs import ask_to_open
from app.desktop.media.preview import Preview, attached, stored
from app.desktop.media.wording import length, standing
from app.desktop.theme import theme
from app.desktop.widgets import (
    Button,
    ElidedLabel,
    IconButton,
    Label,
    LinkButton,
    announce,
    keeping_focus,
)
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import draw_icon, rounded, shows_focus
from app.language import data_size, figure, tr
from app.workspace.editing.draft import SHARED
from app.workspace.editing.model import DraftModel
from app.workspace.media.library import MediaItem
from app.workspace.media.media import Media
from app.workspace.media.upload import Upload, UploadState
from app.workspace.messages import Problem

_PICTURE = 128
_ICON = 20
_RADIUS = 6
_SIGN = 32
_ICONS = {PostType.IMAGE: "image", PostType.VIDEO: "play"}


class FileField(QWidget):
    """Shows an upload; emits signals to attach, retry and remove.

    Args:
        add: the button that attaches or replaces a file.
    """

    attach = Signal()
    retry = Signal()
    remove = Signal()
    link = Signal()
    """The file for all accounts shall be this one's again."""
    looked_at = Signal()
    """The person wants to see the file as large as the window."""

    def __init__(self, add: IconButton, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_lost = False
        self._told: tuple[str, UploadState, bool] | None = None
        """Of which upload, in which state, and whether it was asked to wait, was told last."""
        self.add = add
        self.tile, self.bar = PictureButton(), ProgressMeter()
        self.name = ElidedLabel("", "strong", elide="middle")
        self.facts = Label("", "card", "text2", wrap=True)
        self.again = Button(tr("Try again"), size="small")
        self.cross = IconButton("x", tr("Remove file"), size="small")
        self.whose, self.other = Label("", "card", "text3", wrap=True), LinkButton("")
        self._caption, self._whose = QWidget(), "all"
        self._words = QVBoxLayout()
        self._lay_out()
        self.other.clicked.connect(self._ask_other)
        self.add.clicked.connect(self.attach)
        self.again.clicked.connect(self._ask_again)
        self.cross.clicked.connect(self.remove)
        self.tile.clicked.connect(self.looked_at)
        self.show_upload(None)
        self.show_whose("all")

    def add_words(self, widget: QWidget) -> None:
        """Add a widget below the name and the facts."""
        # aligned, or a button, which can't be wider than its label, would keep the column as narrow
        self._words.insertWidget(self._words.count() - 2, widget, 0, Qt.AlignmentFlag.AlignLeft)

    def show_whose(self, whose: Literal["all", "linked", "own"]) -> None:
        """Show which accounts use the file: all, those linked to it, or one."""
        self._whose = whose
        self._caption.setVisible(whose != "all")
        self.whose.setText(
            tr("Same file for all accounts.") if whose == "linked" else tr("Only for this account.")
        )
        self.other.setText(
            tr("Use another file for this account…") if whose == "linked" else tr("Use the shared file")
        )
        self.other.updateGeometry()
        self.cross.setVisible(whose != "linked")

    def show_upload(self, upload: Upload | None, *, is_lost: bool = False) -> None:
        """Show an upload's state; None for no file, or for an unknown one (``is_lost``)."""
        with keeping_focus(self.again, self.cross, self.add):
            self._show(upload, is_lost=is_lost)
        standing_now = (upload.id, upload.state, upload.asked_until is not None) if upload else None
        if standing_now != self._told:
            self._told = standing_now
            announce(self, self.accessibleName() if upload else tr("No file attached."))

    def _show(self, upload: Upload | None, *, is_lost: bool) -> None:
        self._is_lost = is_lost
        there = upload is not None or is_lost
        self.add.set_name(tr("Replace file") if there else tr("Attach image or video"))
        self.setVisible(there)
        paused = upload is not None and upload.state is UploadState.PAUSED
        self.again.setText(tr("Attach again") if is_lost else tr("Resume") if paused else tr("Try again"))
        self.again.set_icon("play" if paused else "")
        self.again.updateGeometry()
        self.again.setVisible(is_lost or paused or (upload is not None and upload.is_failed))
        self.bar.setVisible(upload is not None and upload.state is UploadState.SENDING)
        failed = is_lost or (upload is not None and upload.is_failed)
        self.facts.set_tone("bad" if failed else "text2")
        self.name.setText(upload.name if upload else tr("File missing"))
        lost = tr("Kalends no longer has this file. Attach it again.")
        self.facts.setText(facts_of(upload) if upload else lost)
        self.again.setAccessibleDescription(self.facts.text())
        self.bar.set_share(upload.share if upload else 0.0)
        self.tile.show_kind(upload.post_type if upload else PostType.IMAGE, is_there=upload is not None)
        self.setAccessibleName(f"{self.name.text()}, {standing(upload) if upload else lost}")

    def _ask_again(self) -> None:
        (self.attach if self._is_lost else self.retry).emit()

    def _ask_other(self) -> None:
        (self.attach if self._whose == "linked" else self.link).emit()

    def focus_problem(self) -> None:
        """Focus the control that fixes the file, never one that removes it."""
        for button in (self.again, self.other, self.tile, self.add):
            if button.isVisible() and button.isEnabled():
                button.setFocus()
                return

    def _lay_out(self) -> None:
        caption = QVBoxLayout(self._caption)
        caption.setContentsMargins(0, 4, 0, 0)
        caption.setSpacing(2)
        caption.addWidget(self.whose)
        caption.addWidget(self.other)
        self._words.setSpacing(3)
        for widget in (self.name, self.facts, self.bar):
            self._words.addWidget(widget)
        self._words.addWidget(self.again, 0, Qt.AlignmentFlag.AlignLeft)
        self._words.addWidget(self._caption)
        self._words.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 4, 0, 12)
        row.setSpacing(14)
        row.addWidget(self.tile, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(self._words, 1)
        row.addWidget(self.cross, 0, Qt.AlignmentFlag.AlignTop)


def facts_of(upload: Upload) -> str:
    """Return a file's facts: its upload's progress, afterwards dimensions and size."""
    if not upload.is_done:
        return standing(upload)
    known = upload.facts
    sides = figure(f"{known.width:,} × {known.height:,}") if known.width and known.height else ""  # noqa: RUF001
    lasts = length(known.duration_ms) if known.duration_ms else ""
    return " · ".join(filter(None, (sides, lasts, data_size(upload.size))))


class PictureButton(EnterPresses):
    """The file's picture or type icon; pressing it opens the preview."""

    shows_name = True

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind = PostType.IMAGE
        self._picture = QImage()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.follow(self._grow)

    def _grow(self) -> None:
        edge = theme.current().grown(_PICTURE)
        self.setFixedSize(edge, edge)

    @property
    def has_picture(self) -> bool:
        """Whether the file's own picture is shown."""
        return not self._picture.isNull()

    def show_kind(self, kind: PostType, *, is_there: bool) -> None:
        """Show the icon of a kind instead of a picture, which may not exist."""
        self._kind = kind
        self.setEnabled(is_there)
        self.setAccessibleName(tr("Play video") if kind is PostType.VIDEO else tr("View larger"))
        self.update()

    def set_picture(self, picture: QImage) -> None:
        """Show a picture; a null one clears it."""
        self._picture = picture
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, area = QPainter(self), QRectF(self.rect())
        paint_picture(painter, area, self._picture, self._kind)
        if self.has_picture and self._kind is PostType.VIDEO:
            sign = QRectF(0, 0, _SIGN, _SIGN)
            sign.moveCenter(area.center())
            rounded(painter, sign, _SIGN / 2, fill="scrim")
            draw_icon(painter, sign.adjusted(9, 9, -7, -9), "play", "on_mark")
        if shows_focus(self):
            rounded(painter, area, _RADIUS, line="accent", width=2)


class Tile(QWidget):
    """A small passive picture of a file."""

    def __init__(self, edge: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture = QImage()
        self.setFixedSize(edge, edge)

    def set_picture(self, picture: QImage) -> None:
        """Show a picture; a null one clears it."""
        self._picture = picture
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        paint_picture(QPainter(self), QRectF(self.rect()), self._picture, PostType.IMAGE)


def paint_picture(painter: QPainter, area: QRectF, picture: QImage, kind: PostType) -> None:
    """Draw the middle of a picture, or the icon of its type."""
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
    rounded(painter, area, _RADIUS, fill="sunken")
    if picture.isNull():
        edge = (area.width() - _ICON) / 2
        draw_icon(painter, area.adjusted(edge, edge, -edge, -edge), _ICONS[kind], "text3")
        return
    shape = QPainterPath()
    shape.addRoundedRect(area, _RADIUS, _RADIUS)
    painter.save()
    painter.setClipPath(shape)
    painter.drawImage(area, picture, _middle(picture))
    painter.restore()


def _middle(picture: QImage) -> QRectF:
    """Return the square in the middle of a picture."""
    edge = min(picture.width(), picture.height())
    return QRectF((picture.width() - edge) / 2, (picture.height() - edge) / 2, edge, edge)


_PASTED = tr("Pasted picture.png")
_ENDINGS = " ".join(f"*.{ending}" for kind in KINDS for ending in kind.extensions)
_CHOICES = (tr("Images and videos ({patterns})", patterns=_ENDINGS), tr("All files (*)"))


class Attachment(QObject):
    """Attaches files to a draft, and shows the current version's file in a field."""

    pictured = Signal()
    """There is another small picture."""

    def __init__(self, field: FileField, model: DraftModel, media: Media, report: OnProblem) -> None:
        super().__init__(field)
        self.field = field
        self.ready = asyncio.Event()
        """Set once the draft is loaded, which would replace the files attached before; they wait for it."""
        self._model = model
        self._held: tuple[str, ...] = ()
        self._pictures: dict[str, QImage] = {}
        self._media = media
        self._scope = TaskScope(self, report)
        field.attach.connect(self.ask)
        field.retry.connect(self._retry)
        field.remove.connect(model.remove_file)
        field.link.connect(model.use_shared_file)
        field.looked_at.connect(self.look)

    def picture_for(self, version: str) -> QImage:
        """Return a thumbnail of a version's file; a null one without a file."""
        return self._pictures.get(self._model.files.ids.of(version), QImage())

    def refresh(self, *, is_loaded: bool = False) -> None:
        """Show the current version's file; cancel previous uploads of the draft that it replaces."""
        ids = self._model.files.all_ids
        gone = () if is_loaded else tuple(id_ for id_ in self._held if id_ not in ids)
        self._held = ids
        self._show()
        for id_ in ids:
            self._begin_picture(id_)
        if gone:
            self._scope.start(self._give_up(gone))

    def ask(self) -> None:
        """Open the file dialog."""
        ask_to_open(
            self.field, tr("Attach image or video"), _CHOICES, lambda file: self.take([file]), "pictures"
        )

    def look(self) -> None:
        """Open the preview, in which videos can be played."""
        if self._model.upload is not None:
            self._scope.start(self._look(self._model.upload))

    def take(self, paths: Sequence[Path]) -> None:
        """Attach the first of these files instead of the current one, and start its upload."""
        if paths:
            self._scope.start(self.take_one(paths[0], self._model.version))

    def take_carried(self, found: Carried) -> None:
        """Attach the first pasted or dropped file, stored or local."""
        if found.media:
            self._scope.start(self._take_stored(found.media[0], self._model.version))
        else:
            self.take(found.files)

    def take_picture(self, picture: QImage) -> None:
        """Attach a picture without a file."""
        self._scope.start(self._take_picture(picture, self._model.version))

    async def take_one(self, path: Path, version: str) -> Upload:
        """Replace a version's file, once its upload has started. Raises Problem."""
        await self.ready.wait()
        (upload,) = await self._media.add_files([path])
        await self._put(upload, version)
        return upload

    def _retry(self) -> None:
        self._scope.start(self._media.retry(self._model.files.ids.of(self._model.version)))

    async def _look(self, upload: Upload) -> None:
        files = await self._media.catalogue([upload.storage_path]) if upload.is_done else []
        sheet = Preview(self.field, walks=False)
        sheet.show_file(stored(MediaItem(files[0]), self._media) if files else attached(upload, self._media))
        sheet.present()

    async def _take_stored(self, storage_path: str, version: str) -> None:
        await self.ready.wait()
        await self._put(await self._media.library.upload_of(storage_path), version)

    async def _take_picture(self, picture: QImage, version: str) -> None:
        content = await asyncio.to_thread(as_png, picture)
        await self.take_one(await self._media.repairs.keep(_PASTED, content), version)

    async def _put(self, upload: Upload, version: str) -> None:
        try:
            self._model.attach(upload, version)
        except Problem:
            await self._give_up([upload.id])
            raise

    async def _give_up(self, upload_ids: Collection[str]) -> None:
        for id_ in upload_ids:
            upload = self._media.uploads.get(id_)
            if upload is not None and not upload.is_done:
                await self._media.cancel(id_, by_composer=True)

    def _show(self) -> None:
        version, ids = self._model.version, self._model.files.ids
        upload = self._model.upload
        self.field.show_upload(upload, is_lost=bool(ids.of(version)) and upload is None)
        is_own = ids.differs(version)
        self.field.show_whose("own" if is_own else "all" if version == SHARED else "linked")
        self.field.tile.set_picture(self.picture_for(version))

    def _begin_picture(self, upload_id: str) -> None:
        if (upload := self._media.uploads.get(upload_id)) is not None and upload_id not in self._pictures:
            self._pictures[upload_id] = QImage()  # until it is read
            self._scope.start(self._read_picture(upload))

    async def _read_picture(self, upload: Upload) -> None:
        self._pictures[upload.id] = QImage.fromData(await self._media.small_picture(upload) or b"")
        self.field.tile.set_picture(self.picture_for(self._model.version))
        self.pictured.emit()


def as_png(picture: QImage) -> bytes:
    """Return the bytes of a picture's file. Blocking."""
    content = QBuffer()
    QImageWriter(content, QByteArray(b"png")).write(picture)
    return bytes(content.data().data())
