"""The file of a post: attached, on its way, there, or failed with a reason."""

from typing import Literal

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QImage, QMouseEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import PostType
from app.desktop.charts.meters import ProgressMeter
from app.desktop.upload_words import standing
from app.desktop.widgets import (
    Button,
    ElidedLabel,
    IconButton,
    Label,
    LinkButton,
    Panel,
    announce,
    keeping_focus,
)
from app.desktop.widgets.painting import draw_icon, rounded
from app.language import tr
from app.workspace.media.upload import Upload, UploadState

_TILE = 44
_ICON = 20
_RADIUS = 5
_ICONS = {PostType.IMAGE: "image", PostType.VIDEO: "play"}


class FileField(QWidget):
    """Shows the upload that it is given; asks others to attach, to try again and to remove."""

    attach = Signal()
    retry = Signal()
    remove = Signal()
    link = Signal()
    """The file for all accounts shall be this one's again."""
    looked_at = Signal()
    """The person wants to see the file as large as the window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_lost = False
        self._told: tuple[str, UploadState, bool] | None = None
        """Of which upload, in which state, and whether it was asked to wait, was told last."""
        self.add = Button(tr("Attach image or video"), icon="image-plus", size="small")
        self.add.setToolTip(tr("Attach image or video (Ctrl+O), or drop one here"))
        self.frame = Panel()
        self.tile, self.bar = Tile(), ProgressMeter()
        self.name = ElidedLabel("", "strong", elide="middle")
        self.facts = Label("", "card", "text2", wrap=True)
        self.again = Button(tr("Try again"), size="small")
        self.look = IconButton("eye", tr("View larger"), size="small")
        self.cross = IconButton("x", tr("Remove file"), size="small")
        self.whose, self.other = Label("", "card", "text3"), LinkButton("")
        self._caption, self._whose = QWidget(), "all"
        self._lay_out()
        self.other.clicked.connect(self._ask_other)
        self.add.clicked.connect(self.attach)
        self.again.clicked.connect(self._ask_again)
        self.cross.clicked.connect(self.remove)
        self.look.clicked.connect(self.looked_at)
        self.tile.pressed.connect(self.looked_at)
        self.show_upload(None)
        self.show_whose("all")

    def show_whose(self, whose: Literal["all", "linked", "own"]) -> None:
        """Say for whom the file is: the version for all, one that is linked to it, or one with its own."""
        self._whose = whose
        self._caption.setVisible(whose != "all" and self.frame.isVisibleTo(self))
        self.whose.setText(
            tr("Same file for all accounts.") if whose == "linked" else tr("Only for this account.")
        )
        self.other.setText(
            tr("Use another file for this account…") if whose == "linked" else tr("Use the shared file")
        )
        self.other.updateGeometry()
        self.cross.setVisible(whose != "linked")

    def show_upload(self, upload: Upload | None, *, is_lost: bool = False) -> None:
        """Show how an upload stands; None for no file, or for one that is no longer known (``is_lost``)."""
        with keeping_focus(self.again, self.cross, self.add):
            self._show(upload, is_lost=is_lost)
        standing_now = (upload.id, upload.state, upload.asked_until is not None) if upload else None
        if standing_now != self._told:
            self._told = standing_now
            announce(self, self.frame.accessibleName() if upload else tr("No file attached."))

    def _show(self, upload: Upload | None, *, is_lost: bool) -> None:
        self._is_lost = is_lost
        there = upload is not None or is_lost
        self.add.setVisible(not there)
        self.frame.setVisible(there)
        paused = upload is not None and upload.state is UploadState.PAUSED
        self.again.setText(tr("Attach again") if is_lost else tr("Resume") if paused else tr("Try again"))
        self.again.updateGeometry()
        self.again.setVisible(is_lost or paused or (upload is not None and upload.is_failed))
        self.bar.setVisible(upload is not None and upload.state is UploadState.SENDING)
        failed = is_lost or (upload is not None and upload.is_failed)
        self.facts.set_tone("bad" if failed else "text2")
        self.frame.set_edge("bad" if failed else "plain")
        self.name.setText(upload.name if upload else tr("A file"))
        self.facts.setText(
            standing(upload) if upload else tr("Kalends no longer has this file. Attach it again.")
        )
        self.again.setAccessibleDescription(self.facts.text())
        self.bar.set_share(upload.share if upload else 0.0)
        self._show_kind(upload)
        self.frame.setAccessibleName(f"{self.name.text()}, {self.facts.text()}")

    def _show_kind(self, upload: Upload | None) -> None:
        kind = upload.post_type if upload else PostType.IMAGE
        self.tile.set_kind(kind)
        self.look.set_icon("play" if kind is PostType.VIDEO else "eye")
        self.look.set_name(tr("Play video") if kind is PostType.VIDEO else tr("View larger"))
        self.look.setVisible(upload is not None)
        self.tile.setEnabled(upload is not None)

    def _ask_again(self) -> None:
        (self.attach if self._is_lost else self.retry).emit()

    def _ask_other(self) -> None:
        (self.attach if self._whose == "linked" else self.link).emit()

    def focus_problem(self) -> None:
        """Put the focus where the file can be put right, and never where a key would take it away."""
        for button in (self.again, self.other, self.look, self.add):
            if button.isVisible():
                button.setFocus()
                return

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addStretch(1)
        for widget in (self.name, self.facts, self.bar):
            words.addWidget(widget)
        words.addStretch(1)
        row = QHBoxLayout(self.frame)
        row.setContentsMargins(8, 8, 8, 8)
        row.setSpacing(10)
        row.addWidget(self.tile, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        row.addWidget(self.again, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.look, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.cross, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.frame)
        caption = QHBoxLayout(self._caption)
        caption.setContentsMargins(0, 6, 0, 0)
        caption.setSpacing(10)
        caption.addWidget(self.whose)
        caption.addStretch(1)
        caption.addWidget(self.other)
        column.addWidget(self._caption)


class Tile(QWidget):
    """A small picture of the file, or the sign of its kind; ``pressed`` is of the mouse alone."""

    pressed = Signal()

    def __init__(self, edge: int = _TILE, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind = PostType.IMAGE
        self._picture = QImage()
        self._edge = edge
        self.setFixedSize(edge, edge)

    def set_kind(self, kind: PostType) -> None:
        """Show the sign of a kind where there is no picture."""
        self._kind = kind
        self.update()

    def set_picture(self, picture: QImage) -> None:
        """Show a picture; a null one takes it away."""
        self._picture = picture
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.rect().contains(event.position().toPoint()):
            self.pressed.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        area = QRectF(self.rect())
        rounded(painter, area, _RADIUS, fill="sunken")
        if self._picture.isNull():
            edge = (self._edge - _ICON) / 2
            draw_icon(painter, area.adjusted(edge, edge, -edge, -edge), _ICONS[self._kind], "text3")
            return
        shape = QPainterPath()
        shape.addRoundedRect(area, _RADIUS, _RADIUS)
        painter.setClipPath(shape)
        painter.drawImage(area, self._picture, _middle(self._picture))


def _middle(picture: QImage) -> QRectF:
    """Return the square in the middle of a picture."""
    edge = min(picture.width(), picture.height())
    return QRectF((picture.width() - edge) / 2, (picture.height() - edge) / 2, edge, edge)
