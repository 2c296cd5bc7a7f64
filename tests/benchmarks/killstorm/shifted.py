"""Run a program with a wrong clock: ``python -m ... FIRST THEN AFTER MODULE [ARGUMENT ...]``.

FIRST and THEN are the seconds by which the clock is ahead before and after it's set. AFTER is when that
happens, in seconds after the start.
"""

import runpy
import sys
import time


def main() -> None:
    """Shift the clock of this process, and run the module."""
    first, then = int(sys.argv[1]), int(sys.argv[2])
    now, now_ns = time.time, time.time_ns
    set_at = time.monotonic() + float(sys.argv[3])

    def ahead() -> int:
        return first if time.monotonic() < set_at else then

    time.time = lambda: now() + ahead()
    time.time_ns = lambda: now_ns() + ahead() * 10**9
    sys.argv = sys.argv[4:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
