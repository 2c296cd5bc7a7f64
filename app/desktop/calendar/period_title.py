"""What period shows, at the left of the toolbar: "November 2026", the year quieter."""

from functools import lru_cache
from math import ceil

from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel

from app.desktop.calendar.text import TextFitter
from app.desktop.theme import theme
from app.desktop.widgets.painting import mirrored

_GAP = 4
_LEAST = 15
"""How small a title may be set, in pixels."""


class PeriodTitle(QLabel):
    """Keeps the room of the widest period since it began, so that what stands beside it does not move.

    Its size is fixed, too, because a label that may have another one has the whole window laid out anew.
    """

    def __init__(self) -> None:
        super().__init__()
        self._name, self._year = "", ""
        self._shows_year = True
        self._room = 0
        self._fonts = _fonts()
        theme.follow(self._restyle)

    def show_period(self, name: str, year: str, *, begins: bool) -> bool:
        """Names a period; whether that takes other room. ``begins``: its kind is another one."""
        self._name, self._year = name, year
        self.setText(f"{name} {year}".strip())
        return self._take_room(0 if begins else self._room)

    def show_year(self, shown: bool) -> None:
        """Leaves the year out, or not."""
        if shown != self._shows_year:
            self._shows_year = shown
            self._take_room(0)

    def shrink(self, by: int) -> None:
        """Sets the period smaller, to take so much less room: nothing of it is left out."""
        most = max(1, self.width() - by)
        bold, plain = self._fonts
        while sum(_width(text, font) for text, font, _ in self._parts()) > most and bold.pixelSize() > _LEAST:
            bold, plain = QFont(bold), QFont(plain)
            for font in (bold, plain):
                font.setPixelSize(font.pixelSize() - 1)
            self._fonts = bold, plain
        self._take_room(0)

    def restore(self) -> None:
        """Sets it as large as titles are."""
        if self._fonts != _fonts():
            self._fonts = _fonts()
            self._take_room(0)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, area = QPainter(self), self.rect()
        for text, font, role in self._parts():
            fitter, width = _fitter(font), _width(text, font)
            painter.setPen(theme.current().color(role))
            place = mirrored(self, area.adjusted(0, 0, width - area.width(), 0))
            fitter.write(painter, place.x(), fitter.middle(place.y(), place.height()), text)
            area = area.adjusted(width + _GAP, 0, 0, 0)

    def _parts(self) -> list[tuple[str, QFont, str]]:
        bold, plain = self._fonts
        name, year = (self._name, bold, "text"), (self._year, plain, "text3")
        return [name, year] if self._year and self._shows_year else [name]

    def _take_room(self, least: int) -> bool:
        before = self.size()
        widths = [_width(text, font) for text, font, _ in self._parts()]
        self._room = max(least, sum(widths) + _GAP * (len(widths) - 1))
        line = ceil(QFontMetricsF(self._fonts[0]).height())
        self.setFixedSize(self._room, max(theme.current().metrics.control, line))
        self.update()
        return self.size() != before

    def _restyle(self) -> None:
        self._fonts = _fonts()
        self.setFont(self._fonts[0])
        self._take_room(0)


def _fonts() -> tuple[QFont, QFont]:
    """Of the name and of the year."""
    look = theme.current()
    return look.font("title"), look.font("title", QFont.Weight.Normal)


@lru_cache(maxsize=256)
def _width(text: str, font: QFont) -> int:
    return ceil(QFontMetricsF(font).horizontalAdvance(text))


@lru_cache(maxsize=16)
def _fitter(font: QFont) -> TextFitter:
    return TextFitter(font)
