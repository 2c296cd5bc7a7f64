"""The rows of a list of results: headings, entries that can be chosen, and painting them in one line."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QStyle

from app.desktop.commands import Command, key_caps, spoken
from app.desktop.palette.lookup import Match
from app.desktop.theme import theme
from app.desktop.widgets.painting import draw_icon, rounded
from app.desktop.widgets.text import TextFitter
from app.language import tr

Spans: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading above a group. ``count`` is the total number of entries as text, or empty."""

    title: str
    count: str = ""


class Said(NamedTuple):
    """The texts of an entry in addition to its title.

    ``words`` are the whole line for a screen reader, ``facts`` columns at the end, such as account and time,
    ``spans`` the parts of the title that were looked for.
    """

    words: str
    facts: tuple[str, ...] = ()
    spans: Spans = ()


@dataclass(frozen=True)
class Entry:
    """A line with an action.

    Attributes:
        key: Identifies the entry, so the selection survives changes of the list.
        title: In one line.
        run: The action.
        tell: Returns its other texts; called once, when the line becomes visible.
        icon: With its ``tint``, a colour role or `#RRGGBB`.
        detail: Quiet text after the title.
        glyph: An icon for its state and that icon's colour role, or empty.
        caps: Its keys, each as the texts on its caps.
        enabled: Whether it can be chosen.
    """

    key: str
    title: str
    run: Callable[[], object]
    tell: Callable[[], Said]
    icon: str
    tint: str = "text2"
    detail: str = ""
    glyph: str = ""
    glyph_tint: str = "text3"
    caps: tuple[str, ...] = ()
    enabled: bool = True

    @cached_property
    def said(self) -> Said:
        return self.tell()


Row: TypeAlias = Heading | Entry


def group(title: str, entries: Iterable[Entry], count: str = "") -> list[Row]:
    """Return a heading and its entries; empty without entries."""
    listed = list(entries)
    return [Heading(title, count), *listed] if listed else []


def command_entry(command: Command, match: Match, run: Callable[[], object]) -> Entry:
    """Return the line of a command."""
    enabled, detail = command.enabled(), command.detail()
    key = next(iter(command.all_keys), "")

    def tell() -> Said:
        group = tr("{group} command", group=command.group)
        facts = (command.name, detail, group, spoken(key), "" if enabled else tr("not available now"))
        return Said(", ".join(fact for fact in facts if fact), spans=match.spans)

    return Entry(
        key=f"command {command.name}",
        title=command.name,
        run=run,
        tell=tell,
        icon=command.icon,
        detail=detail,
        caps=key_caps(key) if key else (),
        enabled=enabled,
    )


INSET = 8
"""From the list's edge to an entry's background, and again to its content."""

_CAP_PADDING = 5
_CAP_GAP = 4


class Line:
    """The free room of a row, used up from its start and its end. Mirrored for right-to-left languages."""

    def __init__(
        self, painter: QPainter, area: QRect, direction: Qt.LayoutDirection, inset: int = 2 * INSET
    ) -> None:
        self._painter, self._direction = painter, direction
        self._area = area
        self._start = float(area.left() + inset)
        self._end = float(area.right() + 1 - inset)

    @property
    def room(self) -> float:
        return self._end - self._start

    def take(self, width: float) -> QRectF:
        """Take a part from the start."""
        part = self._part(self._start, width)
        self._start += width
        return part

    def take_back(self, width: float) -> QRectF:
        """Take a part from the end."""
        self._end -= width
        return self._part(self._end, width)

    def ground(self, fill: str) -> None:
        """Fill the entry's background."""
        ground = QRectF(self._area).adjusted(INSET, 0, -INSET, 0)
        rounded(self._painter, ground, theme.current().metrics.radius, fill=fill)

    def icon(self, name: str, tint: str, part: QRectF) -> None:
        draw_icon(self._painter, part, name, tint)

    def cap(self, text: str, font: TextFitter) -> None:
        """Draw a key cap."""
        height, width = font.line + 5, cap_room(text, font) - _CAP_GAP
        part = self.take_back(width)
        frame = QRectF(part.x(), part.center().y() - height / 2, width, height)
        rounded(self._painter, frame, 4, fill="raised", line="line")
        self._ink(font, "text2")
        self._painter.drawText(frame, Qt.AlignmentFlag.AlignCenter, text)
        self.take_back(_CAP_GAP)

    def write(self, text: str, font: TextFitter, role: str, part: QRectF, *, at_end: bool = False) -> None:
        """Draw as much of a text as fits."""
        self._ink(font, role)
        shown = font.elided(text, part.width())
        reads_right = self._direction == Qt.LayoutDirection.RightToLeft
        side = Qt.AlignmentFlag.AlignRight if at_end != reads_right else Qt.AlignmentFlag.AlignLeft
        flags = side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
        self._painter.drawText(part, int(flags), shown)

    def write_found(self, text: str, font: TextFitter, role: str, spans: Spans, part: QRectF) -> None:
        """Draw a text with the matching parts in the accent color."""
        if not spans:
            self.write(text, font, role, part)
            return
        layout = QTextLayout(text, font.font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        layout.setTextOption(option)
        layout.setFormats([_found(start, end) for start, end in spans])
        layout.beginLayout()
        line = layout.createLine()
        layout.endLayout()
        self._ink(font, role)
        layout.draw(self._painter, QPointF(part.x(), part.center().y() - line.height() / 2))

    def _ink(self, font: TextFitter, role: str) -> None:
        self._painter.setFont(font.font)
        self._painter.setPen(theme.current().color(role))

    def _part(self, start: float, width: float) -> QRectF:
        part = QRect(round(start), self._area.top(), round(width), self._area.height())
        return QRectF(QStyle.visualRect(self._direction, self._area, part))


def cap_room(text: str, font: TextFitter) -> float:
    """Return the width of a key cap with its gap."""
    return max(font.line + 5, font.width(text) + 2 * _CAP_PADDING) + _CAP_GAP


def _found(start: int, end: int) -> QTextLayout.FormatRange:
    span = QTextLayout.FormatRange()
    look = QTextCharFormat()
    look.setForeground(QColor(theme.current().color("accent")))
    span.start, span.length, span.format = start, end - start, look
    return span
