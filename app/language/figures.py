"""Figures as they are written in the language that is spoken."""

from types import MappingProxyType
from typing import Final

from app.language.catalogue import current

_MARKS: Final = MappingProxyType({"de": str.maketrans(".,", ",.")})
"""What the decimal point and the comma between thousands become."""


def figure(written: str) -> str:
    """A number that is written as in English, ``1,234.5``, in the language that is spoken: ``1.234,5``."""
    return written.translate(_MARKS.get(current(), {}))
