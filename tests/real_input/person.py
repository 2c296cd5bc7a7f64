"""Somebody who sees nothing, has a keyboard, and hears what a screen reader tells.

What was pressed and what was told then stand in ``journey.txt`` in the test's folder, with a picture each.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.real_input.desk import Desk, Reader, desk, reader


@dataclass
class Person:
    """Somebody who sees nothing, and has a keyboard."""

    desk: Desk
    reader: Reader
    folder: Path
    steps: int = 0
    heard: list[str] = field(default_factory=list)
    """Everything that was announced."""

    def press(self, *keys: str) -> None:
        self._key(*keys)
        self.note(f"pressed {' '.join(keys)}")

    def write(self, text: str) -> None:
        self.desk.xdotool("type", "--delay", 5, text)
        self.desk.ask("settle")
        self.note(f"wrote {text!r}")

    def _key(self, *keys: str) -> None:
        """Presses keys, and waits until the app has had them: what they do has begun then."""
        self.desk.keys(*keys)
        self.desk.ask("settle")

    def focus(self) -> dict[str, Any]:
        """What the reader says has the focus."""
        return self.reader.ask("focus") or {"name": "", "role": "", "text": "", "states": []}

    def tab_to(self, name: str, key: str = "Tab") -> dict[str, Any]:
        """Goes from one thing to the next until the reader names this one."""
        passed: list[str] = []
        while len(passed) < 30:
            found = self.focus()
            if any(found.get(told, "").startswith(name) for told in ("name", "description")):
                return found
            passed.append(found["name"])
            self._key(key)
        raise LookupError(f"{key} does not lead to {name}, only to {passed}")

    def note(self, what: str) -> None:
        """Writes down what was done and what was told, with a picture."""
        self.steps += 1
        told = self.focus()
        with (self.folder / "journey.txt").open("a") as journey:
            journey.write(f"{self.steps:03} {what}: {told['role']} “{told['name']}”\n")
        self.desk.picture().crop((0, 0, 1280, 800)).save(self.folder / f"{self.steps:03}.png")

    def at(self, name: str) -> dict[str, Any]:
        """Waits until the focus is where it should be."""
        self.desk.until(lambda: self.focus()["name"].startswith(name))
        return self.focus()

    def hear(self, words: str) -> None:
        """Waits until something with these words is announced."""
        before = len(self.heard)

        def listen() -> bool:
            self.heard += self.reader.ask("announced")
            return any(words in one for one in self.heard[max(0, before - 2) :])

        self.desk.until(listen)
        self.note(f"heard {words!r}")

    def choose_file(self, *paths: Path) -> None:
        """Names files in the dialog that asks for some."""
        self.desk.until(lambda: self.focus()["role"] == "text")
        self.write(" ".join(f'"{path}"' for path in paths) if len(paths) > 1 else str(paths[0]))
        self.press("Return")
        focus_window(self.desk)  # without a window manager nobody does

    def all_are_named(self) -> None:
        """Fails where something can have the focus but does not say what it is."""
        assert self.reader.ask("nameless") == []


def focus_window(desk: Desk) -> None:
    """Gives the window the keys, as a window manager would."""

    def focused() -> bool:
        desk.xdotool("search", "--sync", "--onlyvisible", "--name", "Kalends", "windowfocus")
        return bool(desk.ask("is_active"))

    desk.until(focused)


@contextmanager
def somebody(folder: Path, *options: str) -> Iterator[Person]:
    """The app with somebody in front of it; ``options`` are those of the program."""
    with desk(folder / "desk", *options) as opened, reader(opened, folder / "reader.log") as listening:
        focus_window(opened)
        opened.until(lambda: listening.ask("cards"))
        yield Person(opened, listening, folder)
