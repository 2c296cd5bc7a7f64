"""Fixes for a file that a platform doesn't accept: a copy is created and attached instead."""

import asyncio
from collections.abc import Collection

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtWidgets import QApplication, QHBoxLayout, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.desktop.aio import OnProblem, TaskScope
from app.desktop.charts.paint import ProgressMeter
from app.desktop.composer.attachment import Attachment
from app.desktop.composer.part_sheet import PartSheet, part_name
from app.desktop.media.wording import length
from app.desktop.widgets import Button, FlowLayout, Label, announce
from app.desktop.words import joined
from app.language import figure, percent, tr
from app.media.protocol import JPEG, PNG, Recipe, Step
from app.workspace.accounts.account import Account
from app.workspace.editing.model import DraftModel
from app.workspace.media.media import Media
from app.workspace.messages import Problem
from app.workspace.repair.planning import Target, Wishes, plan
from app.workspace.repair.repairs import subject_of

_PROGRESS = 400
"""Progress and reasons take a line of their own: no words have room beside so much."""
_KINDS = {JPEG: "JPEG", PNG: "PNG"}


def verb(recipe: Recipe) -> str:
    """Return the label of the button: "Crop and convert to JPEG"."""
    said = [_step(step, recipe) for step in recipe.steps]
    words = joined(said or [tr("make a copy")])
    return words[:1].upper() + words[1:]


def outcome(recipe: Recipe) -> str:
    """Return a description of the copy."""
    size = recipe.size or (recipe.crop[2:] if recipe.crop else None)
    if size:
        return tr(
            "Makes a copy of {width} by {height} pixels. Your file doesn't change.",
            width=size[0],
            height=size[1],
        )
    return tr("Makes a copy. Your file doesn't change.")


def progress(share: float) -> str:
    """Return the progress of a copy."""
    return tr("Making a copy · {share}", share=percent(int(share * 100))) if share else tr("Making a copy")


def _step(step: Step, recipe: Recipe) -> str:
    match step:
        case Step.FIRST_PICTURE:
            return tr("keep only the first image")
        case Step.CROP:
            return tr("crop")
        case Step.TRIM:
            return tr("trim to {length}", length=length(recipe.length_ms or 0))
        case Step.SHRINK:
            return tr("scale down")
        case Step.FRAME_RATE:
            return tr("change to {rate} frames per second", rate=figure(f"{recipe.frame_rate or 0:g}"))
        case Step.CONVERT:
            return tr("convert to {kind}", kind=_KINDS.get(recipe.content_type, "MP4"))
        case Step.COMPRESS:
            return tr("compress")


class RepairRow(QWidget):
    """Shows a possible fix; emits ``asked``, and signals to choose the part and to cancel."""

    asked = Signal()
    choose = Signal()
    stopped = Signal()
    left = Signal()
    """It had the focus, and is gone."""
    changed = Signal()
    """It shows something else, or nothing anymore."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.make = Button(size="small")
        self.part = Button(size="small")
        self.stop = Button(tr("Stop"), size="small")
        self.note = Label("", "card", "text2", wrap=True)
        self._choices = QWidget()
        self.bar = ProgressMeter()
        self._lay_out()
        self.make.clicked.connect(self.asked)
        self.part.clicked.connect(self.choose)
        self.stop.clicked.connect(self.stopped)
        self.hide()

    def offer(self, recipe: Recipe | None, why_not: str = "") -> None:
        """Show the fix, or why it's impossible; hide the row if both are missing."""
        had_focus = self.isAncestorOf(QApplication.focusWidget() or self.window())
        is_part_chosen = recipe is not None and (recipe.crop is not None or recipe.length_ms is not None)
        self.setVisible(recipe is not None or bool(why_not))
        self._choices.setVisible(recipe is not None)
        self.part.setVisible(is_part_chosen)
        self.stop.hide()
        self.bar.hide()
        if recipe is not None:
            self.make.setText(verb(recipe))
            self.make.setToolTip(outcome(recipe))
            self.make.setAccessibleDescription(outcome(recipe))
            self.make.updateGeometry()
            self.part.setText(f"{part_name(recipe)}…")
            self.part.updateGeometry()
        self._say(why_not)
        self.changed.emit()
        if had_focus and recipe is not None:
            self.make.setFocus()
        elif had_focus:
            self.left.emit()

    def take_focus(self) -> bool:
        """Focus the button; return False if there is none."""
        for button in (self.make, self.stop):
            if button.isVisible() and button.isEnabled():
                button.setFocus()
                return True
        return False

    def show_progress(self, share: float) -> None:
        """Show the progress of the copy, from 0 to 1."""
        had_focus, begins = self.make.hasFocus() or self.part.hasFocus(), self.stop.isHidden()
        self.show()
        self._choices.hide()
        self.stop.show()
        self.bar.show()
        self.bar.set_share(share)
        self._say(progress(share))
        self.changed.emit()
        if begins:
            announce(self, self.note.text())
        if had_focus:
            self.stop.setFocus()

    def sizeHint(self) -> QSize:
        """As wide as the content in one line, so that the owner knows whether it fits next to text."""
        shown = (self.make, self.part) if not self._choices.isHidden() else (self.stop,)
        buttons = [one.sizeHint().width() for one in shown if not one.isHidden()]
        least = _PROGRESS if self._choices.isHidden() else 0
        return QSize(sum(buttons) + 8 * (len(buttons) - 1) + least, super().sizeHint().height())

    def _say(self, text: str) -> None:
        self.note.setText(text)
        self.note.setVisible(bool(text))
        self.setAccessibleName(text or self.make.text())

    def _lay_out(self) -> None:
        buttons = FlowLayout(self._choices, gap=8)
        for button in (self.make, self.part):
            buttons.addWidget(button)
        running = QHBoxLayout()
        running.setSpacing(10)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.note)
        words.addWidget(self.bar)
        running.addLayout(words, 1)
        running.addWidget(self.stop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self._choices)
        column.addLayout(running)


class RepairOffer(QObject):
    """Keeps a row in sync with the file and the platforms, and runs its actions."""

    def __init__(
        self, row: RepairRow, model: DraftModel, attachment: Attachment, media: Media, report: OnProblem
    ) -> None:
        super().__init__(row)
        self.row = row
        self._model, self._attachment, self._media = model, attachment, media
        self._targets: list[Target] = []
        self._wishes = Wishes()
        self._upload_id = ""
        self._looked: set[str] = set()
        self._making: asyncio.Task[None] | None = None
        self._scope = TaskScope(self, report)
        row.asked.connect(self._make)
        row.choose.connect(self._choose)
        row.stopped.connect(self._stop)

    def show_for(self, accounts: Collection[Account]) -> None:
        """Show the fix that these accounts need."""
        upload = self._model.upload
        if upload is None or upload.id != self._upload_id:
            self._stop()
            self._wishes = Wishes()
        self._upload_id = upload.id if upload else ""
        self._targets = [Target.of(account) for account in accounts]
        if upload is not None and upload.probed is None and upload.id not in self._looked:
            self._looked.add(upload.id)
            self._scope.start(self._media.look_inside(upload.id))
        if self._making is None:
            self.row.offer(*self._recipe())

    def _recipe(self) -> tuple[Recipe | None, str]:
        """Return the fix, or why it's impossible."""
        upload = self._model.upload
        if upload is None or upload.probed is None:
            return None, ""
        try:
            return plan(subject_of(upload), self._targets, self._wishes), ""
        except Problem as problem:
            return None, problem.text if problem.kind == "conflict" else ""

    def _make(self) -> None:
        recipe, _ = self._recipe()
        if recipe is not None and self._making is None:
            self.row.show_progress(0.0)
            self._making = self._scope.start(self._copy(recipe, self._model.version))
            self._making.add_done_callback(self._ended)  # also when it was stopped before it began

    async def _copy(self, recipe: Recipe, version: str) -> None:
        upload = self._model.files.upload_for(version)
        if upload is None:
            return
        made = await self._media.repairs.copy(upload, recipe, self._targets, self._told)
        if self._model.files.ids.of(version) == upload.id:
            put = await self._attachment.take_one(made, version)
            await self._media.alt_texts.carry(upload, put)

    def _told(self, share: float) -> None:
        """Handle progress, which may arrive after the end or after the panel was deleted."""
        if self._making is not None and isValid(self.row):
            self.row.show_progress(share)

    def _ended(self, _task: "asyncio.Task[None]") -> None:
        self._making = None
        if isValid(self.row):
            self.row.offer(*self._recipe())

    def _stop(self) -> None:
        if self._making is not None:
            self._making.cancel()

    def _choose(self) -> None:
        upload, (recipe, _) = self._model.upload, self._recipe()
        if upload is None or recipe is None:
            return
        sheet = PartSheet(self.row, self._media, upload, recipe, verb(recipe), outcome(recipe))
        sheet.chosen.connect(self._choose_part)
        sheet.present(sheet.first())

    def _choose_part(self, wishes: Wishes) -> None:
        self._wishes = wishes
        self._make()
