"""Repairs of the composer's file: offered where a platform refuses it, made as a copy, put in its place."""

import asyncio
from collections.abc import Collection

from PySide6.QtCore import QObject
from shiboken6 import isValid

from app.contract.enums import PostingPlatform
from app.desktop.aio import OnProblem, TaskScope
from app.desktop.composer.attachment import Attachment
from app.desktop.composer.part_sheet import PartSheet
from app.desktop.composer.repair_row import RepairRow
from app.media.recipe import Recipe
from app.workspace.editing.model import DraftModel
from app.workspace.media.media import Media
from app.workspace.messages import Problem
from app.workspace.repair.planning import Wishes, plan
from app.workspace.repair.repairs import subject_of


class RepairOffer(QObject):
    """Keeps a row in step with the file and the platforms, and does what it is asked to."""

    def __init__(
        self, row: RepairRow, model: DraftModel, attachment: Attachment, media: Media, report: OnProblem
    ) -> None:
        super().__init__(row)
        self.row = row
        self._model, self._attachment, self._media = model, attachment, media
        self._platforms: tuple[PostingPlatform, ...] = ()
        self._wishes = Wishes()
        self._upload_id = ""
        self._looked: set[str] = set()
        self._making: asyncio.Task[None] | None = None
        self._scope = TaskScope(self, report)
        row.asked.connect(self._make)
        row.choose.connect(self._choose)
        row.stopped.connect(self._stop)

    def show_for(self, platforms: Collection[PostingPlatform]) -> None:
        """Offer what these platforms need."""
        upload = self._model.upload
        if upload is None or upload.id != self._upload_id:
            self._stop()
            self._wishes = Wishes()
        self._upload_id = upload.id if upload else ""
        self._platforms = tuple(dict.fromkeys(platforms))
        if upload is not None and upload.probed is None and upload.id not in self._looked:
            self._looked.add(upload.id)
            self._scope.start(self._media.look_inside(upload.id))
        if self._making is None:
            self.row.offer(*self._recipe())

    def _recipe(self) -> tuple[Recipe | None, str]:
        """What would be done, or why nothing can be."""
        upload = self._model.upload
        if upload is None or upload.probed is None:
            return None, ""
        try:
            return plan(subject_of(upload), self._platforms, self._wishes), ""
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
        made = await self._media.repairs.copy(upload, recipe, self._platforms, self._told)
        if self._model.files.ids.of(version) == upload.id:
            put = await self._attachment.take_one(made, version)
            await self._media.alt_texts.carry(upload, put)

    def _told(self, share: float) -> None:
        """News of a copy may come when it is over or its panel gone."""
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
        sheet = PartSheet(self.row, self._media, upload, recipe)
        sheet.chosen.connect(self._choose_part)
        sheet.present(sheet.first())

    def _choose_part(self, wishes: Wishes) -> None:
        self._wishes = wishes
        self._make()
