"""asyncio on the GUI thread: the one place that knows how Qt's and Python's event loops are joined.

No nested event loop is ever started: one would wedge every other task (measured). A dialog is shown, and its
end is awaited. Drags are the exception, since Qt has no other: they begin in an event of the mouse, when no
task is at work (`app.desktop.carried.carry`).
"""

import asyncio
import logging
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

from PySide6.QtCore import QEvent, QObject, QUrl, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication, QWidget
from qasync import QEventLoop
from shiboken6 import isValid

from app.desktop.collector import GuiThreadCollector

_log = logging.getLogger(__name__)

_SWITCH_S: Final = 0.001
"""The window asks for the interpreter back after each call of Qt; by default a thread that writes rows or
decodes keeps it for 5 ms each time."""

_PAINT_PATIENCE_S: Final = 0.5

OnError = Callable[[Exception], None]


class TaskScope(QObject):
    """Owns tasks for a widget: keeps them alive, cancels them with their owner, reports each error once."""

    def __init__(self, owner: QObject, on_error: OnError | None = None) -> None:
        """``on_error`` is told what a task raised; without it the error goes to the log."""
        super().__init__(owner)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._on_error = on_error or _report
        # The scope is already being destroyed then; the set outlives it.
        tasks = self._tasks
        owner.destroyed.connect(lambda: _cancel_all(tasks))

    def start(self, work: Coroutine[Any, Any, Any], on_error: OnError | None = None) -> asyncio.Task[Any]:
        """Runs ``work`` until it ends or the owner goes."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        report = on_error or self._on_error
        task.add_done_callback(lambda done: _pass_on(done, report))
        return task

    @property
    def is_busy(self) -> bool:
        """Whether anything still runs."""
        return bool(self._tasks)

    def cancel(self) -> None:
        """Cancels everything that still runs."""
        _cancel_all(self._tasks)


def _cancel_all(tasks: set[asyncio.Task[Any]]) -> None:
    for task in tuple(tasks):
        task.cancel()


def _pass_on(task: asyncio.Task[Any], report: OnError) -> None:
    if task.cancelled():
        return
    error = task.exception()
    if isinstance(error, Exception):
        report(error)


def _report(error: Exception) -> None:
    _log.error("a background task failed", exc_info=error)


class AsyncApplication(QApplication):
    """Passes on what the system asks of the app: to quit, and, on macOS, to open links and files.

    The loop goes on after a wish to quit, so that clean-up happens before it ends.
    """

    quit_wanted = Signal()
    handed = Signal(list)
    """Links and files as URLs, which are not to be trusted."""

    def event(self, event: QEvent) -> bool:
        """Holds back QEvent.Quit. Only what the application itself is told comes here: a filter sees all."""
        if event.type() == QEvent.Type.Quit:
            self.quit_wanted.emit()
            return True
        if isinstance(event, QFileOpenEvent):
            self.handed.emit([event.url().toString(QUrl.ComponentFormattingOption.FullyEncoded)])
            return True
        return super().event(event)


async def painted(widget: QWidget) -> None:
    """Wait until a widget was painted, or for half a second where the system doesn't show it."""
    moment = asyncio.get_running_loop().create_future()
    watch = _FirstPaint(widget, moment)
    await asyncio.wait([moment], timeout=_PAINT_PATIENCE_S)
    if isValid(watch):  # it goes with the widget, which may be gone by now
        watch.deleteLater()


class _FirstPaint(QObject):
    def __init__(self, widget: QWidget, moment: "asyncio.Future[None]") -> None:
        super().__init__(widget)
        self._moment = moment
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            # Called while the event waits for its turn; the loop goes on once it is dealt with.
            self._moment.set_result(None)
        return False


def run(app: AsyncApplication, main: Callable[[asyncio.Event], Awaitable[int]]) -> int:
    """Runs ``main(stop)`` on Qt's event loop; ``stop`` is set when the person or the system wants to quit."""
    app.setQuitOnLastWindowClosed(False)
    sys.setswitchinterval(_SWITCH_S)
    collector = GuiThreadCollector()

    async def guarded() -> int:
        stop = asyncio.Event()
        app.quit_wanted.connect(stop.set)
        app.lastWindowClosed.connect(stop.set)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))
        return await main(stop)

    with asyncio.Runner(loop_factory=lambda: event_loop(app)) as runner:
        try:
            return runner.run(guarded())
        finally:
            collector.stop()


def event_loop(app: QApplication) -> asyncio.AbstractEventLoop:
    """An asyncio event loop that is Qt's."""
    loop: asyncio.AbstractEventLoop = QEventLoop(app)
    return loop
