"""Arrival times of posts at the practice platforms, from their ledger."""

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from tests.benchmarks.punctuality.plan import Planned
from tests.benchmarks.samples import percentile

_LOOK_EVERY_S: Final = 0.25


@dataclass(frozen=True, slots=True)
class Lateness:
    """Delays of posts in ms, and posts per second from the first to the last."""

    late_ms: Sequence[int]
    per_s: float

    @property
    def p50(self) -> float:
        return percentile(self.late_ms, 0.5)

    @property
    def p99(self) -> float:
        return percentile(self.late_ms, 0.99)

    @property
    def early(self) -> int:
        """Number of posts before their time. The ledger and all planned times have full milliseconds."""
        return sum(late < 0 for late in self.late_ms)


class Arrivals:
    """The ledger's database, read directly so that the program has no extra work."""

    def __init__(self, practice_folder: Path) -> None:
        self._file = practice_folder / "practice.sqlite3"

    def wait(self, planned: Sequence[Planned], longest_s: float) -> Lateness:
        """Return the delays after all posts have arrived.

        Raises TimeoutError if some are missing or duplicated.
        """
        last = max(one.at_ms for one in planned) / 1_000
        time.sleep(max(0.0, last + 1 - time.time()))
        give_up = time.time() + longest_s
        while (found := self.count(planned)) < len(planned):
            if time.time() > give_up:
                raise TimeoutError(f"Only {found} of {len(planned)} posts arrived.")
            time.sleep(_LOOK_EVERY_S)
        return self._lateness(planned)

    def _lateness(self, planned: Sequence[Planned]) -> Lateness:
        arrived = self.received(_name(planned))
        if sorted(text for text, _ in arrived) != sorted(one.text for one in planned):
            raise TimeoutError("Posts arrived that were not planned, or twice.")
        at = {one.text: one.at_ms for one in planned}
        late = [received - at[text] for text, received in arrived]
        took = max(received for _, received in arrived) - max(
            min(at.values()), min(received for _, received in arrived)
        )
        return Lateness(late, len(arrived) / max(took / 1_000, 0.001))

    def count(self, planned: Sequence[Planned]) -> int:
        """Return how many of the posts have arrived."""
        return int(self._rows("SELECT count(*) FROM ledger WHERE text GLOB ?", _name(planned))[0][0])

    def received(self, name: str) -> list[tuple[str, int]]:
        """Return the texts that are this name and a number, and when they arrived, in ms since 1970."""
        rows = self._rows("SELECT text, received_at FROM ledger WHERE text GLOB ?", name)
        return [(str(text), _milliseconds(str(at))) for text, at in rows]

    def _rows(self, query: str, name: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(f"file:{self._file}?mode=ro", uri=True, timeout=10)) as connection:
            return connection.execute(query, (f"{name} [0-9]*",)).fetchall()


def _name(planned: Sequence[Planned]) -> str:
    """Return what the texts of posts have in common."""
    return planned[0].text.rpartition(" ")[0]


def _milliseconds(timestamp: str) -> int:
    return round(datetime.fromisoformat(timestamp).timestamp() * 1_000)
