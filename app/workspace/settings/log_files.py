"""The logs of the app and its programs: their last lines, and a copy to share without secrets."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.disk import replace
from app.language import tr
from app.workspace import foreign_texts
from app.workspace.homes import Homes
from app.workspace.messages import Problem

_HIDDEN: Final = "[hidden]"
_FORMS: Final = (
    (re.compile(r"stp_rest_[0-9A-Za-z]+"), _HIDDEN),
    (re.compile(r"whsec_[A-Za-z0-9+/=_-]+"), _HIDDEN),
    (re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}"), rf"\1 {_HIDDEN}"),
    (re.compile(r"(?<=://)[^/\s@\"']+@"), f"{_HIDDEN}@"),
    (
        re.compile(
            r"(?i)([?&](?:[a-z_-]*token|signature|sig|code|state|secret|password|key|x-amz-[a-z-]+)=)[^&\s\"'<>]+"
        ),
        rf"\1{_HIDDEN}",
    ),
    (
        re.compile(
            r"(?i)([\"']?(?:(?<![a-z_-])[a-z_-]*?(?:token|secret)"
            r"|\b(?:password|passwd|api[_-]?key|authorization|cookie))\b"
            r"[\"']?\s*[:=]\s*)(\"[^\"]*\"|'[^']*'|[^\s,;}\"']+)"
        ),
        rf"\1{_HIDDEN}",
    ),
)
"""Keys, webhook secrets, and secrets in headers, URLs and settings."""
_DOTTED: Final = re.compile(r"[\w-]+(?:\.[\w-]+)*")
_WEB_TOKEN: Final = re.compile(r"\beyJ[\w-]{8}")
_LONG_WORD: Final = re.compile(r"(?a)[\w-]{40,}")
_DIGIT: Final = re.compile(r"[0-9]")
_LETTER: Final = re.compile(r"[A-Za-z]")
_TAIL_BYTES: Final = 128 * 1024
_PROGRAMS: Final = (("service", tr("Service")), ("practice", tr("Practice platforms")))


def without_secrets(text: str) -> str:
    """Return the text with every recognizable secret replaced by ``[hidden]``."""
    for form, instead in _FORMS:
        text = form.sub(instead, text)
    return _LONG_WORD.sub(_without_token, _DOTTED.sub(_without_web_token, text))


def _without_web_token(words: re.Match[str]) -> str:
    """Hide a JSON Web Token, with everything after it in the same run of words and dots."""
    found = _WEB_TOKEN.search(words[0])
    is_followed = found is not None and "." in words[0][found.end() :]
    return f"{words[0][: found.start()]}{_HIDDEN}" if found and is_followed else words[0]


def _without_token(word: re.Match[str]) -> str:
    """Hide a long word if it contains letters and digits, as tokens do."""
    return _HIDDEN if _DIGIT.search(word[0]) and _LETTER.search(word[0]) else word[0]


@dataclass(frozen=True, slots=True)
class LogFile:
    """One log: its name and its path."""

    name: str
    path: Path


def log_folder(data: Path) -> Path:
    """Return the folder of the app's own log."""
    return data / "logs"


def log_files(homes: Homes) -> list[LogFile]:
    """Return the app's log, even if empty, then those of programs that wrote one. Raises Problem."""
    found = [LogFile("Kalends", log_folder(homes.data) / "kalends.log")]
    for home in homes.all():
        for program, name in _PROGRAMS:
            path = homes.folder(home) / f"{program}.log"
            if path.exists():
                found.append(LogFile(tr("{program} of {calendar}", program=name, calendar=home.name), path))
    return found


def last_lines(file: LogFile, most: int = 400) -> list[str]:
    """Return the end of a log; empty if it doesn't exist. Raises Problem."""
    try:
        with file.path.open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - _TAIL_BYTES))
            is_cut = log.tell() > 0
            lines = log.read(_TAIL_BYTES).decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise Problem(
            tr(
                "Couldn't read the log {path}: {reason}. Open its folder to see why.",
                path=file.path,
                reason=foreign_texts.why(error),
            ),
            details=str(error),
        ) from error
    return [without_secrets(line) for line in (lines[1:] if is_cut else lines)[-most:]]


def export(files: list[LogFile], to: Path) -> None:
    """Write all logs, including older parts, into one text without secrets. Raises Problem.

    Writes to a temporary file next to ``to`` and renames it, so that the file is complete or missing.
    """
    part = to.with_name(f"{to.name}.part")
    try:
        with part.open("w", encoding="utf-8") as out:
            for file in files:
                for path in _parts(file):
                    out.write(f"==== {file.name}: {path.name}\n")
                    out.writelines(_clean_lines(path))
            out.flush()
            os.fsync(out.fileno())
        replace(part, to)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise Problem(
            tr(
                "Couldn't write the logs to {to}: {reason}. Choose another folder.",
                to=to,
                reason=foreign_texts.why(error),
            ),
            details=str(error),
        ) from error


def _parts(file: LogFile) -> list[Path]:
    """The older files of a rotated log, oldest first, then the log itself."""
    older = sorted(file.path.parent.glob(f"{file.path.name}.[0-9]"), reverse=True)
    return [path for path in (*older, file.path) if path.exists()]


def _clean_lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", errors="replace") as log:
        for line in log:
            yield without_secrets(line)
