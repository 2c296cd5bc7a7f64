"""`python3 listener.py COMMAND...`: runs a program while a client listens to all that it tells of itself.

For the Python that has pyatspi, which is the system's. Passes the program's last line of JSON on, with the
number of messages that the client has heard.
"""

import json
import subprocess
import sys
from threading import Thread

import pyatspi  # type: ignore[import-not-found]

_MESSAGES = ("object", "focus", "window")


def main() -> None:
    """Listens until the program ends, and ends as it did."""
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
