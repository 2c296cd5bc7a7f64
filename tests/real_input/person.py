"""A blind user with a keyboard and a screen reader.

``journey.txt`` in the test's folder contains every key, and what the reader found or heard. ``end.jpg`` shows
the end. With ``JOURNEY_PICTURES`` in the environment, there is a screenshot of every step.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.real_input.desk import Desk, Program, desk, reader

_NOTHING = {"name": "", "label": "", "list": "", "description": "", "role": "", "text": "", "states": []}
_STEPS_MOST = 40


@dataclass
class Person:
    """A blind user with a keyboard."""

    desk: Desk
    reader: Program
    folder: Path
    steps: int = 0
    heard_before: int = 0
    """Number of announcements before the last key press."""
    began: float = field(default_factory=time.monotonic)

    def press(self, *keys: str) -> None:
        """Press keys, and wait until the app has received them."""
        self.heard_before = len(self.reader.ask("announced", 0))
        self._press(*keys)
        self.note(f"pressed {' '.join(keys)}")

    def write(self, text: str) -> None:
        self.heard_before = len(self.reader.ask("announced", 0))
        self.desk.xdotool("type", "--delay", 5, text)
        self.desk.ask("settle")
        self.note(f"wrote {text!r}")

    def focus(self) -> dict[str, Any]:
        """Return the focused element according to the reader."""
        return self.reader.ask("focus") or _NOTHING

    def tab_to(self, name: str, key: str = "Tab") -> dict[str, Any]:
        """Press Tab until the reader names this element."""
        passed: list[str] = []
        while len(passed) < _STEPS_MOST:
            found = self.focus()
            if _is_called(found, name):
                self.note(f"{key} to {name!r}", found)
                return found
            passed.append(found["name"])
            self._press(key)
        raise LookupError(f"{key} does not lead to {name}, only to {passed}")

    def at(self, name: str) -> dict[str, Any]:
        """Wait until an element with this name has the focus."""
        found = self._until_focused(lambda focus: _is_called(focus, name))
        self.note(f"at {name!r}", found)
        return found

    def at_role(self, *roles: str) -> dict[str, Any]:
        """Wait until an element with one of these roles has the focus."""
        return self._until_focused(lambda focus: focus["role"] in roles)

    def hear(self, words: str) -> None:
        """Wait until the last keys cause an announcement with these words."""
        try:
            self.desk.until(lambda: any(words in one for one in self._announced()))
        except TimeoutError as error:
            raise TimeoutError(f"{words!r} was not heard, only {self._announced()}") from error
        self.note(f"heard {words!r}")

    def find(self, name: str) -> dict[str, Any]:
        """Wait until an element with this name is available."""
        self.desk.until(lambda: self.reader.ask("named", name))
        found: dict[str, Any] = self.reader.ask("named", name)
        return found

    def choose_file(self, *paths: Path) -> None:
        """Enter files in the file dialog."""
        self.at_role("text")
        words, names = _in_dialog(paths), _in_dialog([Path(path.name) for path in paths])
        self.write(words)
        while self.desk.until(lambda: self.focus()["text"], words, names) == names:
            # The dialog has selected the files. If its field isn't focused then, it shows their names.
            self.press("ctrl+a")
            self.write(words)
        self.press("Return")
        focus_window(self.desk)  # without a window manager nobody does

    def all_are_named(self) -> None:
        """Fail if a focusable element has no name."""
        assert self.reader.ask("nameless") == []

    def note(self, what: str, found: Mapping[str, Any] | None = None) -> None:
        """Record an action and the element found, with a screenshot."""
        self.steps += 1
        moment = time.monotonic() - self.began
        told = f": {found['role']} “{found['name']}”" if found else ""
        with (self.folder / "journey.txt").open("a") as journey:
            journey.write(f"{self.steps:03} {moment:5.1f} s {what}{told}\n")
        if os.environ.get("JOURNEY_PICTURES"):
            self.save_picture(f"{self.steps:03}.jpg")

    def save_picture(self, name: str) -> None:
        """Save a screenshot of the window in the test's folder."""
        self.desk.picture().crop((0, 0, 1280, 800)).save(self.folder / name)

    def _until_focused(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait until an element like this has the focus, and return it."""

        def look() -> dict[str, Any] | None:
            found = self.focus()
            return found if wanted(found) else None

        found = self.desk.until(look)
        assert found is not None
        return found

    def _press(self, *keys: str) -> None:
        self.desk.keys(*keys)
        self.desk.ask("settle")

    def _announced(self) -> list[str]:
        announced: list[str] = self.reader.ask("announced", self.heard_before)
        return announced


def _is_called(told: Mapping[str, Any], name: str) -> bool:
    """Whether an element has a name; for a box also its label, and for an item its list."""
    return any(told[words].startswith(name) for words in ("name", "label", "list", "description"))


def _in_dialog(files: Sequence[Path]) -> str:
    """Return what is entered in a file dialog; several files are quoted."""
    return str(files[0]) if len(files) == 1 else " ".join(f'"{file}"' for file in files)


def focus_window(desk: Desk) -> None:
    """Give the window the keyboard, like a window manager."""

    def focused() -> bool:
        desk.xdotool("search", "--sync", "--onlyvisible", "--name", "Kalends", "windowfocus")
        return bool(desk.ask("is_active"))

    desk.until(focused)


@contextmanager
def somebody(folder: Path, *options: str) -> Iterator[Person]:
    """Run the app with a user; ``options`` are the program's."""
    with desk(folder / "desk", *options) as opened, reader(opened, folder / "reader.log") as listening:
        focus_window(opened)
        opened.until(lambda: listening.ask("cards"))
        person = Person(opened, listening, folder)
        try:
            yield person
        finally:
            person.save_picture("end.jpg")
