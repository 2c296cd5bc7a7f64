"""The sheet for cropping a picture or trimming a video."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.desktop.aio import TaskScope
from app.desktop.composer.film_strip import Film, FilmStrip, FramePreview
from app.desktop.media.wording import length
from app.desktop.theme import theme
from app.desktop.widgets import Button, Label, PausedAnnouncer, Sheet, primary
from app.desktop.widgets.painting import rounded
from app.desktop.widgets.screen_reader import spoken_as
from app.language import tr
from app.media.protocol import Crop, Recipe
from app.workspace.media.media import Media
from app.workspace.media.upload import Upload
from app.workspace.repair.planning import Wishes

_HEIGHT = 400
_STEP = 0.02
_THIRDS = 0.6
_ARROWS = {
    Qt.Key.Key_Left: (-_STEP, 0.0),
    Qt.Key.Key_Right: (_STEP, 0.0),
    Qt.Key.Key_Up: (0.0, -_STEP),
    Qt.Key.Key_Down: (0.0, _STEP),
}


@spoken_as(QAccessible.Role.Canvas)
class CropView(QWidget):
    """Shows the position of the crop: 0 is leftmost (or top), 1 rightmost (or bottom).

    Args:
        whole: width and height of the picture in pixels.
        crop: the crop; its size is fixed, its position can be changed.
    """

    moved = Signal()

    def __init__(self, whole: tuple[int, int], crop: Crop, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._whole, self._crop = whole, crop
        self._picture = QImage()
        self._dragged: QPointF | None = None
        self.across = _share(crop.left, whole[0] - crop.width)
        self.down = _share(crop.top, whole[1] - crop.height)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.SizeAllCursor)
        self.setAccessibleName(tr("Area to keep"))
        self._announcer = PausedAnnouncer(self)
        self._tell()

    def set_picture(self, picture: QImage) -> None:
        """Show the picture, of any size."""
        self._picture = picture
        self.update()

    def kept(self) -> QRectF:
        """Return the rectangle of the crop."""
        area, (width, height) = self._area(), self._whole
        scale = area.width() / width
        left = self.across * (width - self._crop.width) * scale
        top = self.down * (height - self._crop.height) * scale
        size = self._crop.width * scale, self._crop.height * scale
        return QRectF(area.left() + left, area.top() + top, *size)

    def sizeHint(self) -> QSize:
        return QSize(400, _HEIGHT)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _ARROWS.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self._move(*step)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._dragged = event.position()
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged is not None:
            by = event.position() - self._dragged
            self._dragged = event.position()
            free = self._area().size() - self.kept().size()
            across = by.x() / free.width() if free.width() >= 1 else 0.0
            self._move(across, by.y() / free.height() if free.height() >= 1 else 0.0)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._dragged = None
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        area, kept = self._area(), self.kept()
        painter.fillRect(area, theme.current().color("sunken"))
        if not self._picture.isNull():
            painter.drawImage(area, self._picture)
        painter.save()
        painter.setClipRect(area)
        painter.setOpacity(0.65)
        for outside in _around(area, kept):
            painter.fillRect(outside, theme.current().color("raised"))
        painter.restore()
        if self._dragged is not None:
            _paint_thirds(painter, kept)
        rounded(painter, kept, 2, line="accent" if self.hasFocus() else "text2", width=2)

    def _area(self) -> QRectF:
        width, height = self._whole
        scale = min(self.width() / width, self.height() / height)
        size = width * scale, height * scale
        return QRectF((self.width() - size[0]) / 2, (self.height() - size[1]) / 2, *size)

    def _move(self, across: float, down: float) -> None:
        self.across = min(1.0, max(0.0, self.across + across))
        self.down = min(1.0, max(0.0, self.down + down))
        self._announcer.tell(self._tell())
        self.update()
        self.moved.emit()

    def _tell(self) -> str:
        across, down = round(self.across * 100), round(self.down * 100)
        where = tr("{across}% across, {down}% down", across=across, down=down)
        self.setAccessibleDescription(tr("{where}. Move it with the arrow keys.", where=where))
        return where


def _paint_thirds(painter: QPainter, kept: QRectF) -> None:
    """Paint the rule-of-thirds grid."""
    painter.save()
    painter.setOpacity(_THIRDS)
    line = theme.current().color("raised")
    for number in (1, 2):
        x, y = kept.left() + kept.width() * number / 3, kept.top() + kept.height() * number / 3
        painter.fillRect(QRectF(x - 0.5, kept.top(), 1, kept.height()), line)
        painter.fillRect(QRectF(kept.left(), y - 0.5, kept.width(), 1), line)
    painter.restore()


def _share(distance: int, free: int) -> float:
    return distance / free if free > 0 else 0.5


def _around(area: QRectF, kept: QRectF) -> tuple[QRectF, ...]:
    """Return the areas above, below, left and right of the crop."""
    above = QRectF(area.left(), area.top(), area.width(), kept.top() - area.top())
    below = QRectF(area.left(), kept.bottom(), area.width(), area.bottom() - kept.bottom())
    left = QRectF(area.left(), kept.top(), kept.left() - area.left(), kept.height())
    right = QRectF(kept.right(), kept.top(), area.right() - kept.right(), kept.height())
    return above, below, left, right


_WIDTH = 560
_INSET = 20


def part_name(recipe: Recipe) -> str:
    """Return what the sheet is for, depending on what the copy leaves out."""
    if recipe.length_ms is None:
        return tr("Adjust crop")
    return tr("Adjust trim") if recipe.crop is None else tr("Adjust crop and trim")


class PartSheet(Sheet):
    """Shows the crop over the picture, or for a trimmed video, its start.

    `chosen` is emitted with the settings when the user confirms; ``verb`` and ``outcome`` describe the copy.
    """

    chosen = Signal(object)

    def __init__(
        self, host: QWidget, media: Media, upload: Upload, recipe: Recipe, verb: str, outcome: str
    ) -> None:
        super().__init__(host, part_name(recipe), _WIDTH, closes_beside=False)
        self._media, self._upload, self._recipe = media, upload, recipe
        self.crop: CropView | None = None
        if recipe.crop is not None:
            self.crop = CropView((upload.facts.width or 1, upload.facts.height or 1), recipe.crop)
        self.strip: FilmStrip | None = None
        if recipe.length_ms is not None:
            self.strip = FilmStrip(upload.facts.duration_ms or 0, recipe.length_ms)
            self.strip.setValue(recipe.start_ms)
        self.preview = self.crop or FramePreview()
        self.span, self.note = Label("", "strong"), Label("", "card", "warn", wrap=True)
        self.make = primary(verb, "wrench")
        self.cancel = Button(tr("Cancel"), key_hint="Esc")
        self._lay_out(outcome)
        self.note.hide()
        self.make.clicked.connect(self._accept)
        self.cancel.clicked.connect(self.dismiss)
        if self.strip is not None:
            self._film = Film(
                lambda: media.watching.of_local(upload), self.strip, upload.facts.duration_ms or 0, self
            )
            self._film.pictured.connect(self.preview.set_picture)
            self._film.failed.connect(self._say)
            self.strip.valueChanged.connect(self._show_span)
            self._show_span(self.strip.value())
        elif self.crop is not None:
            TaskScope(self).start(self._show_picture(self.crop))

    def first(self) -> QWidget:
        """Return the widget to focus first."""
        return self.crop or self.strip or self.make

    def _say(self, words: str) -> None:
        self.note.setText(words)
        self.note.show()

    def _accept(self) -> None:
        across, down = (self.crop.across, self.crop.down) if self.crop is not None else (0.5, 0.5)
        start_ms = self._recipe.start_ms if self.strip is None else self.strip.value()
        wishes = Wishes(across, down, start_ms)
        self.dismiss()
        self.chosen.emit(wishes)

    async def _show_picture(self, view: CropView) -> None:
        picture = await self._media.pictures.of_local(self._upload)
        if picture is not None:
            view.set_picture(QImage.fromData(picture))

    def _show_span(self, start_ms: int) -> None:
        whole = length(self._upload.facts.duration_ms or 0)
        end = length(start_ms + (self._recipe.length_ms or 0))
        span = tr("{begin} to {end} of {whole}", begin=length(start_ms), end=end, whole=whole)
        self.span.setText(span)
        if self.strip is not None:
            self.strip.setAccessibleDescription(span)

    def _lay_out(self, outcome: str) -> None:
        column = QVBoxLayout()
        column.setContentsMargins(_INSET, 16, _INSET, 16)
        column.setSpacing(12)
        column.addWidget(Label(part_name(self._recipe), "section"))
        if self.crop is not None:
            column.addWidget(Label(tr("Drag the frame or use the arrow keys."), "card", "text2"))
            column.addWidget(self.crop)
        if self.strip is not None:
            if self.crop is None:
                column.addWidget(self.preview)
            column.addWidget(self.strip)
            column.addWidget(self.span)
        column.addWidget(self.note)
        column.addWidget(Label(outcome, "card", "text2", wrap=True))
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.make)
        column.addLayout(foot)
        self.layout_.addLayout(column)
