"""The usage pane: the plan's limits, what was used, and a forecast."""

from datetime import datetime
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import QPoint, QRect, QTimer
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from app.desktop.commands import Command
from app.desktop.file_dialogs import ask_to_save_table
from app.desktop.kit.card_skeleton import CardRow, CardSkeleton
from app.desktop.kit.service_pane import ServicePane
from app.desktop.theme import theme
from app.desktop.usage.cards import ActionsCard, CallsCard, CountsCard, PlanCard, StorageCard
from app.desktop.usage.cost import CostCard
from app.desktop.usage.wording import age
from app.desktop.widgets import (
    ElidedLabel,
    IconLabel,
    Label,
    Reflow,
    ends_of,
    line_of,
    scrolled,
    secondary,
)
from app.desktop.words import dollars, month_year
from app.language import tr
from app.workspace.clock import Clock, wall_clock
from app.workspace.messages import Message
from app.workspace.usage import Overview, Told, export, overview
from app.workspace.workspace import Workspace

_EVERY_MS: Final = 120_000
_AGE_EVERY_MS: Final = 20_000
_FRESH_MS: Final = 60_000
_GAP: Final = 12
_READ_LEAST: Final = 560
_GROUP: Final = tr("Usage")


_SHAPE: Final = (CardRow(150, (10, 19)), CardRow(230, (10, 19)), CardRow(230, (10, 19)))


class UsagePane(ServicePane):
    """Shows the last known usage immediately, and updates it whenever the pane is opened."""

    def __init__(self, workspace: Workspace, zone: ZoneInfo, *, now: Clock = wall_clock) -> None:
        super().__init__(workspace, tr("Usage"), CardSkeleton(_SHAPE))
        self._zone, self._now = zone, now
        self._seen: Overview | None = None
        self.period, self.read = Label("", "title", "text3"), ElidedLabel("", "card", "text3")
        self.export_button = secondary(tr("Export"), "download")
        self.plan, self.storage, self.calls = PlanCard(), StorageCard(), CallsCard()
        self.actions_, self.counts, self.cost = ActionsCard(), CountsCard(), CostCard()
        self._again, self._ageing = QTimer(self), QTimer(self)
        clock = IconLabel("clock", "text3", 14)
        self._updated = line_of(clock, self.read, least=theme.current().metrics.control)
        self._body = scrolled(self._cards())
        self._lay_out()
        self._connect()
        self._show_age()
        self._scope.start(self._begin())

    @property
    def seen(self) -> Overview | None:
        """The usage shown; None if unknown."""
        return self._seen

    def export(self) -> None:
        """Ask for a file, and write the usage."""
        if self._seen is not None:
            ask_to_save_table(self, tr("Export usage"), "Kalends-usage.csv", self.write)

    def write(self, path: Path) -> None:
        """Write the usage as a table."""
        if self._seen is not None:
            self._scope.start(self._write(path, self._seen))

    def showEvent(self, event: QShowEvent) -> None:
        """Update the usage."""
        super().showEvent(event)
        self._show_storage()
        if self._seen is None or self._now() - self._seen.told.at > _FRESH_MS:
            self.refresh()
        self._show_age()
        self._again.start()
        self._ageing.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._again.stop()
        self._ageing.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the time of the last update in little space."""
        super().resizeEvent(event)
        self._show_age()

    async def _begin(self) -> None:
        last = await self._workspace.usage.last()
        if last is not None and self._seen is None:
            await self._show(last)

    async def fetch(self) -> None:
        await self._show(await self._workspace.usage.refresh())

    def has_data(self) -> bool:
        return self._seen is not None

    def as_of(self) -> str:
        return tr("Showing usage from {age}.", age=self._age())

    async def _show(self, told: Told) -> None:
        files = await self._workspace.media.catalogue()
        self._seen = seen = await overview(self._workspace.usage, told, files, self._zone)
        self.plan.show_for(seen, self._zone)
        self._show_storage()
        self.calls.show_for(seen)
        self.actions_.show_for(seen)
        await self._show_cost()
        self.period.setText(month_year(seen.today) if seen.period and seen.period[0].day == 1 else "")
        self.export_button.setEnabled(True)
        self._show_age()
        self.pages.setCurrentWidget(self._body)

    async def _show_cost(self) -> None:
        await self.cost.show_for(self._workspace.spending, self._zone, self._now)

    async def _cap(self, mills: int | None) -> None:
        await self._workspace.spending.set_cap(mills)
        await self._show_cost()
        words = tr("Kalends asks before a month costs more than {cap}.", cap=dollars(mills)) if mills else ""
        self.told.emit(Message("info", words or tr("There's no monthly cap now.")))

    def _show_storage(self) -> None:
        """Show the storage; called many times a second during uploads."""
        if self._seen is None or not self.isVisible():
            return
        waiting = [one for one in self._workspace.media.uploads.all() if one.is_underway]
        self.storage.show_for(self._seen, len(waiting), sum(one.size for one in waiting))

    def _show_age(self) -> None:
        shows = self._seen is not None and self.width() >= theme.current().grown(_READ_LEAST)
        self._updated.setVisible(shows)
        if shows:
            self.read.setText(tr("Updated {age}", age=self._age()))

    def _age(self) -> str:
        assert self._seen is not None  # noqa: S101  asked only of what shows
        moments = (datetime.fromtimestamp(at / 1_000, self._zone) for at in (self._seen.told.at, self._now()))
        return age(*moments)

    async def _write(self, path: Path, seen: Overview) -> None:
        await export(path, seen)
        self.told.emit(Message("info", tr("Usage exported to {name}.", name=path.name)))

    def _connect(self) -> None:
        for timer, pause, act in (
            (self._again, _EVERY_MS, self.refresh),
            (self._ageing, _AGE_EVERY_MS, self._show_age),
        ):
            timer.setInterval(pause)
            timer.timeout.connect(act)
        self.export_button.clicked.connect(self.export)
        self.cost.capped.connect(lambda mills: self._scope.start(self._cap(mills)))
        self.actions_.list.reached.connect(self._show_row)
        stop = self._workspace.media.listen(lambda _upload: self._show_storage())
        self.destroyed.connect(lambda _object=None: stop())
        self._add_commands(
            "usage",
            _GROUP,
            tr("Refresh the usage"),
            Command(
                tr("Export usage as CSV…"),
                _GROUP,
                self.export,
                icon="download",
                words=tr("csv spreadsheet save"),
                enabled=lambda: self._seen is not None,
            ),
        )

    def _show_row(self, row: QRect) -> None:
        """Scroll to a row of the actions."""
        if (cards := self._body.widget()) is not None:
            place = row.translated(self.actions_.list.mapTo(cards, QPoint()))
            self._body.ensureVisible(place.center().x(), place.center().y(), 0, place.height())

    def _lay_out(self) -> None:
        self.export_button.setEnabled(False)
        title = line_of(Label(tr("Usage"), "title"), self.period, least=theme.current().metrics.control)
        head = ends_of(title, self._updated, self.refresh_button, self.export_button)
        self.pages.addWidget(self._body)
        self._stack_up(head)

    def _cards(self) -> QWidget:
        holder = Reflow((10, 19), (0, 0, 3, 2), _GAP)
        holder.setContentsMargins(0, 0, 0, 16)
        holder.add(self.plan, 0, 0)
        holder.add(self.storage, 0, 1)
        holder.add(self.cost, 1, 0)
        holder.add(self.calls, 2, 0)
        holder.add(self.actions_, 2, 1, rows=2)
        holder.add(self.counts, 3, 0)
        return holder
