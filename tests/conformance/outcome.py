"""What can come of a rule, and how a rule says so."""

from dataclasses import dataclass
from enum import StrEnum


class Result(StrEnum):
    """Whether a service keeps a rule."""

    HOLDS = "holds"
    FAILS = "fails"
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A result, with the reason where it is no plain yes, and how long it took."""

    result: Result
    reason: str = ""
    seconds: float = 0.0


class BrokenError(Exception):
    """The service does not keep the rule; the message says what it did instead."""


class NotTriedError(Exception):
    """What the rule needs is not at hand; the message says what to give to the command."""


def expect(kept: object, otherwise: str) -> None:
    """Raises BrokenError with ``otherwise`` when ``kept`` is false."""
    if not kept:
        raise BrokenError(otherwise)


def same(found: object, expected: object, what: str) -> None:
    """Raises BrokenError when the two differ."""
    expect(found == expected, f"{what} is {found!r}, expected {expected!r}")
