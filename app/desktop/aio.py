"""asyncio on the GUI thread: the only module that knows how Qt's and Python's event loops are combined.

Nested event loops are never started: one would block every other task (measured). Instead of running a
dialog, show it and await its end. Drags are the exception, because Qt has no other way: they begin in a mouse
event, when no task is running (`app.desktop.carried.carry`).
"""

import asyncio
import logging
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, TypeVar

from PySide6.QtCore import QEvent, QObject, QUrl, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication, QWidget
from qasync import QEventLoop
from shiboken6 import isValid

from app.desktop.collector import GuiThreadCollector
from app.workspace.messages import Message, Problem

_log = logging.getLogger(__name__)

_SWITCH_S: Final = 0.001
"""Switch interval of the GIL, in seconds. The window needs it back after each call of Qt; by default a thread
that writes rows or decodes keeps it for 5 ms each time."""

_PAINT_PATIENCE_S: Final = 0.5

_CLEAN_UP_S: Final = 10.0
"""Time limit for cleanup after Qt's loop was ended from outside, in seconds."""

OnProblem = Callable[[Problem], None]
T = TypeVar("T")


class TaskScope:
    """Tasks that work for a Qt object: kept alive, and cancelled when it's destroyed.

    Each error of a task is reported once. The scope isn't a Qt object itself: a task may end after its owner,
    with an error raised before it could be cancelled, and must not access deleted objects.
    """

    def __init__(
        self,
        owner: QObject,
        on_problem: OnProblem | None = None,
        on_defect: Callable[[Exception], None] | None = None,
    ) -> None:
        """Both handlers are only called while the owner exists; afterwards all errors are logged.

        Args:
            owner: The object that the tasks work for.
            on_problem: Receives each Problem. Without it they're logged as errors.
            on_defect: Receives any other error, which is also logged.
        """
        self._tasks = tasks = _Tasks(on_defect)
        self._on_problem = on_problem or _log_failure
        # Doesn't refer to the scope, which would keep the handlers and perhaps the owner alive; and isn't a
        # method, which Qt would only reference weakly.
        owner.destroyed.connect(lambda _owner=None: tasks.close())

    def start(self, work: Coroutine[Any, Any, Any], on_problem: OnProblem | None = None) -> asyncio.Task[Any]:
        """Run ``work`` until it ends or the scope closes. A closed scope cancels it before it begins."""
        return self._tasks.start(work, on_problem or self._on_problem)

    @property
    def is_busy(self) -> bool:
        """Whether any task is running."""
        return bool(self._tasks.running)

    def cancel(self) -> None:
        """Cancel all running tasks."""
        self._tasks.cancel()

    def close(self) -> None:
        """Cancel all tasks, start no more, and log errors instead of reporting them.

        For owners whose work ends before the Qt object is destroyed.
        """
        self._tasks.close()


class _Tasks:
    """The tasks of a scope; it outlives the scope and its owner."""

    def __init__(self, on_defect: Callable[[Exception], None] | None) -> None:
        self.running: set[asyncio.Task[Any]] = set()
        self._on_defect = on_defect
        self._is_closed = False

    def start(self, work: Coroutine[Any, Any, Any], on_problem: OnProblem) -> asyncio.Task[Any]:
        task = asyncio.get_running_loop().create_task(work)
        self.running.add(task)
        task.add_done_callback(lambda done: self._end(done, on_problem))
        if self._is_closed:
            task.cancel()
        return task

    def cancel(self) -> None:
        for task in tuple(self.running):
            task.cancel()

    def close(self) -> None:
        self._is_closed = True
        self.cancel()

    def _end(self, task: asyncio.Task[Any], on_problem: OnProblem) -> None:
        self.running.discard(task)
        error = None if task.cancelled() else task.exception()
        if not isinstance(error, Exception):
            return
        if self._is_closed:
            _log_late(error)
        elif isinstance(error, Problem):
            on_problem(error)
        else:
            _log_failure(error)
            if self._on_defect is not None:
                self._on_defect(error)


def report_to(tell: Callable[[Message], object]) -> OnProblem:
    """Return a handler that forwards problems as messages."""

    def report(problem: Problem) -> None:
        tell(problem.message())

    return report


def ignore(_problem: Problem) -> None:
    """Ignore the problem of a task whose result is optional."""


def _log_late(error: Exception) -> None:
    """Log an error after its owner has closed; a problem meant for the user isn't a defect."""
    level = logging.INFO if isinstance(error, Problem) else logging.ERROR
    _log.log(level, "a background task failed after its owner was closed", exc_info=error)


def _log_failure(error: Exception) -> None:
    _log.error("a background task failed", exc_info=error)


class AsyncApplication(QApplication):
    """Emits signals for requests of the system: to quit, and, on macOS, to open links and files.

    The loop keeps running after a request to quit, so that cleanup can finish.
    """

    quit_wanted = Signal()
    handed = Signal(list)
    """Links and files as URLs, which are not to be trusted."""

    def event(self, event: QEvent) -> bool:
        """Hold back QEvent.Quit. This only sees the app's own events; an event filter would see all."""
        if event.type() == QEvent.Type.Quit:
            self.quit_wanted.emit()
            return True
        if isinstance(event, QFileOpenEvent):
            self.handed.emit([event.url().toString(QUrl.ComponentFormattingOption.FullyEncoded)])
            return True
        return super().event(event)


async def painted(widget: QWidget) -> None:
    """Wait until a widget was painted, or for half a second if the system doesn't show it."""
    moment = asyncio.get_running_loop().create_future()
    watch = _FirstPaint(widget, moment)
    await asyncio.wait([moment], timeout=_PAINT_PATIENCE_S)
    if isValid(watch):  # deleted with the widget, which may no longer exist
        watch.deleteLater()


class _FirstPaint(QObject):
    def __init__(self, widget: QWidget, moment: "asyncio.Future[None]") -> None:
        super().__init__(widget)
        self._moment = moment
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            # Called before the event is handled; the loop only continues afterwards.
            self._moment.set_result(None)
        return False


def run(app: AsyncApplication, main: Callable[[asyncio.Event], Awaitable[int]]) -> int:
    """Run ``main(stop)`` on Qt's event loop; ``stop`` is set when the user or the system wants to quit."""
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


class _Loop(QEventLoop):  # type: ignore[misc]  # qasync has no types
    """An event loop that continues when Qt's loop was ended from outside, so that cleanup can finish.

    Qt ends it when the display is lost, for example with the session, and again each time it's restarted.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self._ends_at: float | None = None

    def run_until_complete(self, future: Awaitable[T]) -> T:
        work = asyncio.ensure_future(future, loop=self)
        while True:
            try:
                result: T = super().run_until_complete(work)
            except RuntimeError:
                if work.done() or not self._may_go_on():
                    raise
            else:
                return result

    def _may_go_on(self) -> bool:
        if self._ends_at is None:
            self._ends_at = time.monotonic() + _CLEAN_UP_S
            _log.warning("Qt ended the event loop, as it does when the display is gone")
        if isinstance(self._app, AsyncApplication):
            self._app.quit_wanted.emit()
        return time.monotonic() < self._ends_at


def event_loop(app: QApplication) -> asyncio.AbstractEventLoop:
    """Return an asyncio event loop that runs on Qt's."""
    loop: asyncio.AbstractEventLoop = _Loop(app)
    return loop
