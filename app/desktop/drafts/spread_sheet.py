"""Distributes several dropped files over free slots: a preview before drafts are created."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import PostType
from app.desktop import words
from app.desktop.widgets import (
    Button,
    Divider,
    ElidedLabel,
    IconLabel,
    Label,
    Sheet,
    primary,
    scrolled,
)
from app.language import data_size, tr, trn
from app.workspace.media.local_file import LocalFile
from app.workspace.slots.slots import Place

_WIDTH = 560
_INSET = 20
_LIST_MOST = 320
_ROW = 46
_ICONS = {PostType.IMAGE: "image", PostType.VIDEO: "play"}


@dataclass(frozen=True, slots=True)
class Planned:
    """A file, and the slot of its draft, if any."""

    file: LocalFile
    place: Place | None
    account: str = ""
    """The account's name; empty where no account has posting times."""

    @property
    def problem(self) -> str:
        """Why the file is skipped, or ""."""
        if self.file.problem:
            return self.file.problem
        return "" if self.place else tr("No free slot left for an account that accepts this file.")


class SpreadSheet(Sheet):
    """Lists files with their times; files that can't be posted are listed with the reason and skipped."""

    accepted = Signal(list)
    """The Planned that become drafts."""

    def __init__(self, host: QWidget, planned: Sequence[Planned], zone: ZoneInfo, note: str) -> None:
        super().__init__(host, tr("Files for new drafts"), _WIDTH, closes_beside=False)
        self._zone = zone
        self.good = [one for one in planned if not one.problem]
        made = trn("Create {n} draft", "Create {n} drafts", len(self.good))
        self.make = primary(made, "calendar-plus")
        self.make.setEnabled(bool(self.good))
        self.cancel = Button(tr("Cancel"), key_hint="Esc")
        self.note = Label(note, "card", "text2", wrap=True)
        self._lay_out(planned)
        self.make.clicked.connect(self._accept)
        self.cancel.clicked.connect(self.dismiss)

    def _accept(self) -> None:
        good = self.good
        self.dismiss()
        self.accepted.emit(good)

    def _lay_out(self, planned: Sequence[Planned]) -> None:
        head = QVBoxLayout()
        head.setContentsMargins(_INSET, 16, _INSET, 12)
        head.setSpacing(4)
        title = trn("{n} file into the next free slots", "{n} files into the next free slots", len(planned))
        head.addWidget(Label(title, "section"))
        head.addWidget(self.note)
        rows = QWidget()
        column = QVBoxLayout(rows)
        column.setContentsMargins(_INSET, 4, _INSET, 4)
        column.setSpacing(0)
        for one in planned:
            column.addWidget(self._row(one))
        column.addStretch(1)
        area = scrolled(rows)
        area.setFixedHeight(min(_LIST_MOST, rows.sizeHint().height() + 8))
        foot = QHBoxLayout()
        foot.setContentsMargins(_INSET, 12, _INSET, 12)
        foot.setSpacing(8)
        foot.addStretch(1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.make)
        self.layout_.addLayout(head)
        self.layout_.addWidget(Divider())
        self.layout_.addWidget(area)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(foot)

    def _row(self, one: Planned) -> QWidget:
        line = QWidget()
        line.setMinimumHeight(_ROW)
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 4, 0, 4)
        row.setSpacing(12)
        row.addWidget(IconLabel("ban" if one.problem else _ICONS[one.file.post_type], "text3", 16))
        left, right = self._words(one)
        told = QVBoxLayout()
        told.setSpacing(0)
        told.addWidget(ElidedLabel(one.file.name, elide="middle"))
        told.addWidget(left)
        row.addLayout(told, 1)
        if right is not None:
            row.addWidget(right)
        line.setAccessibleName(", ".join((one.file.name, left.text(), right.text() if right else "")))
        return line

    def _words(self, one: Planned) -> tuple[Label, Label | None]:
        if one.problem or one.place is None:
            return Label(one.problem, "card", "bad", wrap=True), None
        moment = datetime.fromtimestamp(one.place.at / 1_000, self._zone)
        facts = " · ".join(filter(None, (data_size(one.file.size), one.account)))
        return Label(facts, "card", "text3"), Label(f"{words.day(moment)} {words.clock(moment)}", "strong")
