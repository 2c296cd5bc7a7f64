"""The home that was open last, read without importing the registry and its models."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self
from uuid import UUID

RESTORING: Final = "restoring"
"""Folder with a backup that is about to replace the data."""

PROXY_FILE: Final = "proxy.json"
"""File in the data folder with the chosen proxy. Missing until one is chosen."""


@dataclass(frozen=True, slots=True)
class LastHome:
    """The part of a `Home` that's needed to show it and start its service."""

    id: str
    name: str
    folder: Path
    base_url: str
    ca_file: str | None
    is_embedded: bool
    practice: bool
    service_port: int

    @property
    def workspace(self) -> Path:
        """The file of its workspace."""
        return self.folder / "workspace.db"

    @property
    def was_open_before(self) -> bool:
        """Whether it has a last state to show, and if it's embedded, also a URL to reuse."""
        is_known = not self.is_embedded or (self.ca_file is not None and Path(self.ca_file).is_file())
        return bool(self.base_url) and is_known and self.workspace.is_file()

    @classmethod
    def of(cls, data: Path) -> Self | None:
        """Read which home of a data folder was open last; None if that's unknown.

        The registry reads the list again and validates it.
        """
        if (data / RESTORING).exists():
            return None
        try:
            listing = json.loads((data / "homes.json").read_bytes())
            found = next(home for home in listing["homes"] if home["id"] == listing["current"])
            return cls._read(data, found)
        except (OSError, ValueError, LookupError, TypeError, RecursionError, StopIteration):
            return None

    @classmethod
    def _read(cls, data: Path, found: dict[str, Any]) -> Self:
        identity = str(UUID(found["id"]))
        return cls(
            id=identity,
            name=str(found["name"]),
            folder=data / "homes" / identity,
            base_url=str(found["base_url"]),
            ca_file=found["ca_file"],
            is_embedded=found["kind"] == "embedded",
            practice=bool(found["practice"]),
            service_port=int(found["service_port"]),
        )
