"""What a run found: how long each thing kept a loop busy, and how much memory was added."""

import sys
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was sent; memory is what was added since the run began, in MB."""

    number: int
    name: str
    outcome: str
    lag_ms: float
    grown_mb: float
    size: int = 0

    def __str__(self) -> str:
        return (
            f"{self.lag_ms:8.1f} ms  {self.grown_mb:7.1f} MB  #{self.number} {self.name}: "
            f"{self.size} bytes, {self.outcome}"
        )


@dataclass
class Findings:
    """All of a run, in order."""

    all: list[Finding] = field(default_factory=list)

    def add(self, finding: Finding) -> None:
        """Keep one more, and tell of it where it is the worst so far."""
        if finding.lag_ms > self.worst_ms:
            print(finding, file=sys.stderr, flush=True)
        self.all.append(finding)

    @property
    def worst_ms(self) -> float:
        """The longest time that a loop was kept busy."""
        return max((one.lag_ms for one in self.all), default=0.0)

    @property
    def most_mb(self) -> float:
        """The most memory that was added."""
        return max((one.grown_mb for one in self.all), default=0.0)

    def worst(self, count: int) -> list[Finding]:
        """Those with the longest times, the longest first."""
        return sorted(self.all, key=lambda one: -one.lag_ms)[:count]
