"""The figures in a row: their totals and changes; the selected one is charted."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QSizePolicy

from app.desktop.analytics.wording import NAMES, change, change_spoken, number, silent_words
from app.desktop.charts.paint import draw_spark
from app.desktop.theme import theme
from app.desktop.widgets import Divider, Panel, stop_at_checked
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import mirrored, rounded, shows_focus
from app.language import sentence_start, tr
from app.workspace.analytics.dashboard import Tile
from app.workspace.analytics.dataset import Figure

_INSET: Final = 16
_USUAL: Final = 120
_SPARK: Final = (72, 22)
_ARROWS: Final = {1: "↗ ", -1: "↘ ", 0: ""}
_INKS: Final = {1: "ok", -1: "bad", 0: "text2"}
_START: Final = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
_END: Final = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignTrailing


class _Words(NamedTuple):
    """A tile's texts: total, change and its direction (1 up, -1 down, 0 none), and what isn't included."""

    name: str = ""
    total: str = ""
    change: str = ""
    way: int = 0
    before: str = ""
    silent: str = ""


def _words_of(tile: Tile, since: str) -> _Words:
    words, way = change(tile.total, tile.before)
    before = since if tile.before is None else tr("from {before}", before=number(tile.before))
    return _Words(
        NAMES[tile.figure],
        number(tile.total),
        words,
        int(way),
        before if tile.total is not None else "",
        silent_words(tile.silent),
    )


class TileButton(EnterPresses):
    """One figure; checked while it's charted."""

    def __init__(self, figure: Figure) -> None:
        super().__init__()
        self.figure = figure
        self._tile: Tile | None = None
        self._words = _Words()
        self.peers: Sequence[TileButton] = (self,)
        """All figures: either every one has room for its sparkline, or none has one."""
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.follow(self._restyle)

    def show_tile(self, tile: Tile, since: str) -> None:
        """Show a total. ``since``: replaces the change if the previous span is unknown."""
        self._tile, self._words = tile, _words_of(tile, since)
        words = self._words
        self.setAccessibleName(f"{words.name}: {words.total}")
        parts = (change_spoken(words.change, words.way), words.before, words.silent)
        described = sentence_start(", ".join(filter(None, parts)))
        self.setAccessibleDescription(described)
        self.setToolTip(described)
        self.update()

    def sizeHint(self) -> QSize:
        line = theme.current().metrics.line
        return QSize(150, 2 * line + round(28 * theme.current().scale) + 26)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint name, total, change and the sparkline."""
        if self._tile is None:
            return
        look, painter, words = theme.current(), QPainter(self), self._words
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inset = self._inset()
        line, middle = look.metrics.line, round(28 * look.scale)
        width = self.width() - 2 * inset
        name, large = look.font("card", QFont.Weight.Medium), look.font("title")
        ink = "accent" if self.isChecked() else "text2"
        self._write(painter, QRect(inset, 10, width, line), words.name, name, ink)
        if words.silent:
            taken = QFontMetrics(name).horizontalAdvance(words.name) + 14
            self._write_silent(painter, QRect(inset + taken, 10, width - taken, line))
        self._write(painter, QRect(inset, 10 + line, width, middle), words.total, large, "text")
        if all(peer.has_room_for_spark() for peer in self.peers):
            spark = QRect(self.width() - inset - _SPARK[0], 11 + line, *_SPARK)
            draw_spark(painter, QRectF(mirrored(self, spark)), self._tile.spark)
        self._write_change(painter, QRect(inset, 10 + line + middle, width, line))
        if self.isChecked():
            painter.fillRect(QRectF(inset, self.height() - 3, width, 3), look.color("accent"))
        if shows_focus(self):
            rounded(painter, QRectF(self.rect()).adjusted(3, 3, -3, -3), 6, line="accent", width=2)

    def has_room_for_spark(self) -> bool:
        """Whether there is room for the sparkline next to the total."""
        total = QFontMetrics(theme.current().font("title")).horizontalAdvance(self._words.total)
        return self.width() - 2 * self._inset() - total > _SPARK[0] + 10

    def _inset(self) -> int:
        """Return the inset, smaller at large text sizes so that every figure fits."""
        return _INSET if self.width() >= theme.current().grown(_USUAL) else _INSET // 2

    def _write_change(self, painter: QPainter, box: QRect) -> None:
        look, words, taken = theme.current(), self._words, 0
        if words.change:
            font, shown = look.font("clock", QFont.Weight.DemiBold), f"{_ARROWS[words.way]}{words.change}"
            self._write(painter, box, shown, font, _INKS[words.way])
            taken = QFontMetrics(font).horizontalAdvance(shown) + 6
        rest, font = box.adjusted(taken, 0, 0, 0), look.font("clock")
        self._write(painter, rest, words.before, font, "text3", whole=True)  # else in the tooltip

    def _write_silent(self, painter: QPainter, box: QRect) -> None:
        font = theme.current().font("small")
        is_silent = self._tile is not None and self._tile.total is None
        for told in (self._words.silent, tr("not reported") if is_silent else tr("partly unavailable")):
            if self._write(painter, box, told, font, "text3", end=True, whole=True):
                return  # else in the tooltip

    def _write(
        self,
        painter: QPainter,
        box: QRect,
        words: str,
        font: QFont,
        ink: str,
        *,
        end: bool = False,
        whole: bool = False,
    ) -> bool:
        """Write a text; return whether it fit completely. ``whole``: don't write it otherwise.

        Its width in whole pixels may be less than it takes.
        """
        shown = QFontMetrics(font).elidedText(words, Qt.TextElideMode.ElideRight, box.width())
        if shown and (shown == words or not whole):
            painter.setFont(font)
            painter.setPen(theme.current().color(ink))
            painter.drawText(mirrored(self, box), _END if end else _START, shown)
        return shown == words

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()


class TileStrip(Panel):
    """All figures, one of which is selected."""

    chosen = Signal(object)
    """The Figure to chart."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Figures"))
        self.buttons = {figure: TileButton(figure) for figure in Figure}
        for button in self.buttons.values():
            button.peers = tuple(self.buttons.values())
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(1, 1, 1, 1)
        row.setSpacing(0)
        for place, button in enumerate(self.buttons.values()):
            if place:
                row.addWidget(Divider(Qt.Orientation.Vertical, inner=True))
            button.setAutoExclusive(True)
            self._group.addButton(button)
            row.addWidget(button, 1)
        self.buttons[Figure.VIEWS].setChecked(True)
        stop_at_checked(self._group.buttons())
        self._group.buttonToggled.connect(self._tell)

    @property
    def figure(self) -> Figure:
        """The charted figure."""
        return next(figure for figure, button in self.buttons.items() if button.isChecked())

    def show_tiles(self, tiles: Sequence[Tile], since: str) -> None:
        """Show these totals."""
        for tile in tiles:
            self.buttons[tile.figure].show_tile(tile, since)

    def _tell(self, _button: QAbstractButton, is_chosen: bool) -> None:
        if is_chosen:
            stop_at_checked(self._group.buttons())
            self.chosen.emit(self.figure)
