"""Whether webhooks of a calendar on this computer may reach its home network. Blocking: one empty file."""

from pathlib import Path
from typing import Final

_NAME: Final = "home-network"


def is_allowed(folder: Path) -> bool:
    """Whether it's allowed; ``folder`` is the home's."""
    return (folder / _NAME).exists()


def allow(folder: Path, *, on: bool) -> None:
    """Store the choice for the next start of the service. Raises OSError."""
    if on:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _NAME).touch()
    else:
        (folder / _NAME).unlink(missing_ok=True)
