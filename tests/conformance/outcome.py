"""The outcome of a rule, and how a rule reports it."""

from dataclasses import dataclass
from enum import StrEnum


class Result(StrEnum):
    """Whether a service follows a rule."""

    HOLDS = "holds"
    FAILS = "fails"
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A result, its reason unless it holds, and its duration."""

    result: Result
    reason: str = ""
    seconds: float = 0.0


class BrokenError(Exception):
    """The service violates the rule; the message says how."""


class NotTriedError(Exception):
    """The rule needs something that's missing; the message says what to pass to the command."""


def expect(kept: object, otherwise: str) -> None:
    """Raise BrokenError with ``otherwise`` if ``kept`` is false."""
    if not kept:
        raise BrokenError(otherwise)


def same(found: object, expected: object, what: str) -> None:
    """Raise BrokenError if both differ."""
    expect(found == expected, f"{what} is {found!r}, expected {expected!r}")
