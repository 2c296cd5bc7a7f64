"""The field that shows a post's file: arriving, uploading, stored, or failed with a reason."""

from typing import Literal

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QImage, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import PostType
from app.desktop.charts.paint import ProgressMeter
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
from app.workspace.media.upload import Upload, UploadState

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
        self._told: tuple[str, UploadState, bool] | str | None = None
        """The upload that was announced last, its state, and whether it was asked to wait; or a name."""
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

    def show_upload(self, upload: Upload | None, *, is_lost: bool = False, arriving: str = "") -> None:
        """Show an upload's state; None for no file, or for an unknown one (``is_lost``).

        ``arriving``: the name of a file that will be attached instead.
        """
        with keeping_focus(self.again, self.cross, self.add):
            if arriving:
                self._show_arriving(arriving)
            else:
                self._show(upload, is_lost=is_lost)
        standing_now = (upload.id, upload.state, upload.asked_until is not None) if upload else None
        told = arriving or standing_now
        if told != self._told:
            self._told = told
            announce(self, self.accessibleName() if told else tr("No file attached."))

    def _show_arriving(self, name: str) -> None:
        for widget in (self.again, self.bar):
            widget.hide()
        self.name.setText(name)
        self.facts.set_tone("text2")
        self.facts.setText(tr("Adding…"))
        self.tile.show_kind(PostType.IMAGE, is_there=False)
        self.setAccessibleName(f"{name}, {self.facts.text()}")
        self.show()

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
