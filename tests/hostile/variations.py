"""Every variation by name."""

from tests.hostile.kinds import companions, failures, forms, pages, transport, values, worlds
from tests.hostile.variation import Variation, by_name

VARIATIONS: dict[str, Variation] = by_name(
    forms.VARIATIONS,
    values.VARIATIONS,
    pages.VARIATIONS,
    failures.VARIATIONS,
    transport.VARIATIONS,
    worlds.VARIATIONS,
    companions.FINE,
)
"""Variations that are tried with the whole window."""

ALL = by_name([*VARIATIONS.values(), *(one for one in companions.VARIATIONS if one not in companions.FINE)])
"""All variations that the server supports."""
