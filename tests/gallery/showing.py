"""Showing one scene in one look, and noticing everything that goes wrong meanwhile."""

import asyncio
import gc
import logging
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace, TracebackType
from typing import Any
from unittest.mock import patch

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QMessageLogContext,
    QObject,
    Qt,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication, QWidget

from app.desktop.shell.window import MainWindow
from app.workspace import clock
from tests.gallery.scene import Play, Scene
from tests.gallery.stage import Look, Stage, open_stage

_MEANS_NOTHING = {
    f"This plugin does not support {what}"
    for what in ("propagateSizeHints()", "raise()", "grabbing the keyboard")
}
"""What the offscreen platform says of every window with a least size and of every menu."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong in which picture."""

    scene: str
    look: Look
    text: str

    def __str__(self) -> str:
        return f"{self.scene} ({self.look}): {self.text}"


async def show(scene: Scene, look: Look, file: Path) -> list[Failure]:
    """Plays a scene, keeps its picture in ``file``, and says what went wrong."""

    async def keep(stage: Stage) -> None:
        if not stage.picture().save(str(file)):
            raise OSError(f"{file} could not be written")

    return await play(scene, look, keep)


async def play(scene: Scene, look: Look, then: Play) -> list[Failure]:
    """Plays a scene, does something while it is there, and says what went wrong."""
    with watching() as noticed, collecting_here():
        try:
            await _on_a_stage(scene, look, then)
        except Exception:  # noqa: BLE001  whatever it is, the other scenes are still to be shown
            noticed.append(traceback.format_exc())
    return [Failure(scene.name, look, text) for text in noticed]


async def _on_a_stage(scene: Scene, look: Look, then: Play) -> None:
    """Play a scene on a stage of its own. Nothing of the stage may outlive it, or it isn't collected."""
    with _beginning(scene.at), tempfile.TemporaryDirectory(prefix="kalends-gallery-") as folder:
        async with open_stage(Path(folder), look) as stage:
            await scene.play(stage)
            await stage.settle()
            await then(stage)


@contextmanager
def _beginning(at: str) -> Iterator[None]:
    """Let the wall clock begin at an ISO time in UTC, and run on from there; at the present if empty."""
    if not at:
        yield
        return
    since = int(datetime.fromisoformat(at).replace(tzinfo=UTC).timestamp() * 1e9) - time.monotonic_ns()
    with patch.object(clock, "time", SimpleNamespace(time_ns=lambda: since + time.monotonic_ns())):
        yield


@contextmanager
def collecting_here() -> Iterator[None]:
    """Collect garbage in this thread only.

    Python collects cycles in any thread that allocates, and a window destroyed in a thread of the database
    crashes the process.
    """
    gc.freeze()  # modules and caches: the scene before has been collected
    gc.disable()
    try:
        yield
    finally:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.collect()
        gc.enable()


@contextmanager
def watching() -> Iterator[list[str]]:
    """Collects Qt's warnings, logged errors, and what was raised in slots and tasks."""
    noticed: list[str] = []
    loop = asyncio.get_running_loop()
    qt, hook, handler = _qt_handler(noticed), sys.excepthook, loop.get_exception_handler()
    before = qInstallMessageHandler(qt)
    log, windows = _Log(noticed), _Windows(noticed)
    logging.getLogger().addHandler(log)
    QApplication.instance().installEventFilter(windows)  # type: ignore[union-attr]  # there is one

    def raised(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        noticed.append("".join(traceback.format_exception(kind, error, trace)))
        sys.last_value = sys.last_traceback = None  # a painter in there must not outlive what it paints on

    def left(_loop: object, context: dict[str, Any]) -> None:
        noticed.append(f"{context['message']}: {context.get('exception')!r}")

    sys.excepthook = raised
    loop.set_exception_handler(left)
    try:
        yield noticed
    finally:
        sys.excepthook = hook
        loop.set_exception_handler(handler)
        logging.getLogger().removeHandler(log)
        QApplication.instance().removeEventFilter(windows)  # type: ignore[union-attr]
        qInstallMessageHandler(before)


def _qt_handler(noticed: list[str]) -> Any:
    def handle(kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        if kind not in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) and text not in _MEANS_NOTHING:
            noticed.append(f"Qt: {text}")

    return handle


class _Windows(QObject):
    """Notices widgets that show before they have a parent: they flash as windows and take the focus."""

    def __init__(self, noticed: list[str]) -> None:
        super().__init__()
        self._noticed = noticed

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget):
            stray = watched.windowType() == Qt.WindowType.Window and not (
                isinstance(watched, MainWindow) or watched.windowFlags() & Qt.WindowType.WindowStaysOnTopHint
            )
            if stray:
                self._noticed.append(f"{type(watched).__name__} showed as a window of its own")
        return False


class _Log(logging.Handler):
    def __init__(self, noticed: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._noticed = noticed

    def emit(self, record: logging.LogRecord) -> None:
        self._noticed.append(f"{record.name}: {record.getMessage()}")
