"""Batches notifications that happen within a short time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.workspace.notices.notice import Absence, News, NoticeKind

_LONGER = 3
"""Factor for the wait for missed news, which are all shown in one notification."""

_Group = tuple[NoticeKind, bool, Absence | None]


@dataclass(frozen=True, slots=True)
class Rhythm:
    """In s: ``settle`` from the first news to their notification, ``again`` from then to the next one."""

    settle: float
    again: Mapping[NoticeKind, float]


class Gathering:
    """Pending news by kind; missed and late ones are separate from the rest."""

    def __init__(self, rhythm: Rhythm) -> None:
        self._rhythm = rhythm
        self._waiting: dict[_Group, dict[str, News]] = {}
        self._ready: dict[_Group, float] = {}
        self._due: dict[_Group, float] = {}
        """Like ``_ready``, or later while a group is held back."""
        self._free: dict[_Group, float] = {}

    def add(self, news: News, now: float) -> None:
        """Add news to be shown soon, or with the next ones of its kind."""
        group = news.kind, news.missed, news.delay.cause if news.delay is not None else None
        waiting = self._waiting.setdefault(group, {})
        if not waiting:
            settle = self._rhythm.settle * (_LONGER if news.missed else 1)
            self._due[group] = self._ready[group] = max(now + settle, self._free.get(group, now))
        waiting[news.key] = news

    def drop(self, is_over: Callable[[News], bool]) -> None:
        """Remove news that are no longer true."""
        for group, waiting in list(self._waiting.items()):
            self._waiting[group] = {key: news for key, news in waiting.items() if not is_over(news)}

    def take(
        self, now: float, patience: Callable[[list[News]], float] = lambda _group: 0.0
    ) -> list[list[News]]:
        """Return the news to show now, one notification per list.

        ``patience`` returns for how many seconds after its time a group may wait for more to say.
        """
        taken = []
        for group, waiting in self._waiting.items():
            if not waiting or self._due[group] > now:
                continue
            until = self._ready[group] + patience(list(waiting.values()))
            if until > now:
                self._due[group] = min(now + self._rhythm.settle, until)
                continue
            taken.append(list(waiting.values()))
            self._waiting[group] = {}
            self._free[group] = now + self._rhythm.again[group[0]]
        return taken

    def wait(self, now: float) -> float | None:
        """Return the time until the next notification in s; None if there is none."""
        due = [self._due[group] for group, waiting in self._waiting.items() if waiting]
        return max(0.0, min(due) - now) if due else None
