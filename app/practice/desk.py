"""Shared resources of all platforms and pages."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from fastapi.templating import Jinja2Templates
from jinja2 import Environment, FileSystemLoader

from app.practice.faults import Faults
from app.practice.files import Covers, Files
from app.practice.grants import Grants
from app.practice.ledger import Ledger
from app.practice.quotas import Quotas
from app.practice.settings import NOTICE, Settings
from app.practice.store import Store
from app.practice.uploads import Uploads

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Desk:
    """The settings, the store's tables and the page templates."""

    settings: Settings
    store: Store
    ledger: Ledger
    grants: Grants
    faults: Faults
    quotas: Quotas
    uploads: Uploads
    files: Files
    covers: Covers
    templates: Jinja2Templates

    @classmethod
    def open(cls, settings: Settings) -> Self:
        """Open the store in the settings' folder.

        Raises:
            OSError: The folder can't be created.
            sqlite3.Error: The database can't be opened or is damaged.
        """
        store = Store(settings.data)
        files = Files(settings.data / "files")
        environment = Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=True)
        environment.globals["notice"] = NOTICE
        return cls(
            settings,
            store,
            Ledger(store, settings),
            Grants(store, settings),
            Faults(store),
            Quotas(store, settings),
            Uploads(store, settings, files),
            files,
            Covers(store, files),
            Jinja2Templates(env=environment),
        )
