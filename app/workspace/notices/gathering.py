"""Several things within a short time are told together."""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass

from app.workspace.notices.notice import Absence, News, NoticeKind

_LONGER = 3
"""What was missed is told at one time, so its end is waited for so many times as long."""

_Group = tuple[NoticeKind, bool, Absence | None]


@dataclass(frozen=True, slots=True)
class Rhythm:
    """In seconds: ``settle`` from the first of some news to telling them, ``again`` from then to the next."""

    settle: float
    again: Mapping[NoticeKind, float]


class Gathering:
    """News by kind, until it is their time; what was missed, and what was late, apart from the rest."""

    def __init__(self, rhythm: Rhythm) -> None:
        self._rhythm = rhythm
        self._waiting: dict[_Group, dict[str, News]] = {}
        self._due: dict[_Group, float] = {}
        self._free: dict[_Group, float] = {}

    def add(self, news: News, now: float) -> None:
        """Has something told soon, or with the next ones of its kind."""
        group = news.kind, news.missed, news.delay.cause if news.delay is not None else None
        waiting = self._waiting.setdefault(group, {})
        if not waiting:
            settle = self._rhythm.settle * (_LONGER if news.missed else 1)
            self._due[group] = max(now + settle, self._free.get(group, now))
        waiting[news.key] = news

    def drop(self, is_over: Callable[[News], bool]) -> None:
        """Takes away what is not so any more."""
        for group, waiting in list(self._waiting.items()):
            self._waiting[group] = {key: news for key, news in waiting.items() if not is_over(news)}

    def take(self, now: float, held: Container[NoticeKind] = ()) -> list[list[News]]:
        """What is to be told now, each list together; ``held`` are kinds of which more is about to come."""
        taken = []
        for group, waiting in self._waiting.items():
            if not waiting or self._due[group] > now:
                continue
            if group[0] in held:
                self._due[group] = now + self._rhythm.settle
                continue
            taken.append(list(waiting.values()))
            self._waiting[group] = {}
            self._free[group] = now + self._rhythm.again[group[0]]
        return taken

    def wait(self, now: float) -> float | None:
        """Seconds until something is to be told; None while there is nothing."""
        due = [self._due[group] for group, waiting in self._waiting.items() if waiting]
        return max(0.0, min(due) - now) if due else None
