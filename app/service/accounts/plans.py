"""The limits of each plan. This service does no billing: an administrator sets the plan."""

from enum import StrEnum
from types import MappingProxyType
from typing import Final

_GB = 1_000_000_000


class Plan(StrEnum):
    """``local`` is for a user's own computer; the others are for installations with several users."""

    LOCAL = "local"
    FREE = "free"
    CREATOR = "creator"
    STUDIO = "studio"


STORAGE_CAP_BYTES: Final = MappingProxyType(
    {Plan.LOCAL: 50 * _GB, Plan.FREE: 1 * _GB, Plan.CREATOR: 25 * _GB, Plan.STUDIO: 250 * _GB}
)
"""Media storage per account, in bytes, unless the account has its own cap."""

FILE_BYTES_MAX: Final = MappingProxyType(
    {Plan.LOCAL: 50 * _GB, Plan.FREE: _GB // 10, Plan.CREATOR: 2 * _GB, Plan.STUDIO: 20 * _GB}
)
"""Maximum file size, in bytes."""
