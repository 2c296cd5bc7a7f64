"""The keyboard help: all keys, read from the commands."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from math import ceil

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.desktop.commands import Command, CommandSet, key_groups, spoken
from app.desktop.palette.rows import Line, cap_room
from app.desktop.theme import theme
from app.desktop.widgets import Divider, IconButton, Label, Sheet, scrolled
from app.desktop.widgets.painting import insets
from app.desktop.widgets.text import TextFitter
from app.language import tr, trc

_OR = trc("between keys", "or")
_WIDTH = 800
_ROW = 28
_MOST_LINES = 4
_RESIZED = Qt.WidgetAttribute.WA_Resized
_AROUND = 120
"""Height of the header and of the margin around the panel."""


class KeyboardHelp(Sheet):
    """Lists names and keys in two columns; the arrows scroll."""

    def __init__(self, host: QWidget, sets: Iterable[CommandSet]) -> None:
        super().__init__(host, tr("Keyboard"), _WIDTH)
        self.rows: list[HelpRow] = []
        self._columns = [QVBoxLayout(), QVBoxLayout()]
        self._body = QWidget()
        self._fill(sets)
        columns = QHBoxLayout(self._body)
        columns.setContentsMargins(24, 8, 24, 20)
        columns.setSpacing(40)
        for column in self._columns:
            column.setSpacing(0)
            column.addStretch(1)
            columns.addLayout(column, 1)
        self.area = scrolled(self._body)
        self._lay_out()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def event(self, event: QEvent) -> bool:
        """Fit the panel to higher rows."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._make_room()
        return super().event(event)

    def _make_room(self) -> None:
        """Fit the panel to the window."""
        wanted = self._body.sizeHint().height()
        self.area.setMinimumHeight(min(wanted, self.height() - _AROUND))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle keys that scroll, and Esc."""
        bar = self.area.verticalScrollBar()
        steps = {
            Qt.Key.Key_Down: _ROW,
            Qt.Key.Key_Up: -_ROW,
            Qt.Key.Key_PageDown: bar.pageStep(),
            Qt.Key.Key_PageUp: -bar.pageStep(),
        }
        if (step := steps.get(Qt.Key(event.key()))) is not None:
            bar.setValue(bar.value() + step)
            return
        super().keyPressEvent(event)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(insets(24, 16, 16, 12))
        head.addWidget(Label(tr("Keyboard"), "section"), 1)
        cross = IconButton("x", tr("Close"), size="small")
        cross.clicked.connect(self.dismiss)
        head.addWidget(cross)
        self.layout_.addLayout(head)
        self.layout_.addWidget(Divider(inner=True))
        self.layout_.addWidget(self.area, 1)

    def _fill(self, sets: Iterable[CommandSet]) -> None:
        """Fill two columns: each group is added to the shorter one."""
        heights = [0, 0]
        for title, lines in listed(sets):
            shorter = heights.index(min(heights))
            heights[shorter] += len(lines) + 1
            column = self._columns[shorter]
            column.addSpacing(12)
            column.addWidget(Label(title, "small", "text3", weight=QFont.Weight.Medium))
            column.addSpacing(4)
            for name, keys in lines:
                self.rows.append(HelpRow(name, keys))
                column.addWidget(self.rows[-1])


def listed(sets: Iterable[CommandSet]) -> Iterator[tuple[str, list[tuple[str, list[str]]]]]:
    """Return groups of names with their keys. Commands with the same name share a line."""
    commands = [one for owner in sets for one in owner.all() if one.all_keys]
    groups: dict[str, list[Command]] = {}
    for command in commands:
        groups.setdefault(command.group, []).append(command)
    for title, members in groups.items():
        together = groupby(members, key=lambda one: one.name)
        yield title, [(name, [key for one in same for key in one.all_keys]) for name, same in together]


class HelpRow(QWidget):
    """A name and its keys, with "or" between alternatives."""

    def __init__(self, name: str, keys: list[str]) -> None:
        super().__init__()
        self.name = name
        self._groups = key_groups(keys)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        told = f" {_OR} ".join(dict.fromkeys(map(spoken, keys)))
        self.setAccessibleName(f"{name}: {told}")
        theme.follow(self._fit)

    def sizeHint(self) -> QSize:
        return QSize(200, self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Set the height: a long name wraps."""
        text = TextFitter(theme.current().font("text"))
        lines = len(self._lines(text, self.width())) if self.testAttribute(_RESIZED) else 1
        self.setFixedHeight(theme.current().grown(_ROW) + ceil((lines - 1) * text.line))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        caps, text = _cap_font(), TextFitter(theme.current().font("text"))
        lines, row = self._lines(text, self.width()), theme.current().grown(_ROW)
        line = Line(painter, QRect(0, 0, self.width(), row), self.layoutDirection(), inset=0)
        for number, keys in enumerate(reversed(self._groups)):
            if number:
                line.take_back(3)
                line.write(_OR, caps, "text3", line.take_back(caps.width(_OR) + 1))
                line.take_back(7)
            for cap in reversed(keys):
                line.cap(cap, caps)
        part = line.take(line.room)
        for words in lines:
            line.write(words, text, "text", part)
            part.translate(0, text.line)

    def _lines(self, text: TextFitter, width: int) -> tuple[str, ...]:
        """Return the lines of the wrapped name."""
        caps = _cap_font()
        room = width - sum(cap_room(key, caps) for keys in self._groups for key in keys)
        room -= (len(self._groups) - 1) * (caps.width(_OR) + 11)
        return text.lines(self.name, int(room), _MOST_LINES)


def _cap_font() -> TextFitter:
    return TextFitter(theme.current().font("small", QFont.Weight.Medium))
