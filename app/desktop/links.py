"""Links (`kalends://`) and files from a browser, a file manager or a second start.

Any web page can contain such a link, so nothing in it is trusted, and the user is asked before it starts
a post.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, parse_qs, urlsplit
from uuid import UUID

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.carried import decoded_path
from app.desktop.widgets import Divider, ElidedLabel, Label, Sheet, primary, secondary
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr, trn

SCHEME: Final = "kalends"
LONGEST: Final = 30_000
"""Maximum characters of a link or path; longer ones are ignored. Browsers and shells allow more."""
FILES_MAX: Final = 35
"""Maximum number of files in a link; no platform accepts more in a post."""
_FIELDS_MAX: Final = 100
_UNWANTED: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
"""Control characters, changes of direction, which can hide words, lone surrogates and Qt's own marks.

Joiners and spaces that don't break belong to emoji, words and figures.
"""
_FIRST_YEAR, _LAST_YEAR = 2000, 2100
_INSET = 20
_LINES_MOST = 6
_SHOWN_MOST = 600
_NAMED_MOST = 5
__all__ = ["AddFiles", "BeginPost", "Errand", "LinkSheet", "ShowDay", "ShowPost", "understood"]


@dataclass(frozen=True, slots=True)
class ShowPost:
    """Show a post; its ID is the service's."""

    post_id: UUID


@dataclass(frozen=True, slots=True)
class ShowDay:
    """Show a day on the calendar; today for None."""

    day: date | None = None


@dataclass(frozen=True, slots=True)
class BeginPost:
    """Open the composer, once the user agrees. ``at`` without an offset is in the calendar's zone.

    ``left_out`` is the number of files beyond the limit.
    """

    text: str = ""
    at: datetime | None = None
    files: tuple[Path, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class AddFiles:
    """Create a post with files that the user selected in another program."""

    files: tuple[Path, ...]


Errand = ShowPost | ShowDay | BeginPost | AddFiles


def understood(things: Sequence[str]) -> list[Errand]:
    """Return the requests in links and paths, in order; all files form one request.

    Anything invalid is left out.
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
    return [*errands, AddFiles(tuple(files))] if files else errands


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
    text = _UNWANTED.sub("", fields.get("text", [""])[0])
    paths = [path for name in fields.get("file", []) if (path := _file(name)) is not None]
    moment = _moment(fields.get("at", [""])[0])
    return BeginPost(text, moment, tuple(paths[:FILES_MAX]), max(0, len(paths) - FILES_MAX))


def _moment(words: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(words)
    except ValueError:
        return None
    return moment if _FIRST_YEAR <= moment.year <= _LAST_YEAR else None


def _file(name: str) -> Path | None:
    """Return an absolute local path, or None. Checking a network path would contact its host."""
    if name.lower().startswith("file://"):
        parts = urlsplit(name)
        if parts.netloc not in ("", "localhost"):
            return None
        name = decoded_path(parts.path)
        if os.name == "nt":
            name = name.lstrip("/")
    if "\0" in name or name.startswith(("//", "\\\\")):
        return None
    path = Path(name)
    return path if path.is_absolute() else None


class LinkSheet(Sheet):
    """Shows the text, the time and the files of a link."""

    wanted = Signal()
    """The user wants to start the post."""

    def __init__(self, host: QWidget, errand: BeginPost, time: str) -> None:
        """``time`` is the formatted time of the post, or empty."""
        super().__init__(host, tr("Start a post from a link?"), 480)
        self.begin = primary(tr("Start post"))
        self.leave = secondary(tr("Cancel"))
        body = QVBoxLayout()
        body.setContentsMargins(_INSET, 16, _INSET, 16)
        body.setSpacing(8)
        body.addWidget(Label(tr("Start a post from a link?"), "section"))
        note = tr("A web page or another program wants to start this post. Nothing is scheduled yet.")
        self.setAccessibleDescription(note)
        body.addWidget(Label(note, wrap=True))
        if errand.text:
            body.addWidget(Label(_beginning(errand.text), "card", "text2", wrap=True))
        if time:
            body.addWidget(Label(time, "card", "text2"))
        for file in errand.files[:_NAMED_MOST]:
            body.addWidget(ElidedLabel(str(file), "card", "text2", elide="middle"))
        if (more := len(errand.files) - _NAMED_MOST) > 0:
            body.addWidget(Label(trn("and {n} more file", "and {n} more files", more), "card", "text2"))
        if errand.left_out:
            text = trn("{n} file is left out.", "{n} files are left out.", errand.left_out)
            body.addWidget(Label(text, "card", "text2"))
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.leave, self.begin))
        self.leave.clicked.connect(self.dismiss)
        self.begin.clicked.connect(self._accept)

    def _accept(self) -> None:
        self.dismiss()
        self.wanted.emit()


def _beginning(text: str) -> str:
    lines = text[:_SHOWN_MOST].splitlines()[:_LINES_MOST]
    shown = "\n".join(lines)
    return shown if shown == text else f"{shown}…"
