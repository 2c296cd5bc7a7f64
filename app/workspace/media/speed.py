"""The recent speed of something in progress."""

from collections import deque
from typing import Final

_WINDOW_S: Final = 4.0


class Speed:
    """Collects progress over time, in s of any monotonic clock."""

    def __init__(self, now: float) -> None:
        self._marks: deque[tuple[float, int]] = deque([(now, 0)])

    def note(self, now: float, done: int) -> float:
        """Note the progress so far; return the speed per second."""
        self._marks.append((now, done))
        while len(self._marks) > 2 and now - self._marks[1][0] >= _WINDOW_S:
            self._marks.popleft()
        since, before = self._marks[0]
        return (done - before) / max(now - since, 0.001)
