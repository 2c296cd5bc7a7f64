"""What a move tells: its progress, and why it can't continue."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from app.client import ClientError
from app.language import tr
from app.workspace import foreign_texts
from app.workspace.homes.moving.note import Direction, MoveNote
from app.workspace.messages import Problem
from app.workspace.problems import problem_of


@dataclass(frozen=True, slots=True)
class MoveProgress:
    """What is happening; ``done`` is the share of it from 0 to 1, None if that isn't known."""

    text: str
    done: float | None = None


Tell = Callable[[MoveProgress], None]


def could_not(base_url: str, details: str) -> Problem:
    """Return the problem of a server that can't continue; ``details`` are its own words, or ours."""
    return Problem(_could_not(base_url), details=details)


def arrived(note: MoveNote) -> Problem:
    """Return the problem with cancelling a move that is complete, except for cleaning up."""
    if note.direction is Direction.BACK:
        return Problem(tr("The calendar has already arrived on this computer. Continue to finish."))
    return Problem(tr("The calendar has already arrived on {host}. Continue to finish.", host=_host(note)))


def not_cancelled(note: MoveNote, error: ClientError) -> Problem:
    """Return the problem with cancelling a move while the server doesn't respond."""
    text = tr(
        "{host} must respond before the move can be cancelled, or the calendar might be in both "
        "places. Try again when it's reachable.",
        host=_host(note),
    )
    return Problem(text, details=problem_of(error).text)


def server_problem(note: MoveNote, error: ClientError) -> Problem:
    """Return the problem of a call to the server that failed."""
    problem = problem_of(error)
    words = {
        "unreachable": tr("No response from {host}. Check your network, then continue.", host=_host(note)),
        "timeout": tr("{host} didn't respond in time. Continue in a moment.", host=_host(note)),
        "not_found": tr(
            "{host} can't take calendars yet. Ask its administrator to update it.", host=_host(note)
        ),
        "key_refused": tr("{host} doesn't accept the API key any more.", host=_host(note)),
    }
    text = words.get(problem.kind) or _could_not(note.base_url)
    details = problem.details if problem.kind in words else f"{problem.text} {problem.details}".strip()
    return Problem(text, details=details, kind=problem.kind)


def disk_problem(folder: Path, error: OSError) -> Problem:
    """Return the problem with the disk of this computer."""
    text = tr(
        "Couldn't use the files in {folder}: {reason}. Free up space, then continue.",
        folder=folder,
        reason=foreign_texts.why(error),
    )
    return Problem(text, details=str(error))


def _host(note: MoveNote) -> str:
    return urlsplit(note.base_url).netloc


def _could_not(base_url: str) -> str:
    return tr("{host} couldn't continue the move. Nothing is lost.", host=urlsplit(base_url).netloc)
