"""What each plan includes. Billing is no part of this service: an administrator sets the plan."""

from enum import StrEnum
from types import MappingProxyType
from typing import Final

_GB = 1_000_000_000


class Plan(StrEnum):
    """``local`` is the person's own computer; the others are for installations with several people."""

    LOCAL = "local"
    FREE = "free"
    CREATOR = "creator"
    STUDIO = "studio"


STORAGE_CAP_BYTES: Final = MappingProxyType(
    {Plan.LOCAL: 50 * _GB, Plan.FREE: 1 * _GB, Plan.CREATOR: 25 * _GB, Plan.STUDIO: 250 * _GB}
)
"""How much media an account of the plan may store, unless its own cap is set."""

FILE_BYTES_MAX: Final = MappingProxyType(
    {Plan.LOCAL: 50 * _GB, Plan.FREE: _GB // 10, Plan.CREATOR: 2 * _GB, Plan.STUDIO: 20 * _GB}
)
"""How large one file of the plan may be."""
