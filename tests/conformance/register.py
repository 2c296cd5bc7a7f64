"""Rules: functions that verify sentences of the specification, found by importing ``rules``."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import tests.conformance.rules as package
from tests.conformance.document import Sentence, plain, sections
from tests.conformance.stage import Stage
from tests.conformance.target import Profile

Check = Callable[[Stage], None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule with its source, the sentences it verifies, and its check.

    Attributes:
        section: Heading in the specification, or "Decision P1".
        name: The rule in words.
        alone: It depends on what other rules change, so no other may run on the same account meanwhile.
    """

    section: str
    name: str
    check: Check
    sentences: tuple[Sentence, ...]
    profile: Profile
    alone: bool

    @property
    def id(self) -> str:
        return f"{self.check.__module__.rpartition('.')[2]}.{self.check.__name__}"


_rules: Final[list[Rule]] = []


def rule(
    section: str, *quotes: str, also: Mapping[str, Sequence[str]] | None = None, alone: bool = False
) -> Callable[[Check], Check]:
    """Register a check that verifies sentences of the specification.

    Args:
        section: The heading of the sentences.
        quotes: Each is part of exactly one sentence there.
        also: Sentences of other sections that the same check verifies.
        alone: Whether no other rule may run on the same account meanwhile.
    """
    cited = {section: quotes, **(also or {})}
    sentences = tuple(find(heading, quote) for heading, of in cited.items() for quote in of)

    def register(check: Check) -> Check:
        _rules.append(Rule(section, _words(check), check, sentences, Profile.SPECIFICATION, alone))
        return check

    return register


def decision(number: str, *, alone: bool = False) -> Callable[[Check], Check]:
    """Register a check of this project's decisions, which only runs with ``--profile kalends``."""

    def register(check: Check) -> Check:
        _rules.append(Rule(f"Decision {number}", _words(check), check, (), Profile.KALENDS, alone))
        return check

    return register


def rules() -> Sequence[Rule]:
    """Return every rule in the order of the specification, followed by this project's decisions."""
    for module in sorted(one.name for one in pkgutil.iter_modules(package.__path__)):
        importlib.import_module(f"{package.__name__}.{module}")
    order = [*sections()]
    return tuple(
        sorted(_rules, key=lambda one: order.index(one.section) if one.section in order else len(order))
    )


def find(section: str, quote: str) -> Sentence:
    """Return the sentence of a section with the quote. Raises LookupError unless there is exactly one."""
    wanted = plain(quote)
    sentences = sections()[section].sentences
    found = [one for one in sentences if one.text == wanted]
    found = found or [one for one in sentences if wanted in one.text]
    if len(found) != 1:
        raise LookupError(f"{len(found)} sentences of {section!r} hold {quote!r}")
    return found[0]


def _words(check: Check) -> str:
    words = check.__name__.replace("_", " ")
    return words[0].upper() + words[1:]
