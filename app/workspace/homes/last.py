"""The home that was open last, known before the registry and its models are imported."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self
from uuid import UUID

RESTORING: Final = "restoring"
"""The folder in which a backup waits to be put in place of the data."""

PROXY_FILE: Final = "proxy.json"
"""In the data folder: which proxy was chosen. Missing until then."""


@dataclass(frozen=True, slots=True)
class LastHome:
    """What is needed to show it and to start its service; `Home` is the whole of it."""

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
        """Whether there is a last state to show; of an embedded one, also an address to go on with."""
        is_known = not self.is_embedded or (self.ca_file is not None and Path(self.ca_file).is_file())
        return bool(self.base_url) and is_known and self.workspace.is_file()

    @classmethod
    def of(cls, data: Path) -> Self | None:
        """Read which home of a data folder was open last; None where nothing can be said of it.

        Whether the list is right is for the registry to say, which reads it again.
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
