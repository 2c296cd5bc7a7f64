"""The journeys of `docs/architecture.md`: the functions it names, and real journeys under a tracer."""

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

import httpx
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.client import ServiceClient
from app.contract.base import format_timestamp
from app.desktop.calendar import CalendarPane
from app.desktop.calendar.days import Span
from app.platforms.registry import build_adapters
from app.service.publishing.engine import PublishingEngine
from app.service.settings import RunOptions
from app.workspace.store.tables import MIGRATIONS
from app.workspace.workspace import Workspace
from tests.architecture.sources import ROOT
from tests.architecture.tracing import Call, Function, Record, Trace
from tests.desktop.calendar.memory import instant
from tests.desktop.running import run
from tests.migrated import lay
from tests.platforms.world import program
from tests.service.connections.consenting import connect
from tests.service.publishing.endtoend.stage import wait_for
from tests.service.running import RunningService, run_service
from tests.workspace.media.real_line import real_line
from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.opened import until

PAGE: Final = ROOT / "docs/architecture.md"
DRAG: Final = "A drag, from the event to the PATCH"
DUE_POST: Final = "A due post, from the claim to the ledger"
PLATFORM: Final = "A new platform, from its card to its first post"
_STEP: Final = re.compile(r"\d+\. `([\w.]+)` in `(app/[\w/]+\.py)`")
_FIGURES: Final = re.compile(r"(\d+) functions in (\d+) files")
_ZONE: Final = ZoneInfo("Europe/Lisbon")
_FROM, _TO = date(2031, 6, 12), date(2031, 6, 19)
_SOON: Final = timedelta(seconds=1.5)

Stretch = Sequence[Function]
"""Functions of which each is called by one before it."""


@dataclass(frozen=True)
class Journey:
    """A section of the page: its stretches, and the numbers of functions and files that it gives."""

    stretches: Sequence[Stretch]
    figures: tuple[int, int] | None

    @property
    def steps(self) -> list[Function]:
        return [step for stretch in self.stretches for step in stretch]


def journey(title: str) -> Journey:
    """Read a section of the page."""
    section = PAGE.read_text("utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    stretches: list[list[Function]] = []
    is_in_list = False
    for line in section.splitlines():
        if found := _STEP.match(line):
            if not is_in_list:
                stretches.append([])
            stretches[-1].append(Function(found[2], found[1]))
        is_in_list = bool(found) or (is_in_list and line.startswith("   "))
    figures = _FIGURES.search(section)
    return Journey(stretches, (int(figures[1]), int(figures[2])) if figures else None)


def follow(stretches: Iterable[Stretch], calls: Sequence[Call]) -> list[Call]:
    """Find the calls of a journey's steps in their order.

    A step is called by an earlier one of its stretch, perhaps through others. A stretch starts after the
    start of the one before it: another thread needn't wait for the end of that. Raises AssertionError with
    the first step that wasn't reached like this.
    """
    found: list[Call] = []
    start = 0
    for stretch in stretches:
        place = start
        for number, step in enumerate(stretch):
            earlier = set(stretch[:number])
            place = next((at for at in range(place, len(calls)) if _is(calls[at], step, earlier)), -1) + 1
            assert place, f"{step} isn't called by a step before it, after {found[-1:]}"
            start = start if number else place
            found.append(calls[place - 1])
    return found


def _is(call: Call, step: Function, earlier: set[Function]) -> bool:
    return call.function == step and (not earlier or not earlier.isdisjoint(call.callers))


def passed(calls: Iterable[Call]) -> set[Function]:
    """The functions that lead to these calls, with those that are called."""
    return {function for call in calls for function in (call.function, *call.callers)}


def drag(app: QApplication, folder: Path, trace: Trace) -> Record:
    """Drag a card in the month, over a workspace that is synced with a service behind TLS."""
    service = ModelService(HandClock(instant("2031-06-10T11:00")))
    service.add_post(service.add_account(), instant(f"{_FROM}T08:07"))
    record = Record()

    async def story() -> None:
        with real_line(service, folder) as line:
            workspace = await _opened(line.client(), folder / "workspace.db", service)
            pane = CalendarPane(workspace, _ZONE)
            try:
                await _show(pane)
                trace.into = record
                await _drag_card(pane)
                await until(lambda: any(request.method == "PATCH" for request in service.requests))
            finally:
                trace.into = None
                pane.hide()
                pane.deleteLater()
                await workspace.close()

    run(app, story)
    return record


async def _opened(client: ServiceClient, path: Path, service: ModelService) -> Workspace:
    lay(path, MIGRATIONS)
    workspace = await Workspace.open(client, path, name="Test", clock=service.clock)
    await workspace.refresh()
    return workspace


async def _show(pane: CalendarPane) -> None:
    pane.resize(1232, 872)
    pane.show()
    pane.show_span(Span.MONTH, _FROM.toordinal())
    await asyncio.sleep(0.1)


async def _drag_card(pane: CalendarPane) -> None:
    view, left, keys = pane.grid.view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    start = view.visualRect(pane.model.index(0)).center()
    goal = view.on_viewport(view.page.geometry.cell(_TO.toordinal())).center()
    QTest.mousePress(view.viewport(), left, keys, start)
    for step in range(1, 5):
        _move(view.viewport(), start + (goal - start) * step / 4)
    await asyncio.sleep(0.05)  # for the frame that shows the card below the pointer
    QTest.mouseRelease(view.viewport(), left, keys, goal)


def _move(widget: QWidget, point: QPoint) -> None:
    """Move the pointer with the left button held, which QTest can't."""
    none, left, keys = Qt.MouseButton.NoButton, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    place, on_screen = QPointF(point), QPointF(widget.mapToGlobal(point))
    QApplication.sendEvent(widget, QMouseEvent(QEvent.Type.MouseMove, place, on_screen, none, left, keys))


def publish(folder: Path, trace: Trace) -> tuple[Record, Record]:
    """Connect an account of a practice platform, plan a post there, and have the service publish it.

    Returns what ran until the post was planned, and from then on.
    """
    planning, publishing = Record(), Record()
    with program(folder / "practice") as url:
        trace.into = planning
        adapters = build_adapters(url)
        with (
            run_service(folder / "service", adapters, RunOptions(practice_url=url)) as service,
            httpx.Client(verify=service.trust, trust_env=False, follow_redirects=True, timeout=60) as person,
        ):
            path = _plan(service, person)
            trace.into = publishing
            with _publishing(service):
                caller = service.callers[0]
                wait_for(lambda: caller.http.get(path).json()["status"], lambda status: status == "posted")
                trace.into = None
            service.forget_callers()
            service.await_(adapters.close)
    return planning, publishing


def _plan(service: RunningService, person: httpx.Client) -> str:
    """Plan a post; return its path below the API."""
    caller = service.new_caller()
    account = connect(caller, person, "x")
    at = format_timestamp(datetime.now(UTC) + _SOON)
    post = caller.create(account["id"], platform="x", scheduled_at=at)
    return f"/posts/{post['id']}"


@contextmanager
def _publishing(service: RunningService) -> Iterator[None]:
    [engine] = [worker for worker in service.parts.workers if isinstance(worker, PublishingEngine)]
    running = asyncio.run_coroutine_threadsafe(engine.run(), service.loop)
    try:
        yield
    finally:
        service.await_(engine.stop)
        running.result(60)
