"""Sentences that nobody can observe over the wire, each with the reason."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from tests.conformance.document import Sentence
from tests.conformance.register import find

_SILENT: Final = "nothing is promised here"

_REASONS: Final[Mapping[tuple[str, str], str]] = MappingProxyType({})


@cache
def reasons() -> Mapping[Sentence, str]:
    """The reasons by sentence; raises LookupError for a quote that the specification does not have."""
    return MappingProxyType({find(section, quote): why for (section, quote), why in _REASONS.items()})
