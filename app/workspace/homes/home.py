"""What is stored about one home."""

from enum import StrEnum
from pathlib import Path
from uuid import UUID, uuid4

from pydantic import BaseModel, ConfigDict, Field


class HomeKind(StrEnum):
    """Where a home's service runs."""

    EMBEDDED = "embedded"
    REMOTE = "remote"


class Home(BaseModel):
    """One calendar's home. Its API key is stored elsewhere, see ``credentials``."""

    model_config = ConfigDict(frozen=True)

    id: UUID = Field(default_factory=uuid4)
    kind: HomeKind
    name: str
    base_url: str = ""  # of an embedded home: known once it runs
    ca_file: Path | None = None
    pinned_certificate: str | None = None  # PEM of the one certificate that is trusted, for private services
    practice: bool = False  # every platform behind an embedded service is a stand-in
    service_port: int = 0  # of an embedded home: kept, so that addresses stay the same over restarts
    practice_port: int = 0

    @property
    def is_embedded(self) -> bool:
        """Whether the app starts this home's service itself."""
        return self.kind is HomeKind.EMBEDDED
