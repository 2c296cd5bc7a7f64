"""What runs came to, for people and as one line of JSON."""

import hashlib
import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tests.simulation.publishing.invariants import FIGURES
from tests.simulation.publishing.world import Outcome

EXPECTED_MOVES: Final = (
    "(none) > scheduled or queued",
    "scheduled > queued",
    "scheduled > processing",
    "queued > processing",
    "processing > posted",
    "processing > failed",
    "queued > failed",
    "scheduled > failed",
    "scheduled > cancelled",
    "queued > cancelled",
    "processing > cancelled",
    "posted > cancelled",
    "failed > cancelled",
    "cancelled > scheduled",
    "cancelled > posted",
)
"""Every change of a post's status that specification and ``publishing/states.py`` allow to happen."""


@dataclass
class Report:
    """Sums over runs. ``posts_per_s`` counts the time of one core, whoever else uses the machine."""

    outcomes: int = 0
    posts: int = 0
    calls: int = 0
    kills: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    unknown: int = 0
    breaches: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    moves: Counter[str] = field(default_factory=Counter)
    late: list[float] = field(default_factory=list)
    seconds: float = 0.0
    _traces: list[str] = field(default_factory=list)
    _began: float = field(default_factory=time.process_time)

    def add(self, outcome: Outcome) -> None:
        self.outcomes += 1
        self.posts += len(outcome.verdicts)
        self.calls += outcome.calls
        self.kills += outcome.kills
        self.statuses.update(verdict.status for verdict in outcome.verdicts)
        self.unknown += sum(verdict.is_unknown for verdict in outcome.verdicts)
        self.breaches.update(breach.rule.value for breach in outcome.breaches)
        self.faults.update(fault.kind.value for fault in outcome.faults)
        self.moves.update(outcome.moves)
        self.late += outcome.late
        self.seconds += outcome.seconds
        self._traces.append(outcome.trace)

    @property
    def trace(self) -> str:
        """One hash for all runs."""
        return hashlib.sha256(" ".join(self._traces).encode()).hexdigest()

    @property
    def posts_per_s(self) -> float:
        return self.posts / max(time.process_time() - self._began, 1e-6)

    @property
    def unforeseen(self) -> list[str]:
        """Changes of status that nothing allows."""
        return sorted(set(self.moves) - set(EXPECTED_MOVES))

    def figures(self) -> Mapping[str, float | str]:
        found: dict[str, float | str] = {
            "posts": self.posts,
            "calls": self.calls,
            "kills": self.kills,
            "posted": self.statuses["posted"],
            "failed": self.statuses["failed"],
            "unknown": self.unknown,
        }
        found |= {rule.value: self.breaches[rule.value] for rule in FIGURES}
        return found | {"posts_per_s": round(self.posts_per_s, 1), "trace": self.trace}

    def line(self) -> str:
        return json.dumps(self.figures())

    def text(self) -> str:
        """For people."""
        late = sorted(self.late) or [0.0]
        never = [move for move in EXPECTED_MOVES if not self.moves[move]]
        lines = [
            f"{self.outcomes} runs, {self.posts} posts, {self.calls} calls, {self.kills} deaths",
            f"{self.seconds / 86_400:.2f} simulated days, {self.posts_per_s:.0f} posts a second of one core",
            f"ended: {_counted(self.statuses)}",
            f"honestly unknown: {self.unknown}, {100 * self.unknown / max(self.posts, 1):.2f} %",
            f"late: median {late[len(late) // 2]:.3f} s, p99 {late[len(late) * 99 // 100]:.1f} s",
            f"latest: {late[-1]:.0f} s",
            f"faults: {_counted(self.faults)}",
            f"status changes: {_counted(self.moves)}",
            f"never taken: {', '.join(never) or 'none'}",
        ]
        if self.unforeseen:
            lines.append(f"NOT FORESEEN: {', '.join(self.unforeseen)}")
        lines.append(f"broken rules: {_counted(self.breaches) or 'none'}")
        return "\n".join(lines)


def _counted(counts: Mapping[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{name} {count}" for name, count in ordered)
