"""What a link or a file asks for. Any web page can make a link, so nothing in it is trusted.

``kalends://post/ID``, ``kalends://day/2026-12-24``, ``kalends://today``, ``kalends://new?text=&at=&file=``;
``at`` is a date and time, with an offset or in the calendar's zone, and ``file`` may come more than once.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit
from uuid import UUID

SCHEME: Final = "kalends"
LONGEST: Final = 30_000
"""Characters of a link or a path; what is longer is passed over. Browsers and shells cut off later."""
FILES_MAX: Final = 35
"""No platform takes more in a post."""
_FIELDS_MAX: Final = 100
_FIRST_YEAR, _LAST_YEAR = 2000, 2100


@dataclass(frozen=True, slots=True)
class ShowPost:
    """Show a post; its id is the service's."""

    post_id: UUID


@dataclass(frozen=True, slots=True)
class ShowDay:
    """Show a day on the calendar; today for None."""

    day: date | None = None


@dataclass(frozen=True, slots=True)
class BeginPost:
    """Open the composer, once the person agrees. ``at`` without an offset is in the calendar's zone."""

    text: str = ""
    at: datetime | None = None
    files: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class AddFiles:
    """Make a post of files that the person chose in another program."""

    files: tuple[Path, ...]


Errand = ShowPost | ShowDay | BeginPost | AddFiles


def understood(things: Sequence[str]) -> list[Errand]:
    """What links and paths ask for, in their order; files are taken together.

    What makes no sense is left out.
    """
    errands: list[Errand] = []
    files: list[Path] = []
    for thing in things:
        if len(thing) > LONGEST:
            continue
        if thing.lower().startswith(f"{SCHEME}:"):
            if (errand := _of_link(thing)) is not None:
                errands.append(errand)
        elif (path := _file(thing)) is not None:
            files.append(path)
    return [*errands, AddFiles(tuple(files[:FILES_MAX]))] if files else errands


def _of_link(link: str) -> Errand | None:
    try:
        parts = urlsplit(link)
        match parts.netloc.lower():
            case "post":
                return ShowPost(UUID(parts.path.strip("/")))
            case "day":
                day = date.fromisoformat(parts.path.strip("/"))
                return ShowDay(day) if _FIRST_YEAR <= day.year <= _LAST_YEAR else None
            case "today":
                return ShowDay()
            case "new":
                return _new(parts)
    except ValueError:
        pass
    return None


def _new(parts: SplitResult) -> BeginPost:
    fields = parse_qs(parts.query, max_num_fields=_FIELDS_MAX)
    text = "".join(each for each in fields.get("text", [""])[0] if each.isprintable() or each == "\n")
    paths = [path for name in fields.get("file", []) if (path := _file(name)) is not None]
    return BeginPost(text, _moment(fields.get("at", [""])[0]), tuple(paths[:FILES_MAX]))


def _moment(words: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(words)
    except ValueError:
        return None
    return moment if _FIRST_YEAR <= moment.year <= _LAST_YEAR else None


def _file(name: str) -> Path | None:
    """Return an absolute local path, or None. Looking at a network path would contact its host."""
    if name.lower().startswith("file://"):
        parts = urlsplit(name)
        if parts.netloc not in ("", "localhost"):
            return None
        name = unquote(parts.path)
        if os.name == "nt":
            name = name.lstrip("/")
    if "\0" in name or name.startswith(("//", "\\\\")):
        return None
    path = Path(name)
    return path if path.is_absolute() else None
