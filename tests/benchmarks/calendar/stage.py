"""Where everything is measured, and running programs that return figures."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.benchmarks.calendar.screen import Screen

_ROOT: Final = Path(__file__).parents[3]


class MissingError(Exception):
    """Something isn't available here; the message says why."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A scratch folder, a screen, the number of posts, and what to switch off in our calendar.

    ``brief``: each action is only repeated a few times.
    """

    scratch: Path
    screen: Screen
    posts: int
    without: Sequence[str] = ()
    brief: bool = False

    def pane(self, span: str, before: Sequence[str] = (), **environment: str) -> Any:
        """Return the output of a pane in its own process, started by ``before``."""
        program = [*before, sys.executable, "-m", "tests.benchmarks.calendar.pane"]
        program += [str(self.posts), span, "few" if self.brief else "usual", *self.without]
        return told(program, {**self.screen.environment, **environment})


def told(command: Sequence[str], environment: Mapping[str, str], cwd: Path = _ROOT) -> Any:
    """Return the JSON in a program's last line. Raises RuntimeError with its errors."""
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {done.stderr[-2_000:]}")
    return json.loads(done.stdout.splitlines()[-1])
