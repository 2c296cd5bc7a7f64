"""Grapheme clusters: what readers and platforms count as one character."""

from typing import Final

import regex

# To see whether two letters are one flag, ``\X`` looks back to the first flag in the row. A row of flags
# alone would take quadratic time: half a second for 8,000.
GRAPHEME: Final = regex.compile(
    r"\p{Regional_Indicator}{2}[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]*|\X"
)
"""Matches one grapheme cluster, like ``\\X``, in linear time."""
