"""Sentences that can't be verified over the network, each with the reason."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from tests.conformance.document import Sentence, sentences
from tests.conformance.register import find

_SILENT: Final = "not shown"
_HEADINGS: Final = frozenset({"Create-post body:", "Rules:", "Delivery rules:"})

_REASONS: Final = MappingProxyType(
    {
        ("Social Publishing REST Service Specification", "It is the only document."): "about the document",
        (
            "Errors",
            "500 internal_error · Server-side failure;",
        ): "a client can't make a service fail internally",
        (
            "Errors",
            "500 internal_error · retry with backoff and quote request_id.",
        ): "advice to clients, after a response that can't be provoked",
    }
)


@cache
def reasons() -> Mapping[Sentence, str]:
    """Return the reasons by sentence. Raises LookupError for a quote that isn't in the specification."""
    found = {find(section, quote): why for (section, quote), why in _REASONS.items()}
    for one in sentences():
        if _SILENT in one.text:
            found.setdefault(one, "says that nothing is promised here")
        elif one.text in _HEADINGS:
            found.setdefault(one, "introduces what follows")
    return MappingProxyType(found)
