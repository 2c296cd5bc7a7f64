"""Every variation by its name."""

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
"""Those that the whole window is tried on."""

ALL = by_name([*VARIATIONS.values(), *(one for one in companions.VARIATIONS if one not in companions.FINE)])
"""All that the server knows."""
