"""Plays animations: one timer for all of them, and the action that ends them."""

from collections.abc import Callable
from time import perf_counter
from typing import Final

from PySide6.QtCore import QCoreApplication, QEasingCurve, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QScreen
from shiboken6 import isValid

from app.desktop.motion import switch
from app.desktop.motion.tokens import Timing

Step = Callable[[float], None]
"""Shows a moment of a motion: 0 is the start, 1 the end."""

_USUAL_HZ: Final = 60.0
_ACTIONS: Final = frozenset(
    {
        QEvent.Type.KeyPress,
        QEvent.Type.ShortcutOverride,  # a shortcut's key press isn't sent as a KeyPress
        QEvent.Type.MouseButtonPress,
        QEvent.Type.MouseButtonDblClick,
        QEvent.Type.Wheel,
        QEvent.Type.TouchBegin,
        QEvent.Type.TabletPress,
        QEvent.Type.DragEnter,
    }
)


class Run:
    """One run of an animation. It ends by itself, by ``finish``, or silently with its owner.

    It isn't a QObject: a child of its owner would keep the owner alive through its steps, and be deleted
    together with it in the middle of one.
    """

    def __init__(self, owner: QObject, timing: Timing, step: Step, end: Callable[[], None]) -> None:
        self.timing = timing
        self._owner: QObject | None = owner
        self._step, self._end = step, end
        self._curve = QEasingCurve(timing.curve)
        self._began_s: float | None = None
        """When its first frame was due: what a change takes until then, such as a layout, isn't cut off."""

    @property
    def is_alive(self) -> bool:
        """Whether it's running and its owner exists."""
        return self._owner is not None and isValid(self._owner)

    def go_on(self) -> None:
        """Show the current frame."""
        now_s = perf_counter()
        self._began_s = now_s if self._began_s is None else self._began_s
        progress = (now_s - self._began_s) * 1_000 / self.timing.ms
        if progress < 1:
            self._step(self._curve.valueForProgress(progress))
        else:
            self.finish()

    def finish(self) -> None:
        """Show the end state now. Does nothing after the end."""
        was_alive, step, end = self.is_alive, self._step, self._end
        if _player.drop(self) and was_alive:
            step(1.0)
            end()

    def let_go(self) -> None:
        """Release the owner and the pictures of the steps, because others may keep this run."""
        self._owner, self._step, self._end = None, _show_nothing, _do_nothing


def _show_nothing(_progress: float) -> None:
    """Replace the steps of a run that has ended."""


def _do_nothing() -> None:
    """Replace the end of a run that has ended."""


class _Player(QObject):
    """The running animations. It filters all events of the app, but only while something moves."""

    def __init__(self) -> None:
        super().__init__()
        self._runs: list[Run] = []
        self._timer: QTimer | None = None

    @property
    def runs(self) -> list[Run]:
        """The runs whose owners exist."""
        for run in [one for one in self._runs if not one.is_alive]:
            self.drop(run)
        return list(self._runs)

    def add(self, run: Run) -> None:
        """Add a run."""
        app = QCoreApplication.instance()
        if self._timer is None and app is not None:
            app.installEventFilter(self)
            screen: QScreen | None = QGuiApplication.primaryScreen()  # None if the last one is unplugged
            rate = screen.refreshRate() if screen is not None else 0
            self._timer = QTimer(app, interval=int(1_000 / (rate or _USUAL_HZ)))
            self._timer.setTimerType(Qt.TimerType.PreciseTimer)
            self._timer.timeout.connect(self._tick)
            self._timer.start()
        self._runs.append(run)

    def drop(self, run: Run) -> bool:
        """Remove a run; return whether it was running."""
        if run not in self._runs:
            return False
        self._runs.remove(run)
        run.let_go()
        if self._timer is not None and not self._runs:
            if (app := QCoreApplication.instance()) is not None:
                app.removeEventFilter(self)
            self._timer.stop()
            self._timer.deleteLater()
            self._timer = None
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """End every animation on the user's next action, which is then delivered as usual."""
        del watched
        if event.type() in _ACTIONS:
            finish_all()
        return False

    def _tick(self) -> None:
        for run in self.runs:
            run.go_on()


_player = _Player()


def play(
    owner: QObject,
    timing: Timing,
    step: Step,
    end: Callable[[], None] = _do_nothing,
    *,
    unasked: bool = False,
) -> Run | None:
    """Play an animation; without motion, only call ``end``.

    Args:
        owner: The animation ends silently when this is deleted.
        timing: Duration and curve.
        step: Called once per frame, and with 1 at the end. It may only use what exists as long as the owner.
        end: Called once at the end, however it's reached.
        unasked: Whether the user didn't cause the change, so that it's also animated while keys are pressed.

    Returns:
        The run, or None without motion.
    """
    if not (switch.is_on() if unasked else switch.answers()):
        end()
        return None
    run = Run(owner, timing, step, end)
    _player.add(run)
    step(0.0)
    return run


def finish_all() -> None:
    """Show the end state of every animation now."""
    for run in _player.runs:
        run.finish()


def is_moving() -> bool:
    """Return whether an animation is running."""
    return bool(_player.runs)
