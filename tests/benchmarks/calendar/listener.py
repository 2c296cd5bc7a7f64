"""`python3 listener.py COMMAND...`: run a program while a client listens to its accessibility events.

Needs a Python with pyatspi, usually the system's. Prints the program's last line of JSON with the number of
messages that the client has received.
"""

import json
import subprocess
import sys
from threading import Thread

import pyatspi  # type: ignore[import-not-found]

_MESSAGES = ("object", "focus", "window")


def main() -> None:
    """Listen until the program exits, and exit with its code."""
    heard = 0

    def hear(_event: object) -> None:
        nonlocal heard
        heard += 1

    pyatspi.Registry.registerEventListener(hear, *_MESSAGES)
    program = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
    lines: list[str] = []

    def follow() -> None:
        assert program.stdout is not None
        lines.extend(program.stdout)
        pyatspi.Registry.stop()

    Thread(target=follow, daemon=True).start()
    pyatspi.Registry.start()
    if program.wait():
        sys.exit(program.returncode)
    print(json.dumps({**json.loads(lines[-1]), "heard": heard}))


if __name__ == "__main__":
    main()
