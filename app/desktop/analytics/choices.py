"""The selection above the dashboard: accounts or platforms, and days."""

from collections.abc import Iterable, Sequence
from datetime import date
from functools import partial
from typing import Final

from PySide6.QtCore import QDate, QRect, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSizePolicy, QWidget

from app.desktop.analytics.wording import source_name
from app.desktop.local_time import today
from app.desktop.theme import theme
from app.desktop.theme.icons import platform_icon
from app.desktop.widgets import (
    Chip,
    DateField,
    IconButton,
    Label,
    Menu,
    Popover,
    PopupChip,
    Segmented,
    primary,
)
from app.desktop.widgets.painting import mirrored
from app.desktop.words import platform_name
from app.language import tr, trc
from app.workspace.analytics.dataset import Source, Span

_GAP: Final = 8
_LONGEST: Final = 22
FARTHEST: Final = 90
_OWN: Final = "own"
_USUAL: Final = 30


class SourceBar(QWidget):
    """As many accounts as fit, selected ones first; the others, and platforms, are in a menu at the end."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.chosen: frozenset[str] = frozenset()
        self._sources: Sequence[Source] = ()
        self._chips: dict[str, Chip] = {}
        self.everything = Chip(tr("All accounts"), "funnel", parent=self)
        self.more = PopupChip(tr("More"), "ellipsis", parent=self)
        self.everything.clicked.connect(lambda: self.choose(()))
        self.more.clicked.connect(self._show_more)
        self.setAccessibleName(tr("Accounts"))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.follow(self._restyle)

    def show_sources(self, sources: Sequence[Source]) -> None:
        """Offer these; those that no longer exist are deselected."""
        if list(sources) == list(self._sources):
            return
        self._sources = sources
        for chip in self._chips.values():
            chip.hide()
            chip.deleteLater()
        self._chips = {source.key: self._chip(source) for source in sources}
        before: QWidget = self.everything
        for chip in (*self._chips.values(), self.more):
            QWidget.setTabOrder(before, chip)
            before = chip
        self.chosen &= frozenset(self._chips)
        self._mark()

    def choose(self, keys: Iterable[str]) -> None:
        """Select these; an empty selection means all."""
        chosen = frozenset(keys) & frozenset(self._chips)
        is_other = chosen != self.chosen
        self.chosen = chosen if len(chosen) < len(self._chips) else frozenset()
        self._mark()
        if is_other:
            self.changed.emit()

    def sizeHint(self) -> QSize:
        return QSize(0, theme.current().metrics.chip)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def menu(self) -> Menu:
        """Return the menu with platforms, and the accounts that don't fit."""
        menu = Menu(self.more)
        for platform in dict.fromkeys(source.platform for source in self._sources):
            own = [source.key for source in self._sources if source.platform == platform]
            name = tr("All {platform} accounts", platform=platform_name(platform))
            menu.add(name, partial(self.choose, own), icon=platform_icon(platform))
        hidden = [source for source in self._sources if self._chips[source.key].isHidden()]
        if hidden:
            menu.addSeparator()
        for source in hidden:
            action = menu.add(source_name(source), partial(self._toggle, source.key))
            action.setCheckable(True)
            action.setChecked(source.key in self.chosen)
        return menu

    def _chip(self, source: Source) -> Chip:
        name = source_name(source)
        chip = Chip(name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…", "", parent=self)
        chip.set_icon(platform_icon(source.platform))
        chip.setAccessibleName(f"{name}, {platform_name(source.platform)}")
        chip.setToolTip(tr("{name} on {platform}", name=name, platform=platform_name(source.platform)))
        chip.clicked.connect(lambda _checked=False, key=source.key: self._toggle(key))
        return chip

    def _toggle(self, key: str) -> None:
        self.choose(self.chosen ^ {key})

    def _show_more(self) -> None:
        self._mark()
        self.menu().open_below(self.more)

    def _mark(self) -> None:
        """Show the selection; it doesn't change the width of the chips."""
        self.everything.setChecked(not self.chosen)
        for key, chip in self._chips.items():
            chip.setChecked(key in self.chosen)
        self._arrange()

    def _hidden(self) -> list[str]:
        return [key for key, chip in self._chips.items() if chip.isHidden()]

    def _arrange(self) -> None:
        x, fitting = 0, self._fitting()
        for chip in (self.everything, *self._chips.values()):
            chip.setVisible(chip in fitting)
            if chip in fitting:
                self._place(chip, x)
                x += chip.sizeHint().width() + _GAP
        hidden = self._hidden()
        self.more.setText(tr("{count} more", count=len(hidden)) if hidden else tr("Platforms"))
        self.more.setChecked(any(key in self.chosen for key in hidden))
        self.more.setVisible(len(self._chips) > 1)
        self._place(self.more, x)

    def _fitting(self) -> list[Chip]:
        """Return the chips that fit: first those of the selection, and the one with the focus."""
        wanted = [chip for key, chip in self._chips.items() if key in self.chosen or chip.hasFocus()]
        fitting = [self.everything]
        room = self.width() - sum(chip.sizeHint().width() + _GAP for chip in (self.everything, self.more))
        for chip in dict.fromkeys((*wanted, *self._chips.values())):
            room -= chip.sizeHint().width() + _GAP
            if room < -_GAP:
                break
            fitting.append(chip)
        return fitting

    def _place(self, chip: Chip, x: int) -> None:
        chip.setGeometry(mirrored(self, QRect(x, 0, chip.sizeHint().width(), self.height())))

    def _restyle(self) -> None:
        self.setFixedHeight(theme.current().metrics.chip)
        self._arrange()


class SpanChoice(QWidget):
    """Presets that end today, or a custom span."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._own: Span | None = None
        self._today = today().toordinal()  # until a dataset provides the day
        options = [(str(days), tr("{days} days", days=days)) for days in (7, _USUAL, FARTHEST)]
        self.usual = Segmented([*options, (_OWN, trc("days", "Custom"))], tr("Days"))
        self.own_button = IconButton("calendar-days", tr("Choose a date range"), "secondary")
        self.usual.set_value(str(_USUAL))
        self.usual.selected.connect(self._take)
        self.own_button.clicked.connect(self.ask)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.usual)
        row.addWidget(self.own_button)

    def span(self, today: int) -> Span:
        """Return the selected span, relative to a day."""
        self._today = today
        if self.usual.value() == _OWN and self._own is not None:
            first = max(self._own.first, today - FARTHEST + 1)
            return Span(min(first, today), min(max(self._own.last, first), today))
        days = int(self.usual.value()) if self.usual.value() != _OWN else _USUAL
        return Span(today - days + 1, today)

    def choose(self, span: Span) -> None:
        """Select these days."""
        self._own = span
        if self.usual.value() == _OWN:
            self.changed.emit()
        else:
            self.usual.set_value(_OWN)

    def ask(self) -> Popover:
        """Ask for the first and the last day."""
        popover = Popover(self.own_button)
        shown = self.span(self._today)
        first, last = self._field(shown.first, tr("First day")), self._field(shown.last, tr("Last day"))
        done = primary(tr("Apply"), size="small")
        grid = QGridLayout()
        for row, (name, field) in enumerate(((trc("days", "From"), first), (trc("days", "To"), last))):
            grid.addWidget(Label(name, "card", "text2"), row, 0)
            grid.addWidget(field, row, 1)
        popover.body.addLayout(grid)
        popover.body.addWidget(
            Label(tr("Any range within the last {days} days.", days=FARTHEST), "small", "text3")
        )
        popover.body.addWidget(done)

        def take() -> None:
            for field in (first, last):
                if field.problem():
                    field.setFocus()
                    return
            days = sorted(_ordinal(field.date()) for field in (first, last))
            popover.close()
            self.choose(Span(days[0], days[1]))

        done.clicked.connect(take)
        popover.open_below(self.own_button)
        first.setFocus()
        return popover

    def _field(self, day: int, name: str) -> DateField:
        field = DateField()
        field.setAccessibleName(name)
        field.setDateRange(_qdate(self._today - FARTHEST + 1), _qdate(self._today))
        field.setDate(_qdate(day))
        return field

    def _take(self, key: str) -> None:
        if key == _OWN and self._own is None:
            self._own = Span(self._today - _USUAL + 1, self._today)
            self.ask()
        self.changed.emit()


def _qdate(ordinal: int) -> QDate:
    day = date.fromordinal(ordinal)
    return QDate(day.year, day.month, day.day)


def _ordinal(day: QDate) -> int:
    return date(day.year(), day.month(), day.day()).toordinal()
