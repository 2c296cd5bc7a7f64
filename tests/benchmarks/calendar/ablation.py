"""Switches for the calendar's caches and optimizations, to measure whether each is worth it.

`--without` replaces functions of the app in the measured process.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from PySide6.QtCore import QRect
    from PySide6.QtGui import QPainter


class _Forgetful(dict[Any, Any]):
    """A cache that stores nothing."""

    def __setitem__(self, key: object, value: object) -> None:
        pass

    def get(self, key: object, default: object = None) -> Any:
        del key
        return default


def switch_off(name: str) -> None:
    """Switch off one of `NAMES` in this process, before a calendar is created."""
    SWITCHES[name]()


def _tiles() -> None:
    """Paint days each time instead of caching them."""
    from PySide6.QtCore import QRect

    from app.desktop.calendar.page import Page
    from app.desktop.calendar.placement import Box
    from app.desktop.calendar.tiles import Budget

    def paint_cards(
        self: Page, painter: "QPainter", day: int, cell: QRect, area: QRect, _budget: Budget
    ) -> None:
        shown = Box(area.x() - cell.x(), area.y() - cell.y(), area.width(), area.height())
        painter.save()
        painter.translate(cell.topLeft())
        for tile in self.tiles(day, self.cells.layout(day)):
            if tile.box.intersects(shown):
                tile.paint(painter)
        painter.restore()

    _replace(Page, "paint_cards", paint_cards)
    _replace(Page, "missing", lambda _page, _area: 0)
    _prefetch()


def _layouts() -> None:
    """Compute the positions of a day's cards each time."""
    from app.desktop.calendar.tiles import CellCache

    _replace(CellCache, "layout", lambda self, day: self._place(day))


def _areas() -> None:
    """Search the tiles in an area each time."""
    from app.desktop.calendar.tiles import DayTiles

    _replace(DayTiles, "within", DayTiles._search)


def _gradual() -> None:
    """Paint a crowded page in a single frame."""
    from app.desktop.calendar.paint import Gradual

    _replace(Gradual, "_allowed", lambda _self, _area: None)


def _prefetch() -> None:
    """Don't paint days ahead."""
    from app.desktop.calendar.paint import Prefetch

    _replace(Prefetch, "begin", lambda _self: None)


def _frames() -> None:
    """Paint every move of a drag instead of one per frame."""
    from app.desktop.calendar.paint import FramePacer

    _replace(FramePacer, "update", lambda _self, widget, area: widget.update(area))


def _joined() -> None:
    """Paint adjacent thin rectangles separately."""
    from app.desktop.calendar import headers, view

    for module in (headers, view):
        _replace(module, "areas_to_paint", list)


def _snapshot() -> None:
    """Paint the days below a drag at each move."""
    from app.desktop.calendar.paint import DragLayer
    from app.desktop.calendar.tiles import Budget

    paint = DragLayer.paint

    def paint_all(self: DragLayer, painter: "QPainter", drag: Any, area: "QRect") -> None:
        self._below = _Nothing()  # type: ignore[assignment]
        painter.setClipRect(area)
        self._paint_days(painter, area, Budget())
        paint(self, _WithoutNothing(painter), drag, area)  # type: ignore[arg-type]

    _replace(DragLayer, "paint", paint_all)


class _Nothing:
    """Replaces a picture that isn't cached."""


class _WithoutNothing:
    """A painter that skips missing pictures."""

    def __init__(self, painter: "QPainter") -> None:
        self._painter = painter

    def drawPixmap(self, *given: Any) -> None:  # noqa: N802  Qt's
        if not isinstance(given[-1], _Nothing):
            self._painter.drawPixmap(*given)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._painter, name)


def _templates() -> None:
    """Paint the background of each card, with its bar and icons, each time."""
    _keep_nothing("app.desktop.calendar.cards", "CardPainter", "_templates")


def _rings() -> None:
    """Paint the ring around each selected card each time."""
    _keep_nothing("app.desktop.calendar.cards", "CardPainter", "_rings")


def _colors() -> None:
    """Create colours and pens for each card."""
    _keep_nothing("app.desktop.calendar.cards", "CardPainter", "_colors", "_pens", "_bar_colors")


def _glyphs() -> None:
    """Lay out text each time it's painted."""
    from app.desktop.widgets.text import TextFitter

    _replace(TextFitter, "_lay_out", lambda _self, _text: None)


def _lines() -> None:
    """Break headlines into lines for each card."""
    from app.desktop.widgets.text import TextFitter

    before = TextFitter.__init__

    def make(self: TextFitter, font: Any) -> None:
        before(self, font)
        self.lines = self._lines  # type: ignore[assignment]

    _replace(TextFitter, "__init__", make)


def _parts() -> None:
    """Arrange the parts of each card separately."""
    from app.desktop.calendar import cards, looks

    _replace(cards, "arrange", looks.arrange.__wrapped__)


def _pills() -> None:
    """Count and paint pills at each scroll step."""
    _keep_nothing("app.desktop.calendar.pills", "EdgePills", "_counted", "_pictures", "_veils")


def _headers() -> None:
    """Paint the header above the days each time."""
    _keep_nothing("app.desktop.calendar.headers", "DayHeader", "_pictures")


def _ruler() -> None:
    """Paint the hours next to the days each time."""
    from app.desktop.calendar.headers import HourRuler

    all_hours = HourRuler._all_hours

    def paint_again(self: HourRuler) -> Any:
        self._picture = None
        return all_hours(self)

    _replace(HourRuler, "_all_hours", paint_again)


def _tips() -> None:
    """Paint the text of a drag and its background each time."""
    from app.desktop.calendar.drag import TipPainter

    def paint(
        self: TipPainter, painter: "QPainter", corner: Any, words: str, *, refused: bool, ratio: float
    ) -> None:
        painter.drawPixmap(corner, self._ground(self.size(words), refused, ratio))
        self._write(painter, corner, words, refused)

    _replace(TipPainter, "paint", paint)
    _keep_nothing("app.desktop.calendar.drag", "TipPainter", "_grounds")


def _rehearsal() -> None:
    """Don't lay out a drag's times in advance."""
    from app.desktop.widgets.text import TextFitter

    _replace(TextFitter, "rehearse", lambda _self, _left, _texts: None)


def _replace(owner: Any, name: str, by: object) -> None:
    setattr(owner, name, by)


def _keep_nothing(module: str, name: str, *fields: str) -> None:
    from importlib import import_module

    kind = getattr(import_module(module), name)
    before = kind.__init__

    def make(self: Any, *given: Any, **named: Any) -> None:
        before(self, *given, **named)
        for field in fields:
            setattr(self, field, _Forgetful())

    kind.__init__ = make


SWITCHES: Final[dict[str, Callable[[], None]]] = {
    "tiles": _tiles,
    "layouts": _layouts,
    "areas": _areas,
    "gradual": _gradual,
    "prefetch": _prefetch,
    "frames": _frames,
    "joined": _joined,
    "snapshot": _snapshot,
    "templates": _templates,
    "rings": _rings,
    "colors": _colors,
    "glyphs": _glyphs,
    "lines": _lines,
    "parts": _parts,
    "pills": _pills,
    "headers": _headers,
    "ruler": _ruler,
    "tips": _tips,
    "rehearsal": _rehearsal,
}
NAMES: Final = tuple(SWITCHES)
