"""The list of homes, in one small file of the data folder."""

import os
from pathlib import Path
from uuid import UUID

from pydantic import BaseModel, ValidationError

from app.workspace.homes.home import Home
from app.workspace.messages import Problem


class _Contents(BaseModel):
    homes: list[Home] = []
    current: UUID | None = None


class Homes:
    """Which homes there are and which was open last. Blocking: a few hundred bytes of file."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self._path = data / "homes.json"

    def all(self) -> list[Home]:
        """Every home, oldest first. Raises Problem when the list cannot be read."""
        return self._read().homes

    def current(self) -> Home | None:
        """The home that was open last."""
        contents = self._read()
        return next((home for home in contents.homes if home.id == contents.current), None)

    def keep(self, home: Home) -> None:
        """Adds or replaces a home and makes it the current one."""
        contents = self._read()
        others = [other for other in contents.homes if other.id != home.id]
        self._write(_Contents(homes=[*others, home], current=home.id))

    def folder(self, home: Home) -> Path:
        """Where a home's own files are."""
        return self.data / "homes" / str(home.id)

    def _read(self) -> _Contents:
        try:
            return _Contents.model_validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return _Contents()
        except (OSError, ValidationError) as error:
            raise Problem(
                f"The list of calendars in {self._path} cannot be read. Restore it from a backup, or move it "
                "away to start anew; the calendars themselves are in the folder beside it.",
                details=str(error),
            ) from error

    def _write(self, contents: _Contents) -> None:
        try:
            self.data.mkdir(parents=True, exist_ok=True)
            part = self._path.with_suffix(".part")
            with part.open("w", encoding="utf-8") as file:
                file.write(contents.model_dump_json(indent=2))
                file.flush()
                os.fsync(file.fileno())
            part.replace(self._path)
        except OSError as error:
            raise Problem(
                f"Kalends cannot write to {self.data}: {error.strerror}. "
                "Free some space or choose another folder.",
                details=str(error),
            ) from error
