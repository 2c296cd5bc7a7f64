"""What must hold of accounts, limits and counts. Each rule names the sentence that promises it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from app.contract.enums import EventType
from tests.simulation.room import Breach


class Rule(StrEnum):
    """The invariants; the value is the figure that counts breaches."""

    ENDED = "ended"
    """``app/service/connections/tokens.py``: an account is ended when two things agree: that the platform
    doesn't take its tokens any more."""
    LOST = "lost"
    """The same page: tokens are never replaced by nothing. What can't be helped ends the account."""
    TOLD = "told"
    """Specification, Events: `connection.expired` when a token expires and can't be refreshed."""
    TWICE = "twice"
    """``app/service/connections/renewal_claims.py``: one process at a time renews an account."""
    OVERDUE = "overdue"
    """Specification, Connections: the state of a pending connection expires after 15 minutes."""
    LIMITS = "limits"
    """Decision U2: rate limits per key and action, a token bucket: as many calls each minute as it holds."""
    COUNTED = "counted"
    """``docs/posts.md``, Usage: every call counts, save those of the last second before a kill."""


FIGURES: Final = tuple(rule.value for rule in Rule)
_UNSTORED_S: Final = 1.5
"""How long calls may be counted in memory alone, if the store can be written."""
_UNWRITABLE_S: Final = 120.0
"""How long a full or read-only disk may keep them there. What isn't stored when the program ends is lost."""


@dataclass(frozen=True)
class Tokens:
    """What the platform would do with the stored tokens of an account now."""

    access_works: bool
    refresh_works: bool

    @property
    def are_alive(self) -> bool:
        return self.access_works or self.refresh_works


@dataclass
class Called:
    """Calls of one action that one run of a program admitted.

    Attributes:
        admitted: When, by the program's steady clock, and in which month.
        died_at: When the program died, by the same clock; None while it lives.
    """

    admitted: list[tuple[float, str]] = field(default_factory=list)
    died_at: float | None = None


def on_end(number: int, tokens: Tokens, refusals: int, *, is_renewed: bool) -> Iterator[Breach]:
    """What must hold at the moment at which an account is ended.

    Args:
        number: The account's.
        tokens: What is stored.
        refusals: How often the network has said lately that a platform refuses tokens.
        is_renewed: A program that lives got newer tokens than those.
    """
    if is_renewed:
        yield Breach(Rule.LOST, number, "new tokens had arrived, and were not stored")
    # A refused renewal and one refused call agree; with a refresh token that works, two calls must.
    if (tokens.refresh_works and refusals < 2) or (tokens.access_works and refusals < 1):
        yield Breach(Rule.ENDED, number, f"though its tokens work: {tokens}")


def at_end(number: int, row: Any, tokens: Tokens, ends: int, told: Counter[str]) -> Iterator[Breach]:
    """What must hold of an account when it has been used once more and nothing goes wrong."""
    if row.is_available and not tokens.are_alive:
        yield Breach(Rule.LOST, number, "it counts as available, and its tokens are dead")
    said = told[EventType.CONNECTION_EXPIRED]
    if said != ends:
        yield Breach(
            Rule.TOLD, number, f"it ended {ends} times, and connection.expired was told {said} times"
        )


def within_limits(called: Called, size: int) -> Iterator[Breach]:
    """A bucket admits at most what it holds and what flows into it meanwhile."""
    times = [at for at, _ in called.admitted]
    for first, begin in enumerate(times):
        for last in range(first + size, len(times)):
            most = size + (times[last] - begin) * size / 60
            if last - first + 1 > most + 1:
                yield Breach(Rule.LIMITS, 0, f"{last - first + 1} calls in {times[last] - begin:.1f} s")
                return


def counts_agree(
    called: Sequence[Called], counted: Mapping[str, int], *, always_writable: bool
) -> Iterator[Breach]:
    """Each call is counted in its month, once, unless the program died before it was stored.

    Args:
        called: What each program admitted.
        counted: Stored counts by month.
        always_writable: The store never refused a write.
    """
    unstored_s = _UNSTORED_S if always_writable else _UNWRITABLE_S
    admitted = Counter(month for one in called for _, month in one.admitted)
    forgivable = Counter(
        month
        for one in called
        for at, month in one.admitted
        if one.died_at is not None and at > one.died_at - unstored_s
    )
    for month in sorted({*admitted, *counted}):
        found = counted.get(month, 0)
        if not admitted[month] - forgivable[month] <= found <= admitted[month]:
            yield Breach(
                Rule.COUNTED, 0, f"{found} in {month} instead of {admitted[month]} (-{forgivable[month]})"
            )
