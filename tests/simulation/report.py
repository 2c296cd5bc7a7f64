"""What runs came to, for people and as one line of JSON."""

import hashlib
import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.simulation.room import Outcome, Room


@dataclass
class Report:
    """Sums over runs of one room. The rate counts the time of one core, whatever else the machine does."""

    room: Room[Any]
    runs: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    breaches: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    branches: Counter[str] = field(default_factory=Counter)
    late: list[float] = field(default_factory=list)
    seconds: float = 0.0
    _traces: list[str] = field(default_factory=list)
    _began: float = field(default_factory=time.process_time)

    def add(self, outcome: Outcome[Any]) -> None:
        self.runs += 1
        self.counts.update(outcome.figures)
        self.endings.update(outcome.endings)
        self.breaches.update(breach.rule.value for breach in outcome.breaches)
        self.faults.update(fault.kind.value for fault in outcome.faults)
        self.branches.update(outcome.branches)
        self.late += outcome.late
        self.seconds += outcome.seconds
        self._traces.append(outcome.trace)

    @property
    def trace(self) -> str:
        """One hash for all runs."""
        return hashlib.sha256(" ".join(self._traces).encode()).hexdigest()

    @property
    def per_s(self) -> float:
        return self.counts[self.room.unit] / max(time.process_time() - self._began, 1e-6)

    @property
    def unforeseen(self) -> list[str]:
        """Branches that nothing allows."""
        return sorted(set(self.branches) - set(self.room.branches))

    @property
    def never(self) -> list[str]:
        """Branches that no run took."""
        return [branch for branch in self.room.branches if not self.branches[branch]]

    def figures(self) -> Mapping[str, float | str]:
        counts = self.counts + self.breaches
        names = self.room.unit, "calls", "kills", *self.room.figures
        found: dict[str, float | str] = {name: counts[name] for name in names}
        return found | {f"{self.room.unit}_per_s": round(self.per_s, 1), "trace": self.trace}

    def line(self) -> str:
        return json.dumps(self.figures())

    def text(self) -> str:
        """For people."""
        unit, counts = self.room.unit, self.counts
        late = sorted(self.late) or [0.0]
        lines = [
            f"{self.runs} runs, {counts[unit]} {unit}, {counts['calls']} calls, {counts['kills']} deaths",
            f"{self.seconds / 86_400:.2f} simulated days, {self.per_s:.0f} {unit} a second of one core",
            f"ended: {_counted(self.endings)}",
        ]
        if "unknown" in self.room.figures:
            share = 100 * counts["unknown"] / max(counts[unit], 1)
            lines.append(f"honestly unknown: {counts['unknown']}, {share:.2f} %")
        lines += [
            f"late: median {late[len(late) // 2]:.3f} s, p99 {late[len(late) * 99 // 100]:.1f} s",
            f"latest: {late[-1]:.0f} s",
            f"faults: {_counted(self.faults)}",
            f"branches: {_counted(self.branches)}",
            f"never taken: {', '.join(self.never) or 'none'}",
        ]
        if self.unforeseen:
            lines.append(f"NOT FORESEEN: {', '.join(self.unforeseen)}")
        lines.append(f"broken rules: {_counted(self.breaches) or 'none'}")
        return "\n".join(lines)


def _counted(counts: Mapping[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{name} {count}" for name, count in ordered)
