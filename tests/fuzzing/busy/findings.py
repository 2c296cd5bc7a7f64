"""Results of a run: how long each input blocked a loop, and how much memory was added."""

import sys
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Finding:
    """One input. Memory is in MB, relative to the start of the run."""

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
    """All findings of a run, in order."""

    all: list[Finding] = field(default_factory=list)

    def add(self, finding: Finding) -> None:
        """Add a finding, and print it if it's the worst so far."""
        if finding.lag_ms > self.worst_ms:
            print(finding, file=sys.stderr, flush=True)
        self.all.append(finding)

    @property
    def worst_ms(self) -> float:
        """The longest time that a loop was blocked, in ms."""
        return max((one.lag_ms for one in self.all), default=0.0)

    @property
    def most_mb(self) -> float:
        """The most memory added, in MB."""
        return max((one.grown_mb for one in self.all), default=0.0)

    def worst(self, count: int) -> list[Finding]:
        """Return the slowest findings, slowest first."""
        return sorted(self.all, key=lambda one: -one.lag_ms)[:count]
