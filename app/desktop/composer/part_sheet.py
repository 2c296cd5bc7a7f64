"""The sheet in which a person chooses what part of a picture or a video is kept."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.aio import TaskScope
from app.desktop.composer import repair_words
from app.desktop.composer.crop_view import CropView
from app.desktop.widgets import Button, Label, Sheet, primary
from app.language import tr, trn
from app.media.recipe import Recipe
from app.workspace.media.media import Media
from app.workspace.media.upload import Upload
from app.workspace.repair.planning import Wishes

_WIDTH = 560
_INSET = 20
_STEPS_S = (-60, -10, -1, 1, 10, 60)


class PartSheet(Sheet):
    """Shows the part that is kept, over the picture; of a video that is trimmed, where it begins.

    `chosen` tells the wishes when the person wants the copy.
    """

    chosen = Signal(object)

    def __init__(self, host: QWidget, media: Media, upload: Upload, recipe: Recipe) -> None:
        super().__init__(host, tr("Choose which part to keep"), _WIDTH, closes_beside=False)
        self._media, self._upload, self._recipe = media, upload, recipe
        self._start_ms = recipe.start_ms
        self.crop: CropView | None = None
        if recipe.crop is not None:
            self.crop = CropView((upload.facts.width or 1, upload.facts.height or 1), recipe.crop)
        self.steps = {step: Button(_step_words(step), size="small") for step in _STEPS_S}
        self.span = Label("", "strong")
        self.make = primary(repair_words.verb(recipe), "wrench")
        self.cancel = Button(tr("Cancel"), key_hint="Esc")
        self._lay_out()
        self._show_span()
        for step, button in self.steps.items():
            button.clicked.connect(lambda _checked=False, by=step: self._start_later(by))
        self.make.clicked.connect(self._accept)
        self.cancel.clicked.connect(self.dismiss)
        if self.crop is not None:
            TaskScope(self).start(self._show_picture(self.crop))

    def first(self) -> QWidget:
        """Return what has the focus first."""
        return self.crop or self.make

    def _accept(self) -> None:
        across, down = (self.crop.across, self.crop.down) if self.crop is not None else (0.5, 0.5)
        wishes = Wishes(across, down, self._start_ms)
        self.dismiss()
        self.chosen.emit(wishes)

    async def _show_picture(self, view: CropView) -> None:
        picture = await self._media.pictures.of_local(self._upload)
        if picture is not None:
            view.set_picture(QImage.fromData(picture))

    def _start_later(self, seconds: int) -> None:
        self._start_ms = min(self._latest(), max(0, self._start_ms + seconds * 1000))
        self._show_span()

    def _latest(self) -> int:
        return max(0, (self._upload.facts.duration_ms or 0) - (self._recipe.length_ms or 0))

    def _show_span(self) -> None:
        whole = repair_words.length(self._upload.facts.duration_ms or 0)
        end = repair_words.length(self._start_ms + (self._recipe.length_ms or 0))
        begin = repair_words.length(self._start_ms)
        self.span.setText(tr("{begin} to {end} of {whole}", begin=begin, end=end, whole=whole))
        for step, button in self.steps.items():
            button.setEnabled(self._start_ms > 0 if step < 0 else self._start_ms < self._latest())

    def _lay_out(self) -> None:
        column = QVBoxLayout()
        column.setContentsMargins(_INSET, 16, _INSET, 16)
        column.setSpacing(12)
        column.addWidget(Label(tr("What to keep"), "section"))
        if self.crop is not None:
            column.addWidget(Label(tr("Drag the frame or use the arrow keys."), "card", "text2"))
            column.addWidget(self.crop)
        if self._recipe.length_ms is not None:
            column.addLayout(self._trimming())
        column.addWidget(Label(repair_words.outcome(self._recipe), "card", "text2", wrap=True))
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.make)
        column.addLayout(foot)
        self.layout_.addLayout(column)

    def _trimming(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.span)
        row.addStretch(1)
        for step, button in self.steps.items():
            button.setAccessibleName(_step_spoken(step))
            row.addWidget(button)
        return row


def _step_spoken(seconds: int) -> str:
    if seconds < 0:
        return trn("Start {n} second earlier", "Start {n} seconds earlier", -seconds)
    return trn("Start {n} second later", "Start {n} seconds later", seconds)


def _step_words(seconds: int) -> str:
    return f"{'−' if seconds < 0 else '+'}{abs(seconds)} s"  # noqa: RUF001  a minus, not a hyphen
