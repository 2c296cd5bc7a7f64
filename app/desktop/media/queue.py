"""The queue below the grid: uploads, imports and storage."""

import asyncio
from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QScrollArea, QVBoxLayout, QWidget

from app.desktop.aio import OnProblem, TaskScope
from app.desktop.charts.paint import ProgressMeter
from app.desktop.media.queue_row import HEIGHT, LimitButton, QueueRow
from app.desktop.media.wording import counts
from app.desktop.theme import theme
from app.desktop.widgets import (
    Divider,
    ElidedLabel,
    IconButton,
    IconLabel,
    Label,
    Panel,
    announce,
    line_of,
    scrolled,
)
from app.desktop.widgets.painting import decoded, insets
from app.language import data_size, tr, trn
from app.workspace.media.imports import Import, ImportState
from app.workspace.media.media import Media
from app.workspace.media.upload import Upload, UploadState
from app.workspace.messages import Problem

_ROWS = 4
_SHARE = 0.25
_GAUGE = 92
_COUNTS = 80
_INSETS = 14, 10
_GAP = 10
_FULL = 0.9
"""From this share on the gauge warns."""
_PICTURE = QSize(56, 56)
_PAUSE_MS = 50
"""Changes of many uploads are shown together."""
_BUILD_EVERY_MS = 10
"""A row takes some milliseconds to make; hundreds of them in one go would hold up everything else."""
_AHEAD = 4
"""Rows that are made beyond those that are seen."""


class Queue(Panel):
    """Rows of uploads and imports, and the storage gauge. Finished rows stay until dismissed."""

    shown = Signal(str)
    """The person wants to see a stored file."""
    emptied = Signal()
    """The row that had the focus is gone, and it was the last one."""
    failed = Signal()
    """An upload failed: the storage may be used up."""
    reordered = Signal()
    """There are other rows, or in another order."""

    def __init__(self, media: Media, report: OnProblem) -> None:
        super().__init__()
        self._media = media
        self._report = report
        self._scope = TaskScope(self, report)
        self._rows: dict[str, QueueRow] = {}
        self._again, self._building = QTimer(self), QTimer(self)
        self._done_before = {upload.id for upload in media.uploads.all() if upload.is_done}
        self.title, self.counts = Label(tr("Uploads"), "strong"), ElidedLabel("", "card", "text2")
        self.room, self.gauge = Label("", "card", "text2"), ProgressMeter()
        self.limit = LimitButton(media.uploads.limit, report)
        self._drive = IconLabel("server", "text3", 14)
        self._tools = line_of(self.limit, self._drive, self.gauge, self.room, gap=_GAP)
        self.fold = IconButton("chevron-down", tr("Collapse uploads"), size="small")
        self._head = QGridLayout()
        self._line, self._list = Divider(inner=True), QWidget()
        self._column, self._rest = QVBoxLayout(self._list), QWidget()
        self._area: QScrollArea = scrolled(self._list)
        self._shown_rows: tuple[str, ...] = ()
        self._told_of: dict[str, UploadState] = {}
        self._folded, self._is_below, self._knows_room = False, False, False
        self._room = HEIGHT * _ROWS
        self._lay_out()
        self.set_room(None, None)
        self._connect()
        self.refresh()
        theme.follow(self._restyle)

    def rows(self) -> list[QueueRow]:
        """The rows in order."""
        return list(self._rows.values())

    def refresh(self) -> None:
        """Show the current uploads and imports. Rows are created one by one when they scroll into view."""
        self._again.stop()
        uploads, imports = self._uploads(), self._media.imports.all()
        there = {upload.id for upload in uploads} | {one.id for one in imports}
        for gone in self._rows.keys() - there:
            self._drop(gone)
        for one in imports:
            self._row(one.id).show_import(one)
        first = self._first_underway()
        for upload in uploads:
            if upload.id in self._rows or len(self._rows) <= _ROWS:
                self._show_upload(upload, first)
        self._building.start()
        self._show_counts(uploads, imports)
        self._fit()

    def _build(self) -> None:
        """Create the next row that is about to become visible."""
        missing = [upload for upload in self._uploads() if upload.id not in self._rows]
        seen = (self._area.verticalScrollBar().value() + self._area.height()) // HEIGHT + _AHEAD
        if missing and len(self._rows) < seen:
            self._show_upload(missing.pop(0), self._first_underway())
        else:
            self._building.stop()
            self._tell_order()
        self._rest.setFixedHeight(len(missing) * HEIGHT)

    def _tell_order(self) -> None:
        if self._shown_rows != tuple(self._rows):
            self._shown_rows = tuple(self._rows)
            for key, row in self._rows.items():
                row.line.setVisible(key != self._shown_rows[-1])  # the panel has a line of its own
            self.reordered.emit()

    def _uploads(self) -> list[Upload]:
        return [upload for upload in self._media.uploads.all() if upload.id not in self._done_before]

    def _first_underway(self) -> str:
        return next((one.id for one in self._media.uploads.all() if one.is_underway), "")

    def set_room(self, used: int | None, most: int | None) -> None:
        """Show used and total bytes; None hides the gauge."""
        self._knows_room = used is not None and most is not None
        self.room.setVisible(self._knows_room)
        if used is None or most is None:
            self._fit_head()
            return
        share = min(1.0, used / most) if most else 1.0
        self.gauge.set_share(share)
        self.room.setText(tr("{used} of {most}", used=data_size(used), most=data_size(most)))
        self.room.set_tone("bad" if share >= 1 else "warn" if share >= _FULL else "text2")
        self.gauge.setAccessibleName(tr("Storage: {room}", room=self.room.text()))
        self._fit_head()

    def fit_into(self, height: int) -> None:
        """Show as many rows as leave most of a height in pixels to the files."""
        self._room = round(height * _SHARE)
        self._fit()

    def _show_upload(self, upload: Upload, first: str) -> None:
        """Show an upload; ``first`` is the ID of the next one in turn."""
        is_new = upload.id not in self._rows
        row = self._row(upload.id)
        row.show_upload(upload, waits_behind=first not in ("", upload.id))
        if is_new:
            # The row's own: it may be gone before there is a picture.
            TaskScope(row, self._report).start(self._show_picture(upload, row))

    async def _show_picture(self, upload: Upload, row: QueueRow) -> None:
        content = await self._media.pictures.of_local(upload)
        if content is not None:
            row.set_picture(await asyncio.to_thread(decoded, content, _PICTURE))

    def _row(self, key: str) -> QueueRow:
        if key not in self._rows:
            row = self._rows[key] = QueueRow(key)
            row.paused.connect(lambda key: self._scope.start(self._media.uploads.pause(key)))
            row.hastened.connect(lambda key: self._scope.start(self._hasten(key)))
            row.resumed.connect(self._go_on)
            row.removed.connect(self._remove)
            row.shown.connect(self.shown)
            self._column.insertWidget(self._column.count() - 2, row)
        return self._rows[key]

    async def _hasten(self, key: str) -> None:
        await self._media.uploads.hasten(key)
        if (row := self._rows.pop(key, None)) is not None:  # it may have been removed meanwhile
            self._rows = {key: row, **self._rows}
            self._column.insertWidget(0, row)
        self.refresh()

    def _go_on(self, key: str) -> None:
        if self._media.uploads.get(key) is not None:
            self._scope.start(self._media.retry(key))
        else:
            self._media.imports.retry(key)

    def _remove(self, key: str) -> None:
        upload = self._media.uploads.get(key)
        if upload is None:
            self._media.imports.forget(key)
        elif upload.is_done:
            self._done_before.add(key)  # drafts may name it: only its row goes
        else:
            self._scope.start(self._cancel(key))
            return
        self.refresh()

    async def _cancel(self, key: str) -> None:
        upload = self._media.uploads.get(key)
        is_removed = await self._media.cancel(key)
        self.refresh()
        if upload is not None and not is_removed:
            text = tr(
                "“{name}” is attached to a draft. To cancel its upload, remove it from the draft.",
                name=upload.name,
            )
            raise Problem(text, kind="attached")

    def _drop(self, key: str) -> None:
        place = list(self._rows).index(key)
        row = self._rows.pop(key)
        had_focus = row.isAncestorOf(QApplication.focusWidget() or self)
        self._column.removeWidget(row)
        if had_focus:
            self._focus_row(place)
        row.hide()
        row.deleteLater()

    def _focus_row(self, place: int) -> None:
        """Focus the row that moved up to a position, or the last one."""
        rows = self.rows()
        if rows:
            rows[min(place, len(rows) - 1)].cross.setFocus()
        else:
            self.emptied.emit()

    def _show_counts(self, uploads: Sequence[Upload], imports: Sequence[Import]) -> None:
        told = [counts(list(uploads))]
        fetching = sum(one.state is ImportState.FETCHING for one in imports)
        failed = sum(one.state is ImportState.FAILED for one in imports)
        told += [trn("{n} being imported", "{n} being imported", fetching)] if fetching else []
        told += [trn("{n} not imported", "{n} not imported", failed)] if failed else []
        self.counts.setText(
            " · ".join(filter(None, told)) or (tr("All uploaded") if self._rows else tr("No uploads"))
        )

    def _told(self, upload: Upload) -> None:
        if upload.id in self._done_before:
            return
        self._announce(upload)
        row = self._rows.get(upload.id)
        if row is not None and row.moves_on(upload):
            self._show_upload(upload, upload.id)
        elif not self._again.isActive():
            self._again.start()

    def _announce(self, upload: Upload) -> None:
        """Announce the end of an upload, and emit that it failed."""
        state, before = upload.state, self._told_of.get(upload.id)
        self._told_of[upload.id] = state
        if state is not before and upload.is_failed:
            self.failed.emit()
        if state is not before and (upload.is_done or upload.is_failed) and self.isVisible():
            ended = tr("uploaded") if upload.is_done else upload.reason
            announce(self, f"{upload.name}: {ended}")

    def _toggle(self) -> None:
        self._folded = not self._folded
        self.fold.set_icon("chevron-up" if self._folded else "chevron-down")
        self.fold.set_name(tr("Expand uploads") if self._folded else tr("Collapse uploads"))
        self._fit()

    def _fit(self) -> None:
        shown = bool(self._rows) and not self._folded
        self._area.setVisible(shown)
        self._line.setVisible(shown)
        self.fold.setVisible(bool(self._rows))
        width = self._area.viewport().width()
        heights = [row.height_at(width) for row in list(self._rows.values())[:_ROWS]]
        while len(heights) > 1 and sum(heights) > self._room:
            heights.pop()
        beyond = HEIGHT // 2 if len(self._rows) > len(heights) else 0  # half a row says that there are more
        self._area.setFixedHeight(sum(heights) + beyond + 2)

    def _connect(self) -> None:
        self.fold.clicked.connect(self._toggle)
        self._again.setSingleShot(True)
        self._again.setInterval(_PAUSE_MS)
        self._again.timeout.connect(self.refresh)
        self._building.setInterval(_BUILD_EVERY_MS)
        self._building.timeout.connect(self._build)
        self._area.verticalScrollBar().valueChanged.connect(self._build_on)
        stops = (
            self._media.listen(self._told),
            self._media.imports.listen(lambda _one: self.refresh()),
            self._media.uploads.limit.listen(lambda _rate: self._fit_head()),
        )
        for stop in stops:
            self.destroyed.connect(lambda _object=None, stop=stop: stop())

    def _build_on(self) -> None:
        self._building.start()

    def minimumSizeHint(self) -> QSize:
        """Small, because rows are hidden in little space; the layout sets the minimum width."""
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._restyle()

    def _restyle(self) -> None:
        self._fit_head()
        self._fit()

    def _fit_head(self) -> None:
        """Use shorter texts in little space, and move the rest below the counts."""
        room = self.width() - sum(_INSETS)
        beside = room - self._with_gaps(self.title, self.fold) - theme.current().grown(_COUNTS) - 2 * _GAP
        for is_below, is_short, has_gauge in (
            (False, False, True),
            (False, True, True),
            (True, False, True),
            (True, True, True),
            (True, True, False),
        ):
            self._say(is_short=is_short, has_gauge=has_gauge)
            if self._tools.sizeHint().width() <= (room if is_below else beside):
                break
        self._place_tools(is_below=is_below)

    def _say(self, *, is_short: bool, has_gauge: bool) -> None:
        self.limit.shorten(short=is_short)
        self.gauge.setFixedWidth(_GAUGE // 2 if is_short else _GAUGE)
        for widget in (self._drive, self.gauge):
            widget.setVisible(has_gauge and self._knows_room)

    def _place_tools(self, *, is_below: bool) -> None:
        if is_below != self._is_below:
            self._is_below = is_below
            self._head.removeWidget(self._tools)
            self._head.addWidget(self._tools, *((1, 0, 1, 4) if is_below else (0, 2)))
            self._head.setAlignment(self._tools, Qt.AlignmentFlag.AlignLeading)

    @staticmethod
    def _with_gaps(*widgets: QWidget) -> int:
        return sum(widget.sizeHint().width() + _GAP for widget in widgets) - _GAP

    def _lay_out_head(self) -> None:
        head = self._head
        head.setContentsMargins(insets(_INSETS[0], 0, _INSETS[1], 0))
        head.setHorizontalSpacing(_GAP)
        head.setVerticalSpacing(0)
        head.setRowMinimumHeight(0, HEIGHT)
        head.setColumnStretch(1, 1)
        for column, widget in enumerate((self.title, self.counts, self._tools, self.fold)):
            head.addWidget(widget, 0, column)

    def _lay_out(self) -> None:
        self.setAccessibleName(tr("Uploads"))
        self._lay_out_head()
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self._rest)
        self._column.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 0, 1, 1)
        column.setSpacing(0)
        column.addLayout(self._head)
        column.addWidget(self._line)
        column.addWidget(self._area)
