"""A row of the queue, and the speed limit of uploads."""

from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QImage, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import PostType
from app.desktop.aio import OnProblem, TaskScope
from app.desktop.charts.paint import ProgressMeter
from app.desktop.media.thumbnails import Thumb
from app.desktop.media.wording import progress
from app.desktop.theme import theme
from app.desktop.theme.theme import grow
from app.desktop.widgets import (
    Button,
    Divider,
    ElidedLabel,
    IconButton,
    IconLabel,
    Label,
    Menu,
    keeping_focus,
)
from app.desktop.widgets.painting import insets
from app.language import data_size, tr
from app.workspace.media.imports import Import, ImportState
from app.workspace.media.sending import SpeedLimit
from app.workspace.media.upload import Upload, UploadState

HEIGHT = 44
_NARROW, _WIDE = 560, 760
_TILE = 28
_BAR = 120
_NAME_SHARE, _NAME_SHARE_ALONE = 0.28, 0.36
"""The name's share of the width, next to the words, and if they're below because of little room."""
_MOVING = (UploadState.WAITING, UploadState.SENDING, UploadState.PAUSED)
_INSETS, _GAP = 14 + 10, 10
_PROGRESS = 90
"""Room in which words that tell how far it is still say something."""
_TONES = {UploadState.DONE: "ok", UploadState.FAILED: "bad"}


class QueueRow(QWidget):
    """Name, size, progress and actions of an upload or import. The key is its ID."""

    paused = Signal(str)
    resumed = Signal(str)
    hastened = Signal(str)
    removed = Signal(str)
    shown = Signal(str)
    """The person wants to see the stored file; its storage path."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key
        self.is_done = False
        self._path = ""
        self._shown: tuple[Upload, bool] | None = None
        self.setMinimumHeight(HEIGHT)
        self.tile, self.bar = Thumb(_TILE), ProgressMeter()
        self.name = ElidedLabel("", "text", elide="middle")
        self.size_label = Label("", "card", "text3")
        self.state = ElidedLabel("", "card", "text2")
        self.why = Label("", "card", "text2", wrap=True)
        """What the line has no room for."""
        self._sign, self.line = IconLabel("check", "ok", 14), Divider(inner=True)
        self.pause = IconButton("pause", tr("Pause upload"), size="small")
        self.go_on = IconButton("play", tr("Resume upload"), size="small")
        self.first = IconButton("chevron-up", tr("Upload next"), size="small")
        self._again_words = tr("Try again")
        self.again = Button("", icon="rotate-cw", size="small")
        self.again.setToolTip(tr("Start over with the current version of the file"))
        self.see = Button(tr("Show"), "quiet", size="small")
        self.cross = IconButton("x", tr("Cancel upload"), size="small")
        self._words = {button: button.text() or button.accessibleName() for button in self.controls()}
        """What each button does."""
        self._lay_out()
        self._connect()
        theme.follow(self._fit)

    def show_upload(self, upload: Upload, *, waits_behind: bool) -> None:
        """Show an upload's state; ``waits_behind``: others come first."""
        if self._shown == (upload, waits_behind):
            return
        if self.moves_on(upload):
            self._shown = upload, waits_behind
            self._tell_progress(upload)
            return
        self._shown = upload, waits_behind
        state = upload.state
        self.is_done, self._path = upload.is_done, upload.storage_path
        self._tell_progress(upload)
        self.tile.set_kind(upload.post_type)
        self._show_state(_TONES.get(state, "text2"), moving=state in _MOVING and not upload.is_put_off)
        with keeping_focus(*self.controls()):
            self.pause.setVisible(upload.is_underway)
            self.go_on.setVisible(state is UploadState.PAUSED)
            self.first.setVisible(state is UploadState.WAITING and waits_behind)
            self.again.setVisible(upload.is_failed or upload.is_put_off)
            self._name_again(tr("Try now") if upload.is_put_off else tr("Try again"))
            self.see.setVisible(upload.is_done)
        self._place_words()
        self._name_controls(tr("Remove from list") if upload.is_done else tr("Cancel upload"))

    def moves_on(self, upload: Upload) -> bool:
        """Whether only the upload's progress changed."""
        before = self._shown[0] if self._shown is not None else None
        return before is not None and before.state is upload.state is UploadState.SENDING

    def show_import(self, one: Import) -> None:
        """Show an import's state; its progress is unknown."""
        self.is_done, self._path = one.state is ImportState.DONE, one.storage_path
        failed = one.state is ImportState.FAILED
        words = (
            one.reason if failed else tr("Stored") if self.is_done else tr("The service is downloading it")
        )
        self._tell(one.name, data_size(one.size) if one.size else "", words)
        self._show_state("bad" if failed else "ok" if self.is_done else "text2", moving=False)
        with keeping_focus(*self.controls()):
            for button in (self.pause, self.go_on, self.first):
                button.hide()
            self.again.setVisible(failed)
            self._name_again(tr("Try again"))
            self.see.setVisible(self.is_done)
        self._place_words()
        stops = not (failed or self.is_done)
        self._name_controls(tr("Stop waiting for this file") if stops else tr("Remove from list"))

    def controls(self) -> tuple[Button, ...]:
        """The buttons in visual order; some are hidden."""
        return self.again, self.see, self.first, self.pause, self.go_on, self.cross

    def set_picture(self, picture: QImage) -> None:
        """Show a thumbnail."""
        self.tile.set_picture(picture)

    def minimumSizeHint(self) -> QSize:
        """Without a width: the content depends on the width, so it mustn't request another."""
        return QSize(0, super().minimumSizeHint().height())

    def height_at(self, width: int) -> int:
        """Return the current height at a width in pixels."""
        return max(HEIGHT, self.heightForWidth(width) if self.hasHeightForWidth() else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the least important parts in little space."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.size_label.setVisible(self._is_wide())
        self.bar.setFixedWidth(_BAR if self.width() >= _WIDE else _BAR // 2)
        self._name_again(self._again_words)
        self._place_words()

    def _is_wide(self) -> bool:
        return self.width() >= theme.current().grown(_NARROW)

    def _name_again(self, words: str) -> None:
        self._again_words = words
        self.again.setText(words if self._is_wide() else "")
        self.again.updateGeometry()

    def _tell_progress(self, upload: Upload) -> None:
        self._tell(upload.name, data_size(upload.size), progress(upload))
        self.bar.set_share(upload.share)

    def _tell(self, name: str, size: str, words: str) -> None:
        self.name.setText(name)
        self.size_label.setText(size)
        self.state.setText(words)
        self._place_words()
        self.setAccessibleName(", ".join(filter(None, (name, size, words))))

    def _place_words(self) -> None:
        """Show a reason completely: in the row, or below it if it's too long.

        Progress changes all the time, and doesn't move anything.
        """
        words = self.state.text()
        is_moving = self.bar.isVisibleTo(self)
        needed = theme.current().grown(_PROGRESS) if is_moving else self.state.sizeHint().width()
        name = round(self.width() * _NAME_SHARE)
        others = self.size_label, self.bar, self._sign, *self.controls()
        beside = [one.minimumWidth() or one.sizeHint().width() for one in others if not one.isHidden()]
        taken = sum(beside) + _GAP * len(beside)
        below = needed > self.width() - _INSETS - _TILE - name - taken - 2 * _GAP
        has_line = below and not self._is_wide()
        self.name.setFixedWidth(round(self.width() * _NAME_SHARE_ALONE) if has_line else name)
        self.state.setVisible(not below)
        self.why.setText(words if below else "")
        self.why.setVisible(below)

    def _name_controls(self, cross: str) -> None:
        """Name the file of each button for screen readers."""
        self._words[self.cross] = cross
        for button in self.controls():
            what = self._again_words if button is self.again else self._words[button]
            button.setAccessibleName(f"{what}: {self.name.text()}")

    def _show_state(self, tone: str, *, moving: bool) -> None:
        self.state.set_tone(tone)
        self.why.set_tone(tone)
        self._sign.setVisible(tone in ("ok", "bad"))
        self._sign.set_icon("check" if tone == "ok" else "triangle-alert", tone)
        self.bar.setVisible(moving)

    def _connect(self) -> None:
        for button, signal in (
            (self.pause, self.paused),
            (self.go_on, self.resumed),
            (self.again, self.resumed),
            (self.first, self.hastened),
            (self.cross, self.removed),
        ):
            button.clicked.connect(lambda _checked=False, signal=signal: signal.emit(self.key))
        self.see.clicked.connect(lambda: self.shown.emit(self._path))

    def _lay_out(self) -> None:
        self.tile.set_kind(PostType.IMAGE)
        grow(self.size_label, QWidget.setFixedWidth, 64)
        self.size_label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout()
        row.setContentsMargins(insets(14, 0, 10, 0))
        row.setSpacing(_GAP)
        row.addStrut(HEIGHT - 2)
        for widget in (self.tile, self.name, self.size_label, self.bar, self._sign):
            row.addWidget(widget)
        row.addWidget(self.state, 1)
        row.addStretch(0)
        for button in (self.again, self.see, self.first, self.pause, self.go_on, self.cross):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row, 1)
        self.why.setContentsMargins(insets(14 + _TILE + _GAP, 0, 14, 8))
        column.addWidget(self.why)
        column.addWidget(self.line)


_KB = 1024
_MB = 1024 * _KB
RATES = (0, 25 * _MB, 10 * _MB, 5 * _MB, 2 * _MB, _MB, 500 * _KB, 250 * _KB)
"""Bytes a second; 0 for no limit."""


def rate_words(rate: int) -> str:
    """Return a limit in words: ``No limit``, ``2 MB/s``."""
    return tr("{size}/s", size=data_size(rate)) if rate else tr("No limit")


class LimitButton(Button):
    """Sets the limit of all uploads together, immediately."""

    def __init__(self, limit: SpeedLimit, report: OnProblem) -> None:
        super().__init__("", "quiet", icon="gauge", size="small")
        self._limit, self._is_short = limit, False
        self._scope = TaskScope(self, report)
        self.setToolTip(tr("Maximum total upload speed"))
        self.clicked.connect(self.choose)
        stop = limit.listen(lambda _rate: self._show())
        self.destroyed.connect(lambda _object=None: stop())
        self._show()

    def shorten(self, *, short: bool) -> None:
        """Without a limit, show only the icon if `short`."""
        self._is_short = short
        self._show()

    def choose(self) -> None:
        """Open the menu."""
        self.menu_of(self).open_below(self)

    def menu_of(self, parent: QWidget) -> Menu:
        """Return the menu, with the current limit checked."""
        menu = Menu(parent)
        for rate in RATES:
            icon = "check" if rate == self._limit.rate else ""
            menu.add(rate_words(rate), partial(self._set, rate), icon=icon)
        return menu

    def _set(self, rate: int) -> None:
        self._scope.start(self._limit.set(rate))

    def _show(self) -> None:
        words = rate_words(self._limit.rate)
        without = "" if self._is_short else tr("Limit speed")
        self.setText(words if self._limit.rate else without)
        self.updateGeometry()
        self.setAccessibleName(tr("Upload speed: {speed}", speed=words))
